/** Which processors the threads of this process may run on. Processors have the numbers that Linux gives them. */
import { readdirSync, readFileSync } from 'node:fs';
import { wholeNumber } from './arguments.js';
import { engine } from './native.js';

/** A thread of this process as the kernel reports it. */
export interface ThreadAffinity {
  readonly thread: number;
  readonly name: string;
  /** Processors it may run on. */
  readonly cpus: readonly number[];
}

/** The numbers in the kernel's notation: `0-2,5` is [0, 1, 2, 5]. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = NaN, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

/** The kernel's notation of ascending numbers: [0, 1, 2, 5] is `0-2,5`. */
export function formatCpuList(cpus: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const cpu of cpus) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === cpu - 1) last[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** Processors that the machine has and that are switched on. */
export function onlineCpus(): number[] {
  return parseCpuList(readFileSync('/sys/devices/system/cpu/online', 'latin1'));
}

/** Processors that the main thread may run on. */
export function getAffinity(): number[] {
  return engine().getAffinity(0);
}

/** The processor that this thread runs on at this moment. */
export function currentCpu(): number {
  return engine().currentCpu();
}

/** Every thread of this process with its processors, as the kernel reports them. */
export function threadsAffinity(): ThreadAffinity[] {
  return threadIds().flatMap((thread) => {
    const status = readStatus(thread);
    if (status === undefined) return [];
    const name = /^Name:\s*(.*)$/m.exec(status)?.[1] ?? '';
    return [{ thread, name, cpus: parseCpuList(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? '') }];
  });
}

function readStatus(thread: number): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/status`, 'latin1');
  } catch {
    return undefined; // it has ended meanwhile
  }
}

function threadIds(): number[] {
  return readdirSync('/proc/self/task').map(Number);
}

/**
 * Has every thread of this process run on these processors only, those that start later too. Throws, and leaves
 * everything as it was, where a processor does not exist or may not be used.
 */
export function setAffinity(cpus: readonly number[]): void {
  const wanted = [...new Set(cpus.map((cpu) => wholeNumber(cpu, 'a core')))].sort((a, b) => a - b);
  if (wanted.length === 0) throw new RangeError('name at least one core to run on');
  requireExisting(wanted);
  setMainThread(wanted);
  const done = new Set<number>();
  // A thread may start another one while we look: go on until none is new.
  for (let ids = threadIds(); ids.some((id) => !done.has(id)); ids = threadIds()) {
    for (const id of ids) {
      engine().setAffinity(id, wanted);
      done.add(id);
    }
  }
}

/** Throws a sentence for processors that the machine does not have. */
export function requireExisting(cpus: readonly number[]): void {
  const online = onlineCpus();
  const missing = cpus.filter((cpu) => !online.includes(cpu));
  if (missing.length === 0) return;
  const [subject, verb] = missing.length === 1 ? ['core', 'does'] : ['cores', 'do'];
  throw new RangeError(
    `${subject} ${formatCpuList(missing)} ${verb} not exist: this machine has ${formatCpuList(online)}`,
  );
}

/** Processors that the main thread may be given: those that are switched on and that its cpuset allows. */
export function allowedCpus(): number[] {
  const native = engine();
  const before = native.getAffinity(0);
  // The kernel drops what a cpuset forbids.
  native.setAffinity(0, onlineCpus());
  const allowed = native.getAffinity(0);
  native.setAffinity(0, before);
  return allowed;
}

/** The kernel silently drops processors that a cpuset forbids, so what it made of the request is read back. */
function setMainThread(wanted: readonly number[]): void {
  const native = engine();
  const before = native.getAffinity(0);
  native.setAffinity(0, wanted);
  const now = native.getAffinity(0);
  const refused = wanted.filter((cpu) => !now.includes(cpu));
  if (refused.length === 0 && now.length === wanted.length) return;
  native.setAffinity(0, before);
  const allowed = allowedCpus();
  const forbidden = wanted.filter((cpu) => !allowed.includes(cpu));
  throw new RangeError(
    `this process may not use core ${formatCpuList(forbidden)}: its cpuset allows ${formatCpuList(allowed)}; ask Slurm or the container for more`,
  );
}

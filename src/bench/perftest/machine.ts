/** What the machine says beside the clock: the load of its processors, and a device's counters. */
import { sleep } from '../../report/sink.js';
import type { Job } from './job.js';

interface Ticks {
  readonly all: number;
  readonly idle: number;
}

/** The fourth column of the first line of /proc/stat; the first is at 0. */
const IDLE = 3;

function ticks({ tools }: Job): Ticks {
  const columns = (tools.readText('/proc/stat').split('\n')[0] ?? '').trim().split(/\s+/).slice(1).map(Number);
  return { all: columns.reduce((sum, column) => sum + column, 0), idle: columns[IDLE] ?? 0 };
}

/** `--cpu_util`: gives the percentage of the whole machine that has worked since; nothing where it isn't asked for. */
export function startLoad(job: Job): () => { readonly cpuUtil?: number } {
  if (!job.options.cpuUtil) return () => ({});
  const before = ticks(job);
  return () => {
    const after = ticks(job);
    const all = after.all - before.all;
    return all > 0 ? { cpuUtil: (100 * (all - (after.idle - before.idle))) / all } : {};
  };
}

/** Where a port's counters are, in the order of looking. */
const FOLDERS = ['counters', 'hw_counters'];

function readCounter(job: Job, name: string): bigint {
  const { side, tools, options } = job;
  const port = `/sys/class/infiniband/${side.context.device.name}/ports/${options.path.port}`;
  const paths = name.includes('/') ? [`${port}/${name}`] : FOLDERS.map((folder) => `${port}/${folder}/${name}`);
  for (const path of paths) {
    const value = valueOf(() => tools.readText(path));
    if (value !== null) return value;
  }
  // The other side may not look for counters: it must be told, which a refusal that both know of is not.
  throw new Error(`there is no counter ${name} below ${port}: see its folders ${FOLDERS.join(' and ')}`);
}

function valueOf(read: () => string): bigint | null {
  try {
    return BigInt(read().trim());
  } catch {
    return null;
  }
}

export type Counters = readonly (readonly [name: string, value: bigint])[];

/** The kernel gives the same values again for so many milliseconds: what has just been counted shows after them. */
function waitForNewValues({ side, tools, options }: Job): void {
  const folder = `/sys/class/infiniband/${side.context.device.name}/ports/${options.path.port}/hw_counters`;
  const lifespan = valueOf(() => tools.readText(`${folder}/lifespan`));
  if (lifespan !== null) sleep(Number(lifespan) + 1);
}

/** `-W`. Throws an Error for what isn't there. */
export function readCounters(job: Job): Counters {
  if (job.options.counters.length > 0) waitForNewValues(job);
  return job.options.counters.map((name) => [name, readCounter(job, name)] as const);
}

export function differences(before: Counters, after: Counters): Counters {
  return after.map(([name, value], index) => [name, value - (before[index]?.[1] ?? 0n)] as const);
}

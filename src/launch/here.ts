/** What of this host and process matters to a launch. */
import { readFileSync } from 'node:fs';
import { coreOf } from '../binding/core-of.js';
import { onlineCpus, parseCpuList } from '../engine/affinity.js';
import { readAllocation, type Allocation } from '../slurm/allocation.js';

export interface Here {
  /** Processors that this process may use, by core: one list for each, in the order of the lowest. */
  readonly cores: readonly (readonly number[])[];
  /** Whether there are others that it may not use (taskset, a cgroup): launchers bind by what the machine has. */
  readonly narrowed: boolean;
  readonly root: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The job of a workload manager around this process, whose nodes the ranks get. */
  readonly allocation?: Allocation | undefined;
}

export function readHere(environment: NodeJS.ProcessEnv = process.env): Here {
  const allowed = allowedCpus();
  return {
    cores: byCore(allowed, (cpu) => coreOf(cpu)),
    narrowed: allowed.length < onlineCpus().length,
    root: process.getuid?.() === 0,
    environment,
    allocation: readAllocation(environment),
  };
}

function allowedCpus(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1');
  return parseCpuList(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? '');
}

/** Processors together with those of their core. `core` names the core of a processor. */
export function byCore(cpus: readonly number[], core: (cpu: number) => number): number[][] {
  const cores = new Map<number, number[]>();
  for (const cpu of cpus) cores.set(core(cpu), [...(cores.get(core(cpu)) ?? []), cpu]);
  return [...cores.values()];
}

/**
 * As many processors for as many ranks, each rank on a core of its own while there are cores, then on the second hardware
 * threads, and so on; undefined where there are too few.
 */
export function processorsFor(ranks: number, cores: Here['cores']): number[] | undefined {
  const most = Math.max(...cores.map(({ length }) => length), 0);
  const inTurn = Array.from({ length: most }, (_, thread) => cores.flatMap((core) => core.slice(thread, thread + 1)));
  const all = inTurn.flat();
  return all.length < ranks ? undefined : all.slice(0, ranks);
}

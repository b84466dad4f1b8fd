/** What a list of hardware threads is checked against: a topology, or this machine as sysfs has it. */
import { coreOf } from './core-of.js';
import { onlineCpus } from '../engine/affinity.js';
import type { Topology } from '../topology/types.js';
import { offlineCpus } from './sysfs.js';

export interface Processors {
  /** OS numbers of all hardware threads. */
  readonly all: readonly number[];
  /** Those that are switched off. */
  readonly offline: readonly number[];
  /** Those that may be used. */
  readonly allowed: readonly number[];
  /** By whom, in a sentence. */
  readonly whose: 'this process' | 'processes there';
  /** The lowest hardware thread of the same core: a name of the core that is unique on its host. */
  coreOf(cpu: number): number;
}

export function processorsOf({ threads, cores, offline, thisSystem }: Topology): Processors {
  const lowest = cores.map((core) => Math.min(...core.threads));
  const names = new Map(cores.flatMap((core, index) => core.threads.map((cpu) => [cpu, lowest[index] ?? cpu])));
  return {
    all: threads.map(({ os }) => os),
    offline,
    allowed: threads.filter(({ allowed }) => allowed).map(({ os }) => os),
    whose: thisSystem ? 'this process' : 'processes there',
    coreOf: (cpu) => names.get(cpu) ?? cpu,
  };
}

/**
 * Of this machine, from a few files of sysfs.
 *
 * @param outer the hardware threads that the process was started for; null = unknown, and no limit
 */
export function processorsHere(outer: readonly number[] | null): Processors {
  const all = onlineCpus();
  const allowed = outer ? all.filter((cpu) => outer.includes(cpu)) : all;
  return { all, offline: offlineCpus(all), allowed, whose: 'this process', coreOf: (cpu) => coreOf(cpu) };
}

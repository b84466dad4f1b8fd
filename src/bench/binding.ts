/** Where the ranks run, as the kernel reports it, and what about it would spoil figures. */
import { formatCpuList } from '../engine/affinity.js';
import type { BindingRecord, NicDistance, RankRecord } from '../results/types.js';

/** Threads that may run elsewhere than the process's main thread, in words; empty when there are none. */
function strays({ threads = [], hardwareThreads }: RankRecord): string {
  const expected = formatCpuList(hardwareThreads ?? []);
  const others = threads.filter((thread) => formatCpuList(thread.hardwareThreads) !== expected);
  return others.map((thread) => `thread ${thread.id} may run on ${formatCpuList(thread.hardwareThreads)}`).join(', ');
}

function distanceText({ name, distance }: NicDistance): string {
  if (distance === 0) return `near ${name}`;
  return distance === null ? `unknown distance to ${name}` : `distance ${distance} to ${name}`;
}

/** `-c` of ucx_perftest stands there as it was given. */
function optionOf({ asked }: BindingRecord): string {
  return asked.startsWith('-') ? asked : `--bind ${asked}`;
}

/** What is worth a word beside the cores. */
function details({ numaNode, binding }: RankRecord): string[] {
  const memory = binding?.memory ?? 'first touch';
  return [
    ...(numaNode === null ? [] : [`NUMA node ${numaNode}`]),
    ...(binding?.nics ?? []).map(distanceText),
    ...(memory === 'first touch' ? [] : [`memory ${memory}`]),
    ...(binding?.by === 'fabricbench' ? [`bound by ${optionOf(binding)}`] : []),
  ];
}

/** One line per rank for `--report-binding`. */
export function bindingReport(ranks: readonly RankRecord[]): string[] {
  return ranks.map((record) => {
    const { rank, host, cores, hardwareThreads, threads } = record;
    const place = [
      `core ${formatCpuList(cores ?? [])}, hardware thread ${formatCpuList(hardwareThreads ?? [])}`,
      ...details(record),
    ].join(', ');
    const others = strays(record) || `all ${threads?.length ?? 0} threads of the process alike`;
    return `rank ${rank} on ${host}: ${place}, ${others}`;
  });
}

/** Names ranks in a sentence: `rank 3`, or `ranks 0, 1, 5`; long lists are cut. */
function named(ranks: readonly number[]): string {
  const shown = ranks.slice(0, 8).join(', ');
  const more = ranks.length > 8 ? ` and ${ranks.length - 8} more` : '';
  return `${ranks.length > 1 ? 'ranks' : 'rank'} ${shown}${more}`;
}

function looseWarnings(ranks: readonly RankRecord[]): string[] {
  const loose = ranks.filter(({ cores }) => (cores?.length ?? 0) > 1);
  if (loose.length === 0) return [];
  return [
    `${named(loose.map(({ rank }) => rank))} may run on several cores, so figures will vary: bind with mpirun --bind-to core or with --bind`,
  ];
}

function sharingWarnings(ranks: readonly RankRecord[]): string[] {
  const byCore = new Map<string, number[]>();
  for (const { rank, host, cores } of ranks) {
    if (cores?.length !== 1) continue;
    const core = `core ${cores[0]} of ${host}`;
    byCore.set(core, [...(byCore.get(core) ?? []), rank]);
  }
  return [...byCore]
    .filter(([, sharing]) => sharing.length > 1)
    .map(
      ([core, sharing]) =>
        `${named(sharing)} share ${core}, so figures show the scheduler: give each rank its own core with --bind`,
    );
}

/** Threads of a rank that take turns, since there are more of them than places. */
function crowdWarnings(ranks: readonly RankRecord[], workersOf: (rank: number) => number): string[] {
  return ranks.flatMap(({ rank, hardwareThreads: places }) => {
    const workers = workersOf(rank);
    if (!places || places.length === 0 || places.length >= workers) return [];
    const on = `${places.length > 1 ? 'hardware threads' : 'hardware thread'} ${formatCpuList(places)}`;
    return [
      `rank ${rank} has ${workers} threads that work at once on ${on}, so figures show the scheduler: leave it more (mpirun --bind-to none or --map-by slot:pe=${workers}, -c of ucx_perftest), and leave --bind out`,
    ];
  });
}

function strayWarnings(ranks: readonly RankRecord[]): string[] {
  return ranks.flatMap((record) => {
    const others = strays(record);
    return others
      ? [`rank ${record.rank} is bound to ${formatCpuList(record.hardwareThreads ?? [])}, but ${others}`]
      : [];
  });
}

/**
 * Sentences about unbound ranks, ranks that share a core, ranks with more threads than places, and threads that are bound
 * elsewhere than their process.
 *
 * @param workersOf threads of a rank that work at once
 */
export function bindingWarnings(ranks: readonly RankRecord[], workersOf: (rank: number) => number = () => 1): string[] {
  return [
    ...looseWarnings(ranks),
    ...sharingWarnings(ranks),
    ...crowdWarnings(ranks, workersOf),
    ...strayWarnings(ranks),
  ];
}

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

/** Sentences about unbound ranks, ranks that share a core, and threads that are bound elsewhere than their process. */
export function bindingWarnings(ranks: readonly RankRecord[]): string[] {
  const warnings: string[] = [];
  const loose = ranks.filter(({ cores }) => (cores?.length ?? 0) > 1);
  if (loose.length > 0) {
    warnings.push(
      `${named(loose.map(({ rank }) => rank))} may run on several cores, so figures will vary: bind with mpirun --bind-to core or with --bind`,
    );
  }
  const byCore = new Map<string, number[]>();
  for (const { rank, host, cores } of ranks) {
    const core = cores?.length === 1 ? cores[0] : undefined;
    if (core !== undefined)
      byCore.set(`core ${core} of ${host}`, [...(byCore.get(`core ${core} of ${host}`) ?? []), rank]);
  }
  for (const [core, sharing] of byCore) {
    if (sharing.length > 1) {
      warnings.push(
        `${named(sharing)} share ${core}, so figures show the scheduler: give each rank its own core with --bind`,
      );
    }
  }
  for (const rank of ranks) {
    const others = strays(rank);
    if (others)
      warnings.push(`rank ${rank.rank} is bound to ${formatCpuList(rank.hardwareThreads ?? [])}, but ${others}`);
  }
  return warnings;
}

/** Whether ranks are still where they were when their run began. */
import { formatCpuList } from '../engine/affinity.js';
import type { RankRecord, ThreadRecord } from '../results/types.js';

/** What is known of ranks after their run. */
export interface Rechecked {
  readonly ranks: readonly RankRecord[];
  /** One sentence for each rank that is not where it was. */
  readonly warnings: readonly string[];
}

const listOf = (threads: readonly number[] | null | undefined): string => formatCpuList(threads ?? []);

/** Threads that may run elsewhere than their process began, but for those that did from the start. */
function strayed(before: RankRecord, now: RankRecord): ThreadRecord[] {
  const home = listOf(before.hardwareThreads);
  const known = new Map((before.threads ?? []).map(({ id, hardwareThreads }) => [id, listOf(hardwareThreads)]));
  return (now.threads ?? []).filter(({ id, hardwareThreads }) => {
    const list = listOf(hardwareThreads);
    return list !== home && list !== known.get(id);
  });
}

function strayText({ id, name, hardwareThreads }: ThreadRecord): string {
  return `thread ${id}${name ? ` (${name})` : ''} may run on ${listOf(hardwareThreads)}`;
}

function sentenceOn(before: RankRecord, now: RankRecord, strays: readonly ThreadRecord[]): string | undefined {
  const [was, is] = [listOf(before.hardwareThreads), listOf(now.hardwareThreads)];
  if (was !== is)
    return `rank ${before.rank} was moved during the run: it began on hardware thread ${was} and may now run on ${is}, so its figures are of both`;
  if (strays.length === 0) return undefined;
  const [first] = strays;
  const which = strays.length === 1 && first ? strayText(first) : `${strays.length} threads may run elsewhere`;
  return `rank ${before.rank} has threads that left its binding to ${was} during the run: ${which}`;
}

function recheckRank(before: RankRecord, now: RankRecord): { rank: RankRecord; warning: string | undefined } {
  const strays = strayed(before, now);
  const warning = sentenceOn(before, now, strays);
  const { binding } = before;
  const { hardwareThreads } = now;
  const nics = now.binding?.nics ?? binding?.nics;
  const after = warning === undefined ? {} : { after: { hardwareThreads: hardwareThreads ?? [], threads: strays } };
  return {
    warning,
    rank: binding ? { ...before, binding: { ...binding, ...(nics ? { nics } : {}), ...after } } : before,
  };
}

/**
 * What the records of the ranks become after their run: where a rank or one of its threads is not where it was they say
 * where it is now, and they name network devices that are known only since messages went over them.
 */
export function recheckRanks(before: readonly RankRecord[], now: readonly RankRecord[]): Rechecked {
  const checked = before.map((rank, index) => {
    const later = now[index];
    return later ? recheckRank(rank, later) : { rank, warning: undefined };
  });
  return {
    ranks: checked.map(({ rank }) => rank),
    warnings: checked.flatMap(({ warning }) => (warning === undefined ? [] : [warning])),
  };
}

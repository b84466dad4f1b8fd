/**
 * Finds ranks that are slow, of the times that all ranks had. In a collective everybody waits for the last to come: its own
 * time in the call is then far below that of the others. Whoever gets its data late has a time far above. Of pairs that work at
 * the same time the slow one takes longer. Only what is clear is said: outliers in most rows, by more than a factor of two.
 */
import type { OsuOptions } from '../cli/options.js';
import type { RunHead } from '../report/types.js';
import { MAD_TO_SD, mad, median } from './measure/robust.js';

/** Fewer than so many say nothing of what is usual. */
const FEWEST_ALIKE = 4;
/** Samples of a rank below which a row doesn't count. */
const FEWEST_SAMPLES = 10;
const FACTOR = 2;
/** Standard deviations of the logarithms, as the median absolute deviation estimates them. */
const DEVIATIONS = 6;
/** No time is shorter, in seconds: it is to have a logarithm. */
const LEAST_TIME = 1e-9;
/** Part of the ranks that may be slow before it is no longer they who are odd. */
const MOST_SLOW = 0.25;

/** What the ranks of a benchmark do together. */
export type Together =
  /** Every rank waits for every other. */
  | { readonly kind: 'all' }
  /** Ranks wait for the root, or the root for them: its own time is another matter. */
  | { readonly kind: 'rooted'; readonly root: number | null }
  /** Rank r works with rank r + pairs. */
  | { readonly kind: 'pairs'; readonly pairs: number };

const EVERYONE_WAITS = /^(allgatherv?|allreduce|alltoall[vw]?|barrier|reduce_scatter(_block)?)( persistent)?$/;
const ROOTED = /^(bcast|gatherv?|reduce|scatterv?)( persistent)?$/;

export interface Work {
  /** Of a benchmark's row. */
  readonly ranks: string | number;
  readonly kernel: { readonly name: string };
}

/** Null where the times of ranks say nothing of the ranks. */
export function togetherIn({ ranks, kernel }: Work, pairs: number, root: OsuOptions['root']): Together | null {
  if (ranks === 'pairs') return { kind: 'pairs', pairs };
  if (EVERYONE_WAITS.test(kernel.name)) return { kind: 'all' };
  if (!ROOTED.test(kernel.name)) return null;
  return { kind: 'rooted', root: root.kind === 'fixed' ? root.rank : null };
}

/** Whether ranks share hardware threads: who is slow is then the scheduler's choice. */
export function areCrowded({ ranks, environment }: Pick<RunHead, 'ranks' | 'environment'>): boolean {
  return environment.hosts.some(
    ({ name, cpus }) => ranks.filter(({ host }) => host === name).length > (cpus ?? Infinity),
  );
}

type How = 'late' | 'long';

interface Outlier {
  readonly rank: number;
  readonly how: How;
  /** Its time over the median. */
  readonly factor: number;
}

/** A group of ranks that should take the same time. */
function outliersAmong(times: readonly (readonly [number, number])[], kinds: readonly How[]): Outlier[] {
  if (times.length < FEWEST_ALIKE) return [];
  // Logarithms: half the usual time is as odd as twice that time.
  const logs = times.map(([, seconds]) => Math.log(Math.max(seconds, LEAST_TIME)));
  const usual = median(logs);
  const most = Math.max(DEVIATIONS * MAD_TO_SD * mad(logs), Math.log(FACTOR));
  return times.flatMap(([rank], index) => {
    const beyond = (logs[index] ?? NaN) - usual;
    const how = beyond > 0 ? 'long' : 'late';
    return Math.abs(beyond) > most && kinds.includes(how) ? [{ rank, how, factor: Math.exp(beyond) }] : [];
  });
}

/** Judges a run row by row; what it keeps is bounded by the number of ranks. */
export class SlowRanks {
  readonly #together: Together;
  readonly #hosts: readonly string[];
  readonly #found = new Map<string, { rank: number; how: How; factors: number[] }>();
  #rows = 0;

  /** @param hosts of all ranks, by rank */
  constructor(together: Together, hosts: readonly string[]) {
    this.#together = together;
    this.#hosts = hosts;
  }

  /** Takes the median times of one row, in seconds by rank, of ranks whose times make the figures. */
  add({ seconds, fewest }: { readonly seconds: ReadonlyMap<number, number>; readonly fewest: number }): void {
    if (fewest < FEWEST_SAMPLES) return;
    const groups = this.#groups(seconds);
    if (![...groups.values()].some(({ length }) => length >= FEWEST_ALIKE)) return;
    this.#rows++;
    const kinds: readonly How[] = this.#together.kind === 'all' ? ['late', 'long'] : ['long'];
    const outliers = [...groups.values()].flatMap((group) => outliersAmong(group, kinds));
    if (outliers.length > MOST_SLOW * seconds.size) return;
    for (const { rank, how, factor } of outliers) {
      const found = this.#found.get(`${rank} ${how}`) ?? { rank, how, factors: [] };
      found.factors.push(factor);
      this.#found.set(`${rank} ${how}`, found);
    }
  }

  /** A sentence for each rank, or pair, that was slow in most rows. */
  sentences(): string[] {
    const clear = [...this.#found.values()].filter(({ factors }) => factors.length > this.#rows / 2);
    return clear
      .sort((a, b) => a.rank - b.rank)
      .map(({ rank, how, factors }) => {
        const { who, others } = this.#names(rank);
        const times = Number(median(factors).toPrecision(2));
        const why =
          how === 'late'
            ? `all wait for it, as its own time in the call is ${times} times the median of the ranks`
            : `it takes ${times} times the median of the ${others}`;
        const rows = this.#rows === 1 ? '' : `, in ${factors.length} of ${this.#rows} rows`;
        return `${who} is slow: ${why}${rows}`;
      });
  }

  #names(rank: number): { who: string; others: string } {
    const place = (one: number): string => `rank ${one} on ${this.#hosts[one] ?? 'an unknown host'}`;
    if (this.#together.kind !== 'pairs') return { who: place(rank), others: 'ranks' };
    return { who: `the pair of ${place(rank)} and ${place(rank + this.#together.pairs)}`, others: 'pairs' };
  }

  /**
   * Ranks by what their time depends on beside themselves: how many share their host, and of a pair whether it goes across
   * hosts. One rank that sits alone on another host is far, and not slow.
   */
  #groups(seconds: ReadonlyMap<number, number>): Map<string, [number, number][]> {
    const groups = new Map<string, [number, number][]>();
    for (const [rank, one] of seconds) {
      if (this.#together.kind === 'rooted' && rank === this.#together.root) continue;
      const key = this.#placeOf(rank);
      groups.set(key, [...(groups.get(key) ?? []), [rank, one]]);
    }
    return groups;
  }

  #placeOf(rank: number): string {
    const host = this.#hosts[rank];
    if (this.#together.kind === 'pairs') return host === this.#hosts[rank + this.#together.pairs] ? 'within' : 'across';
    return String(this.#hosts.filter((name) => name === host).length);
  }
}

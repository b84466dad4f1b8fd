/**
 * Change points of a history: where its level changed for good, or for a while.
 *
 * The most likely border is compared with those of the same values in random orders: if fewer than 5 % of these have one as
 * clear it is no chance, and both parts are looked at likewise. All rows (sizes) are shuffled alike and the largest
 * statistic of all of them counts, so that 5 % holds for the history as a whole, however many sizes it has and however alike
 * they are. (Divisive estimation: Matteson and James, A nonparametric approach for multiple change point analysis,
 * JASA 109, 2014; the largest statistic over permutations: Westfall and Young, Resampling-based multiple testing, 1993.)
 */
import { generator, shuffle } from './random.js';
import { ranksOf, Splitter } from './split.js';

/** Fewer records can't show a change that chance would not. */
export const LEAST_POINTS = 10;
/** How many histories without a change may show one. */
export const SIGNIFICANCE = 0.05;
/** Random orders. */
const ORDERS = 199;
const SEED = 0x5eed;
/** What one row's statistic at one border exceeds by chance once in a hundred times (chi-squared, one degree). */
const ROW_LIMIT = 6.635;

export interface ChangePoint {
  /** The first place after the change. */
  readonly at: number;
  /** Part of the random orders, counting the one seen, that have as clear a border. */
  readonly p: number;
  /** Rows that changed with it: chance makes one in a hundred rows change so much at a given border. */
  readonly rows: readonly number[];
}

export interface ChangeOptions {
  readonly orders?: number;
  readonly seed?: number;
}

/** `rows`: values over time, each as long as the others, NaN where one is missing. In the order of time. */
export function changePoints(rows: readonly (readonly number[])[], options: ChangeOptions = {}): ChangePoint[] {
  const length = rows[0]?.length ?? 0;
  const random = generator(options.seed ?? SEED);
  const found: ChangePoint[] = [];
  const look = (from: number, to: number): void => {
    const change = changeWithin(
      rows.map((row) => row.slice(from, to)),
      { random, orders: options.orders ?? ORDERS },
    );
    if (!change) return;
    found.push({ ...change, at: from + change.at });
    look(from, from + change.at);
    look(from + change.at, to);
  };
  look(0, length);
  return found.sort((a, b) => a.at - b.at);
}

interface Trial {
  readonly random: () => number;
  readonly orders: number;
}

function changeWithin(rows: readonly (readonly number[])[], { random, orders }: Trial): ChangePoint | undefined {
  const length = rows[0]?.length ?? 0;
  if (length < LEAST_POINTS) return undefined;
  const splitter = new Splitter(rows.map(ranksOf), length);
  const inTime = Int32Array.from({ length }, (_, index) => index);
  const best = splitter.best(inTime);
  const { at, statistic } = best;
  if (statistic === 0) return undefined;
  const changed = rows.flatMap((_, row) => (splitter.statisticOf(row, best) >= ROW_LIMIT ? [row] : []));
  const p = chanceOf(splitter, inTime, { statistic, random, orders });
  return p === undefined ? undefined : { at, p, rows: changed };
}

/** The part of random orders that are as clear; undefined as soon as it is plain that chance does as well. */
function chanceOf(splitter: Splitter, order: Int32Array, trial: Trial & { statistic: number }): number | undefined {
  const { statistic, random, orders } = trial;
  const most = Math.floor(SIGNIFICANCE * (orders + 1)) - 1;
  let asClear = 0;
  for (let count = 0; count < orders; ++count) {
    shuffle(order, random);
    if (splitter.best(order).statistic >= statistic) ++asClear;
    if (asClear > most) return undefined;
  }
  return (1 + asClear) / (1 + orders);
}

/**
 * Change points of a history: where its level changed for good, or for a while.
 *
 * The most likely border is compared with those of the same values in random orders: if hardly any of these has one as
 * clear it is no chance, its place is looked for by the values themselves (place.ts), and both parts are looked at likewise, each at half the level. All rows (sizes) are shuffled alike and the largest
 * statistic of all of them counts, so that the level holds for the test as a whole, however many sizes it has and however
 * alike they are. (Divisive estimation: Matteson and James, A nonparametric approach for multiple change point analysis,
 * JASA 109, 2014; the largest statistic over permutations: Westfall and Young, Resampling-based multiple testing, 1993.)
 */
import { generator, shuffle } from './random.js';
import { placeOf } from './place.js';
import { ranksOf, Splitter, type Split } from './split.js';

/** Fewer records can't show a change that chance would not. */
export const LEAST_POINTS = 10;
/** How many histories without a change may show one, whatever number of tests they have. */
export const SIGNIFICANCE = 0.05;
/** Random orders, and how many of them a level must leave to chance. */
const [LEAST_ORDERS, LEFT_TO_CHANCE] = [199, 2];
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
  /** How often rows without a change may show one; default 0.05. */
  readonly level?: number;
  readonly seed?: number;
}

/** `rows`: values over time, each as long as the others, NaN where one is missing. In the order of time. */
export function changePoints(rows: readonly (readonly number[])[], options: ChangeOptions = {}): ChangePoint[] {
  const length = rows[0]?.length ?? 0;
  const { level = SIGNIFICANCE, seed = SEED } = options;
  const random = generator(seed);
  const found: ChangePoint[] = [];
  const look = (from: number, to: number, own: number): void => {
    const part = rows.map((row) => row.slice(from, to));
    const change = changeWithin(part, { random, level: own, orders: ordersFor(own) });
    if (!change) return;
    found.push({ ...change, at: from + change.at });
    look(from, from + change.at, own / 2);
    look(from + change.at, to, own / 2);
  };
  look(0, length, level);
  return found.sort((a, b) => a.at - b.at);
}

const ordersFor = (level: number): number => Math.max(LEAST_ORDERS, Math.ceil(LEFT_TO_CHANCE / level) - 1);

interface Trial {
  readonly random: () => number;
  readonly level: number;
  readonly orders: number;
}

function changeWithin(rows: readonly (readonly number[])[], trial: Trial): ChangePoint | undefined {
  const length = rows[0]?.length ?? 0;
  if (length < LEAST_POINTS) return undefined;
  const splitter = new Splitter(rows.map(ranksOf), length);
  const inTime = Int32Array.from({ length }, (_, index) => index);
  const best = splitter.best(inTime);
  const { statistic } = best;
  if (statistic === 0) return undefined;
  const changedAt = (split: Split): number[] =>
    rows.flatMap((_, row) => (splitter.statisticOf(row, split) >= ROW_LIMIT ? [row] : []));
  const moved = changedAt(best).map((row) => rows[row]?.slice(0, best.end) ?? []);
  const at = placeOf(moved, best.at);
  const changed = changedAt({ ...best, at });
  const p = chanceOf(splitter, inTime, { ...trial, statistic });
  return p === undefined ? undefined : { at, p, rows: changed };
}

/** The part of random orders that are as clear; undefined as soon as it is plain that chance does as well. */
function chanceOf(splitter: Splitter, order: Int32Array, trial: Trial & { statistic: number }): number | undefined {
  const { statistic, random, orders, level } = trial;
  const most = Math.floor(level * (orders + 1)) - 1;
  let asClear = 0;
  for (let count = 0; count < orders; ++count) {
    shuffle(order, random);
    if (splitter.best(order).statistic >= statistic) ++asClear;
    if (asClear > most) return undefined;
  }
  return (1 + asClear) / (1 + orders);
}

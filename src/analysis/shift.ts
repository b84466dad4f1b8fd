/**
 * By how much the values of one side are above those of the other: the estimate of Hodges and Lehmann, which is the
 * median of all differences, and the interval that belongs to the test of Mann and Whitney. On logarithms it is a ratio.
 */
import { countPairs, deviationOfU, distributionOfU, isExact } from './mann-whitney.js';

export interface Shift {
  readonly estimate: number;
  /** Null where so few values can't give one. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

const LEVEL = 0.95;
const NORMAL_QUANTILE_975 = 1.959963984540054;
/** Up to so many differences are sorted; of more, the wanted one is searched for. */
const SORTED_DIFFERENCES = 20_000;
/** Of the search: far below what any clock can tell of a logarithm. */
const PRECISION = 1e-7;
const FIRST_WIDTH = 1e-3;
/** Of more values of a side, so many are taken evenly: the interval's ends move by a twentieth of its width at most. */
const MOST_VALUES = 50_000;
/** Values of a side whose differences say where to search. */
const GUESSING = 200;

/** How far `b` lies above `a`; both in ascending order, neither empty. */
export function shiftOf(a: Float64Array, b: Float64Array): Shift {
  const pairs = a.length * b.length;
  const at = pairs <= SORTED_DIFFERENCES ? sortedDifferences(a, b) : searchedDifferences(a, b);
  const low = lowRank(a, b);
  const middle = pairs % 2 === 1 ? at((pairs + 1) / 2) : (at(pairs / 2) + at(pairs / 2 + 1)) / 2;
  return { estimate: middle, interval: low < 1 ? null : { low: at(low), high: at(pairs + 1 - low) } };
}

/** Rank of the difference at the interval's lower end; below 1 there is none. */
function lowRank(a: Float64Array, b: Float64Array): number {
  const [m, n] = [a.length, b.length];
  const tail = (1 - LEVEL) / 2;
  if (isExact(m, n)) {
    const first = distributionOfU(m, n).findIndex((probability) => probability > tail);
    return Math.max(first, 0);
  }
  const half = NORMAL_QUANTILE_975 * deviationOfU(m, n, countPairs(a, b).tied);
  return Math.floor((m * n) / 2 - half);
}

function sortedDifferences(a: Float64Array, b: Float64Array): (rank: number) => number {
  const differences = new Float64Array(a.length * b.length);
  let index = 0;
  for (const above of b) for (const below of a) differences[index++] = above - below;
  differences.sort();
  return (rank) => differences[rank - 1] ?? NaN;
}

/** By halving: how many differences are at most so large takes one pass over both sides. */
function searchedDifferences(all: Float64Array, others: Float64Array): (rank: number) => number {
  const [a, b] = [thinned(all, MOST_VALUES), thinned(others, MOST_VALUES)];
  const [few, fewOthers] = [thinned(a, GUESSING), thinned(b, GUESSING)];
  const guess = sortedDifferences(few, fewOthers);
  return (rank) => {
    const share = (rank - 0.5) / (all.length * others.length);
    const wanted = Math.ceil(share * a.length * b.length);
    let [low, high] = bracket(a, b, { wanted, near: guess(Math.ceil(share * few.length * fewOthers.length)) });
    while (high - low > PRECISION) {
      const middle = (low + high) / 2;
      if (countUpTo(a, b, middle) >= wanted) high = middle;
      else low = middle;
    }
    return high;
  };
}

/** Ends around a guess that hold the difference between them. */
function bracket(a: Float64Array, b: Float64Array, by: { wanted: number; near: number }): [number, number] {
  for (let width = FIRST_WIDTH; ; width *= 8) {
    const [low, high] = [by.near - width, by.near + width];
    if (countUpTo(a, b, low) < by.wanted && countUpTo(a, b, high) >= by.wanted) return [low, high];
  }
}

/** Differences b - a of at most `limit`. */
function countUpTo(a: Float64Array, b: Float64Array, limit: number): number {
  let count = 0;
  let below = 0;
  for (const value of b) {
    while (below < a.length && value - (a[below] ?? NaN) > limit) below += 1;
    count += a.length - below;
  }
  return count;
}

/** Evenly by rank. */
function thinned(values: Float64Array, most: number): Float64Array {
  if (values.length <= most) return values;
  return Float64Array.from(
    { length: most },
    (_, index) => values[Math.floor(((index + 0.5) / most) * values.length)] ?? NaN,
  );
}

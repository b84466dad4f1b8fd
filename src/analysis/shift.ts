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
/** Values of a side whose differences say where to search. */
const THINNED = 200;

/** How far `b` lies above `a`; both in ascending order, neither empty. */
export function shiftOf(a: Float64Array, b: Float64Array): Shift {
  const pairs = a.length * b.length;
  const at = pairs <= SORTED_DIFFERENCES ? sortedDifferences(a, b) : searchedDifferences(a, b);
  const low = lowRank(a, b);
  const middle = (at(Math.ceil(pairs / 2)) + at(Math.floor(pairs / 2) + 1)) / 2;
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
function searchedDifferences(a: Float64Array, b: Float64Array): (rank: number) => number {
  const pairs = a.length * b.length;
  const [few, others] = [thinned(a), thinned(b)];
  const guess = sortedDifferences(few, others);
  return (rank) => {
    const near = guess(Math.ceil(((rank - 0.5) / pairs) * few.length * others.length));
    let [low, high] = bracket(a, b, { rank, near });
    while (high - low > PRECISION) {
      const middle = (low + high) / 2;
      if (countUpTo(a, b, middle) >= rank) high = middle;
      else low = middle;
    }
    return high;
  };
}

/** Ends around a guess that hold the difference between them. */
function bracket(a: Float64Array, b: Float64Array, wanted: { rank: number; near: number }): [number, number] {
  for (let width = 16 * PRECISION; ; width *= 8) {
    const [low, high] = [wanted.near - width, wanted.near + width];
    if (countUpTo(a, b, low) < wanted.rank && countUpTo(a, b, high) >= wanted.rank) return [low, high];
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
function thinned(values: Float64Array): Float64Array {
  if (values.length <= THINNED) return values;
  return Float64Array.from(
    { length: THINNED },
    (_, index) => values[Math.floor(((index + 0.5) / THINNED) * values.length)] ?? NaN,
  );
}

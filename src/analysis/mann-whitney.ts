/** The rank test of Mann and Whitney (Wilcoxon's of two samples): do the values of one side tend to be larger? */
import { twoSidedP } from '../bench/measure/normal.js';

export interface RankTest {
  /** Pairs of a value of each side in which the first side's is larger; a tie is half a pair. */
  readonly u: number;
  /** Two-sided. */
  readonly p: number;
  readonly method: 'exact' | 'normal';
}

/** Up to so many values of both sides together, every way to deal out the ranks is counted. */
const EXACT_VALUES = 40;

export const isExact = (m: number, n: number): boolean => m + n <= EXACT_VALUES;

/** Both sides in ascending order, neither empty. */
export function mannWhitney(a: Float64Array, b: Float64Array): RankTest {
  const { u, tied } = countPairs(a, b);
  const exact = isExact(a.length, b.length);
  const p = exact ? exactP(a, b, u) : normalP(a.length, b.length, u, tied);
  return { u, p: Math.min(1, p), method: exact ? 'exact' : 'normal' };
}

/** The least p that so many values of two sides can give: that of sides which don't overlap. */
export function leastP(m: number, n: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(m, n); ++i) ways *= (m + n + 1 - i) / i;
  return Math.min(1, 2 / ways);
}

/** Standard deviation of U where both sides are alike. `tied`: sum of t^3 - t over groups of t equal values. */
export function deviationOfU(m: number, n: number, tied = 0): number {
  const all = m + n;
  return Math.sqrt(Math.max(0, ((m * n) / 12) * (all + 1 - tied / (all * (all - 1)))));
}

/** Goes through both sides at once, a group of equal values after the other. */
export function countPairs(a: Float64Array, b: Float64Array): { readonly u: number; readonly tied: number } {
  let u = 0;
  let tied = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const value = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    const [fromA, fromB] = [i, j];
    while (a[i] === value) i += 1;
    while (b[j] === value) j += 1;
    const [ofA, ofB] = [i - fromA, j - fromB];
    if (ofA + ofB === 0) throw new RangeError('what is no number has no rank');
    u += ofA * (fromB + ofB / 2);
    tied += (ofA + ofB) ** 3 - (ofA + ofB);
  }
  return { u, tied };
}

function normalP(m: number, n: number, u: number, tied: number): number {
  const deviation = deviationOfU(m, n, tied);
  // Half a step less: U goes in steps, and the normal distribution doesn't.
  return deviation === 0 ? 1 : twoSidedP(Math.max(0, Math.abs(u - (m * n) / 2) - 0.5) / deviation);
}

/** The share of all ways to deal out these ranks, ties among them, that are as far from the middle as this or farther. */
function exactP(a: Float64Array, b: Float64Array, u: number): number {
  const [m, n] = [a.length, b.length];
  const ways = waysOfSums(doubledRanks(a, b), m);
  const middle = m * (m + n + 1);
  const distance = Math.abs(2 * u + m * (m + 1) - middle);
  const far = ways.reduce((sum, count, value) => sum + (Math.abs(value - middle) >= distance ? count : 0), 0);
  return far / ways.reduce((sum, count) => sum + count, 0);
}

/** Ranks of all values together, twice, so that the mean rank of a tie is a whole number. */
function doubledRanks(a: Float64Array, b: Float64Array): number[] {
  const all = Float64Array.from([...a, ...b]).sort();
  return Array.from(all, (value) => all.indexOf(value) + all.lastIndexOf(value) + 2);
}

/** For each sum, how many choices of `chosen` of the ranks have it. */
function waysOfSums(ranks: readonly number[], chosen: number): Float64Array {
  const most = ranks.reduce((sum, value) => sum + value, 0);
  const ways = Array.from({ length: chosen + 1 }, () => new Float64Array(most + 1));
  ways[0]?.fill(1, 0, 1);
  for (const value of ranks) {
    for (let count = chosen; count > 0; --count) {
      const [into, from] = [ways[count], ways[count - 1]];
      if (!into || !from) continue;
      for (let sum = most; sum >= value; --sum) into[sum] = (into[sum] ?? 0) + (from[sum - value] ?? 0);
    }
  }
  return ways[chosen] ?? new Float64Array(0);
}

/** How likely U is at most k where both sides are alike and no two values equal: an entry for each k from 0 to m n. */
export function distributionOfU(m: number, n: number): Float64Array {
  const ranks = Array.from({ length: m + n }, (_, index) => index + 1);
  const ways = waysOfSums(ranks, m).subarray((m * (m + 1)) / 2, (m * (m + 1)) / 2 + m * n + 1);
  const all = ways.reduce((sum, count) => sum + count, 0);
  let sum = 0;
  return ways.map((count) => (sum += count) / all);
}

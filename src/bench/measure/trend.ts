/** Whether values rise or fall in the order in which they came. */
import { twoSidedP } from './normal.js';

export interface Trend {
  /** Pairs that rise minus pairs that fall. */
  readonly s: number;
  /** `s` in standard deviations, one step nearer to 0. */
  readonly z: number;
  /** How likely values in random order have a trend that is at least as strong. */
  readonly p: number;
}

/**
 * The test of Mann (1945) and Kendall (1975), by the normal approximation with continuity correction and the correction
 * for ties. It takes time with the square of the number of values.
 */
export function mannKendall(values: ArrayLike<number>): Trend {
  const all = Array.from(values);
  let s = 0;
  all.forEach((later, index) => {
    for (let before = 0; before < index; before++) s += Math.sign(later - (all[before] ?? NaN));
  });
  const variance = varianceOf(all);
  const z = variance > 0 && s !== 0 ? (s - Math.sign(s)) / Math.sqrt(variance) : 0;
  return { s, z, p: twoSidedP(z) };
}

/** Of `s`, where the order is random: n(n-1)(2n+5)/18, less the same of the size of each group of equal values. */
function varianceOf(values: readonly number[]): number {
  const groups = new Map<number, number>();
  for (const value of values) groups.set(value, (groups.get(value) ?? 0) + 1);
  const term = (n: number): number => (n * (n - 1) * (2 * n + 5)) / 18;
  return [...groups.values()].reduce((left, size) => left - term(size), term(values.length));
}

/** How many pairs it takes until more of them bring no more. */

/** Of the highest figure: what counts as reaching it. */
export const ENOUGH = 0.95;

/** A figure that so many pairs reach together. */
export interface Level {
  readonly pairs: number;
  readonly value: number;
}

export interface Saturation {
  /** The fewest pairs that were measured and reach `ENOUGH` of the highest figure. */
  readonly pairs: number;
  /** The highest. */
  readonly peak: Level;
  /** Whether there were more pairs that brought no more; otherwise the figure may still rise. */
  readonly reached: boolean;
  /** Of the highest figure: what is left with the most pairs. Below `ENOUGH` more pairs are harmful. */
  readonly left: number;
}

/**
 * By the levels of a scan, ascending in pairs: as a message's half-performance length (Hockney) is the size that reaches half
 * of the highest bandwidth, this is the number of pairs that reaches 95 % of the highest rate. Null where there are not two.
 */
export function saturationOf(levels: readonly Level[]): Saturation | null {
  const [first, last] = [levels[0], levels.at(-1)];
  if (!first || !last || levels.length < 2) return null;
  const peak = levels.reduce((most, one) => (one.value > most.value ? one : most), first);
  const { pairs } = levels.find(({ value }) => value >= ENOUGH * peak.value) ?? peak;
  return { pairs, peak, reached: pairs < last.pairs, left: last.value / peak.value };
}

/** How alike pairs fare that talk at once. */
export interface Fairness {
  readonly slowest: number;
  readonly fastest: number;
  /** The slowest pair's figure as a part of the fastest one's. */
  readonly ratio: number;
  /** Jain's index: 1 where all have the same, 1/n where one of n has all. */
  readonly jain: number;
}

export function fairnessOf(rates: readonly number[]): Fairness {
  const [slowest, fastest] = [Math.min(...rates), Math.max(...rates)];
  const sum = rates.reduce((total, rate) => total + rate, 0);
  const squares = rates.reduce((total, rate) => total + rate * rate, 0);
  return { slowest, fastest, ratio: slowest / fastest, jain: (sum * sum) / (rates.length * squares) };
}

/** Figures of plain lists of values that outliers hardly move. The rules are those of the statistics in a record. */
import { Ordered } from './ordered.js';
import { INTERVAL_LEVEL, medianIntervalRanks } from './quantiles.js';
import type { MedianInterval } from './types.js';

/** Makes the median absolute deviation estimate the standard deviation of a normal distribution: 1 / 0.6745. */
export const MAD_TO_SD = 1.482602218505602;

/** The middle value, or the mean of the two middle ones; NaN of nothing. */
export function median(values: ArrayLike<number>): number {
  return values.length === 0 ? NaN : Ordered.fromSamples(values).median();
}

/** The median of the distances from the median, in the unit of the values and not scaled; NaN of nothing. */
export function mad(values: ArrayLike<number>): number {
  if (values.length === 0) return NaN;
  const ordered = Ordered.fromSamples(values);
  return ordered.deviations(ordered.median()).median();
}

/**
 * 95 % confidence interval of the median by order statistics, whatever the distribution; the values must be independent.
 * Null below 6 values, and where an end of it is infinite.
 */
export function medianInterval(values: ArrayLike<number>): MedianInterval | null {
  return intervalOf(Ordered.fromSamples(values));
}

/** As `medianInterval`, of values in order. */
export function intervalOf(ordered: Ordered): MedianInterval | null {
  const ranks = medianIntervalRanks(ordered.n);
  if (!ranks) return null;
  const low = ordered.at(ranks.low);
  const high = ordered.at(ranks.high);
  return Number.isFinite(high) ? { low, high, level: INTERVAL_LEVEL } : null;
}

/** What the samples of one row say. Formulas stand with the functions that hold them; `Statistics` says what is null. */
import type { Ordered } from './ordered.js';
import { nearestRank } from './quantiles.js';
import { intervalOf, MAD_TO_SD } from './robust.js';
import type { Statistics, Tail } from './types.js';

/** Iglewicz and Hoaglin (1993): a modified z-score above 3.5 marks an outlier. */
const OUTLIER_SCORE = 3.5;
/** Makes the mean absolute deviation estimate the standard deviation of a normal distribution: sqrt(pi / 2). */
const MEAN_DEVIATION_TO_SD = 1.2533141373155001;

/** What is known of all samples without their order. */
export interface Moments {
  readonly mean: number;
  /** NaN for a single sample. */
  readonly sd: number;
  readonly min: number;
  readonly max: number;
}

export interface StatisticsOptions {
  readonly tail: Tail;
  readonly percentiles: readonly number[];
  readonly source: Statistics['source'];
}

export function describe(ordered: Ordered, moments: Moments, options: StatisticsOptions): Statistics {
  const { tail, source } = options;
  const at = (percent: number): number | null => finite(percentile(ordered, percent, tail));
  return {
    n: ordered.n,
    min: finite(moments.min),
    max: finite(moments.max),
    median: finite(ordered.median()),
    mean: finite(moments.mean),
    sd: finite(moments.sd),
    p90: at(90),
    p99: at(99),
    percentiles: options.percentiles.map((percent) => ({ percent, value: at(percent) })),
    medianInterval: intervalOf(ordered),
    outliers: countOutliers(ordered),
    tail,
    source,
  };
}

export function emptyStatistics({ tail, percentiles, source }: StatisticsOptions): Statistics {
  const nothing = { min: null, max: null, median: null, mean: null, sd: null, p90: null, p99: null };
  const unknown = percentiles.map((percent) => ({ percent, value: null }));
  return { n: 0, ...nothing, percentiles: unknown, medianInterval: null, outliers: null, tail, source };
}

/** By nearest rank, counted from the good end: for rates, `percent` % of the samples reach the value or exceed it. */
export function percentile(ordered: Ordered, percent: number, tail: Tail): number {
  const rank = nearestRank(ordered.n, percent);
  return ordered.at(tail === 'high' ? rank : ordered.n + 1 - rank);
}

/**
 * Samples with |x - median| > 3.5 robust standard deviations. More than half of the samples may be equal (a coarse
 * clock), and the median deviation 0; then the mean deviation takes its place.
 */
function countOutliers(ordered: Ordered): number | null {
  const centre = ordered.median();
  if (!Number.isFinite(centre)) return null;
  const deviations = ordered.deviations(centre);
  const mad = deviations.median();
  const spread = mad > 0 ? mad * MAD_TO_SD : deviations.mean() * MEAN_DEVIATION_TO_SD;
  return deviations.countAbove(OUTLIER_SCORE * spread);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

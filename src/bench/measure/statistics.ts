/** What the samples of one row say. Formulas stand with the functions that hold them; `Statistics` says what is null. */
import type { Ordered } from './ordered.js';
import { nearestRank } from './quantiles.js';
import { intervalOf, MAD_TO_SD } from './robust.js';
import { autocorrelation, blockLevels, driftOf, uncertaintyOf, verdictOf } from './steadiness.js';
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
  readonly harmonicMean: number;
}

/** The samples of each source in the order in which they were measured. */
export interface InOrder {
  readonly series: readonly Float64Array[];
  /** Whether none was left out, so that neighbours are neighbours. */
  readonly complete: boolean;
}

export interface StatisticsOptions {
  readonly tail: Tail;
  readonly percentiles: readonly number[];
  readonly source: Statistics['source'];
}

/** Percentiles that every record has. */
const USUAL = { p1: 1, p5: 5, p10: 10, p25: 25, p75: 75, p90: 90, p95: 95, p99: 99, p999: 99.9 } as const;
type Usual = Record<keyof typeof USUAL, number | null>;

const usual = (at: (percent: number) => number | null): Usual =>
  Object.fromEntries(Object.entries(USUAL).map(([name, percent]) => [name, at(percent)])) as Usual;

export function describe(ordered: Ordered, moments: Moments, order: InOrder, options: StatisticsOptions): Statistics {
  const { tail, source } = options;
  const at = (percent: number): number | null => finite(percentile(ordered, percent, tail));
  return {
    n: ordered.n,
    min: finite(moments.min),
    max: finite(moments.max),
    median: finite(ordered.median()),
    mean: finite(moments.mean),
    sd: finite(moments.sd),
    ...usual(at),
    percentiles: options.percentiles.map((percent) => ({ percent, value: at(percent) })),
    medianInterval: intervalOf(ordered),
    ...deviationsOf(ordered, order),
    ...orderOf(ordered, moments, order, tail),
    tail,
    source,
  };
}

export function emptyStatistics({ tail, percentiles, source }: StatisticsOptions): Statistics {
  const nothing = { min: null, max: null, median: null, mean: null, sd: null, ...usual(() => null) };
  const unsaid = { outliers: null, mad: null, autocorrelation: null, uncertainty: null, drift: null, verdict: null };
  const unknown = percentiles.map((percent) => ({ percent, value: null }));
  return { n: 0, ...nothing, percentiles: unknown, medianInterval: null, ...unsaid, tail, source };
}

/** By nearest rank, counted from the good end: for rates, `percent` % of the samples reach the value or exceed it. */
export function percentile(ordered: Ordered, percent: number, tail: Tail): number {
  const rank = nearestRank(ordered.n, percent);
  return ordered.at(tail === 'high' ? rank : ordered.n + 1 - rank);
}

/**
 * Outliers are samples with |x - median| > 3.5 robust standard deviations. More than half of the samples may be equal (a
 * coarse clock), and the median deviation 0; then the mean deviation takes its place.
 */
function deviationsOf(
  ordered: Ordered,
  { series, complete }: InOrder,
): Required<Pick<Statistics, 'outliers' | 'mad' | 'autocorrelation'>> {
  const centre = ordered.median();
  if (!Number.isFinite(centre)) return { outliers: null, mad: null, autocorrelation: null };
  const deviations = ordered.deviations(centre);
  const mad = deviations.median();
  const spread = mad > 0 ? mad * MAD_TO_SD : deviations.mean() * MEAN_DEVIATION_TO_SD;
  const limit = OUTLIER_SCORE * spread;
  return {
    outliers: deviations.countAbove(limit),
    mad: finite(mad),
    autocorrelation: complete ? autocorrelation(series, centre - limit, centre + limit) : null,
  };
}

function orderOf(
  ordered: Ordered,
  { mean, harmonicMean }: Moments,
  { series }: InOrder,
  tail: Tail,
): Required<Pick<Statistics, 'uncertainty' | 'drift' | 'verdict'>> {
  const levels = blockLevels(series);
  const uncertainty = uncertaintyOf(ordered, levels);
  const drift = levels && driftOf(levels);
  const overall = tail === 'high' ? mean : harmonicMean;
  const verdict = verdictOf({ drift, uncertainty, median: ordered.median(), overall });
  return { uncertainty, drift, verdict };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Shapes of the measuring parts: how often to repeat, what samples say. */

/** Default repetition counts of one class of benchmarks. `large` holds for sizes above `threshold` bytes. */
export interface CountClass {
  readonly name: string;
  readonly threshold: number;
  readonly small: Counts;
  readonly large: Counts;
}

export interface Counts {
  readonly iterations: number;
  readonly warmup: number;
}

/** Which end of the distribution is the bad one: the high end for times, the low end for rates. */
export type Tail = 'high' | 'low';

export interface Percentile {
  /** 0 to 100. */
  readonly percent: number;
  readonly value: number | null;
}

/** 95 % confidence interval of the median, from order statistics. */
export interface MedianInterval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
}

/** From the first quarter of a row's samples to the last. */
export interface Drift {
  /** Of the median, as a part of it: 0.02 = 2 % more. */
  readonly change: number;
  /** Of the test of Mann and Kendall on the medians of the blocks. */
  readonly p: number;
}

/** What a row is worth: see docs/analysis.md for the limits. */
export type Verdict = 'steady' | 'noisy' | 'drifting';

/** Statistics of one figure, in the unit of its samples. A value that can't be told (n too small) is null. */
export interface Statistics {
  readonly n: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly median: number | null;
  readonly mean: number | null;
  /** Sample standard deviation (n - 1). */
  readonly sd: number | null;
  /** For `tail: 'low'` the value that 90 % of the samples reach or exceed. */
  readonly p90: number | null;
  readonly p99: number | null;
  /** Those asked for, in that order, by the same rule. */
  readonly percentiles: readonly Percentile[];
  readonly medianInterval: MedianInterval | null;
  /** Samples farther from the median than 3.5 robust standard deviations (MAD). They are counted, and kept. */
  readonly outliers: number | null;
  /** By the same rule as p90: the good end, the middle half, and more of the bad end. Absent in older records. */
  readonly p1?: number | null;
  readonly p5?: number | null;
  readonly p10?: number | null;
  readonly p25?: number | null;
  readonly p75?: number | null;
  readonly p95?: number | null;
  /** 99.9 %. */
  readonly p999?: number | null;
  /** Median absolute deviation from the median, not scaled. */
  readonly mad?: number | null;
  /** At lag 1, of samples brought within the limits beyond which they are outliers; null of a histogram. */
  readonly autocorrelation?: number | null;
  /** How far the median may be off, as a part of it, also where samples resemble each other. */
  readonly uncertainty?: number | null;
  readonly drift?: Drift | null;
  readonly verdict?: Verdict | null;
  readonly tail: Tail;
  /** Whether every sample was kept or, beyond 10^6 per rank, a histogram with at most 1 % relative error. */
  readonly source: 'samples' | 'histogram';
}

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
  readonly tail: Tail;
  /** Whether every sample was kept or, beyond 10^6 per rank, a histogram with at most 1 % relative error. */
  readonly source: 'samples' | 'histogram';
}

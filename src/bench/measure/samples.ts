/** Keeps what was measured: every sample up to 10^6 per rank that feeds it, a histogram beyond. */
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { Histogram } from './histogram.js';
import { Ordered } from './ordered.js';
import { describe, emptyStatistics, type Moments } from './statistics.js';
import type { Statistics, Tail } from './types.js';

/** Samples kept as they are, per row and rank that feeds the store. */
export const SAMPLE_LIMIT = 1_000_000;

export interface SampleStoreOptions {
  /** What a duration in seconds says, e.g. `(seconds) => bytes / seconds`. Default: the duration itself. */
  readonly convert?: (seconds: number) => number;
  /** Samples kept exactly, of all ranks together: SAMPLE_LIMIT for each that feeds the store (default: for one). */
  readonly limit?: number;
}

export class SampleStore {
  readonly #convert: (seconds: number) => number;
  readonly #limit: number;
  #exact: number[] = [];
  #beyond: Beyond | undefined;

  constructor({ convert = (seconds) => seconds, limit = SAMPLE_LIMIT }: SampleStoreOptions = {}) {
    this.#convert = convert;
    this.#limit = limit;
  }

  /** Samples so far. */
  get count(): number {
    return this.#beyond?.count ?? this.#exact.length;
  }

  /** Whether every sample was kept. */
  get source(): Statistics['source'] {
    return this.#beyond ? 'histogram' : 'samples';
  }

  /** Adds durations in seconds: all of `seconds`, or its first `count`. Throws a RangeError on NaN and negative ones. */
  add(seconds: ArrayLike<number>, count = seconds.length): void {
    for (let index = 0; index < count; ++index) {
      const value = this.#convert(seconds[index] ?? NaN);
      if (!(value >= 0)) throw new RangeError(`sample ${this.count} is ${value}, which no clock can give`);
      this.#put(value);
    }
  }

  /** Statistics of the converted samples, in their unit. */
  statistics({ tail = 'high', percentiles = [] }: { tail?: Tail; percentiles?: readonly number[] } = {}): Statistics {
    const options = { tail, percentiles, source: this.source };
    if (this.count === 0) return emptyStatistics(options);
    return describe(this.#ordered(), this.#moments(), options);
  }

  #put(value: number): void {
    if (!this.#beyond && this.#exact.length === this.#limit) {
      this.#beyond = new Beyond(this.#exact);
      this.#exact = [];
    }
    if (this.#beyond) this.#beyond.add(value);
    else this.#exact.push(value);
  }

  #ordered(): Ordered {
    return this.#beyond ? this.#beyond.ordered() : Ordered.fromSamples(this.#exact);
  }

  #moments(): Moments {
    if (this.#beyond) return this.#beyond.moments();
    const values = this.#exact;
    return {
      mean: mean(values),
      sd: values.length < 2 ? NaN : sampleStandardDeviation(values),
      min: values.reduce((least, value) => Math.min(least, value)),
      max: values.reduce((most, value) => Math.max(most, value)),
    };
  }
}

/** Many samples: their histogram, and exact moments by Welford's recurrence. */
class Beyond {
  count = 0;
  readonly #histogram = new Histogram();
  #mean = 0;
  #squares = 0;
  #min = Infinity;
  #max = 0;

  constructor(values: readonly number[]) {
    for (const value of values) this.add(value);
  }

  add(value: number): void {
    this.#histogram.add(value);
    this.count += 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.count;
    this.#squares += distance * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  moments(): Moments {
    const sd = this.count < 2 ? NaN : Math.sqrt(this.#squares / (this.count - 1));
    return { mean: this.#mean, sd, min: this.#min, max: this.#max };
  }

  /** Bin values, none outside of what was measured. */
  ordered(): Ordered {
    const clamp = (value: number): number => Math.min(Math.max(value, this.#min), this.#max);
    return Ordered.fromCounts(this.#histogram.entries().map(({ value, count }) => ({ value: clamp(value), count })));
  }
}

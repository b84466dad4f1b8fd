/** Keeps what was measured: every sample up to 10^6 per rank that feeds it, a histogram beyond. */
import { max, mean, min, sampleStandardDeviation } from 'simple-statistics';
import { Histogram } from './histogram.js';
import { Ordered } from './ordered.js';
import { Segments, Trace } from './series.js';
import { describe, emptyStatistics, percentile, type InOrder, type Moments } from './statistics.js';
import { blockLevels, uncertaintyOf } from './steadiness.js';
import type { Statistics, Tail } from './types.js';

/** Samples kept as they are, per row and rank that feeds the store. */
export const SAMPLE_LIMIT = 1_000_000;
/** Samples of each source that keep their order when the others are in a histogram alone. */
const TRACE_ROOM = 16_384;
const FIRST_ROOM = 1024;

export interface SampleStoreOptions {
  /** What a duration in seconds says, e.g. `(seconds) => bytes / seconds`. Default: the duration itself. */
  readonly convert?: (seconds: number) => number;
  /** Samples kept exactly, of all ranks together: SAMPLE_LIMIT for each that feeds the store (default: for one). */
  readonly limit?: number;
}

export class SampleStore {
  readonly #convert: (seconds: number) => number;
  readonly #limit: number;
  #exact = new Exact();
  #beyond: Beyond | undefined;

  constructor({ convert = (seconds) => seconds, limit = SAMPLE_LIMIT }: SampleStoreOptions = {}) {
    this.#convert = convert;
    this.#limit = limit;
  }

  /** Samples so far. */
  get count(): number {
    return (this.#beyond ?? this.#exact).count;
  }

  /** Whether every sample was kept. */
  get source(): Statistics['source'] {
    return this.#beyond ? 'histogram' : 'samples';
  }

  /**
   * Adds durations in seconds: all of `seconds`, or its first `count`. Those of one source (a rank, a thread) come in the
   * order in which they were measured. Throws a RangeError on NaN and negative ones.
   */
  add(seconds: ArrayLike<number>, count = seconds.length, source = 0): void {
    for (let index = 0; index < count; ++index) {
      const value = this.#convert(seconds[index] ?? NaN);
      if (!(value >= 0)) throw new RangeError(`sample ${this.count} is ${value}, which no clock can give`);
      this.#put(value, source);
    }
  }

  /** Statistics of the converted samples, in their unit. */
  statistics({ tail = 'high', percentiles = [] }: { tail?: Tail; percentiles?: readonly number[] } = {}): Statistics {
    const options = { tail, percentiles, source: this.source };
    if (this.count === 0) return emptyStatistics(options);
    const kept = this.#beyond ?? this.#exact;
    return describe(kept.ordered(), kept.moments(), kept.inOrder(), options);
  }

  /** How far the median may be off, as a part of it: see `Statistics`. */
  uncertainty(): number | null {
    const kept = this.#beyond ?? this.#exact;
    return this.count === 0 ? null : uncertaintyOf(kept.ordered(), blockLevels(kept.inOrder().series));
  }

  /** By nearest rank, of times; null of nothing. */
  percentile(percent: number): number | null {
    if (this.count === 0) return null;
    const value = percentile((this.#beyond ?? this.#exact).ordered(), percent, 'high');
    return Number.isFinite(value) ? value : null;
  }

  #put(value: number, source: number): void {
    if (!this.#beyond && this.#exact.count === this.#limit) {
      this.#beyond = new Beyond(this.#exact);
      this.#exact = new Exact();
    }
    (this.#beyond ?? this.#exact).add(value, source);
  }
}

/** Every sample, in the order in which they came. */
class Exact {
  count = 0;
  #room = new Float64Array(FIRST_ROOM);
  readonly #segments = new Segments();

  add(value: number, source: number): void {
    if (this.count === this.#room.length) {
      const larger = new Float64Array(2 * this.#room.length);
      larger.set(this.#room);
      this.#room = larger;
    }
    this.#room[this.count++] = value;
    this.#segments.add(source);
  }

  get segments(): Segments {
    return this.#segments;
  }

  get values(): Float64Array {
    return this.#room.subarray(0, this.count);
  }

  ordered(): Ordered {
    return Ordered.fromSamples(this.values);
  }

  moments(): Moments {
    // The library asks for nothing that a typed array hasn't, and a copy of a million numbers takes its time.
    const values = this.values as unknown as number[];
    let reciprocals = 0;
    for (let index = 0; index < values.length; index++) reciprocals += 1 / (values[index] ?? NaN);
    return {
      mean: mean(values),
      sd: values.length < 2 ? NaN : sampleStandardDeviation(values),
      min: min(values),
      max: max(values),
      harmonicMean: values.length / reciprocals,
    };
  }

  inOrder(): InOrder {
    return { series: this.#segments.split(this.values), complete: true };
  }
}

/** Many samples: their histogram, exact moments by Welford's recurrence, and some of each source in order. */
class Beyond {
  count = 0;
  readonly #histogram = new Histogram();
  readonly #traces = new Map<number, Trace>();
  #mean = 0;
  #squares = 0;
  #min = Infinity;
  #max = 0;
  #reciprocals = 0;

  constructor({ values, segments }: Exact) {
    segments.forEach((index, source) => {
      this.add(values[index] ?? NaN, source);
    });
  }

  add(value: number, source: number): void {
    this.#histogram.add(value);
    this.#traceOf(source).add(value);
    this.count += 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.count;
    this.#squares += distance * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    this.#reciprocals += 1 / value;
  }

  moments(): Moments {
    const sd = this.count < 2 ? NaN : Math.sqrt(this.#squares / (this.count - 1));
    const harmonicMean = this.count / this.#reciprocals;
    return { mean: this.#mean, sd, min: this.#min, max: this.#max, harmonicMean };
  }

  /** Bin values, none outside of what was measured. */
  ordered(): Ordered {
    const clamp = (value: number): number => Math.min(Math.max(value, this.#min), this.#max);
    return Ordered.fromCounts(this.#histogram.entries().map(({ value, count }) => ({ value: clamp(value), count })));
  }

  inOrder(): InOrder {
    return { series: [...this.#traces.values()].map((trace) => trace.values()), complete: false };
  }

  #traceOf(source: number): Trace {
    const trace = this.#traces.get(source) ?? new Trace(TRACE_ROOM);
    if (trace.isEmpty) this.#traces.set(source, trace);
    return trace;
  }
}

/** Samples made small enough for a page: a histogram, and their course over the iterations. */
import type { RowRecord } from '../../results/types.js';
import { Envelope } from '../plot/envelope.js';
import type { Course, Distribution } from './types.js';

/** How much of the samples a page keeps. */
export interface Detail {
  /** Of a histogram; 0 = none. */
  readonly bins: number;
  /** Neighbours that are told together; 0 = no course. */
  readonly steps: number;
}

export interface Digest {
  readonly distribution?: Distribution;
  readonly course?: Course;
}

type Statistics = NonNullable<RowRecord['statistics']>;

/** Turns a duration into the row's figure, in base units. */
type Conversion = (seconds: number) => number;

/** A histogram isn't finer than its samples can fill. */
const SAMPLES_PER_BIN = 4;
const LEAST_BINS = 8;
const LEAST_COURSE = 16;
/** What the ends of converted samples may be off. */
const SAME = 1e-3;
/** Room beyond the 99th percentile, as a part of the way to it. */
const BEYOND = 0.1;

/** In shown units. Nothing where a row has no samples, or they can't be turned into its figure. */
export function digestOf(row: RowRecord, factor: number, { bins, steps }: Detail): Digest {
  const { samples = [], statistics } = row;
  if (samples.length === 0 || statistics === null) return {};
  const convert = conversionOf(statistics, extremes(samples.map(({ seconds }) => seconds)));
  if (!convert) return {};
  const total = samples.reduce((sum, { seconds }) => sum + seconds.length, 0);
  const shown: Conversion = (seconds) => convert(seconds) * factor;
  return {
    ...(bins > 0 && { distribution: histogramOf(samples, statistics, { shown, factor, total, bins }) }),
    ...(steps > 0 && total >= LEAST_COURSE && { course: courseOf(samples, shown, steps) }),
  };
}

type Samples = NonNullable<RowRecord['samples']>;

function extremes(lists: readonly (readonly number[])[]): readonly [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  return [low, high];
}

/** A time is a part of the duration, a rate what was done by it; both ends of the samples must agree. */
function conversionOf({ unit, min, max }: Statistics, [low, high]: readonly [number, number]): Conversion | undefined {
  if (min === null || max === null || !(low > 0) || !Number.isFinite(high)) return undefined;
  if (unit === 's') {
    const part = max / high;
    return close(part * low, min) ? (seconds) => part * seconds : undefined;
  }
  const work = max * low;
  return close(work / high, min) ? (seconds) => work / seconds : undefined;
}

function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));
}

interface HistogramRequest {
  readonly shown: Conversion;
  readonly factor: number;
  readonly total: number;
  readonly bins: number;
}

/** From the best sample to a little beyond what 99 % keep to; what lies farther is counted. */
function histogramOf(samples: Samples, statistics: Statistics, request: HistogramRequest): Distribution {
  const [low, high] = rangeOf(statistics, request.factor);
  const wanted = Math.max(LEAST_BINS, Math.floor(request.total / SAMPLES_PER_BIN));
  const counts = new Array<number>(high > low ? Math.min(request.bins, wanted) : 1).fill(0);
  const scale = counts.length / (high - low);
  let [below, above] = [0, 0];
  for (const { seconds } of samples)
    for (const duration of seconds) {
      const value = request.shown(duration);
      const bin = high > low ? Math.floor((value - low) * scale) : 0;
      if (bin < 0) ++below;
      else if (bin > counts.length || value > high) ++above;
      else {
        const last = Math.min(bin, counts.length - 1);
        counts[last] = (counts[last] ?? 0) + 1;
      }
    }
  return { low, high, counts, below, above };
}

function rangeOf({ min, max, p99, tail }: Statistics, factor: number): readonly [low: number, high: number] {
  const [least, most] = [(min ?? 0) * factor, (max ?? 0) * factor];
  const limit = p99 === null ? null : p99 * factor;
  if (tail === 'high') return [least, limit === null ? most : Math.min(most, limit + BEYOND * (limit - least))];
  return [limit === null ? least : Math.max(least, limit - BEYOND * (most - limit)), most];
}

function courseOf(samples: Samples, shown: Conversion, steps: number): Course {
  const envelope = new Envelope();
  for (const { rank, seconds } of samples) {
    const values = new Float64Array(seconds.length);
    for (let at = 0; at < values.length; ++at) values[at] = shown(seconds[at] ?? NaN);
    envelope.add(rank, values);
  }
  const buckets = envelope.buckets(steps);
  return {
    min: buckets.map(({ min }) => rounded(min)),
    mean: buckets.map(({ mean }) => rounded(mean)),
    max: buckets.map(({ max }) => rounded(max)),
  };
}

/** Digits that a drawing can show. */
export function rounded(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}

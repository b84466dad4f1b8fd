/** What a row of each side has to say: launches where there are several, else samples, else the figures alone. */
import { Ordered } from '../bench/measure/ordered.js';
import type { MedianInterval } from '../bench/measure/types.js';
import { ownStatistics } from './figures.js';
import type { Launch, SeriesRow } from './series.js';

/**
 * `launches`: each launch is one value. `samples`: those of one launch or more. `medians`: of samples that the
 * records don't have, with their intervals. `figures`: nothing but the figures.
 */
export type Basis = 'launches' | 'samples' | 'medians' | 'figures';

export interface Known {
  /** Median of what is compared, in the figure's unit. */
  readonly value: number;
  /** Launches or samples behind it. */
  readonly n: number;
}

/** Values that a test can be made of, in ascending order. */
export interface Valued extends Known {
  readonly values: Float64Array;
}

export type Evidence =
  | { readonly basis: 'launches' | 'samples'; readonly a: Valued; readonly b: Valued }
  | { readonly basis: 'medians'; readonly a: Known & Interval; readonly b: Known & Interval }
  | { readonly basis: 'figures'; readonly a: Known; readonly b: Known };

interface Interval {
  readonly interval: MedianInterval;
}

export interface FigureOf {
  readonly figure: string;
  readonly unit: string;
}

/** The best that both rows can give. */
export function evidenceOf(a: SeriesRow, b: SeriesRow, figure: FigureOf): Evidence {
  if (a.launches.length > 1 && b.launches.length > 1) return { basis: 'launches', ...launchValues(a, b, figure) };
  const [samplesA, samplesB] = [samplesOf(a, figure), samplesOf(b, figure)];
  if (samplesA && samplesB) return { basis: 'samples', a: samplesA, b: samplesB };
  const [medianA, medianB] = [medianOf(a, figure), medianOf(b, figure)];
  if (medianA && medianB) return { basis: 'medians', a: medianA, b: medianB };
  return { basis: 'figures', a: figuresOf(a), b: figuresOf(b) };
}

/** Medians of samples where all launches have them. */
function launchValues(a: SeriesRow, b: SeriesRow, figure: FigureOf): { readonly a: Valued; readonly b: Valued } {
  const all = [...a.launches, ...b.launches].every((launch) => statisticsOf(launch, figure)?.median);
  if (!all) return { a: figuresOf(a), b: figuresOf(b) };
  const typical = ({ launches }: SeriesRow): Valued =>
    valued(Float64Array.from(launches, (launch) => launch.typical).sort());
  return { a: typical(a), b: typical(b) };
}

function figuresOf({ launches }: SeriesRow): Valued {
  return valued(Float64Array.from(launches, ({ value }) => value).sort());
}

function valued(values: Float64Array): Valued {
  return { value: Ordered.fromSorted(values).median(), n: values.length, values };
}

function statisticsOf({ record, row }: Launch, figure: FigureOf): Launch['row']['statistics'] {
  return ownStatistics(record, row, figure);
}

function medianOf({ launches }: SeriesRow, figure: FigureOf): (Known & Interval) | undefined {
  const [launch] = launches;
  const statistics = launch && statisticsOf(launch, figure);
  if (launches.length > 1 || !statistics?.medianInterval || !statistics.median) return undefined;
  return { value: statistics.median, n: statistics.n, interval: statistics.medianInterval };
}

/** All samples of a row in the figure's unit; undefined where one of its launches has none. */
function samplesOf({ launches }: SeriesRow, figure: FigureOf): Valued | undefined {
  const each = launches.map((launch) => launchSamples(launch, figure));
  const known = each.filter((values) => values !== undefined);
  const [first] = known;
  if (!first || known.length < each.length) return undefined;
  return valued(known.length === 1 ? first : joined(known));
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all.sort();
}

/**
 * Samples are times of iterations; the figure is that time by some number, or some number by that time. Which number
 * the medians of both tell.
 */
function launchSamples(launch: Launch, figure: FigureOf): Float64Array | undefined {
  const statistics = statisticsOf(launch, figure);
  const seconds = joined((launch.row.samples ?? []).map((set) => timesAmong(set.seconds)));
  if (!statistics?.median || seconds.length === 0) return undefined;
  const { median } = statistics;
  const middle = Ordered.fromSorted(seconds).median();
  if (figure.unit === 's') return seconds.map((value) => (value / middle) * median);
  return seconds.map((value) => (middle / value) * median).reverse();
}

/** Without what no clock can tell: nothing, and times that are missing. */
function timesAmong(seconds: readonly (number | null)[]): Float64Array {
  const times = new Float64Array(seconds.length);
  let count = 0;
  for (const value of seconds) if (value !== null && value > 0) times[count++] = value;
  return times.subarray(0, count);
}

/** One point of a chart: the figures of a row, or of the launches of a size. */
import { median, medianInterval } from '../../bench/measure/robust.js';
import type { Series, SeriesRow } from '../../analysis/series.js';
import type { RowRecord } from '../../results/types.js';
import { digestOf, rounded, type Detail } from './distribution.js';
import type { PageScale } from './scale.js';
import type { PagePoint, PointStatistics, Quantile } from './types.js';

/** A figure of a group by its name in records. */
export interface NamedScale extends PageScale {
  readonly name: string;
}

/** What a chart can tell apart, and more. */
const DIGITS = 6;

export function pointOf(row: SeriesRow, figures: readonly NamedScale[], detail: Detail): PagePoint {
  const rows = row.launches.map((launch) => launch.row);
  const values = figures.map(({ name, factor }) => {
    const known = rows.flatMap((one) => one.figures[name]?.value ?? []);
    return known.length === 0 ? null : rounded(median(known) * factor, DIGITS);
  });
  return {
    size: row.size,
    figures: values,
    n: rows.reduce((sum, { n }) => sum + n, 0),
    statistics: statisticsOf(row, figures[0], detail),
    ...(rows.some(({ validation }) => validation?.passed === false) && { wrong: true }),
  };
}

function statisticsOf(row: SeriesRow, own: NamedScale | undefined, detail: Detail): PointStatistics | null {
  const [launch] = row.launches;
  if (!own || !launch) return null;
  if (row.launches.length > 1)
    return ofLaunches(
      row.launches.map(({ value }) => value * own.factor),
      row,
    );
  const { statistics } = launch.row;
  const unit = launch.row.figures[own.name]?.unit;
  return statistics !== null && statistics.unit === unit ? ofSamples(launch.row, statistics, own, detail) : null;
}

/** Whole launches are few: each is kept. */
function ofLaunches(values: readonly number[], { launches }: SeriesRow): PointStatistics {
  const sorted = values.toSorted((a, b) => a - b);
  const interval = medianInterval(sorted);
  const verdicts = launches.map(({ row }) => row.statistics?.verdict ?? null);
  return {
    ...{ n: sorted.length, median: rounded(median(sorted), DIGITS) },
    interval: interval && [rounded(interval.low, DIGITS), rounded(interval.high, DIGITS)],
    ...{ min: rounded(sorted[0] ?? 0, DIGITS), max: rounded(sorted.at(-1) ?? 0, DIGITS), p90: null, p99: null },
    ...{ quantiles: [], outliers: null, drift: null, launches: true },
    verdict: verdicts.every((verdict) => verdict === verdicts[0]) ? (verdicts[0] ?? null) : null,
    course: { min: [], max: [], mean: values.map((value) => rounded(value)) },
  };
}

type Statistics = NonNullable<RowRecord['statistics']>;

function ofSamples(row: RowRecord, statistics: Statistics, { factor }: PageScale, detail: Detail): PointStatistics {
  const shown = (value: number | null | undefined): number | null =>
    value === null || value === undefined ? null : rounded(value * factor, DIGITS);
  const { n, medianInterval: interval, outliers, drift, verdict } = statistics;
  return {
    ...{ n, outliers, launches: false },
    median: shown(statistics.median),
    interval: interval && [rounded(interval.low * factor, DIGITS), rounded(interval.high * factor, DIGITS)],
    ...{ min: shown(statistics.min), max: shown(statistics.max) },
    ...{ p90: shown(statistics.p90), p99: shown(statistics.p99) },
    quantiles: quantilesOf(statistics, shown),
    verdict: verdict ?? null,
    drift: verdict === 'drifting' ? (drift?.change ?? null) : null,
    ...digestOf(row, factor, detail),
  };
}

/** Those that the record has, by ascending percentage; always from the good end. */
function quantilesOf(statistics: Statistics, shown: (value: number | null | undefined) => number | null): Quantile[] {
  const { p1, p5, p10, p25, p75, p90, p95, p99, p999, percentiles } = statistics;
  const usual: [number, number | null | undefined][] = [
    ...([[1, p1], [5, p5], [10, p10], [25, p25], [50, statistics.median], [75, p75]] as const), // prettier-ignore
    ...([[90, p90], [95, p95], [99, p99], [99.9, p999]] as const), // prettier-ignore
  ].map(([percent, value]) => [percent, value]);
  const all = new Map([...percentiles.map(({ percent, value }) => [percent, value] as const), ...usual]);
  return [...all]
    .flatMap(([percent, value]): Quantile[] => {
      const known = shown(value);
      return known === null ? [] : [[percent, known]];
    })
    .sort(([a], [b]) => a - b);
}

/** The figures that rows of a group have, its own first. */
export function figureNames(all: readonly Series[]): { readonly name: string; readonly unit: string }[] {
  const units = new Map<string, string>();
  for (const { figure, unit } of all) if (!units.has(figure)) units.set(figure, unit);
  const own = all[0]?.figure;
  const rows = all.flatMap((series) => series.rows.flatMap(({ launches }) => launches.map(({ row }) => row)));
  for (const row of rows)
    for (const [name, { unit }] of Object.entries(row.figures)) if (!units.has(name)) units.set(name, unit);
  return [...units]
    .map(([name, unit]) => ({ name, unit }))
    .sort((a, b) => Number(b.name === own) - Number(a.name === own));
}

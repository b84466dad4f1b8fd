/** Two sides of records, held against each other. */
import { curveShape, timesOf } from './curve.js';
import type { CurveShape } from './curve-types.js';
import { compareRows, type RowComparison, type Rules, type Verdict } from './compare-rows.js';
import { differencesOf, type Difference } from './differences.js';
import { matchSeries, type Matched } from './match.js';
import { pointsOf, seriesOf, titleOf, type Series } from './series.js';
import type { Side } from './sides.js';

export interface SeriesComparison extends Matched {
  readonly title: string;
  readonly rows: readonly RowComparison[];
  /** Of the ratios; null where there is none. */
  readonly geometricMean: number | null;
  /** Null where there are no sizes, or the figure is no time and no rate. */
  readonly shapes: { readonly a: CurveShape | null; readonly b: CurveShape | null };
}

export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  readonly differences: readonly Difference[];
  readonly series: readonly SeriesComparison[];
  readonly onlyA: readonly Series[];
  readonly onlyB: readonly Series[];
  /** Of how many times as fast b is (times turned over), over the geometric means of all series; null without any. */
  readonly performance: number | null;
  readonly verdicts: Readonly<Record<Verdict, number>>;
}

export interface CompareOptions extends Rules {
  /** Another figure than each test's own. */
  readonly figure?: string | undefined;
}

export function compareSides(a: Side, b: Side, options: CompareOptions): Comparison {
  const [ofA, ofB] = [seriesOf(a.records, options.figure), seriesOf(b.records, options.figure)];
  const { pairs, onlyA, onlyB } = matchSeries(ofA, ofB);
  const all = pairs.flatMap((pair) => [pair.a, pair.b]);
  const series = pairs.map((pair) => compareSeries(pair, titleOf(pair.a, all), options));
  return {
    ...{ a, b, series, onlyA, onlyB },
    differences: differencesOf(a.records, b.records, pairs),
    performance: geometricMean(series.map(performanceOf)),
    verdicts: countVerdicts(series),
  };
}

function compareSeries({ a, b }: Matched, title: string, rules: Rules): SeriesComparison {
  const { figure, unit, better } = a;
  const rows = a.rows.flatMap((row) => {
    const other = b.rows.find(({ size }) => size === row.size);
    return other ? [compareRows(row, other, { figure, unit, better }, rules)] : [];
  });
  return {
    ...{ a, b, title, rows },
    geometricMean: geometricMean(rows.map(({ ratio }) => ratio)),
    shapes: { a: shapeOf(a), b: shapeOf(b) },
  };
}

/** The shape of a series; null where it has no sizes, or no times and rates. */
export function shapeOf(series: Series): CurveShape | null {
  const points = pointsOf(series);
  return series.kind && timesOf(points, series.kind).length > 0 ? curveShape(points, series.kind) : null;
}

function geometricMean(ratios: readonly (number | null)[]): number | null {
  const known = ratios.filter((ratio) => ratio !== null);
  if (known.length === 0) return null;
  return Math.exp(known.reduce((sum, ratio) => sum + Math.log(ratio), 0) / known.length);
}

function performanceOf({ a: { better }, geometricMean: mean }: SeriesComparison): number | null {
  if (mean === null || better === undefined) return null;
  return better === 'higher' ? mean : 1 / mean;
}

function countVerdicts(series: readonly SeriesComparison[]): Record<Verdict, number> {
  const counts = { improved: 0, regressed: 0, changed: 0, 'within noise': 0, 'no change': 0, unknown: 0 };
  for (const { verdict } of series.flatMap(({ rows }) => rows)) counts[verdict] += 1;
  return counts;
}

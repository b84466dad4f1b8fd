/** Two sides of records, held against each other. */
import { compareRows, type RowComparison, type Rules, type Verdict } from './compare-rows.js';
import { differencesOf, type Difference } from './differences.js';
import { matchEntries, type Matched } from './match.js';
import type { Side } from './sides.js';
import type { Entry, View } from './views.js';

export interface SeriesComparison extends Matched {
  readonly title: string;
  readonly rows: readonly RowComparison[];
  /** Of the ratios; null where there is none. */
  readonly geometricMean: number | null;
}

export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  readonly differences: readonly Difference[];
  readonly series: readonly SeriesComparison[];
  /** What the other side doesn't have. */
  readonly onlyA: readonly Entry[];
  readonly onlyB: readonly Entry[];
  /** How many times as fast b is: over the geometric means of all series, those of times turned over. Null without any. */
  readonly performance: number | null;
  readonly verdicts: Readonly<Record<Verdict, number>>;
}

export function compareViews(a: View, b: View, rules: Rules): Comparison {
  const { pairs, onlyA, onlyB } = matchEntries(a.entries, b.entries);
  const series = pairs.map((pair) => compareSeries(pair, rules));
  return {
    ...{ a: a.side, b: b.side, series, onlyA, onlyB },
    differences: differencesOf(a.side.records, b.side.records, pairs),
    performance: geometricMean(series.map(performanceOf)),
    verdicts: countVerdicts(series),
  };
}

function compareSeries({ a, b }: Matched, rules: Rules): SeriesComparison {
  const rows = a.series.rows.flatMap((row) => {
    const other = b.series.rows.find(({ size }) => size === row.size);
    return other ? [compareRows(row, other, a.series, rules)] : [];
  });
  return { ...{ a, b, title: a.title, rows }, geometricMean: geometricMean(rows.map(({ ratio }) => ratio)) };
}

function geometricMean(ratios: readonly (number | null)[]): number | null {
  const known = ratios.filter((ratio) => ratio !== null);
  if (known.length === 0) return null;
  return Math.exp(known.reduce((sum, ratio) => sum + Math.log(ratio), 0) / known.length);
}

function performanceOf({ a: { series }, geometricMean: mean }: SeriesComparison): number | null {
  if (mean === null || series.better === undefined) return null;
  return series.better === 'higher' ? mean : 1 / mean;
}

function countVerdicts(series: readonly SeriesComparison[]): Record<Verdict, number> {
  const counts = { improved: 0, regressed: 0, changed: 0, 'within noise': 0, 'no change': 0, unknown: 0 };
  for (const { verdict } of series.flatMap(({ rows }) => rows)) counts[verdict] += 1;
  return counts;
}

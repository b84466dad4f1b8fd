/** What launches have in common: one launch is one sample. */
import { sampleStandardDeviation } from 'simple-statistics';
import { median, medianInterval } from '../bench/measure/robust.js';
import type { MedianInterval } from '../bench/measure/types.js';
import type { ResultRecord, RowParameters, RowRecord } from '../results/types.js';

/** One row of the benchmark over the launches that have it. */
export interface LaunchRow {
  readonly parameters: RowParameters;
  /** The figure that the row is about. */
  readonly figure: string;
  readonly unit: string;
  /** Of each launch, in the order of launches. */
  readonly values: readonly number[];
  readonly median: number;
  /** 95 % interval of the median, by order statistics; null below 6 launches. */
  readonly interval: MedianInterval | null;
  /** Standard deviation of the launches' figures, as a part of their median; null below 2 launches. */
  readonly between: number | null;
  /**
   * Standard error of the mean that the samples of one launch alone would give, as a part of their mean: what `between`
   * would be if launches differed by nothing else. The median of the launches' own; null where there are no statistics.
   */
  readonly within: number | null;
}

/** One row for each that any launch has, in the order of the first launch that has it. */
export function overLaunches(records: readonly ResultRecord[]): LaunchRow[] {
  const groups = new Map<string, RowRecord[]>();
  for (const row of records.flatMap(({ rows }) => rows)) {
    const key = JSON.stringify(Object.entries(row.parameters).sort(([a], [b]) => (a < b ? -1 : 1)));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((rows) => summarize(rows) ?? []);
}

/** Undefined where no launch has a value. */
function summarize(rows: readonly RowRecord[]): LaunchRow | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const figure = mainFigure(first);
  const values = rows.flatMap(({ figures }) => figures[figure]?.value ?? []);
  if (values.length === 0) return undefined;
  const middle = median(values);
  return {
    ...{ parameters: first.parameters, figure, unit: first.figures[figure]?.unit ?? '', values, median: middle },
    interval: medianInterval(values),
    between: values.length < 2 ? null : partOf(sampleStandardDeviation(values), middle),
    within: withinLaunch(rows, figure),
  };
}

/** The figure that statistics are of, else the first. */
function mainFigure({ statistics, figures }: RowRecord): string {
  return statistics?.figure ?? Object.keys(figures)[0] ?? '';
}

function withinLaunch(rows: readonly RowRecord[], figure: string): number | null {
  const errors = rows.flatMap(({ statistics }) => {
    if (statistics?.figure !== figure) return [];
    const { sd, mean, n } = statistics;
    return sd === null || mean === null ? [] : (partOf(sd / Math.sqrt(n), mean) ?? []);
  });
  return errors.length === 0 ? null : median(errors);
}

function partOf(value: number, whole: number): number | null {
  return whole > 0 && Number.isFinite(value) ? value / whole : null;
}

/** How far the farther end of the interval is from the median, as a part of it; null where there is no interval. */
export function reach({ interval, median: middle }: Pick<LaunchRow, 'interval' | 'median'>): number | null {
  return interval === null ? null : partOf(Math.max(interval.high - middle, middle - interval.low), middle);
}

/** Whether every row's median is known to within `target`, a part of it. */
export function isTight(rows: readonly LaunchRow[], target: number): boolean {
  return rows.length > 0 && rows.every((row) => (reach(row) ?? Infinity) <= target);
}

/** From rows to panels: which figures share an axis, and what tells the lines apart. */
import type { RowRecord } from '../../results/types.js';
import { formatBytes } from '../../cli/values.js';
import { parameterText, varyingParameters } from '../row-parameters.js';
import type { OsuColumn, OsuTable } from '../types.js';
import type { Panel, PlotRow, Point, Series, TimesPanel } from './types.js';

interface NamedColumn {
  readonly column: OsuColumn;
  readonly name: string;
  readonly unit: string;
}

/** The figures of one section. */
export function panelsOf(table: OsuTable, rows: readonly RowRecord[]): Panel[] {
  const columns = table.columns.map(nameColumn);
  const variants = variantsOf(rows);
  const panels =
    variants.length > 1
      ? columns.map((column) => variantPanel(table, column, variants))
      : unitGroups(columns).map((group) => columnPanel(table, group, rows));
  return panels.filter(({ series }) => series.length > 0);
}

/** The times of iterations of one section. Of windows that vary, the last: all of them would be too many to look at. */
export function timesPanelsOf(rows: readonly PlotRow[]): TimesPanel[] {
  const last = variantsOf(rows.map(({ record }) => record)).at(-1);
  return rows.flatMap(({ record, times }) =>
    times !== undefined && last?.rows.includes(record) ? [{ title: timesTitle(record, last.name), times }] : [],
  );
}

function timesTitle({ parameters: { size } }: RowRecord, variant: string): string {
  const parts = [...(size === null ? [] : [sizeText(size)]), ...(variant === '' ? [] : [variant])];
  return parts.length > 0 ? parts.join(', ') : 'All iterations';
}

/** `1 byte`, `4K bytes`. */
export function sizeText(size: number): string {
  return size === 1 ? '1 byte' : `${formatBytes(size)} bytes`;
}

/** Name and unit from a header such as `Avg Latency(us)`, `Bandwidth (MB/s)` or `MB/s`. */
function nameColumn(column: OsuColumn): NamedColumn {
  const [, before = '', unit = ''] = /^(.*?)\s*\(([^()]+)\)$/.exec(column.header) ?? [];
  const heading = column.matrixHeading?.replace(/\s*\([^()]+\)$/, '');
  return { column, name: heading ?? (before || column.header), unit: unit || column.header };
}

function unitGroups(columns: readonly NamedColumn[]): (readonly NamedColumn[])[] {
  return [...groupsBy(columns, ({ unit }) => unit).values()];
}

/** Groups in the order of their first members. */
export function groupsBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

interface Variant {
  readonly name: string;
  readonly rows: readonly RowRecord[];
}

/** Rows by what varies besides the size (the window under `-V`, the ranks of sub-communicators); one variant if nothing does. */
function variantsOf(rows: readonly RowRecord[]): Variant[] {
  const names = varyingParameters(rows);
  const nameOf = ({ parameters }: RowRecord): string =>
    names.map((name) => `${name} ${parameterText(parameters[name])}`).join(', ');
  return [...groupsBy(rows, nameOf)].map(([name, members]) => ({ name, rows: members }));
}

function variantPanel(table: OsuTable, { column, name, unit }: NamedColumn, variants: readonly Variant[]): Panel {
  const series = variants.map((variant) => ({ name: variant.name, points: pointsOf(table, column, variant.rows) }));
  return finished(name, unit, series, true);
}

function columnPanel(table: OsuTable, group: readonly NamedColumn[], rows: readonly RowRecord[]): Panel {
  const series = group.map(({ column, name }) => ({ name, points: pointsOf(table, column, rows) }));
  const [only] = series;
  const title = series.length === 1 && only ? only.name : (table.title.match(/^OSU (.*) Test$/)?.[1] ?? table.title);
  return finished(title, group[0]?.unit ?? '', series, false);
}

function finished(title: string, unit: string, series: readonly Series[], ordinal: boolean): Panel {
  const known = series.filter(({ points }) => points.length > 0);
  const sizes = new Set(known.flatMap(({ points }) => points.map(({ size }) => size)));
  return { title, unit, kind: sizes.size >= 2 && !sizes.has(null) ? 'lines' : 'bars', series: known, ordinal };
}

function pointsOf(table: OsuTable, column: OsuColumn, rows: readonly RowRecord[]): Point[] {
  return rows.flatMap((row) => pointOf(table, column, row) ?? []);
}

function pointOf(table: OsuTable, { figure, scale }: OsuColumn, row: RowRecord): Point | undefined {
  const value = row.figures[figure]?.value;
  if (value === null || value === undefined || !Number.isFinite(value)) return undefined;
  const point = { size: row.parameters.size, value: value * scale };
  const { statistics } = row;
  if (statistics?.figure !== figure) return point;
  const { median, medianInterval: interval, min, max, p99, tail } = statistics;
  const [low, high] = tail === 'high' ? [min, p99] : [p99, max];
  return {
    ...point,
    ...(median !== null && { median: median * scale }),
    ...(interval !== null && { interval: { low: interval.low * scale, high: interval.high * scale } }),
    ...(low !== null && high !== null && { spread: { low: low * scale, high: high * scale } }),
  };
}

/**
 * What records measured, as series: one figure of one test with one set of options, over sizes. Rows of several records
 * that agree in all of that are launches of one series, and so are rows of one size that a record has several times.
 */
import { parameterText } from '../report/row-parameters.js';
import type { Json, ResultRecord, RowRecord } from '../results/types.js';
import type { CurveKind, CurvePoint } from './curve-types.js';
import { direction, figureOf, kindOf, mainFigure, ownStatistics, type Better } from './figures.js';
import { testOf, type Test } from './tests.js';

/** A row of one launch. */
export interface Launch {
  /** The figure itself: of most tests a mean. */
  readonly value: number;
  /** The median of its samples where the record has it, else the figure: a mean follows the worst of the samples. */
  readonly typical: number;
  readonly row: RowRecord;
  readonly record: ResultRecord;
}

export interface SeriesRow {
  /** Bytes; null where the test has no size. */
  readonly size: number | null;
  readonly launches: readonly Launch[];
}

export interface Series {
  readonly test: Test;
  /** What was measured besides: options that its rows name (`window`, `layout`, ...). */
  readonly parameters: Parameters;
  readonly figure: string;
  readonly unit: string;
  /** Undefined: nobody can say which way is better. */
  readonly better: Better | undefined;
  readonly kind: CurveKind | undefined;
  /** By ascending size. */
  readonly rows: readonly SeriesRow[];
}

export type Parameters = Readonly<Record<string, Json>>;

/** Parameters that follow from the size, or tell what happened and not what was asked for. */
const NOT_ASKED_FOR: ReadonlySet<string> = new Set([
  ...['size', 'sizes', 'transmitSize', 'cqMod', 'sampleSeconds'],
  ...['transports', 'protocol', 'inline', 'roundTrip', 'label', 'sizeFrom'],
]);

interface Draft extends Pick<Series, 'test' | 'parameters' | 'figure' | 'unit'> {
  readonly sizes: Map<number | null, Launch[]>;
}

/** All series of the records, in the order of their first rows. `figure`: another than each test's own. */
export function seriesOf(records: readonly ResultRecord[], figure?: string): Series[] {
  const drafts = new Map<string, Draft>();
  for (const record of records) addRows(drafts, record, figure);
  return [...drafts.values()].map(finished);
}

/** Rows of a record look alike but for their sizes: what they belong to is found out once for each look. */
function addRows(drafts: Map<string, Draft>, record: ResultRecord, figure: string | undefined): void {
  const seen = new Map<string, Draft>();
  for (const row of record.rows) {
    const look = lookOf(row);
    const draft = seen.get(look) ?? draftFor(drafts, record, row, figure);
    if (!draft) continue;
    seen.set(look, draft);
    addRow(draft, record, row);
  }
}

/** All of a row by which `draftFor` tells series apart. */
function lookOf({ parameters, figures, statistics }: RowRecord): string {
  let look = `${statistics?.figure} ${statistics?.unit}`;
  for (const name in parameters) {
    if (NOT_ASKED_FOR.has(name)) continue;
    const value = parameters[name];
    look +=
      typeof value === 'boolean' || typeof value === 'number'
        ? `\n${name}:${value}`
        : `\n${name}:${JSON.stringify(value)}`;
  }
  for (const name in figures) look += `\n${name} ${figures[name]?.unit} ${typeof figures[name]?.value}`;
  return look;
}

/** The series that a row belongs to; undefined where it has no such figure. */
function draftFor(
  drafts: Map<string, Draft>,
  record: ResultRecord,
  row: RowRecord,
  wanted: string | undefined,
): Draft | undefined {
  // prettier-ignore
  const test = testOf(record, row);
  const name = wanted ?? mainFigure(test, row);
  const figure = name === undefined ? undefined : figureOf(row, name);
  if (name === undefined || figure === undefined) return undefined;
  const parameters = parametersOf(row);
  const key = JSON.stringify([test, Object.entries(parameters), name, figure.unit]);
  const draft = drafts.get(key) ?? { test, parameters, figure: name, unit: figure.unit, sizes: new Map<number | null, Launch[]>() }; // prettier-ignore
  drafts.set(key, draft);
  return draft;
}

function addRow({ figure, unit, sizes }: Draft, record: ResultRecord, row: RowRecord): void {
  const value = figureOf(row, figure)?.value;
  if (value === undefined) return;
  const typical = ownStatistics(record, row, { figure, unit })?.median ?? value;
  const launches = sizes.get(row.parameters.size);
  if (launches) launches.push({ value, typical, row, record });
  else sizes.set(row.parameters.size, [{ value, typical, row, record }]);
}

function parametersOf({ parameters }: RowRecord): Parameters {
  const all = Object.entries(parameters).filter(([name, value]) => !NOT_ASKED_FOR.has(name) && value !== undefined);
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))) as Parameters;
}

function finished({ sizes, ...draft }: Draft): Series {
  const rows = [...sizes].map(([size, launches]) => ({ size, launches }));
  return {
    ...draft,
    better: direction(draft.unit, draft.figure),
    kind: kindOf(draft.unit),
    rows: rows.sort((a, b) => (a.size ?? -1) - (b.size ?? -1)),
  };
}

/** The curve that the launches of a series make. */
export function pointsOf({ rows, kind }: Series): CurvePoint[] {
  const points: CurvePoint[] = [];
  for (const { size, launches } of rows)
    if (size !== null) for (const launch of launches) points.push({ size, value: pointOf(launch, size, kind) });
  return points;
}

function pointOf({ value, typical, row }: Launch, size: number, kind: CurveKind | undefined): number {
  return kind === 'bandwidth' && typical === value ? exactly(row, size, value) : typical;
}

/** Bandwidth by the message rate where a row has it: text rounds it less. */
function exactly({ figures: { rate } }: RowRecord, size: number, bandwidth: number): number {
  return rate?.unit === '1/s' && rate.value !== null && rate.value > 0 ? rate.value * size : bandwidth;
}

/** A test's name with the options in which it differs from others of that name among `all`: `put_bw, layout zcopy`. */
export function titleOf(series: Series, all: readonly Series[]): string {
  const namesakes = all.filter(({ test }) => test.name === series.test.name);
  const layers = new Set(namesakes.map(({ test }) => test.layer));
  const words = differingNames(namesakes).map((name) => wordsOf(name, series.parameters[name]));
  return [
    series.test.name,
    ...(layers.size > 1 ? [`layer ${series.test.layer}`] : []),
    ...words.filter((word) => word !== ''),
  ].join(', ');
}

/** `layout bcopy`; nothing where a test has no such parameter. */
export function wordsOf(name: string, value: Json | undefined): string {
  const text = parameterText(value);
  return text === '' ? '' : `${name} ${text}`;
}

/** Parameters in which some of the series differ. */
export function differingNames(all: readonly Series[]): string[] {
  const names = [...new Set(all.flatMap(({ parameters }) => Object.keys(parameters)))].sort();
  return names.filter(
    (name) => new Set(all.map(({ parameters }) => JSON.stringify(parameters[name] ?? null))).size > 1,
  );
}

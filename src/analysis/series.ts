/**
 * What records measured, as series: one figure of one test with one set of options, over sizes. Rows of several records
 * that agree in all of that are launches of one series, and so are rows of one size that a record has several times.
 */
import { parameterText } from '../report/row-parameters.js';
import type { Json, ResultRecord, RowRecord } from '../results/types.js';
import type { CurveKind, CurvePoint } from './curve-types.js';
import { direction, kindOf, mainFigure, type Better } from './figures.js';
import { testOf, type Test } from './tests.js';

/** A row of one launch. */
export interface Launch {
  readonly value: number;
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

interface Draft {
  readonly first: { readonly record: ResultRecord; readonly row: RowRecord };
  readonly parameters: Parameters;
  readonly figure: string;
  readonly sizes: Map<number | null, Launch[]>;
}

/** All series of the records, in the order of their first rows. `figure`: another than each test's own. */
export function seriesOf(records: readonly ResultRecord[], figure?: string): Series[] {
  const drafts = new Map<string, Draft>();
  for (const record of records) {
    for (const row of record.rows) addRow(drafts, record, row, figure);
  }
  return [...drafts.values()].map(finished);
}

function addRow(drafts: Map<string, Draft>, record: ResultRecord, row: RowRecord, wanted: string | undefined): void {
  const figure = wanted ?? mainFigure(testOf(record, row), row);
  const value = figure === undefined ? undefined : row.figures[figure]?.value;
  if (figure === undefined || typeof value !== 'number') return;
  const parameters = parametersOf(row);
  const key = JSON.stringify([testOf(record, row), Object.entries(parameters), figure]);
  const draft = drafts.get(key) ?? {
    first: { record, row },
    parameters,
    figure,
    sizes: new Map<number | null, Launch[]>(),
  };
  const { size } = row.parameters;
  draft.sizes.set(size, [...(draft.sizes.get(size) ?? []), { value, row, record }]);
  drafts.set(key, draft);
}

function parametersOf({ parameters }: RowRecord): Parameters {
  const all = Object.entries(parameters).filter(([name, value]) => !NOT_ASKED_FOR.has(name) && value !== undefined);
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))) as Parameters;
}

function finished({ first: { record, row }, parameters, figure, sizes }: Draft): Series {
  const unit = row.figures[figure]?.unit ?? '';
  const rows = [...sizes].map(([size, launches]) => ({ size, launches }));
  return {
    ...{ test: testOf(record, row), parameters, figure, unit },
    better: direction(unit, figure),
    kind: kindOf(unit),
    rows: rows.sort((a, b) => (a.size ?? -1) - (b.size ?? -1)),
  };
}

/** The curve that the figures of a series make. */
export function pointsOf({ rows, kind }: Series): CurvePoint[] {
  return rows.flatMap(({ size, launches }) =>
    size === null
      ? []
      : launches.map(({ value, row }) => ({ size, value: kind === 'bandwidth' ? exactly(row, size, value) : value })),
  );
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

/** Which columns the rows of a run have. Values are as in the record: base units, unrounded. */
import type { Json, RowRecord } from '../../results/types.js';
import { parameterText, varyingParameters } from '../row-parameters.js';
import type { Cell, Column } from './types.js';

type Statistics = NonNullable<RowRecord['statistics']>;

/** All columns of these rows, in order; a row that lacks a value has null. */
export function columnsOf(rows: readonly RowRecord[]): Column[] {
  return [
    ...parameterColumns(rows),
    ...figureColumns(rows),
    { name: 'n', main: true, cell: ({ n }) => n },
    ...optional(rows, 'warmup', ({ warmup }) => warmup),
    ...optional(rows, 'iterations per sample', ({ perSample }) => perSample),
    ...statisticsColumns(rows),
    ...optional(rows, 'validation', ({ validation }) => validation && (validation.passed ? 'passed' : 'failed'), true),
    ...optional(rows, 'stopped by', ({ stopped }) => stopped, true),
  ];
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

function parameterColumns(rows: readonly RowRecord[]): Column[] {
  const names = unique(['size', ...rows.flatMap(({ parameters }) => Object.keys(parameters))]);
  const datatypes = new Set(rows.map(({ parameters }) => parameters.datatype));
  const main = new Set([
    'size',
    'transmitSize',
    ...varyingParameters(rows),
    ...(datatypes.size > 1 ? ['datatype'] : []),
  ]);
  return names.map((name) => ({
    name,
    ...(name === 'size' || name === 'transmitSize' ? { unit: 'B' } : {}),
    main: main.has(name),
    cell: ({ parameters }) => cellOf(parameters[name]),
  }));
}

function cellOf(value: Json | undefined): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? parameterText(value) : value;
}

function figureColumns(rows: readonly RowRecord[]): Column[] {
  const names = unique(rows.flatMap(({ figures }) => Object.keys(figures)));
  return names.flatMap((name) => {
    const units = unique(rows.flatMap(({ figures }) => figures[name]?.unit ?? []));
    return units.map((unit) => ({
      ...{ name, unit, main: true },
      cell: ({ figures }: RowRecord) => (figures[name]?.unit === unit ? figures[name].value : null),
    }));
  });
}

/** A column that is there where a row has it. */
function optional(
  rows: readonly RowRecord[],
  name: string,
  value: (row: RowRecord) => Cell | undefined,
  main = false,
): Column[] {
  return rows.some((row) => value(row) !== undefined) ? [{ name, main, cell: (row) => value(row) ?? null }] : [];
}

/** Those in the unit of the samples. */
const MEASURES: readonly (readonly [string, (statistics: Statistics) => number | null | undefined, main?: true])[] = [
  ['median', ({ median }) => median, true],
  ['CI low', ({ medianInterval }) => medianInterval?.low, true],
  ['CI high', ({ medianInterval }) => medianInterval?.high, true],
  ['min', ({ min }) => min],
  ['p1', ({ p1 }) => p1],
  ['p5', ({ p5 }) => p5],
  ['p10', ({ p10 }) => p10],
  ['p25', ({ p25 }) => p25],
  ['p75', ({ p75 }) => p75],
  ['p90', ({ p90 }) => p90],
  ['p95', ({ p95 }) => p95],
  ['p99', ({ p99 }) => p99, true],
  ['p99.9', ({ p999 }) => p999],
  ['max', ({ max }) => max],
  ['mean', ({ mean }) => mean],
  ['sd', ({ sd }) => sd],
  ['mad', ({ mad }) => mad],
];

/** Those without a unit. */
const OTHERS: readonly (readonly [string, (statistics: Statistics) => Cell | undefined, main?: true])[] = [
  ['samples', ({ n }) => n],
  ['outliers', ({ outliers }) => outliers],
  ['uncertainty', ({ uncertainty }) => uncertainty],
  ['autocorrelation', ({ autocorrelation }) => autocorrelation],
  ['drift', ({ drift }) => drift?.change],
  ['drift p', ({ drift }) => drift?.p],
  ['tail', ({ tail }) => tail],
  ['source', ({ source }) => source],
  ['verdict', ({ verdict }) => verdict, true],
];

function statisticsColumns(rows: readonly RowRecord[]): Column[] {
  const all = rows.flatMap(({ statistics }) => statistics ?? []);
  if (all.length === 0) return [];
  const units = unique(all.map(({ unit }) => unit));
  const ofUnit = (unit: string): Column[] =>
    [...MEASURES, ...asked(all)].map(([name, value, main = false]) => ({
      ...{ name, unit, main },
      cell: ({ statistics }) => (statistics?.unit === unit ? (value(statistics) ?? null) : null),
    }));
  const others = OTHERS.map(([name, value, main = false]) => ({
    ...{ name, main },
    cell: ({ statistics }: RowRecord) => (statistics ? (value(statistics) ?? null) : null),
  }));
  const figure: Column = { name: 'statistics of', cell: ({ statistics }) => statistics?.figure ?? null };
  return [figure, ...units.flatMap(ofUnit), ...others];
}

/** Percentiles that were asked for and that no other column has. */
function asked(all: readonly Statistics[]): (typeof MEASURES)[number][] {
  const names = new Set(MEASURES.map(([name]) => name));
  const percents = new Set(all.flatMap(({ percentiles }) => percentiles.map(({ percent }) => percent)));
  return [...percents]
    .filter((percent) => !names.has(`p${percent}`))
    .map((percent) => [`p${percent}`, ({ percentiles }) => percentiles.find((one) => one.percent === percent)?.value]);
}

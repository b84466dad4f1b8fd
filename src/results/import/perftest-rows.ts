/** Rows of perftest's tables as rows of records: figures have the names that our ib_* give them. */
import type { Figure, Json, RowRecord } from '../types.js';
import { UNITS, valueOf, type Unit } from './cells.js';
import type { ReadRow } from './columns.js';
import { statisticsOf } from './draft.js';
import { numberGiven, wordGiven, type GivenOptions } from './options.js';
import type { Dump } from './perftest-dump.js';
import { samplesLine } from './samples-line.js';

export type Side = 'local' | 'remote';

type Figures = Readonly<Record<string, Figure>>;

/** perftest shows 0.00 for what it hasn't found out: a peak that wasn't looked for, rates without a time. */
function known(figures: Figures): Figures {
  const isZero = (name: string): boolean => figures[name]?.value === 0;
  const unmeasured = ['peak', ...(isZero('rate') ? ['bandwidth', 'rate'] : [])].filter(isZero);
  if (unmeasured.length === 0) return figures;
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      unmeasured.includes(name) ? { ...figure, value: null } : figure,
    ]),
  );
}

/** The latency is the typical one; with -D there is the average alone. */
function withLatency(figures: Figures): Figures {
  const { latency, average } = figures;
  return latency || !average ? figures : { latency: average, ...figures };
}

export function rowRecord(
  read: ReadRow,
  parameters: Readonly<Record<string, Json>>,
  dump: Dump | undefined,
): RowRecord {
  const figures = withLatency(known(read.figures));
  const samples = dump?.samples();
  return {
    parameters: { size: read.size, ...parameters, ...read.parameters },
    n: read.n,
    figures,
    statistics: figures.p99 ? summary(figures, read.n) : null,
    ...(samples ? { samples } : {}),
  };
}

function summary(figures: Figures, n: number): RowRecord['statistics'] {
  const of = (name: string): number | null => figures[name]?.value ?? null;
  const statistics = { min: of('min'), max: of('max'), median: of('latency'), mean: of('average'), sd: of('stdev') };
  const percentiles = [
    { percent: 99, value: of('p99') },
    { percent: 99.9, value: of('p99.9') },
  ];
  const unit = figures.latency?.unit ?? 's';
  return statisticsOf({ n, statistics, percentiles }, { figure: 'latency', unit, tail: 'high' });
}

/** Adds the bandwidth of one direction to the row of both; false where there is none of that size. */
export function withSide(rows: RowRecord[], { size, figures }: ReadRow, side: Side): boolean {
  const at = rows.findLastIndex(({ parameters }) => parameters.size === size);
  const row = rows[at];
  if (!row || !figures.bandwidth) return false;
  rows[at] = { ...row, figures: { ...row.figures, [`${side} bandwidth`]: figures.bandwidth } };
  return true;
}

/** Puts what our `--stats` says below a row into that row; false where the line says nothing of the kind. */
export function withStatistics(rows: RowRecord[], text: string): boolean {
  const read = samplesLine(text);
  const row = rows.at(-1);
  if (!read || !row) return false;
  const { unit } = read;
  const statistics = statisticsOf(
    { n: row.n, statistics: read.statistics, percentiles: row.statistics?.percentiles ?? [] },
    { figure: 'latency', unit, tail: 'high' },
  );
  rows[rows.length - 1] = { ...row, statistics };
  return true;
}

/** The row that `--output` is: one number, of the size on the command line. */
export function lonelyRow(text: string, program: string, given: GivenOptions): RowRecord | undefined {
  const output = wordGiven(given, '--output');
  const gbits = '--report_gbits' in given.named;
  const kinds: Readonly<Record<string, readonly [figure: string, unit: Unit]>> = {
    bandwidth: ['bandwidth', gbits ? UNITS.gigabits : UNITS.mebibytes],
    message_rate: ['rate', UNITS.millions],
    latency: ['latency', UNITS.microseconds],
  };
  const [name, unit] = kinds[output ?? ''] ?? [];
  if (name === undefined || unit === undefined) return undefined;
  const usual = program.endsWith('_lat') ? (program.includes('atomic') ? 8 : 2) : 65536;
  const value = { value: valueOf(text, unit), unit: unit.base };
  return {
    parameters: { size: numberGiven(given, '--size') ?? usual },
    n: numberGiven(given, '--iters') ?? 0,
    figures: name === 'latency' ? { latency: value, average: value } : { [name]: value },
    statistics: null,
  };
}

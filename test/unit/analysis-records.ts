/** Records and sides for tests of comparisons. */
import { join } from 'node:path';
import type { Statistics } from '../../src/bench/measure/types.js';
import { SampleStore } from '../../src/bench/measure/samples.js';
import type { Side } from '../../src/analysis/sides.js';
import { loadRecords } from '../../src/results/load.js';
import { RESULT_SCHEMA, type Json, type ResultRecord, type RowRecord } from '../../src/results/types.js';
import { projectRoot } from './project.js';
import { exampleHead } from './records.js';

/** The files that someone kept of a link, with the process near its device and far from it. */
export const CAPTURED = ['perftest.lat', 'perftest.bw', 'uct.lat', 'uct.bw', 'ucp.lat', 'ucp.bw'] as const;

export const capturedFile = (name: string, place: string): string =>
  join(projectRoot, 'test/fixtures/captured', `edr-ib.${name}.${place}.txt`);

export function captured(place: 'near' | 'far', names: readonly string[] = CAPTURED): Side {
  const files = names.map((name) => capturedFile(name, place));
  return { label: place, files, records: files.flatMap((file) => loadRecords(file).records), problems: [] };
}

/** A side with other records. */
export function withRecords(side: Side, change: (record: ResultRecord) => ResultRecord): Side {
  return { ...side, records: side.records.map(change) };
}

/** Every row of the tests that `of` names, changed. */
export function withRows(side: Side, of: (test: string) => boolean, change: (row: RowRecord) => RowRecord): Side {
  return withRecords(side, (record) => ({
    ...record,
    rows: record.rows.map((row) => (of(nameOf(record, row)) ? change(row) : row)),
  }));
}

function nameOf(record: ResultRecord, row: RowRecord): string {
  return typeof row.parameters['test'] === 'string' ? row.parameters['test'] : record.run.name;
}

/** The row with figures of these units times a factor. */
export function scaledRow(row: RowRecord, factors: Readonly<Record<string, number>>): RowRecord {
  const figures = Object.entries(row.figures).map(([name, { value, unit }]) => {
    const factor = factors[unit] ?? 1;
    return [name, { value: value === null ? null : value * factor, unit }] as const;
  });
  return { ...row, figures: Object.fromEntries(figures), statistics: null };
}

export interface RecordRequest {
  readonly name?: string;
  readonly layer?: string;
  readonly figure?: string;
  readonly unit?: string;
  /** Of all rows, besides the size. */
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly rows: readonly RowRequest[];
  readonly change?: (record: ResultRecord) => ResultRecord;
}

export interface RowRequest {
  readonly size: number | null;
  readonly value: number;
  /** In the figure's unit: `value` is left to them, and twice the time of each stands in the record. */
  readonly samples?: readonly number[];
  readonly statistics?: Statistics;
}

export function recordOf(request: RecordRequest): ResultRecord {
  const { name = 'osu_latency', layer = 'mpi', rows, change = (record) => record } = request;
  return change({
    schema: RESULT_SCHEMA,
    ...exampleHead({ name, layer, ended: '2026-01-02T03:05:00.000Z' }),
    rows: rows.map((row) => rowOf(request, row)),
    warnings: [],
    status: { state: 'done' },
  });
}

function rowOf({ figure = 'latency', unit = 's', parameters = {} }: RecordRequest, row: RowRequest): RowRecord {
  const { size, value, samples, statistics } = row;
  const store = new SampleStore();
  store.add(samples ?? []);
  const known = statistics ?? (samples ? store.statistics({ tail: unit === 's' ? 'high' : 'low' }) : null);
  const seconds = samples?.map((sample) => (unit === 's' ? 2 * sample : 64 / sample));
  return {
    parameters: { size, ...parameters },
    n: samples?.length ?? 1,
    figures: { [figure]: { value, unit } },
    statistics: known && { ...known, figure, unit },
    ...(seconds ? { samples: [{ rank: 0, seconds }] } : {}),
  };
}

export function sideOf(label: string, records: readonly ResultRecord[]): Side {
  return { label, files: [`${label}.json`], records, problems: [] };
}

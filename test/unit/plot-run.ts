/** Small runs to plot. */
import { MemorySink } from '../../src/report/sink.js';
import { PlotReporter } from '../../src/report/plot/reporter.js';
import type { PlotOptions } from '../../src/report/plot/types.js';
import type { OsuColumn, OsuTable } from '../../src/report/types.js';
import type { RowParameters, RowRecord, StatusRecord } from '../../src/results/types.js';
import { exampleHead } from './records.js';

export const latencyColumn: OsuColumn = { figure: 'latency', header: 'Avg Latency(us)', scale: 1e6 };

export function plotTable(columns: readonly OsuColumn[] = [latencyColumn]): OsuTable {
  return {
    title: 'OSU MPI Latency Test',
    leadingBlank: true,
    datatypeLine: true,
    sizeColumn: true,
    columns,
    statistics: { tailName: 'Lat(us)', unit: 'us', scale: 1e6, precision: 3 },
  };
}

/** A row whose figures are given in the record's units. */
export function plotRow(parameters: RowParameters, figures: Readonly<Record<string, number | null>>): RowRecord {
  const entries = Object.entries(figures).map(([name, value]) => [name, { value, unit: 's' }] as const);
  return { parameters, n: 100, figures: Object.fromEntries(entries), statistics: null };
}

export interface PlottedRow {
  readonly row: RowRecord;
  /** Samples in seconds by rank. */
  readonly samples?: readonly (readonly number[])[];
}

export interface PlottedSection {
  readonly datatype?: string;
  readonly rows: readonly PlottedRow[];
}

const DONE: StatusRecord = { state: 'done' };

/** Reports a run and returns what went to the sink. */
export function plot(
  sections: readonly PlottedSection[],
  options: Partial<PlotOptions> = {},
  status: StatusRecord = DONE,
): string {
  const sink = new MemorySink();
  const datatypes = sections.flatMap(({ datatype }) => datatype ?? []);
  const reporter = new PlotReporter({
    ...{ graphs: ['tty'], name: 'osu_latency', datatypes, table: plotTable(), sink },
    ...options,
  });
  reporter.begin(exampleHead());
  reporter.warning('rank 1 <is> not bound');
  for (const { rows, ...section } of sections) {
    reporter.section(section);
    for (const { row, samples = [] } of rows) {
      for (const [rank, seconds] of samples.entries()) reporter.samples(rank, Float64Array.from(seconds));
      reporter.row(row);
    }
  }
  reporter.end(status);
  return sink.text;
}

/** From a suite row and the options of a run to the table that is printed. */
import type { OsuOptions } from '../cli/options.js';
import type { OsuColumn, OsuTable } from './types.js';

/** The part of a suite row that its table needs. */
export interface OsuTableRow {
  readonly title: string;
  readonly leadingBlank: boolean;
  readonly columns: readonly OsuColumn[];
  readonly statistics: OsuTable['statistics'];
  /** Lines after the title. */
  readonly notes?: (options: OsuOptions, pairs: number) => readonly string[];
}

/** What the run will measure. */
export interface OsuTablePlan {
  readonly pairs: number;
  readonly windows: readonly number[];
}

export function osuTable(row: OsuTableRow, options: OsuOptions, { pairs, windows }: OsuTablePlan): OsuTable {
  const columns = row.columns.filter(({ optional }) => optional !== 'print-rate' || options.printRate);
  return {
    title: row.title,
    leadingBlank: row.leadingBlank,
    notes: row.notes?.(options, pairs) ?? [],
    datatypeLine: true,
    sizeColumn: true,
    columns,
    iterations: options.timeLimit !== undefined && !options.stats,
    validation: options.validation !== undefined,
    percentiles: options.percentiles,
    statistics: row.statistics,
    transmitSize: options.ddt !== undefined,
    stats: options.stats,
    ...(options.varyWindow && { matrix: { windows, parts: columns.map(matrixPart) } }),
  };
}

function matrixPart({ figure, header, scale, matrixHeading = header }: OsuColumn) {
  return { heading: matrixHeading, figure, scale };
}

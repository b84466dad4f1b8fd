/** From a suite row and the options of a run to the table that is printed. */
import type { OsuOptions } from '../cli/options.js';
import type { OsuColumn, OsuTable } from './types.js';

/** The part of a suite row that its table needs. */
export interface OsuTableRow {
  readonly title: string;
  readonly leadingBlank: boolean;
  readonly columns: readonly OsuColumn[];
  readonly statistics: OsuTable['statistics'];
  readonly sizes?: 'none' | 'element';
  readonly datatypeLine?: false;
  readonly fullIterations?: boolean;
  /** Lines before everything else. */
  readonly preamble?: (options: OsuOptions) => readonly string[];
  /** Lines after the title. */
  readonly notes?: (options: OsuOptions, pairs: number) => readonly string[];
}

/** What the run will measure. */
export interface OsuTablePlan {
  readonly pairs: number;
  readonly windows: readonly number[];
  /** Lines before everything else, and before the row's own. */
  readonly preamble?: readonly string[];
}

/** Whether a column is shown that only an option brings. */
function isShown({ optional }: OsuColumn, options: OsuOptions): boolean {
  switch (optional) {
    case 'print-rate':
      return options.printRate;
    case 'full':
      return options.full;
    case 'per-repetition':
      return options.perRepetition;
    default:
      return true;
  }
}

/** Where a row may end early they are the only way to see how much it measured, unless `--stats` tells. */
function showsIterations(row: OsuTableRow, options: OsuOptions): boolean {
  const mayEndEarly = options.timeLimit !== undefined || options.targetCi !== undefined;
  const told = options.stats && options.statsColumns.includes('n');
  return (mayEndEarly && !told) || (options.full && row.fullIterations === true);
}

export function osuTable(row: OsuTableRow, options: OsuOptions, plan: OsuTablePlan): OsuTable {
  const { pairs, windows } = plan;
  const preamble = [...(plan.preamble ?? []), ...(row.preamble?.(options) ?? [])];
  const columns = row.columns.filter((column) => isShown(column, options));
  return {
    title: row.title,
    leadingBlank: row.leadingBlank,
    notes: row.notes?.(options, pairs) ?? [],
    preamble,
    datatypeLine: row.datatypeLine ?? true,
    sizeColumn: row.sizes !== 'none',
    columns,
    iterations: showsIterations(row, options),
    validation: options.validation !== undefined,
    percentiles: options.percentiles,
    statistics: row.statistics,
    transmitSize: options.ddt !== undefined,
    ...(options.stats && { stats: options.statsColumns }),
    ...(options.varyWindow && { matrix: { windows, parts: columns.map(matrixPart) } }),
  };
}

function matrixPart({ figure, header, scale, matrixHeading = header }: OsuColumn) {
  return { heading: matrixHeading, figure, scale };
}

/** The table over launches. */
import { formatFigure } from '../report/osu-columns.js';
import { parameterText, varyingParameters } from '../report/row-parameters.js';
import { median } from '../bench/measure/robust.js';
import type { LaunchRow } from './spread.js';

export interface SummaryOptions {
  readonly name: string;
  readonly rows: readonly LaunchRow[];
  /** Of one MB in the benchmark's own table. */
  readonly megabyte: 1e6 | 1048576;
  /** Launches that count, and what else there is to say of them. */
  readonly launches: number;
  readonly remarks: readonly string[];
}

interface Column {
  readonly header: string;
  readonly text: (row: LaunchRow) => string;
}

const WIDTH = 14;
const SIZE_WIDTH = 10;
const WIDEST = 30;
/** From here on a launch's own samples say too little. */
const MUCH_MORE = 2;

/** Title, head, one line for each row, and what follows from them. */
export function summaryText({ name, rows, megabyte, launches, remarks }: SummaryOptions): string {
  const columns = columnsOf(rows, megabyte);
  const widths = columns.map((column) => widthOf(column, rows));
  const line = (texts: readonly string[], size: string): string =>
    size.padEnd(SIZE_WIDTH) + texts.map((text, index) => text.padStart(widths[index] ?? WIDTH)).join('');
  const head = line(
    columns.map(({ header }) => header),
    '# Size',
  );
  const body = rows.map((row) =>
    line(
      columns.map(({ text }) => text(row)),
      String(row.parameters.size ?? '-'),
    ),
  );
  const title = `# ${name}: medians of ${launches} launch${launches === 1 ? '' : 'es'}`;
  return [title, ...remarks.map((text) => `# ${text}`), head, ...body, ...verdict(rows), ''].join('\n');
}

function columnsOf(rows: readonly LaunchRow[], megabyte: number): Column[] {
  const { header, scale, precision } = shownAs(rows, megabyte);
  const shown = (value: number | undefined): string => formatFigure(value, scale, precision);
  const percent = (value: number | null): string => formatFigure(value, 100);
  const names = varyingParameters(rows);
  const types = new Set(rows.map(({ parameters }) => parameters.datatype));
  return [
    ...[...(types.size > 1 ? ['datatype'] : []), ...names].map((name) => ({
      header: name,
      text: ({ parameters }: LaunchRow) => parameterText(parameters[name]),
    })),
    { header: 'Launches', text: ({ values }) => String(values.length) },
    { header, text: (row) => shown(row.median) },
    { header: '95% low', text: ({ interval }) => shown(interval?.low) },
    { header: '95% high', text: ({ interval }) => shown(interval?.high) },
    { header: 'Between(%)', text: ({ between }) => percent(between) },
    { header: 'Within(%)', text: ({ within }) => percent(within) },
  ];
}

function widthOf({ header, text }: Column, rows: readonly LaunchRow[]): number {
  const longest = Math.max(header.length, ...rows.map((row) => text(row).length)) + 2;
  return Math.min(Math.max(longest, header === 'Launches' ? 0 : WIDTH), WIDEST);
}

interface Shown {
  readonly header: string;
  readonly scale: number;
  readonly precision: number;
}

/** In the unit of the benchmark's own table. */
function shownAs(rows: readonly LaunchRow[], megabyte: number): Shown {
  const { figure = 'figure', unit = '' } = rows[0] ?? {};
  const named = (shown: string): string => `${figure.charAt(0).toUpperCase()}${figure.slice(1)}(${shown})`;
  if (unit === 's') return { header: named('us'), scale: 1e6, precision: 2 };
  if (unit !== 'B/s') return { header: named(unit), scale: 1, precision: 2 };
  return { header: named(megabyte === 1e6 ? 'MB/s' : 'MiB/s'), scale: 1 / megabyte, precision: 2 };
}

/** Whether one launch would have done. */
function verdict(rows: readonly LaunchRow[]): string[] {
  const ratios = rows.flatMap(({ between, within }) => (between !== null && within ? between / within : []));
  if (ratios.length === 0) return [];
  const ratio = median(ratios);
  const times = `${ratio.toFixed(1)} times`;
  const what = `# Launches differ by ${times} what the samples of one explain`;
  return [ratio > MUCH_MORE ? `${what}: one launch says too little` : `${what}: they agree`];
}

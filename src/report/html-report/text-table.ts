/** A record's rows as a text table, to copy. */
import type { Figure, ResultRecord, RowRecord } from '../../results/types.js';
import { parameterText, varyingParameters } from '../row-parameters.js';

const GAP = '  ';
const UNITS: Readonly<Record<string, readonly [unit: string, factor: number, digits: number]>> = {
  s: ['us', 1e6, 3],
  'B/s': ['MB/s', 1e-6, 2],
  '1/s': ['1/s', 1, 0],
};

/** Times in microseconds, bandwidths in 10^6 bytes per second. */
export function textTable({ rows }: ResultRecord): string {
  const varying = varyingParameters(rows);
  const figures = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))];
  const units = figures.map((name) => rows.find((row) => row.figures[name])?.figures[name]?.unit ?? '');
  const head = ['size', ...varying, ...figures.map((name, index) => headOf(name, units[index] ?? '')), 'n'];
  const body = rows.map((row) => [sizeOf(row), ...varying.map((name) => parameterText(row.parameters[name])), ...figures.map((name) => cellOf(row.figures[name])), String(row.n)]); // prettier-ignore
  const widths = head.map((text, index) => Math.max(text.length, ...body.map((row) => row[index]?.length ?? 0)));
  return [head, ...body].map((row) => row.map((text, index) => text.padStart(widths[index] ?? 0)).join(GAP).trimEnd()).join('\n'); // prettier-ignore
}

const headOf = (name: string, unit: string): string => `${name} (${UNITS[unit]?.[0] ?? unit})`;

const sizeOf = ({ parameters }: RowRecord): string => (parameters.size === null ? '-' : String(parameters.size));

function cellOf(figure: Figure | undefined): string {
  if (!figure || figure.value === null) return '-';
  const [, factor, digits] = UNITS[figure.unit] ?? ['', 1, 3];
  return (figure.value * factor).toFixed(digits);
}

/** The rows of a run as CSV (RFC 4180): one line of names with units, then one for each row. Nothing is rounded. */
import { stringify } from 'csv-stringify/sync';
import { columnsOf } from './columns.js';
import type { RunSoFar } from '../kept-run.js';
import type { Cell, Column } from './types.js';

/** What is the same for all rows stands in front, so that files of several runs can be put together. */
function runColumns({ run }: RunSoFar['head']): Column[] {
  return [
    { name: 'program', cell: () => run.name },
    ...(run.label === undefined ? [] : [{ name: 'label', cell: () => run.label ?? null }]),
    { name: 'layer', cell: () => run.layer },
    { name: 'started', cell: () => run.started },
  ];
}

export function csvText({ head, rows }: RunSoFar): string {
  const columns = [...runColumns(head), ...columnsOf(rows)];
  const names = columns.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`));
  return stringify([names, ...rows.map((row) => columns.map(({ cell }) => textOf(cell(row))))]);
}

/** Where nothing is known the field is empty. */
function textOf(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

/** A run as a table: what CSV and Markdown are made of. */
import type { RowRecord } from '../../results/types.js';

export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  /** Of its numbers: `s`, `B/s`, `1/s`, `%`, `B`; undefined where they have none, or cells are words. */
  readonly unit?: string;
  /** What people look for first; the others are in CSV alone. */
  readonly main?: boolean;
  readonly cell: (row: RowRecord) => Cell;
}

export type TableKind = 'csv' | 'markdown';

/** What a launch printed and wrote, taken apart. */
import { assert } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultRecord, RowRecord } from '../../src/results/types.js';
import { projectRoot } from '../unit/project.js';
import { strictSchemaErrors } from '../unit/schema.js';
import type { Launched } from './mpirun.js';

/** Path of a launcher in dist/. */
export function program(name: string): string {
  return join(projectRoot, 'dist', `${name}.js`);
}

/** Lines of a table above its rows: those that begin with `#` and the blank ones. */
export function headerOf(text: string): string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line === '' || line.startsWith('#'));
}

/** Cells of the rows of a table. */
export function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => /^\d/.test(line));
  return lines.map((line) => line.split(/\s+/));
}

/** One column of the rows, by its place. */
export function column(text: string, index: number): string[] {
  return rowsOf(text).map((cells) => cells[index] ?? '');
}

/** Lines of launchers and MPI libraries: Open MPI's, then MPICH's. */
const FOREIGN = [
  /^(\[\S+:\d+\]|\[warn\]|mpirun(\.openmpi)?:) /,
  /^\[(mpiexec|proxy:\S+)@\S+\] /,
  /^Abort\(\d+\) on node \d+ /,
];

/** Lines of stderr that are not the launcher's or the MPI library's. */
export function ownLines({ stderr }: Pick<Launched, 'stderr'>): string[] {
  const own: string[] = [];
  let inBanner = false;
  for (const line of stderr.split('\n')) {
    if (/^-{20,}$/.test(line)) inBanner = !inBanner;
    else if (!inBanner && line !== '' && !FOREIGN.some((foreign) => foreign.test(line))) own.push(line);
  }
  return own;
}

/** The record in a text; it must hold to the schema, with no field that the schema doesn't describe. */
export function parseRecord(text: string): ResultRecord {
  const record: unknown = JSON.parse(text);
  assert.deepEqual(strictSchemaErrors(record), []);
  return record as ResultRecord;
}

/** The record in a file; see `parseRecord`. */
export function readRecord(file: string): ResultRecord {
  return parseRecord(readFileSync(file, 'utf8'));
}

/** Rows that the record in a file has so far, once there are at least so many. */
export function rowsOnce(file: string, least: number): readonly RowRecord[] | undefined {
  if (!existsSync(file)) return undefined;
  const { rows } = readRecord(file);
  return rows.length >= least ? rows : undefined;
}

export function sizesOf(record: ResultRecord): (number | null)[] {
  return record.rows.map(({ parameters }) => parameters.size);
}

/** A launch that was to go well: exit code 0, nothing left behind. */
export function assertDone(launched: Launched): void {
  assert.equal(launched.code, 0, launched.report);
  assert.equal(launched.strays, 0, launched.report);
}

/** A launch that was to be refused or to fail by itself, in time and with nothing left behind. */
export function assertFailed(launched: Launched, code = 1): void {
  assert.isFalse(launched.hung, launched.report);
  assert.equal(launched.code, code, launched.report);
  assert.equal(launched.strays, 0, launched.report);
}

/** Records as the text of a file: one object, or an array, with a line for each part and each row. */
import type { ResultRecord } from './types.js';

/** One record is an object, several are an array of them. */
export function* recordsText(records: readonly ResultRecord[]): Generator<string> {
  const [only, ...others] = records;
  if (only && others.length === 0) {
    yield* recordText(only);
    yield '\n';
    return;
  }
  let before = '[\n';
  for (const record of records) {
    yield before;
    yield* recordText(record);
    before = ',\n';
  }
  yield records.length === 0 ? '[]\n' : '\n]\n';
}

function* recordText(record: ResultRecord): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(record)) {
    yield `${before}"${name}":`;
    if (name === 'rows') yield* rowsText(record.rows);
    else yield JSON.stringify(value);
    before = '\n,';
  }
  yield '}';
}

function* rowsText(rows: ResultRecord['rows']): Generator<string> {
  if (rows.length === 0) yield '[]';
  for (const [index, row] of rows.entries()) yield `${index === 0 ? '[' : ','}\n${JSON.stringify(row)}`;
  if (rows.length > 0) yield '\n]';
}

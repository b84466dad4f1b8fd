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
    const start = `${before}"${name}":`;
    if (name === 'rows') yield* rowsText(start, record.rows);
    else yield start + JSON.stringify(value);
    before = '\n,';
  }
  yield '}';
}

function* rowsText(start: string, rows: ResultRecord['rows']): Generator<string> {
  let before = `${start}[\n`;
  for (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',\n';
  }
  yield rows.length === 0 ? `${start}[]` : '\n]';
}

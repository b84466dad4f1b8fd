/** Whether a value is a record, by schema/result-1.json and in what that can't say. */
import { createRequire } from 'node:module';
import { RESULT_SCHEMA, type ResultRecord } from './types.js';
import { mixedUnits, negativeFigure } from './units.js';

/** What makes a value no record: one sentence, and the place as a JSON pointer. */
export class RecordProblem extends Error {
  /** `/rows/3/n`; '' = the whole. */
  readonly pointer: string;

  constructor(pointer: string, text: string) {
    super(pointer === '' ? text : `${text} (at ${pointer})`);
    this.name = 'RecordProblem';
    this.pointer = pointer;
  }
}

/**
 * The value as the record that it is.
 *
 * @throws RecordProblem in one sentence: what is wrong, and where
 */
export function validateRecord(value: unknown): ResultRecord {
  refuseOthers(value);
  const error = validator().schemaError(value);
  if (error) throw new RecordProblem(error.pointer, error.text);
  const record = value as ResultRecord;
  const problem = mixedUnits(record) ?? negativeFigure(record);
  if (problem) throw new RecordProblem(problem.pointer, problem.text);
  return record;
}

/** What is no record of this version is told as that, and not by the first field that it lacks. */
function refuseOthers(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordProblem('', 'it is no record: that is one JSON object');
  if (!('schema' in value)) throw new RecordProblem('', 'it is no record of fabricbench: it names no "schema"');
  const { schema } = value;
  if (schema === RESULT_SCHEMA) return;
  const named = typeof schema === 'string' ? `"${schema.slice(0, 60)}"` : 'no text';
  throw new RecordProblem('/schema', `its schema is ${named}, and this version reads "${RESULT_SCHEMA}"`);
}

let loaded: typeof import('./validator.js') | undefined;

/** Beside this file in the sources, and beside the program in dist. */
function validator(): typeof import('./validator.js') {
  loaded ??= createRequire(import.meta.filename)('./validator.js') as typeof import('./validator.js');
  return loaded;
}

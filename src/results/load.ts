/** Reads files of results: records of fabricbench, and text that `fabricbench import` understands. */
import { basename, extname } from 'node:path';
import { WrongUse } from '../cli/commands/command.js';
import { importText } from './import/index.js';
import { parseValues, readText, type ReadValue } from './read.js';
import type { ResultRecord } from './types.js';
import { RecordProblem, validateRecord } from './validate.js';

/** What was not understood, and where. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface LoadedFile {
  readonly records: readonly ResultRecord[];
  /** Rows, columns and cells that are no figures of a table that is understood. */
  readonly problems: readonly Problem[];
  /** Of text: lines that are neither tables nor about them. */
  readonly passedOver: readonly Problem[];
}

export interface LoadOptions {
  /** How the runs are called; text without it is called by the file's name without its ending. */
  readonly label?: string | undefined;
}

/** A bracket alone may be a shell's prompt, or the tag of a rank. */
const JSON_STARTS = /^\s*(?:\{|\[\s*(?:[{[\]]|$))/;

/** Characters; nobody writes so much text of tables, but programs that went wrong do. */
const MOST_TEXT = 2 ** 26;

/**
 * Reads a file of one or more results: a record, an array of them, a record on each line, or text of other tools.
 *
 * @throws WrongUse in one sentence where the file can't be read or holds no results
 */
export function loadRecords(file: string, options: LoadOptions = {}): LoadedFile {
  try {
    return load(file, readText(file), options);
  } catch (error) {
    throw error instanceof RecordProblem ? new WrongUse(`${file}: ${error.message}`) : error;
  }
}

function load(file: string, text: string, { label }: LoadOptions): LoadedFile {
  if (JSON_STARTS.test(text)) {
    const records = parseValues(text).map(recordOf);
    if (records.length === 0) throw new RecordProblem('', 'it holds no record');
    return { records: label === undefined ? records : records.map(called(label)), problems: [], passedOver: [] };
  }
  if (text.length > MOST_TEXT)
    throw new RecordProblem('', `it has ${text.length} characters, and is no text of tables`);
  const imported = importText(text, { file, label: label ?? basename(file, extname(file)) });
  if (imported.records.length === 0)
    throw new RecordProblem(
      '',
      'it holds neither a record of fabricbench nor a table of OSU, IMB, perftest or ucx_perftest',
    );
  return imported;
}

const called =
  (label: string) =>
  (record: ResultRecord): ResultRecord => ({ ...record, run: { ...record.run, label } });

function recordOf({ where, value }: ReadValue): ResultRecord {
  try {
    return validateRecord(value);
  } catch (error) {
    if (!(error instanceof RecordProblem) || where === '') throw error;
    throw new RecordProblem('', `${where}: ${error.message}`);
  }
}

/** Reads files of results: records of fabricbench, and text that `fabricbench import` understands. */
import { readFileSync, statSync } from 'node:fs';
import { WrongUse } from '../cli/commands/command.js';
import { RESULT_SCHEMA, type ResultRecord } from './types.js';

/** What was not understood, and where. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface LoadedFile {
  readonly records: readonly ResultRecord[];
  readonly problems: readonly Problem[];
}

/**
 * Reads a file of one or more results.
 *
 * @throws WrongUse in one sentence where the file can't be read or holds no results
 */
export function loadRecords(file: string): LoadedFile {
  const text = readText(file);
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    throw new WrongUse(`${file} is no record of fabricbench: it is no JSON`);
  }
  const records = (Array.isArray(values) ? (values as unknown[]) : [values]).map((value) => checked(file, value));
  return { records, problems: [] };
}

function readText(file: string): string {
  try {
    if (statSync(file).size === 0) throw new WrongUse(`${file} is empty`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof WrongUse) throw error;
    throw new WrongUse(`${file} can't be read: ${(error as Error).message}`);
  }
}

function checked(file: string, value: unknown): ResultRecord {
  const record = value as Partial<ResultRecord> | null;
  if (typeof record !== 'object' || record?.schema !== RESULT_SCHEMA)
    throw new WrongUse(`${file} holds no record of ${RESULT_SCHEMA}`);
  return record as ResultRecord;
}

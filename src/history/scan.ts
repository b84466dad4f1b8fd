/** A folder of records: every file in it and below it that holds results. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { WrongUse } from '../cli/commands/command.js';
import { loadRecords, type LoadedFile } from '../results/load.js';
import type { ResultRecord } from '../results/types.js';

export interface StoredRecord {
  /** From the folder. */
  readonly file: string;
  readonly record: ResultRecord;
}

export interface Store {
  readonly records: readonly StoredRecord[];
  /** Files without results, and what of others was not understood, in sentences. */
  readonly problems: readonly string[];
  /** Files that could not be used at all. */
  readonly skipped: number;
}

/** Others are no results: drawings, notes, scripts. */
const RESULTS = /\.(json|jsonl|ndjson|txt|out|log|csv)$/i;
/** What lies beside a record while it is being written. */
const UNFINISHED = /\.samples\.ndjson$/;

/** @throws WrongUse where the folder can't be read */
export function scan(folder: string, load: (file: string) => LoadedFile = loadRecords): Store {
  const records: StoredRecord[] = [];
  const problems: string[] = [];
  let skipped = 0;
  for (const path of filesBelow(folder)) {
    const file = relative(folder, path);
    try {
      const loaded = load(path);
      records.push(...loaded.records.map((record) => ({ file, record })));
      problems.push(...loaded.problems.map(({ line, text }) => `${file}:${line}: ${text}`));
    } catch (error) {
      if (!(error instanceof WrongUse)) throw error;
      problems.push(error.message);
      skipped += 1;
    }
  }
  return { records: records.sort(byTime), problems, skipped };
}

/** Names that begin with a dot are left alone; links to folders are not followed, since they may lead round. */
function filesBelow(folder: string): string[] {
  const entries = entriesOf(folder).filter(({ name }) => !name.startsWith('.'));
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      const plain = entry.isFile() || entry.isSymbolicLink();
      return plain && RESULTS.test(entry.name) && !UNFINISHED.test(entry.name) ? [path] : [];
    });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such folder',
      ENOTDIR: 'it is no folder; name the folder that the records are in',
      EACCES: 'permission is denied',
    };
    throw new WrongUse(`${folder} can't be read: ${reasons[code ?? ''] ?? code ?? 'the system gives no reason'}`);
  }
}

/** Records that don't say when come first. */
function byTime(a: StoredRecord, b: StoredRecord): number {
  const [one, other] = [a.record.run.started, b.record.run.started];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The runs of a report: which records belong together, and what to call them. */
import { basename, dirname, extname } from 'node:path';
import { requestsOf } from '../../analysis/sides.js';
import { testOf } from '../../analysis/tests.js';
import { WrongUse } from '../../cli/commands/command.js';
import { loadRecords, type LoadedFile } from '../../results/load.js';
import type { ResultRecord } from '../../results/types.js';
import { groupsBy } from '../plot/panels.js';

export interface Run {
  readonly label: string;
  readonly files: readonly string[];
  readonly records: readonly ResultRecord[];
  /** What of its files was not understood, in sentences. */
  readonly problems: readonly string[];
}

interface Part {
  readonly file: string;
  readonly records: readonly ResultRecord[];
  readonly problems: readonly string[];
  readonly label: string;
  /** Whether the user gave the label: then all of that label are one run. */
  readonly given: boolean;
}

/**
 * Reads what the words name: a file, a folder, or `LABEL=FILE,FILE`. Files without a label are runs by themselves, called as
 * their records say or by their names; those of one label that measured different things are one run.
 *
 * @throws WrongUse where a file can't be read, or has no results
 */
export function runsOf(words: readonly string[], load: (file: string) => LoadedFile = loadRecords): Run[] {
  const requests = requestsOf(words);
  const empty = requests.findIndex(({ files }) => files.length === 0);
  if (empty >= 0) throw new WrongUse(`${words[empty]} holds no files`);
  const parts = requests.flatMap(({ label, files }) => files.flatMap((file) => partsOf(file, label, load)));
  return together(distinct(parts));
}

function partsOf(file: string, label: string | undefined, load: (file: string) => LoadedFile): Part[] {
  const { records, problems } = load(file);
  const told = problems.map(({ line, text }) => `${file}:${line}: ${text}`);
  if (label !== undefined) return [{ file, records, problems: told, label, given: true }];
  const byLabel = groupsBy(records, (record) => ownLabel(file, record));
  return [...byLabel].map(([name, members], index) => ({
    ...{ file, records: members, problems: index === 0 ? told : [] },
    ...{ label: name, given: false },
  }));
}

/** What the record is called, else the file's name without the program's in it: `osu_bw-ucx.json` is `ucx`. */
function ownLabel(file: string, { run }: ResultRecord): string {
  const stem = basename(file, extname(file));
  if (run.label !== undefined && run.label !== '' && run.label !== stem) return run.label;
  const rest = stem.replace(run.name, '').replace(/^[\s._-]+|[\s._-]+$/g, '');
  return rest === '' ? stem : rest;
}

/** Parts of one label that measured the same thing are called by their folders too, or are numbered. */
function distinct(parts: readonly Part[]): Part[] {
  const byLabel = groupsBy(parts, ({ label }) => label);
  return parts.map((part) => {
    const namesakes = (byLabel.get(part.label) ?? []).filter(({ given }) => !given);
    if (part.given || !overlapping(namesakes)) return part;
    const folders = namesakes.map(({ file }) => basename(dirname(file)));
    const tell = new Set(folders).size === folders.length;
    const index = namesakes.indexOf(part);
    return { ...part, label: tell ? `${folders[index]}/${part.label}` : `${part.label} #${index + 1}` };
  });
}

function overlapping(parts: readonly Part[]): boolean {
  const seen = new Set<string>();
  for (const { records } of parts) {
    const tests = new Set(records.flatMap((record) => record.rows.map((row) => testOf(record, row).name)));
    if ([...tests].some((test) => seen.has(test))) return true;
    for (const test of tests) seen.add(test);
  }
  return false;
}

function together(parts: readonly Part[]): Run[] {
  return [...groupsBy(parts, ({ label }) => label)].map(([label, members]) => ({
    label,
    files: [...new Set(members.map(({ file }) => file))],
    records: members.flatMap(({ records }) => records),
    problems: members.flatMap(({ problems }) => problems),
  }));
}

/** The sides of a comparison: which files each has, and what to call it. */
import { readdirSync, statSync, type Stats } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { WrongUse } from '../cli/commands/command.js';
import { loadRecords, type LoadedFile } from '../results/load.js';
import type { ResultRecord } from '../results/types.js';

export interface Side {
  readonly label: string;
  readonly files: readonly string[];
  readonly records: readonly ResultRecord[];
  /** What of its files was not understood, in sentences. */
  readonly problems: readonly string[];
}

/** A side as it was asked for. */
export interface SideRequest {
  readonly label: string | undefined;
  readonly files: readonly string[];
}

/**
 * One side for each word: a file, a folder, or several of them with commas between, and `LABEL=` before it. With `--`
 * among the words all before it are one side, and all after it another.
 */
export function requestsOf(words: readonly string[], after: readonly string[] = []): SideRequest[] {
  if (after.length === 0) return words.map(requestOf);
  const late = after.find((word) => /^--?\w/.test(word) && !exists(word));
  if (late !== undefined)
    throw new WrongUse(`${late} must stand before --, where options end and files of another side begin`);
  const groups = [words, ...splitAt(after, '--')].map((group) => group.map(requestOf));
  return groups.map((group) => ({
    label: group.find(({ label }) => label !== undefined)?.label,
    files: group.flatMap(({ files }) => files),
  }));
}

function splitAt(words: readonly string[], separator: string): string[][] {
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === separator) groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups;
}

/** A file whose own name has a comma or an equals sign is found by that name. */
function requestOf(word: string): SideRequest {
  if (exists(word)) return { label: undefined, files: filesOf(word) };
  const [, label, rest = word] = /^([^=/,]+)=(.+)$/s.exec(word) ?? [];
  const parts = exists(rest) ? [rest] : rest.split(',').filter((part) => part !== '');
  return { label, files: parts.flatMap(filesOf) };
}

/** What isn't there, or can't be looked at, is found out when it is read. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const exists = (path: string): boolean => look(path) !== undefined;

function filesOf(path: string): string[] {
  if (!look(path)?.isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  return names.sort().map((name) => join(path, name));
}

/** @throws WrongUse where a file can't be read, or has no results */
export function loadSides(requests: readonly SideRequest[], load: (file: string) => LoadedFile = loadRecords): Side[] {
  const loaded = requests.map(({ files }) => {
    if (files.length === 0) throw new WrongUse('a side of the comparison has no files');
    return files.map((file) => ({ file, ...load(file) }));
  });
  const labels = labelsOf(
    requests,
    loaded.map((side) => side.flatMap(({ records }) => records)),
  );
  return loaded.map((side, index) => ({
    label: labels[index] ?? '',
    files: side.map(({ file }) => file),
    records: side.flatMap(({ records }) => records),
    problems: side.flatMap(({ file, problems }) => problems.map(({ line, text }) => `${file}:${line}: ${text}`)),
  }));
}

/** What the user says, else what the records say, else that in which the names of the files differ. */
function labelsOf(requests: readonly SideRequest[], records: readonly (readonly ResultRecord[])[]): string[] {
  const names = requests.map(({ files }) => files.map((file) => basename(file)));
  const words = distinguishing(names);
  const labels = requests.map(({ label }, index) => label ?? recordLabel(records[index] ?? []) ?? words[index] ?? '');
  const unique = new Set(labels).size === labels.length && !labels.includes('');
  return unique ? labels : labels.map((_, index) => letter(index));
}

/** What all records of a side are called; imported text that nobody gave a name has that of its file. */
function recordLabel(records: readonly ResultRecord[]): string | undefined {
  const labels = new Set(
    records.map(({ run: { label, imported } }) => (isName(label, imported?.file) ? undefined : label)),
  );
  return labels.size === 1 ? [...labels][0] : undefined;
}

function isName(label: string | undefined, file: string | undefined): boolean {
  return file !== undefined && label === basename(file, extname(file));
}

/** The words of names of files that all of a side have and that not all sides have: `near` and `far`. */
function distinguishing(sides: readonly (readonly string[])[]): string[] {
  const common = sides.map((names) => {
    const each = names.map((name) => name.split(/[._\s]+/));
    return (each[0] ?? []).filter((word) => each.every((words) => words.includes(word)));
  });
  return common.map((words) => words.filter((word) => !common.every((others) => others.includes(word))).join('.'));
}

export function letter(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

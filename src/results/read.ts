/** Reads files that should hold records. What is wrong with one is told in one sentence, whatever it holds. */
import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readFileSync, readSync, statSync, type Stats } from 'node:fs';
import { BACKSLASH, jsonProblem, parseProblem, QUOTE } from './json-problem.js';
import { RESULT_SCHEMA } from './types.js';
import { RecordProblem } from './validate.js';

/** A value of a file, and where it stands if there are several: `record 2`. */
export interface ReadValue {
  readonly where: string;
  readonly value: unknown;
}

/** Characters that a string may have. */
const MOST_BYTES = 2 ** 29 - 2 ** 16;
/** Records have some ten levels; parsers of JSON take memory for each. */
const MOST_LEVELS = 200;
/** What is larger is parsed only if it looks like records: other JSON may take more memory than there is. */
const PARSED_UNSEEN = 2 ** 23;

/**
 * The text of a file.
 *
 * @throws RecordProblem for what is no text: a folder, an empty or a binary file, one that is too large
 */
export function readText(file: string): string {
  const bytes = readBytes(file);
  if (bytes.length === 0) throw new RecordProblem('', 'it is empty');
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8').replace(/^\ufeff/, '');
  if (bytes.some(isControl)) throw new RecordProblem('', 'it is no text but binary');
  // Logs of older machines: their figures are the same in all of these encodings.
  return bytes.toString('latin1');
}

/** What no text has, but for tabs, ends of lines and pages, and what begins a colour. */
const isControl = (byte: number): boolean => byte < 0x20 && !CONTROLS.has(byte);
const CONTROLS: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

const unreadable = (error: unknown): RecordProblem =>
  new RecordProblem('', `it can't be read: ${error instanceof Error ? error.message : String(error)}`);

/**
 * What stands at a path; undefined where nothing does.
 *
 * @throws RecordProblem where that can't be seen, as behind symbolic links that lead in a circle
 */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(error);
  }
}

function readBytes(file: string): Buffer {
  const stats = lookAt(file);
  if (!stats) throw new RecordProblem('', 'there is no such file');
  if (stats.isDirectory()) throw new RecordProblem('', 'it is a folder; name a file');
  const most = `at most ${Math.round(MOST_BYTES / 1e6)} MB can be read`;
  if (stats.size > MOST_BYTES) throw new RecordProblem('', `it has ${Math.round(stats.size / 1e6)} MB, and ${most}`);
  let bytes: Buffer | undefined;
  try {
    bytes = stats.isFile() ? readFileSync(file) : readStream(file);
  } catch (error) {
    throw unreadable(error);
  }
  if (!bytes) throw new RecordProblem('', `it does not end, and ${most}`);
  return bytes;
}

const PIECE = 2 ** 20;

/** A pipe, a device: what has no size. Undefined where there is more than may be read. */
function readStream(file: string): Buffer | undefined {
  // By its descriptor: a socket can't be opened by name.
  const fd = file === '/dev/stdin' ? 0 : openSync(file, 'r');
  const pieces: Buffer[] = [];
  let total = 0;
  try {
    for (let count; total <= MOST_BYTES; total += count) {
      const piece = Buffer.allocUnsafe(PIECE);
      count = readSync(fd, piece);
      if (count === 0) return Buffer.concat(pieces, total);
      pieces.push(piece.subarray(0, count));
    }
  } finally {
    if (fd !== 0) closeSync(fd);
  }
  return undefined;
}

/**
 * The values of a text of JSON: one, those of an array, or those of a text with one in each line.
 *
 * @throws RecordProblem with the line where it is no JSON
 */
export function parseValues(text: string): ReadValue[] {
  const value = parseWhole(text);
  if (value === undefined) return parseLines(text);
  if (!Array.isArray(value)) return [{ where: '', value }];
  return (value as unknown[]).map((one, index) => ({ where: `record ${index + 1}`, value: one }));
}

/** Undefined where there is one value in each line. */
function parseWhole(text: string): unknown {
  if (text.length > PARSED_UNSEEN && !text.includes(RESULT_SCHEMA))
    throw new RecordProblem('', `it is no record of fabricbench: nothing in it is of "${RESULT_SCHEMA}"`);
  refuseDeep(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (hasLines(text)) return undefined;
    throw problemOf(text, 0, error);
  }
}

/** Whether the first line is an object by itself. */
function hasLines(text: string): boolean {
  const first = text.slice(0, text.indexOf('\n') + 1).trim();
  return /^\{.*\}$/.test(first) && jsonProblem(first) === undefined;
}

function parseLines(text: string): ReadValue[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [{ where: `line ${index + 1}`, value: JSON.parse(line) as unknown }];
    } catch (error) {
      throw problemOf(line, index, error);
    }
  });
}

function problemOf(text: string, linesBefore: number, error: unknown): RecordProblem {
  const problem = parseProblem(text, error);
  if (!problem) return new RecordProblem('', 'it is no JSON that can be read here');
  const { line, column, text: words } = problem;
  return new RecordProblem('', `it is no JSON: line ${line + linesBefore}, column ${column}: ${words}`);
}

const [OPENING, CLOSING] = [0x5b, ']'];
/** Of a list that is worth a look ahead: most of a record may be samples. */
const LONG = 256;

/** Whether the list that begins here is long, and has nothing but what numbers are made of. */
function holdsNumbers(text: string, at: number): boolean {
  const end = text.indexOf(CLOSING, at);
  return end - at > LONG && !/["[{]/.test(text.slice(at + 1, end));
}

function refuseDeep(text: string): void {
  let level = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) quoted = !quoted;
    else if (code === BACKSLASH && quoted) at++;
    else if (quoted) continue;
    else if (code === OPENING && holdsNumbers(text, at)) at = text.indexOf(CLOSING, at);
    else if (code === OPENING || code === 0x7b) level++;
    else if (code === 0x5d || code === 0x7d) level--;
    if (level > MOST_LEVELS)
      throw new RecordProblem('', `it is no record: its parts lie in each other more than ${MOST_LEVELS} levels deep`);
  }
}

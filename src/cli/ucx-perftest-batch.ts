/** Batch files: a test a line, which begins with a word that names it. */
import { getopt } from './getopt.js';
import type { UcxPerftestRun, UcxTestOptions } from './ucx-perftest-options.js';
import type { ucxParsers } from './ucx-perftest-parsers.js';
import { BATCH_OPTIONS } from './ucx-perftest-table.js';
import { withGiven, type GivenUcx } from './ucx-perftest-test-options.js';
import { bad, good, type Checked } from './values.js';
import { isBadValue, parseGiven } from './yargs.js';

/** More would be a slip of a product; a run of so many takes days. */
const MOST_RUNS = 100_000;

interface BatchLine {
  readonly label: string;
  readonly number: number;
  readonly given: GivenUcx;
}

interface BatchFile {
  readonly name: string;
  readonly lines: readonly BatchLine[];
}

type UcxParsers = ReturnType<typeof ucxParsers>;

/** Reads a file; the reason names it and the line. */
export function readBatchFile(
  name: string,
  parsers: UcxParsers,
  readFile: (name: string) => string,
): Checked<BatchFile> {
  const text = textOf(name, readFile);
  if (!text.ok) return text;
  const lines: BatchLine[] = [];
  for (const [index, line] of text.value.split('\n').entries()) {
    const words = line.split(/\s+/).filter((word) => word !== '');
    const label = words[0];
    if (label === undefined || label.startsWith('#')) continue;
    const given = parseLine(words.slice(1), parsers);
    if (!given.ok) return bad(`in batch file '${name}' line ${index + 1}: ${given.reason}`);
    lines.push({ label, number: index + 1, given: given.value });
  }
  return lines.length > 0 ? good({ name, lines }) : bad(`batch file '${name}' holds no test`);
}

function textOf(name: string, readFile: (name: string) => string): Checked<string> {
  try {
    return good(readFile(name));
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    const missing = 'code' in cause && cause.code === 'ENOENT';
    return bad(`Failed to open batch file '${name}': ${missing ? 'No such file or directory' : cause.message}`);
  }
}

function parseLine(words: readonly string[], parsers: UcxParsers): Checked<GivenUcx> {
  const comment = words.findIndex((word) => word.startsWith('#'));
  const found = getopt(comment < 0 ? words : words.slice(0, comment), BATCH_OPTIONS);
  const given = parseGiven(found, parsers);
  if (isBadValue(given)) return bad(`${given.option.given} ${given.option.value ?? ''}: ${given.reason}`);
  const { problem, positionals } = found;
  if (problem?.kind === 'missing') return bad(`${problem.given} requires an argument`);
  if (problem) return bad(`${problem.given} is no option of a batch file`);
  return positionals.length > 0 ? bad(`${positionals.join(' ')}: no option needs this`) : good(given);
}

/**
 * The product of the files' lines, the last file's changing fastest; what later files say wins. A test may have no name
 * yet: `withoutTest` tells of the first such line.
 */
export function productOf(files: readonly BatchFile[], base: UcxTestOptions): Checked<readonly UcxPerftestRun[]> {
  const count = files.reduce((product, { lines }) => product * lines.length, 1);
  if (count > MOST_RUNS) return bad(`the batch files make ${count} tests, which is more than ${MOST_RUNS}`);
  let runs: readonly UcxPerftestRun[] = [{ labels: [], options: base }];
  for (const { lines } of files) {
    runs = runs.flatMap(({ labels, options }) =>
      lines.map(({ label, given }) => ({ labels: [...labels, label], options: withLine(options, given) })),
    );
  }
  return good(runs);
}

/** The sentence on the first combination of lines that names no test, as the peer has it; undefined where all do. */
export function withoutTest(files: readonly BatchFile[], runs: readonly UcxPerftestRun[]): string | undefined {
  const index = runs.findIndex(({ options }) => options.test === '');
  if (index < 0) return undefined;
  const first = files[0];
  const perLine = runs.length / (first?.lines.length ?? 1);
  const line = first?.lines[Math.floor(index / perLine)];
  return `in batch file '${first?.name}' line ${line?.number}: missing test name`;
}

function withLine(base: UcxTestOptions, given: GivenUcx): UcxTestOptions {
  const options = withGiven(base, given);
  return given.info ? Object.freeze({ ...options, wakeup: true }) : options;
}

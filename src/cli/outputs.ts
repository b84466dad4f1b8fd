/** Options of all programs that write results into files beside the table. */
import { bad, good, type Checked } from './values.js';

/** What each of these is written to: FILE, or `-` for stdout. */
export interface OutputOptions {
  readonly json?: string | undefined;
  readonly csvFile?: string | undefined;
  readonly markdown?: string | undefined;
}

export const OUTPUT_HELP = {
  json: 'write a record of the run; - is stdout, and the table goes to stderr',
  csv: 'write all figures and statistics as CSV, unrounded; - as with --json',
  markdown: 'write a table for people to read as Markdown; - as with --json',
} as const;

export const OUTPUT_SHOWN = ' FILE|-';

export const parseOutputFile =
  (reason: string) =>
  (text: string): Checked<string> =>
    text === '' ? bad(reason) : good(text);

/** Two options that name one target: the sentence; undefined where all are different. */
export function findSharedOutput({ json, csvFile, markdown }: OutputOptions): string | undefined {
  const all = Object.entries({ '--json': json, '--csv': csvFile, '--markdown': markdown });
  for (const [index, [name, target]] of all.entries()) {
    const [other] = all.slice(0, index).find(([, one]) => one === target) ?? [];
    if (target === undefined || other === undefined) continue;
    const both = `${other} and ${name}`;
    return target === '-'
      ? `${both} can't both go to stdout: give one of them a file`
      : `${both} can't both be written to ${target}: give two files`;
  }
  return undefined;
}

/** Whether results other than the table go to stdout: then the table goes to stderr. */
export function takesStdout({ json, csvFile, markdown }: OutputOptions): boolean {
  return [json, csvFile, markdown].includes('-');
}

const PERCENT = 100;

/** `2%` or `2`, as a part of 1. */
export function parseTarget(text: string): Checked<number> {
  const [, digits] = /^(\d+\.?\d*|\.\d+)%?$/.exec(text) ?? [];
  const value = Number(digits ?? NaN) / PERCENT;
  return value > 0 && value < 1
    ? good(value)
    : bad('Invalid Target: give a percentage above 0 and below 100, as in --target-ci 2%');
}

/** What a command of `fabricbench` is: a row that the parser is made of, and what answers it. */
import type { Argv } from 'yargs';

/** What a command line is answered with. */
export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** 77: not possible here (hardware, stack, node count). */
export const EXIT = { done: 0, failed: 1, wrongUse: 2, impossible: 77 } as const;

export interface Command {
  /** With its positional arguments, as yargs writes them: `import <files..>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options: (parser: Argv) => Argv;
  /** Nothing is printed by it. What it throws is told in one sentence: a `WrongUse` with exit code 2, others with 1. */
  readonly run: (given: Given) => Answer | Promise<Answer>;
}

/** Options and positional arguments by their names; `_` is the command's own. What follows `--` stands in `--`. */
export type Given = Readonly<Record<string, unknown>>;

/** Wrong use, or input that can't be read: one sentence, exit code 2. */
export class WrongUse extends Error {}

/** What ends well. */
export const done = (stdout: string): Answer => ({ exitCode: EXIT.done, stdout, stderr: '' });

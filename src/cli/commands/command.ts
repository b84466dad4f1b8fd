/** What a command of `fabricbench` is: a row that the parser is made of, and what answers it. */
import type { Argv } from 'yargs';
import type { Streams } from '../../report/say.js';

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
  /** Where an unknown word leads, if not to the help of `fabricbench`: ends the sentence. */
  readonly advice?: string;
  /** Whether it takes what follows `--`. */
  readonly takesRest?: true;
  /**
   * What it throws is told in one sentence: a `WrongUse` with exit code 2, an
   * `Impossible` with 77, others with 1. What takes long writes to
   * `streams` as it goes, and answers with the rest; all others leave them alone.
   */
  readonly run: (given: Given, streams: Streams) => Answer | Promise<Answer>;
}

/**
 * Options and positional arguments by their names; `_` is the command's own. What follows `--` stands in `--`, word for
 * word.
 */
export type Given = Readonly<Record<string, unknown>>;

/** Wrong use, or input that can't be read: one sentence, exit code 2. */
export class WrongUse extends Error {}

/** Not possible here: one sentence, exit code 77. */
export class Impossible extends Error {}

/** What ends well. */
export const done = (stdout: string): Answer => ({ exitCode: EXIT.done, stdout, stderr: '' });

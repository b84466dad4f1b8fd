/** What the readers of the tools share: the runs so far, the last command line, and what was not understood. */
import { WrongUse } from '../../cli/commands/command.js';
import type { Column, ReadRow } from './columns.js';
import type { Command, Tool } from './command.js';
import { Draft, type DraftHead } from './draft.js';
import type { Line } from './lines.js';

/** One line, and what is to be said of it. */
export interface Remark {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Reads the text of one tool, line by line. */
export interface Reader {
  readonly tool: Tool;
  /** A command line of this tool, or one that doesn't say of which: what follows is its output. */
  command(command: Command): void;
  /**
   * Whether the line is this tool's.
   *
   * @param mine whether the lines before it were: rows are taken then alone
   */
  take(line: Line, mine: boolean): boolean;
  /** The text is at its end. */
  finish(): void;
}

export class Desk {
  readonly drafts: Draft[] = [];
  readonly problems: Remark[] = [];
  #command: Command | undefined;

  constructor(readonly file: string) {}

  /** The last command line, as far as it can be this tool's. */
  command(tool: Tool): Command | undefined {
    const command = this.#command;
    return command?.tool === undefined || command.tool === tool ? command : undefined;
  }

  setCommand(command: Command): void {
    this.#command = command;
  }

  open(head: Omit<DraftHead, 'command'>, command = this.command(head.tool)): Draft {
    const draft = new Draft({ ...head, command });
    this.drafts.push(draft);
    return draft;
  }

  problem(line: number, text: string): void {
    this.problems.push({ line, text });
  }

  unknownColumns({ number }: Line, columns: readonly Column[]): void {
    for (const column of columns)
      if (column.kind === 'figure' && column.unknown)
        this.problem(number, `no column is known by the head "${column.name}"; it is kept by that name`);
  }

  /** Says what is wrong with the cells of a row; a row whose figure is NaN makes the file one that can't be read. */
  flaws({ number, text }: Line, { flaws, isNaN }: Pick<ReadRow, 'flaws' | 'isNaN'>): void {
    if (isNaN)
      throw new WrongUse(
        `${this.file}:${number}: the figure of this row is NaN, which nobody measured; take the line out`,
      );
    if (flaws.length === 0) return;
    const words = [...new Set(flaws)].join(' and ');
    this.problem(number, `${words} is no figure, and null is kept for it: ${text}`);
  }
}

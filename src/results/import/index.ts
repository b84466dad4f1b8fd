/** Results from text: what people kept of OSU's benchmarks, Intel MPI Benchmarks, perftest and ucx_perftest. */
import type { ResultRecord } from '../types.js';
import { looksLikeRow } from './cells.js';
import { commandOf, type Command } from './command.js';
import { Desk, type Reader, type Remark } from './desk.js';
import type { Draft } from './draft.js';
import { ImbReader } from './imb.js';
import { isRule, linesOf, type Line } from './lines.js';
import { OsuReader } from './osu.js';
import { PerftestReader } from './perftest.js';
import { UcxReader } from './ucx.js';

export interface ImportedText {
  /** In the order of the text. */
  readonly records: readonly ResultRecord[];
  /** Rows and columns that are in no table that is understood, and cells that are no figures. */
  readonly problems: readonly Remark[];
  /** Lines that are neither tables nor about them: prose, banners, commands without output. */
  readonly passedOver: readonly Remark[];
}

export interface ImportRequest {
  /** As the record and messages name it. */
  readonly file: string;
  readonly label: string;
}

/**
 * Reads all runs that a text has.
 *
 * @throws WrongUse where a row's own figure is NaN
 */
export function importText(text: string, { file, label }: ImportRequest): ImportedText {
  const desk = new Desk(file);
  const machine = new Machine(desk);
  for (const line of linesOf(text)) machine.take(line);
  machine.finish();
  return {
    records: desk.drafts.filter(isRun).map((draft) => draft.record(file, label)),
    problems: [...desk.problems].sort((a, b) => a.line - b.line),
    passedOver: [...machine.passedOver, ...desk.drafts.filter((draft) => !isRun(draft)).map(emptiness)].sort(
      (a, b) => a.line - b.line,
    ),
  };
}

const isRun = ({ rows, complete }: Draft): boolean => rows.length > 0 || complete;

const emptiness = ({ head, failure }: Draft): Remark => ({
  line: head.line,
  text: `no rows follow the heads of ${head.name}${failure === undefined ? '' : `: ${failure}`}`,
});

/** What a launcher says of a process that did not end by itself. */
const DEATH =
  /\b(?:segmentation fault|core dumped|MPI_ABORT was invoked|exited on signal|terminated with signal|BAD TERMINATION)\b/i;
/** What is worth keeping of lines that no reader knows. */
const TROUBLE = /\b(?:error|failed|failure|fatal|abort(?:ed|ing)?|warning|killed|segmentation fault)\b/i;

/** Gives each line to the reader whose tool is speaking, or lets another one begin. */
class Machine {
  readonly passedOver: Remark[] = [];
  readonly #desk: Desk;
  readonly #readers: readonly Reader[];
  #speaking: Reader | undefined;
  /** The last command line, until a run has come of it. */
  #waiting: { readonly command: Command; readonly drafts: number; readonly text: string } | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#readers = [new OsuReader(desk), new ImbReader(desk), new PerftestReader(desk), new UcxReader(desk)];
  }

  take(line: Line): void {
    if (this.#speaking?.take(line, true)) return;
    const command = commandOf(line);
    if (command) this.#takeCommand(command, line);
    else if (!this.#begins(line) && !isRule(line.text)) this.#passOver(line);
  }

  finish(): void {
    this.#forget();
    for (const reader of this.#readers) reader.finish();
  }

  #takeCommand(command: Command, { text }: Line): void {
    this.#forget();
    const { tool } = command;
    for (const reader of this.#readers) if (tool === undefined || reader.tool === tool) reader.command(command);
    this.#desk.setCommand(command);
    this.#speaking = tool === undefined ? undefined : this.#readers.find((reader) => reader.tool === tool);
    this.#waiting = { command, drafts: this.#desk.drafts.length, text };
  }

  #begins(line: Line): boolean {
    const reader = this.#readers.find((other) => other !== this.#speaking && other.take(line, false));
    if (reader) this.#speaking = reader;
    return reader !== undefined;
  }

  /** A command line of which no table came is told. */
  #forget(): void {
    const { command, drafts, text } = this.#waiting ?? {};
    this.#waiting = undefined;
    if (command?.tool !== undefined && this.#desk.drafts.length === drafts)
      this.passedOver.push({ line: command.line, text: `no table follows this command: ${text}` });
  }

  #passOver(line: Line): void {
    const { number, text } = line;
    if (looksLikeRow(line)) {
      this.#desk.problem(number, `this looks like a row, and belongs to no table: ${text}`);
      return;
    }
    const draft = this.#desk.drafts.at(-1);
    if (this.#speaking && draft && DEATH.test(text)) draft.fail(text);
    else if (this.#speaking && draft && TROUBLE.test(text)) draft.warn(text);
    else this.passedOver.push({ line: number, text });
  }
}

/** Reads the text of perftest's ib_* programs, of all versions, and ours. */
import { PERFTEST_OPTIONS } from '../../cli/perftest-table.js';
import type { Json } from '../types.js';
import { cellOf, looksLikeRow } from './cells.js';
import { columnsOf, rowOf, type Column } from './columns.js';
import type { Desk, Reader } from './desk.js';
import type { Draft } from './draft.js';
import type { Line } from './lines.js';
import { givenOptions, numberGiven, type GivenOptions } from './options.js';
import { boxOf, optionsOf, parametersOf, titleOf, verbsOf, type Title } from './perftest-box.js';
import { Dump } from './perftest-dump.js';
import { PERFTEST_HEADS, inCycles } from './perftest-heads.js';
import { lonelyRow, rowRecord, withSide, withStatistics, type Side } from './perftest-rows.js';

const HEAD = /^#bytes\s+#iterations\s/i;
const ERRORS =
  /^(?:Couldn't|Couldnt|Could not|Unable to|Failed|Failure|Completion with error|Error\b|ERROR\b|Can't|Problems? |Did not get Message)/;
/** What a server says before its box. */
const WAITING = /^(?:\* Waiting for client|Waiting for client rdma_cm)/;
const SILENT = /^(?:(?:local|remote) address:|GID:|Test with events\.|Please run the same command|Waiting \d+ seconds)/;

export class PerftestReader implements Reader {
  readonly tool = 'perftest';
  readonly #desk: Desk;
  #draft: Draft | undefined;
  #given: GivenOptions = { named: {}, others: [] };
  #parameters: Record<string, Json> = {};
  #columns: readonly Column[] = [];
  #dump: Dump | undefined;
  /** Whose table follows, below the one of both. */
  #side: Side | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  command(): void {
    this.#close();
  }

  take(line: Line, mine: boolean): boolean {
    const title = line.text.endsWith('Test') ? titleOf(line.text) : undefined;
    if (title) {
      this.#begin(line, title);
      return true;
    }
    if (HEAD.test(line.text)) this.#takeHead(line, mine);
    if (HEAD.test(line.text) || WAITING.test(line.text)) return true;
    return (mine && this.#takeBody(line)) || this.#takeNumber(line);
  }

  finish(): void {
    this.#close();
  }

  #close(): void {
    if (this.#dump) this.#desk.problem(this.#dump.line, 'no row follows these samples');
    this.#draft = undefined;
    this.#parameters = {};
    this.#columns = [];
    this.#dump = undefined;
    this.#side = undefined;
  }

  #begin(line: Line, title: Title): Draft {
    this.#close();
    const last = this.#desk.command('perftest');
    const command = last?.tool === undefined || last.program === title.name ? last : undefined;
    this.#given = givenOptions(command?.args ?? [], PERFTEST_OPTIONS);
    this.#parameters = { ...title.parameters, ...durationOf(this.#given) };
    const options = this.#given.named;
    this.#draft = this.#desk.open(
      { tool: 'perftest', layer: 'verbs', name: title.name, line: line.number, options },
      command,
    );
    return this.#draft;
  }

  /** A table without a title is the command line's, or one of an unknown call. */
  #beginWithoutTitle(line: Line): void {
    const program = this.#desk.command('perftest')?.program;
    const [, verb, kind] = /^ib_(\w+)_(lat|bw)$/.exec(program ?? '') ?? [];
    const title = titleOf(`${verb} ${kind === 'lat' ? 'Latency' : 'BW'} Test`);
    if (title) {
      this.#begin(line, title);
      return;
    }
    this.#desk.problem(line.number, 'neither a title nor a command line says which test this table is of');
    const unknown = /t_\w+\s*\[/.test(line.text) ? 'lat' : 'bw';
    this.#begin(line, { name: `perftest_${unknown}`, verb: undefined, kind: unknown, parameters: {} });
  }

  #takeHead(line: Line, mine: boolean): void {
    const draft = mine ? this.#draft : undefined;
    const again = draft && draft.rows.length > 0 && this.#side === undefined && this.#dump === undefined;
    if (!draft || again) this.#beginWithoutTitle(line);
    const columns = columnsOf(line.text, PERFTEST_HEADS);
    this.#desk.unknownColumns(line, columns);
    const cycles = '--report-cycles' in this.#given.named || this.#dump?.cycles === true;
    this.#columns = cycles ? inCycles(columns) : columns;
  }

  #takeBody(line: Line): boolean {
    const draft = this.#draft;
    if (!draft) return false;
    const { text } = line;
    const [, side] = /^(Local|Remote) results:$/.exec(text) ?? [];
    if (side !== undefined) {
      this.#side = side === 'Local' ? 'local' : 'remote';
      return true;
    }
    return this.#takeBox(text, draft) || this.#takeDump(line) || this.#takeRow(line, draft) || takeRest(text, draft);
  }

  #takeBox(text: string, draft: Draft): boolean {
    const box = boxOf(text);
    if (box.size === 0) return SILENT.test(text);
    this.#parameters = { ...this.#parameters, ...parametersOf(box) };
    Object.assign(draft.options, optionsOf(box));
    draft.environment = { verbs: verbsOf(box, draft.environment.verbs) };
    return true;
  }

  #takeDump(line: Line): boolean {
    const dump = Dump.heading(line);
    if (dump) this.#dump = dump;
    return dump !== undefined || (this.#dump?.take(line.text) ?? false);
  }

  #takeRow(line: Line, draft: Draft): boolean {
    if (this.#columns.length === 0 || !looksLikeRow(line)) return false;
    const row = rowOf(line, this.#columns);
    if (typeof row === 'string') {
      this.#desk.problem(line.number, `${row}: ${line.text}`);
      return true;
    }
    this.#desk.flaws(line, row);
    if (this.#side === undefined) {
      draft.rows.push(rowRecord(row, this.#parameters, this.#dump));
      this.#dump = undefined;
    } else if (!withSide(draft.rows, row, this.#side))
      this.#desk.problem(line.number, `no row of both directions has this size: ${line.text}`);
    return true;
  }

  /** `--output`: a number alone, whose unit the command line tells. */
  #takeNumber(line: Line): boolean {
    if (line.words.length !== 1 || cellOf(line.text)?.kind !== 'number') return false;
    const command = this.#desk.command('perftest');
    if (command?.program === undefined || this.#draft) return false;
    const row = lonelyRow(line.text, command.program, givenOptions(command.args, PERFTEST_OPTIONS));
    if (!row) return false;
    this.#beginWithoutTitle(line);
    const draft = this.#draft as Draft | undefined;
    draft?.rows.push({ ...row, parameters: { ...row.parameters, ...this.#parameters } });
    return true;
  }
}

function takeRest(text: string, draft: Draft): boolean {
  if (withStatistics(draft.rows, text)) return true;
  const [, name, difference] = /^([\w./-]+)=(\d+)$/.exec(text) ?? [];
  const last = draft.rows.at(-1);
  if (name !== undefined && last) {
    const values = { ...last.counters?.[0]?.values, [name]: Number(difference) };
    draft.rows[draft.rows.length - 1] = { ...last, counters: [{ rank: 0, values }] };
    return true;
  }
  if (!ERRORS.test(text)) return false;
  draft.fail(text);
  return true;
}

function durationOf(given: GivenOptions): Record<string, Json> {
  const [duration, margin] = [numberGiven(given, '--duration'), numberGiven(given, '--margin')];
  return { ...(duration === undefined ? {} : { duration }), ...(margin === undefined ? {} : { margin }) };
}

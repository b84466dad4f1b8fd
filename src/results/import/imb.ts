/** Reads the text of Intel MPI Benchmarks: every table is a run. */
import type { Json } from '../types.js';
import { looksLikeRow, countOf } from './cells.js';
import { columnsOf, rowOf, type Column } from './columns.js';
import { commandOf, type Command } from './command.js';
import type { Desk, Reader } from './desk.js';
import type { Draft } from './draft.js';
import { IMB_HEADS, isHead } from './imb-heads.js';
import { withTrueBandwidth } from './imb-units.js';
import type { Line } from './lines.js';

const BANNER = /^#\s*Intel\s*\(R\) MPI Benchmarks?(?: Suite)?\s+V?(\S.*?),\s*(\S+) part$/i;
const TABLE = /^#\s*Benchmarking\s+(\S+)$/i;
const SILENT = new RegExp(
  `^#\\s*(?:${[
    ...['Machine', 'System', 'Release', 'Version', 'MPI Thread Environment', 'M(?:in|ax)imum (?:message|io)'],
    ...['Message lengths', 'MPI_Datatype', 'MPI_Op', 'List of Benchmarks', 'For nonblocking', 'Function CPU'],
    ...['performance of', '!!', 'All processes entering', 'Group\\s+\\d+:', '\\(\\s*\\d+ additional process'],
  ].join('|')})`,
  'i',
);
const MISSING = /^(?:\d+\s+)*?(\d+)\s+(out-of-mem|int-overflow|time-out)/;

export class ImbReader implements Reader {
  readonly tool = 'imb';
  readonly #desk: Desk;
  #version: string | undefined;
  #part = 'MPI1';
  #started: Date | undefined;
  #mpi: string | undefined;
  /** The call that the banner repeats, where the text has no line of a shell. */
  #calling: Command | undefined;
  #expectsCall = false;
  #draft: Draft | undefined;
  #columns: readonly Column[] = [];
  #parameters: Record<string, Json> = {};

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  command(): void {
    this.#close();
    this.#calling = undefined;
  }

  take(line: Line, mine: boolean): boolean {
    const [, version, part] = BANNER.exec(line.text) ?? [];
    if (version !== undefined && part !== undefined) {
      this.#close();
      this.#version = version;
      this.#part = part.replace('-', '');
      this.#started = undefined;
      this.#calling = undefined;
      return true;
    }
    const [, name] = TABLE.exec(line.text) ?? [];
    if (name !== undefined) {
      this.#begin(line, name);
      return true;
    }
    if (isHead(line.text)) {
      this.#takeHead(line, mine);
      return true;
    }
    return mine && (this.#takeBanner(line) || this.#takeTable(line));
  }

  finish(): void {
    this.#close();
  }

  #close(): void {
    const draft = this.#draft;
    if (draft) draft.rows.splice(0, draft.rows.length, ...withTrueBandwidth(draft.rows));
    this.#draft = undefined;
    this.#columns = [];
    this.#parameters = {};
  }

  #begin(line: Line, benchmark: string): void {
    this.#close();
    const [, multi, plain = benchmark] = /^(Multi-)?(.*)$/.exec(benchmark) ?? [];
    const options = { benchmark: plain, ...(multi === undefined ? {} : { multi: true }), part: this.#part };
    const head = { tool: 'imb', layer: 'mpi', name: `imb_${plain.toLowerCase()}`, line: line.number } as const;
    const draft = this.#desk.open(
      { ...head, version: this.#version, options },
      this.#desk.command('imb') ?? this.#calling,
    );
    draft.started = this.#started;
    if (this.#mpi !== undefined)
      draft.environment = {
        mpi: { family: '', library: null, version: this.#mpi, pml: null, osc: null, transports: null },
      };
    this.#draft = draft;
  }

  #takeHead(line: Line, mine: boolean): void {
    if (!mine || !this.#draft) {
      this.#desk.problem(line.number, 'no line above says which benchmark this table is of');
      this.#begin(line, 'unknown');
    }
    this.#columns = columnsOf(line.text, IMB_HEADS);
    this.#desk.unknownColumns(line, this.#columns);
  }

  #takeBanner(line: Line): boolean {
    const { text } = line;
    const [, date] = /^#\s*Date\s*:\s*(\S.*)$/.exec(text) ?? [];
    if (date !== undefined) this.#started = timeOf(date);
    const [, mpi] = /^#\s*MPI Version\s*:\s*(\S+)$/.exec(text) ?? [];
    if (mpi !== undefined) this.#mpi = mpi;
    if (date !== undefined || mpi !== undefined) return true;
    if (/^#\s*Calling sequence was/i.test(text)) {
      this.#expectsCall = true;
      return true;
    }
    if (SILENT.test(text) || text === '#') {
      this.#expectsCall = false;
      return true;
    }
    return this.#takeCall(line) || (!this.#draft && /^#\s*\S+$/.test(text));
  }

  /** The call is cut after some words; what follows has blanks and words alone. */
  #takeCall({ number, text }: Line): boolean {
    if (!this.#expectsCall || !text.startsWith('#')) return false;
    const words = [...(this.#calling?.words ?? []), ...text.slice(1).trim().split(/\s+/)];
    this.#calling = commandOf({ number, text: words.join(' '), words }) ?? this.#calling;
    return true;
  }

  #takeTable(line: Line): boolean {
    const draft = this.#draft;
    if (!draft) return false;
    const { text } = line;
    const [, processes] = /^#\s*#processes\s*=\s*(\d+)/.exec(text) ?? [];
    const [, groups, each] = /^#\s*\(\s*(\d+) groups of (\d+) processes/.exec(text) ?? [];
    const [, threads] = /^#\s*#threads\s*=\s*(\d+)/.exec(text) ?? [];
    const [, mode] = /^#\s*MODE:\s*(\S+)$/.exec(text) ?? [];
    const facts = {
      ...(processes === undefined ? {} : { ranks: Number(processes) }),
      ...(each === undefined ? {} : { ranks: Number(each), groups: Number(groups) }),
      ...(threads === undefined ? {} : { threads: Number(threads) }),
      ...(mode === undefined ? {} : { aggregate: mode === 'AGGREGATE' }),
    };
    this.#parameters = { ...this.#parameters, ...facts };
    return Object.keys(facts).length > 0 || this.#takeRow(line, draft);
  }

  #takeRow(line: Line, draft: Draft): boolean {
    const [, size, cause] = MISSING.exec(line.text) ?? [];
    if (this.#columns.length > 0 && size !== undefined && cause !== undefined) {
      draft.warn(`not measured at ${countOf(size)} bytes: ${cause}`);
      return true;
    }
    if (this.#columns.length === 0 || !looksLikeRow(line)) return false;
    const row = rowOf(line, this.#columns);
    if (typeof row === 'string') {
      this.#desk.problem(line.number, `${row}: ${line.text}`);
      return true;
    }
    this.#desk.flaws(line, row);
    draft.rows.push({
      parameters: { size: row.size, ...this.#parameters, ...row.parameters },
      ...{ n: row.n, figures: row.figures, statistics: null },
    });
    return true;
  }
}

/** `Tue Jul 18 18:45:29 2023`; the zone isn't said, and taken as UTC. */
function timeOf(date: string): Date | undefined {
  const [, month, day, clock, year] = /^\w{3}\s+(\w{3})\s+(\d+)\s+([\d:]+)\s+(\d{4})$/.exec(date) ?? [];
  const time = new Date(`${month} ${day} ${year} ${clock} UTC`);
  return month === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}

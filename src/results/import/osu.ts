/** Reads the text of OSU's programs, versions 3 to 7, and our own osu_*. */
import { OSU_OPTIONS } from '../../cli/osu-table.js';
import type { OsuRow } from '../../bench/suites/osu.js';
import { programs } from '../../bench/suites/index.js';
import { cellOf, looksLikeRow } from './cells.js';
import { columnsOf, rowOf, type Column, type ReadRow } from './columns.js';
import type { Desk, Reader } from './desk.js';
import { statisticsOf, type Draft } from './draft.js';
import type { Line } from './lines.js';
import { givenOptions, numberGiven } from './options.js';
import { headingsOf, rowOfTitle } from './osu-heads.js';
import { isSilent, noteOf, preambleOf, type Facts, type Preamble } from './osu-notes.js';
import { Matrix } from './osu-matrix.js';
import { startUpRow } from './osu-start-up.js';
import type { Json, RowParameters } from '../types.js';

const TITLE = /^#?\s*((?:OSU|OMB)\b.*?\bTest)\s*(?:v|\(Version\s*)?(\d[\w.-]*)?\)?$/i;
const WITHOUT_TITLE = 'osu';

interface Head {
  readonly name: string;
  readonly row: OsuRow | undefined;
  readonly version: string | undefined;
  readonly options: Readonly<Record<string, Json>>;
  readonly line: number;
}

export class OsuReader implements Reader {
  readonly tool = 'osu';
  readonly #desk: Desk;
  /** Said before the title. */
  #preamble: Preamble = {};
  #head: Head | undefined;
  #draft: Draft | undefined;
  #facts: Facts = {};
  #columns: readonly Column[] = [];
  #matrix: Matrix | undefined;
  /** Sizes of this part of the table: one that comes again begins another run. */
  #seen = new Set<string>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  command(): void {
    this.#close();
  }

  take(line: Line, mine: boolean): boolean {
    return this.#takeHead(line, mine) || (mine && this.#takeBody(line));
  }

  finish(): void {
    this.#close();
  }

  #close(): void {
    this.#head = undefined;
    this.#draft = undefined;
    this.#columns = [];
    this.#matrix = undefined;
    this.#facts = {};
    this.#seen.clear();
  }

  #takeHead(line: Line, mine: boolean): boolean {
    // No head begins with a number.
    if (/^\d/.test(line.text)) return false;
    const preamble = preambleOf(line.text, this.#preamble);
    if (preamble) {
      this.#preamble = preamble;
      return true;
    }
    const [, title, version] = TITLE.exec(line.text) ?? [];
    if (title !== undefined && (version !== undefined || line.text.startsWith('#'))) {
      this.#begin(line, title, version);
      return true;
    }
    return this.#takeColumns(line, mine);
  }

  #begin(line: Line, title: string, version: string | undefined): void {
    this.#close();
    const command = this.#desk.command('osu');
    const row = rowOfTitle(title) ?? programs.get(command?.program ?? '');
    if (!row) this.#desk.problem(line.number, `no program is known by the title "${title}"; it is kept as its name`);
    const accelerator = /-(CUDA|ROCM|OPENACC|SYCL)/i.exec(title)?.[1];
    const options = { ...asJson(this.#preamble), ...(accelerator === undefined ? {} : { accelerator }) };
    this.#preamble = {};
    this.#head = { name: row?.name ?? title, row, version, options, line: line.number };
    this.#open(line.number);
  }

  /** Options on the command line count only where it is this program's. */
  #open(line: number): void {
    const head = this.#head;
    if (!head) return;
    const last = this.#desk.command('osu');
    const command = last?.tool === undefined || last.program === head.name ? last : undefined;
    const given = givenOptions(command?.args ?? [], OSU_OPTIONS);
    const options = { ...head.options, ...given.named };
    this.#draft = this.#desk.open({ tool: 'osu', layer: 'mpi', ...head, line, options }, command);
    const window = numberGiven(given, '--window-size');
    this.#facts = { ...(window === undefined ? {} : { window }), ...this.#facts };
    this.#seen.clear();
  }

  #takeColumns(line: Line, mine: boolean): boolean {
    if (!/^#?\s*(?:Size\s|(?:Avg\s*)?Latency\s*\(us\)|Overall\s*\(us\))/.test(line.text)) return false;
    const heads = line.text.replace(/^#\s*/, '');
    const known = mine ? this.#head?.row : undefined;
    if (!columnsOf(heads, headingsOf(known)).some(isKnownFigure)) return false;
    if (!mine || !this.#head) this.#beginWithoutTitle(line);
    this.#columns = columnsOf(heads, headingsOf(this.#head?.row));
    this.#desk.unknownColumns(line, this.#columns);
    this.#matrix = undefined;
    return true;
  }

  /** A table that was cut out of its text. */
  #beginWithoutTitle(line: Line): void {
    this.#close();
    const row = programs.get(this.#desk.command('osu')?.program ?? '');
    if (!row) this.#desk.problem(line.number, 'neither a title nor a command line says which program this table is of');
    this.#head = {
      name: row?.name ?? WITHOUT_TITLE,
      row,
      version: undefined,
      options: asJson(this.#preamble),
      line: line.number,
    };
    this.#preamble = {};
    this.#open(line.number);
  }

  #takeBody(line: Line): boolean {
    const draft = this.#draft;
    if (!draft) return false;
    const note = noteOf(line.text);
    if (note) {
      this.#facts = { ...this.#facts, ...note.facts };
      Object.assign(draft.options, note.options);
      return true;
    }
    return this.#takeEnd(line, draft) || this.#takeMatrix(line) || this.#takeRow(line, draft);
  }

  #takeEnd({ text }: Line, draft: Draft): boolean {
    if (/^DATA VALIDATION ERROR|^FAILED\b/.test(text)) {
      draft.fail(text);
      return true;
    }
    const row = startUpRow(text, draft.rows[0]);
    if (row) {
      draft.rows.splice(0, 1, row);
      return true;
    }
    const [, ranks] = /^This is a test with (\d+) processes/.exec(text) ?? [];
    if (ranks === undefined) return isSilent(text);
    draft.options.ranks = Number(ranks);
    draft.complete = true;
    return true;
  }

  #takeMatrix(line: Line): boolean {
    const matrix = Matrix.heading(line.text, this.#matrix);
    if (matrix) this.#matrix = matrix;
    return matrix !== undefined;
  }

  #takeRow(line: Line, draft: Draft): boolean {
    if (this.#matrix) return this.#takeMatrixRow(line, draft, this.#matrix);
    if (this.#columns.length === 0 || !(looksLikeRow(line) || (line.words.length === 1 && cellOf(line.text))))
      return false;
    const read = rowOf(line, this.#columns);
    // osu_multi_lat -z prints the heads of tails alone.
    const row =
      typeof read === 'string'
        ? rowOf(
            line,
            this.#columns.filter(({ kind }) => kind !== 'percentile'),
          )
        : read;
    if (typeof row === 'string')
      this.#desk.problem(line.number, `${typeof read === 'string' ? read : row}: ${line.text}`);
    else this.#add(line, draft, row);
    return true;
  }

  #takeMatrixRow(line: Line, draft: Draft, matrix: Matrix): boolean {
    if (!looksLikeRow(line)) return false;
    const problem = matrix.row(line, draft.rows, { parameters: this.#parameters(null), n: iterationsOf(draft) });
    if (problem !== undefined) this.#desk.problem(line.number, `${problem}: ${line.text}`);
    return true;
  }

  #parameters(size: number | null): RowParameters {
    const { row } = this.#head ?? {};
    const { ranks, datatype, window, pairs } = this.#facts;
    return {
      size,
      ...(ranks === undefined ? {} : { ranks }),
      ...(datatype === undefined ? {} : { datatype }),
      ...(window === undefined || !(row?.accepts.includes('window-size') ?? true) ? {} : { window }),
      ...(pairs === undefined ? {} : { pairs }),
    };
  }

  #add(line: Line, draft: Draft, read: ReadRow): void {
    this.#desk.flaws(line, read);
    const key = JSON.stringify([read.size, this.#facts.datatype, this.#facts.ranks]);
    if (this.#seen.has(key)) this.#open(line.number);
    this.#seen.add(key);
    const { row } = this.#head ?? {};
    const figure = read.figures.slowest ? 'slowest' : (row?.figure ?? Object.keys(read.figures)[0] ?? '');
    const statistics = statisticsOf(read, {
      ...{ figure, unit: read.figures[figure]?.unit ?? '' },
      tail: ascends(read) ?? row?.tail ?? 'high',
    });
    (this.#draft ?? draft).rows.push({
      parameters: { ...this.#parameters(read.size), ...read.parameters },
      n: read.n || iterationsOf(draft),
      figures: read.figures,
      statistics,
      ...(read.passed === undefined ? {} : { validation: { passed: read.passed } }),
    });
  }
}

const asJson = (preamble: Preamble): Record<string, Json> => ({ ...preamble });

/** As many as the command line asks for; 0 where nothing says it. */
const iterationsOf = ({ options }: Draft): number => numberGiven({ named: options, others: [] }, '--iterations') ?? 0;

const isKnownFigure = (column: Column): boolean => column.kind === 'figure' && !column.unknown;

/** The peer's tails of a bandwidth are its best ones, and ours its worst: the figures say which are shown. */
function ascends({ percentiles }: ReadRow): 'high' | 'low' | undefined {
  const [first, last] = [percentiles[0], percentiles.at(-1)];
  if (typeof first?.value !== 'number' || typeof last?.value !== 'number' || first.value === last.value)
    return undefined;
  return first.value < last.value === first.percent < last.percent ? 'high' : 'low';
}

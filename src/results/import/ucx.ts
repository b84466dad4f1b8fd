/** Reads the text of ucx_perftest, of the stock one and ours: tables with all rows or the last alone, and CSV. */
import { ucxTest, type UcxTest } from '../../bench/suites/ucx-perftest.js';
import { UCX_OPTIONS } from '../../cli/ucx-perftest-table.js';
import type { Figure, Json, ProgressRecord, RowRecord } from '../types.js';
import { looksLikeRow } from './cells.js';
import { cpuList } from './command.js';
import type { Desk, Reader } from './desk.js';
import { statisticsOf, type Draft } from './draft.js';
import type { Line } from './lines.js';
import { givenOptions, wordGiven, type GivenOptions } from './options.js';
import { samplesLine } from './samples-line.js';
import { boxOf, isGroupHead, logLineOf, percentileOf, ruleLabel, testOfBox, type Box } from './ucx-heads.js';
import { csvHeadOf, csvRowOf, tableRowOf, type CsvHead, type UcxRow } from './ucx-rows.js';
import { sizeOf } from './ucx-size.js';

const NOTHING: GivenOptions = { named: {}, others: [] };
/** What a server says before its box. */
const WAITING = /^(?:Waiting for connection|Accepted connection from)/;
const LATENCY = { figure: 'latency', unit: 's', tail: 'high' } as const;
const FATAL = /^(?:ERROR|FATAL)$/;

export class UcxReader implements Reader {
  readonly tool = 'ucx_perftest';
  readonly #desk: Desk;
  #box: Box = {};
  /** Of the table's heads; they hold for all that follows, command lines between them too. */
  #percent: number | undefined;
  #csv: CsvHead | undefined;
  #draft: Draft | undefined;
  #given = NOTHING;
  #common:
    | {
        readonly draft: Draft | undefined;
        readonly box: Box;
        readonly test: UcxTest | undefined;
        readonly parameters: Readonly<Record<string, Json>>;
      }
    | undefined;
  /** In the rule before the rows of a test. */
  #label = '';
  /** Rows before the last one of a test. */
  #progress: (ProgressRecord & { readonly line: Line; readonly row: UcxRow })[] = [];
  /** Of the table that is about to begin. */
  #headLine: number | undefined;
  #log: { readonly time: Date; readonly host: string } | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  command(): void {
    this.#close();
    this.#box = {};
  }

  take(line: Line, mine: boolean): boolean {
    if (WAITING.test(line.text)) return true;
    // No head but that of a CSV begins with a number.
    if (/^\d/.test(line.text) && !csvHeadOf(line.text)) return mine && this.#takeRow(line);
    return this.#takeHeads(line) || (mine && (this.#takeRow(line) || this.#takeRest(line)));
  }

  finish(): void {
    this.#close();
  }

  /** A test that was cut short has its last row in place of a final one. */
  #close(): void {
    this.#endTest();
    this.#draft = undefined;
    this.#given = NOTHING;
    this.#label = '';
    this.#log = undefined;
    this.#headLine = undefined;
  }

  #endTest(): void {
    const last = this.#progress.pop();
    if (!last) return;
    this.#draftFor(last.line).warn('a test has no final row: its last one stands for it');
    this.#add(last.line, last.row);
  }

  #takeHeads({ text, number }: Line): boolean {
    const [box, csv] = [boxOf(text, this.#box), csvHeadOf(text)];
    const isHead = isGroupHead(text) || csv !== undefined;
    if (isHead || (box && /^\|\s*API:/.test(text))) this.#beginTable(number, isHead);
    if (box) this.#box = box;
    if (csv) this.#csv = csv;
    if (box || isHead) return true;
    const percent = percentileOf(text);
    if (percent === undefined) return false;
    this.#percent = percent;
    this.#csv = undefined;
    return true;
  }

  /** The box of a process for both sides comes before its heads, and belongs to them. */
  #beginTable(line: number, isHead: boolean): void {
    const goesOn = isHead && this.#draft === undefined && this.#progress.length === 0;
    if (!goesOn) {
      this.#close();
      if (isHead) this.#box = {};
    }
    this.#headLine ??= line;
  }

  #takeRow(line: Line): boolean {
    const label = ruleLabel(line.text);
    if (label !== undefined) {
      this.#endTest();
      this.#label = label;
      return true;
    }
    if (this.#csv) return this.#takeCsvRow(line, this.#csv);
    if (this.#percent === undefined) return false;
    const row = tableRowOf(line.words);
    if (row) this.#shown(line, row.label === '' ? { ...row, label: this.#label } : row);
    else if (looksLikeRow(line)) this.#desk.problem(line.number, `the cells are not those of a row: ${line.text}`);
    return row !== undefined || looksLikeRow(line);
  }

  #takeCsvRow(line: Line, csv: CsvHead): boolean {
    const row = csvRowOf(line.text, csv);
    if (row) this.#shown(line, row);
    else if (looksLikeRow(line)) this.#desk.problem(line.number, `the cells are not those of a row: ${line.text}`);
    return row !== undefined || looksLikeRow(line);
  }

  #shown(line: Line, row: UcxRow): void {
    this.#desk.flaws(line, row);
    if (row.stage === 'progress') this.#progress.push({ n: row.iterations, figures: figuresOf(row), line, row });
    else if (this.#csv && this.#goesOn(row)) this.#replaceLast(line, row);
    else this.#add(line, row);
  }

  /** Rows of a CSV's test look all alike: where the last one counts on, the one before was not the final one. */
  #goesOn({ label, iterations }: UcxRow): boolean {
    const last = this.#draft?.rows.at(-1);
    return (
      this.#csv !== undefined && last !== undefined && (last.parameters.label ?? '') === label && iterations > last.n
    );
  }

  #replaceLast(line: Line, row: UcxRow): void {
    const last = this.#draft?.rows.pop();
    if (!last) return;
    const earlier = [...(last.progress ?? []), { n: last.n, figures: last.figures }];
    this.#add(line, row, earlier);
  }

  #add(line: Line, row: UcxRow, earlier: readonly ProgressRecord[] = []): void {
    const draft = this.#draftFor(line);
    const test = this.#test(row.label);
    const { size, computed, doubt } = sizeOf(row, this.#sizeSaid(row.label));
    if (doubt !== undefined) draft.warn(doubt);
    const progress = [...earlier, ...this.#progress.map(({ n, figures }) => ({ n, figures }))];
    this.#progress = [];
    const percentiles =
      row.percentile === null ? [] : [{ percent: this.#csv?.percent ?? this.#percent ?? 50, value: row.percentile }];
    const parameters = { ...this.#parameters(test), size };
    say(parameters, row, computed);
    const { iterations: n } = row;
    const figures = figuresOf(row);
    const statistics = statisticsOf({ n, statistics: {}, percentiles }, LATENCY);
    const added: RowRecord = { parameters, n, figures, statistics };
    draft.rows.push(progress.length > 0 ? { ...added, progress } : added);
  }

  #draftFor({ number }: Line): Draft {
    if (this.#draft) return this.#draft;
    const command = this.#desk.command('ucx_perftest');
    this.#given = givenOptions(command?.args ?? [], UCX_OPTIONS);
    const api = this.#box.api ?? this.#test(this.#label)?.api ?? ('-x' in this.#given.named ? 'uct' : '');
    const draft = this.#desk.open(
      {
        tool: 'ucx_perftest',
        name: 'ucx_perftest',
        layer: api,
        line: this.#headLine ?? number,
        options: this.#given.named,
      },
      command,
    );
    draft.cpus ??= cpuList(wordGiven(this.#given, '-c') ?? '');
    draft.started = this.#log?.time;
    draft.host = this.#log?.host;
    this.#draft = draft;
    return draft;
  }

  /** The command line's, the box's, or the one that a line of a batch is called by. */
  #test(label: string): UcxTest | undefined {
    const given = this.#given.named['-t'];
    const named = typeof given === 'string' ? ucxTest(given) : undefined;
    return named ?? testOfBox(this.#box) ?? ucxTest(label.split('/')[0] ?? '');
  }

  /** In a batch the line of the file may say another size than the command line. */
  #sizeSaid(label: string): number | undefined {
    const { named } = this.#given;
    if ('-b' in named || label !== '') return undefined;
    const pieces = typeof named['-s'] === 'string' ? named['-s'].split(',').map(Number) : [];
    const sum = pieces.reduce((total, piece) => total + piece, 0);
    return this.#box.size ?? (pieces.length > 0 && Number.isSafeInteger(sum) ? sum : undefined);
  }

  /** The same of all rows of a test. */
  #parameters(test: UcxTest | undefined): Readonly<Record<string, Json>> {
    const { draft, box } = { draft: this.#draft, box: this.#box };
    if (this.#common?.draft !== draft || this.#common?.test !== test || this.#common?.box !== box)
      this.#common = { draft, box, test, parameters: this.#parametersOf(test) };
    return this.#common.parameters;
  }

  #parametersOf(test: UcxTest | undefined): Record<string, Json> {
    const { named } = this.#given;
    const { layout, header } = this.#box;
    const usual = test?.api === 'uct' && this.#draft?.head.command && !('-b' in named) ? 'short' : undefined;
    const chosen = typeof named['-D'] === 'string' ? named['-D'] : (layout ?? usual);
    const [transport, device] = [named['-x'], named['-d']];
    const through = typeof transport === 'string' ? [`${transport}/${typeof device === 'string' ? device : ''}`] : [];
    return {
      ...(test ? { test: test.name } : {}),
      // Its place among them; each row has its own.
      size: null,
      ...(chosen === undefined ? {} : test?.api === 'ucp' ? { datatypes: chosen.split(',') } : { layout: chosen }),
      ...(typeof named['-O'] === 'string' ? { outstanding: Number(named['-O']) } : {}),
      ...(through.length > 0 ? { transports: through } : {}),
      ...(typeof named['-T'] === 'string' ? { threads: Number.parseInt(named['-T'], 10) } : {}),
      ...(header === undefined ? {} : { header }),
      ...(test ? { roundTrip: test.pattern === 'stream' } : {}),
    };
  }

  #takeRest({ text }: Line): boolean {
    const log = logLineOf(text);
    if (log) return this.#takeLog(log);
    const samples = samplesLine(text);
    const rows = this.#draft?.rows;
    const last = rows?.at(-1);
    if (!samples || !rows || !last) return false;
    const { statistics } = samples;
    const percentiles = last.statistics?.percentiles ?? [];
    const all = statisticsOf(
      { n: last.n, statistics, percentiles },
      { figure: 'latency', unit: samples.unit, tail: 'high' },
    );
    rows[rows.length - 1] = { ...last, statistics: all };
    return true;
  }

  #takeLog({ level, message, time, host }: NonNullable<ReturnType<typeof logLineOf>>): boolean {
    this.#log ??= { time, host };
    const draft = this.#draft;
    if (!draft) return false;
    draft.started ??= time;
    draft.host ??= host;
    if (FATAL.test(level)) draft.fail(message);
    else if (level === 'WARN') draft.warn(message);
    return true;
  }
}

/** Adds what a row says of itself. */
function say(parameters: Record<string, Json>, { label, info }: UcxRow, computed: true | undefined): void {
  if (computed) parameters.sizeFrom = 'bandwidth and rate';
  if (label !== '') parameters.label = label;
  if (info !== '') parameters.protocol = info;
}

function figuresOf({ latency, bandwidth, rate }: UcxRow): RowRecord['figures'] {
  const figure = (value: number | null, unit: string): Figure => ({ value, unit });
  return { latency: figure(latency, 's'), bandwidth: figure(bandwidth, 'B/s'), rate: figure(rate, '1/s') };
}

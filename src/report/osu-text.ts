/** The tables of the osu_* programs, byte for byte as OMB 7.4 prints them. */
import { OMB_VERSION } from '../cli/options.js';
import type { RowRecord, StatusRecord } from '../results/types.js';
import { headerLine, rowLine } from './osu-columns.js';
import { MatrixPrinter } from './osu-matrix.js';
import type { OsuTable, Reporter, RunHead, Section, Sink } from './types.js';

export class OsuTextReporter implements Reporter {
  readonly #table: OsuTable;
  readonly #sink: Sink;
  readonly #matrix: MatrixPrinter | undefined;
  #name = '';
  #failed: RowRecord | undefined;

  constructor(table: OsuTable, sink: Sink) {
    this.#table = table;
    this.#sink = sink;
    this.#matrix = table.matrix && new MatrixPrinter(table.matrix, sink);
  }

  begin({ run }: RunHead): void {
    const { title, preamble = [], leadingBlank, notes = [] } = this.#table;
    this.#name = run.name;
    this.#lines([...preamble, ...(leadingBlank ? [''] : []), `# ${title} v${OMB_VERSION}`, ...notes]);
  }

  section({ datatype, ranks }: Section): void {
    const rankLines = ranks === undefined ? [] : [`# Ranks: ${ranks}.`];
    const named = this.#table.datatypeLine && datatype !== undefined ? [`# Datatype: ${datatype}.`] : [];
    const datatypeLines = [...rankLines, ...named];
    if (this.#matrix) this.#matrix.section(datatypeLines);
    else this.#lines([...datatypeLines, headerLine(this.#table)]);
  }

  row(row: RowRecord): void {
    if (row.validation && !row.validation.passed) this.#failed ??= row;
    if (this.#matrix) this.#matrix.row(row);
    else this.#lines([rowLine(this.#table, row)]);
  }

  end(status: StatusRecord): void {
    this.#matrix?.end();
    const failed = this.#failed;
    this.#failed = undefined;
    if (status.state === 'failed' && failed) {
      const { size } = failed.parameters;
      this.#lines([`DATA VALIDATION ERROR: ${this.#name} exited with status 1 on message size ${size}.`]);
    }
  }

  #lines(lines: readonly string[]): void {
    this.#sink.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** Keeps a run and writes it as a table after every row. */
import type { RowRecord, StatusRecord } from '../../results/types.js';
import type { RecordTarget } from '../record-target.js';
import type { Reporter, RunHead } from '../types.js';
import type { TableRun } from './types.js';

/** Methods throw a `RecordError` (for `-` a `SinkError`) when the table can't be written. */
export class TableReporter implements Reporter {
  readonly #target: RecordTarget;
  readonly #text: (run: TableRun) => string;
  readonly #now: () => Date;
  readonly #rows: RowRecord[] = [];
  readonly #warnings: string[] = [];
  #head: RunHead | undefined;
  #ended = false;

  constructor(target: RecordTarget, text: (run: TableRun) => string, now: () => Date = () => new Date()) {
    this.#target = target;
    this.#text = text;
    this.#now = now;
  }

  begin(head: RunHead): void {
    this.#head = head;
    this.#update();
  }

  /** Sections are told by the parameters of their rows. */
  section(): void {
    return undefined;
  }

  row(row: RowRecord): void {
    this.#rows.push(row);
    this.#update();
  }

  warning(text: string): void {
    this.#warnings.push(text);
  }

  amend(changes: Partial<RunHead>): void {
    if (this.#head) this.#head = { ...this.#head, ...changes };
  }

  /** May be called again where it failed; a table that is complete stays as it is. */
  end(status: StatusRecord): void {
    if (!this.#head || this.#ended) return;
    const run = { ...this.#head.run, ended: this.#now().toISOString() };
    this.#save({ ...this.#head, run }, status, true);
    this.#ended = true;
  }

  #update(): void {
    if (this.#head && this.#target.replaces) this.#save(this.#head, { state: 'running' }, false);
  }

  #save(head: RunHead, status: StatusRecord, last: boolean): void {
    this.#target.save([this.#text({ head, rows: this.#rows, warnings: this.#warnings, status })], last);
  }
}

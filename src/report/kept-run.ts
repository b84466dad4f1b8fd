/** A reporter that keeps a run, and writes all of it again after every row. */
import type { RowRecord, StatusRecord } from '../results/types.js';
import type { RecordTarget } from './record-target.js';
import type { Reporter, RunHead } from './types.js';

/** A run as far as it went. */
export interface RunSoFar {
  readonly head: RunHead;
  readonly rows: readonly RowRecord[];
  readonly warnings: readonly string[];
  readonly status: StatusRecord;
}

/** Methods throw a `RecordError` (for `-` a `SinkError`) when the run can't be written. */
export abstract class KeptRun implements Reporter {
  protected readonly target: RecordTarget;
  readonly #now: () => Date;
  readonly #rows: RowRecord[] = [];
  readonly #warnings: string[] = [];
  #head: RunHead | undefined;
  #ended = false;

  /** `now`: the time of the end; default the system's. */
  constructor(target: RecordTarget, now: () => Date = () => new Date()) {
    this.target = target;
    this.#now = now;
  }

  begin(head: RunHead): void {
    this.#head = head;
    this.update();
  }

  /** Sections are told by the parameters of their rows. */
  section(): void {
    return undefined;
  }

  row(row: RowRecord): void {
    this.#rows.push(row);
    this.update();
  }

  warning(text: string): void {
    this.#warnings.push(text);
  }

  amend(changes: Partial<RunHead>): void {
    if (this.#head) this.#head = { ...this.#head, ...changes };
  }

  /** May be called again where it failed; what is complete stays as it is. */
  end(status: StatusRecord): void {
    if (!this.#head || this.#ended) return;
    const run = { ...this.#head.run, ended: this.#now().toISOString() };
    this.save(this.#soFar({ ...this.#head, run }, status), true);
    this.#ended = true;
    this.written();
  }

  /** After the complete run was written. */
  protected written(): void {
    return undefined;
  }

  protected get rowCount(): number {
    return this.#rows.length;
  }

  /** `last`: whether the run is complete. */
  protected abstract save(run: RunSoFar, last: boolean): void;

  protected update(): void {
    if (this.#head && this.target.replaces) this.save(this.#soFar(this.#head, { state: 'running' }), false);
  }

  #soFar(head: RunHead, status: StatusRecord): RunSoFar {
    return { head, rows: this.#rows, warnings: this.#warnings, status };
  }
}

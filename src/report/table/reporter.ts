/** Keeps a run and writes it as a table after every row. */
import { KeptRun, type RunSoFar } from '../kept-run.js';
import type { RecordTarget } from '../record-target.js';

export class TableReporter extends KeptRun {
  readonly #text: (run: RunSoFar) => string;

  constructor(target: RecordTarget, text: (run: RunSoFar) => string, now?: () => Date) {
    super(target, now);
    this.#text = text;
  }

  protected override save(run: RunSoFar, last: boolean): void {
    this.target.save([this.#text(run)], last);
  }
}

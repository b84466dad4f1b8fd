/** The record of a study: that of a benchmark, with what the study found beside its rows. */
import { JsonReporter } from '../report/json.js';
import { recordTarget } from '../report/record-target.js';
import type { RunHead, Sink } from '../report/types.js';
import type { RowRecord, StatusRecord, StudyRecord } from '../results/types.js';

/** Lives on rank 0. A regular file is written beside and renamed after each call; anything else once, at the end. */
export interface Recorder {
  row(row: RowRecord): void;
  /** Takes the place of what was told before. */
  study(study: StudyRecord): void;
  warning(text: string): void;
}

export class StudyRecorder implements Recorder {
  readonly #reporter: JsonReporter | undefined;

  /** @param json FILE, or `-` for `stdout`; undefined = no record */
  constructor(json: string | undefined, stdout: Sink) {
    if (json !== undefined) this.#reporter = new JsonReporter(recordTarget(json, stdout), { samples: false });
  }

  begin(head: RunHead): void {
    this.#reporter?.begin(head);
  }

  row(row: RowRecord): void {
    this.#reporter?.row(row);
  }

  study(study: StudyRecord): void {
    this.#reporter?.study(study);
  }

  warning(text: string): void {
    this.#reporter?.warning(text);
  }

  amend(changes: Partial<RunHead>): void {
    this.#reporter?.amend(changes);
  }

  end(status: StatusRecord): void {
    this.#reporter?.end(status);
  }
}

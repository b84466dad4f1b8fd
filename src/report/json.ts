/** The record of a run (`--json`): schema/result-1.json, kept up to date while the run lasts. */
import { curvesOf } from '../analysis/curves.js';
import { toJsonText } from '../results/json.js';
import {
  RESULT_SCHEMA,
  type ResultRecord,
  type RowRecord,
  type StatusRecord,
  type StudyRecord,
} from '../results/types.js';
import type { RecordTarget } from './record-target.js';
import { SampleLog } from './sample-log.js';
import type { Reporter, RunHead } from './types.js';

export interface JsonReporterOptions {
  /** Keep raw samples (`--samples`). */
  readonly samples: boolean;
  /** The time of the end; default the system's. */
  readonly now?: () => Date;
}

/** Methods throw a `RecordError` (for `-` a `SinkError`) when the record can't be written. */
export class JsonReporter implements Reporter {
  readonly #target: RecordTarget;
  readonly #now: () => Date;
  readonly #log: SampleLog | undefined;
  readonly #rows: RowRecord[] = [];
  readonly #warnings: string[] = [];
  #head: RunHead | undefined;
  #ended = false;
  #status: StatusRecord = { state: 'running' };
  #study: StudyRecord | undefined;

  constructor(target: RecordTarget, { samples, now = () => new Date() }: JsonReporterOptions) {
    this.#target = target;
    this.#now = now;
    if (samples) this.#log = new SampleLog(target.file === undefined ? undefined : `${target.file}.samples.ndjson`);
  }

  begin(head: RunHead): void {
    this.#head = head;
    this.#update();
  }

  /** Sections are told by the parameters of their rows. */
  section(): void {
    return undefined;
  }

  samples(rank: number, seconds: Float64Array): void {
    this.#log?.add(this.#rows.length, rank, seconds);
  }

  row(row: RowRecord): void {
    this.#rows.push(row);
    this.#update();
  }

  /** What a study has found so far; it takes the place of what was told before. */
  study(study: StudyRecord): void {
    this.#study = study;
    this.#update();
  }

  warning(text: string): void {
    this.#warnings.push(text);
  }

  amend(changes: Partial<RunHead>): void {
    if (this.#head) this.#head = { ...this.#head, ...changes };
  }

  /** May be called again where it failed; a record that is complete stays as it is. */
  end(status: StatusRecord): void {
    if (!this.#head || this.#ended) return;
    this.#status = status;
    this.#head = { ...this.#head, run: { ...this.#head.run, ended: this.#now().toISOString() } };
    this.#target.save(this.#pieces(this.#head, this.#log, this.#analysis(this.#head)), true);
    this.#ended = true;
    this.#log?.remove();
  }

  #update(): void {
    if (this.#head && this.#target.replaces) this.#target.save(this.#pieces(this.#head, undefined), false);
  }

  /** What belongs at the end of a record that is complete. */
  #analysis({ run, environment, ranks }: RunHead): string {
    const [rows, warnings, status] = [this.#rows, this.#warnings, this.#status];
    const curves = curvesOf({ schema: RESULT_SCHEMA, run, environment, ranks, rows, warnings, status });
    return curves.length === 0 ? '' : `,"analysis":${toJsonText({ curves })}\n`;
  }

  /** One line for each part and row; samples, which may exceed what a string can hold, come in pieces. */
  *#pieces({ run, environment, ranks }: RunHead, log: SampleLog | undefined, end = ''): Generator<string> {
    const head: Pick<ResultRecord, 'schema' | 'run' | 'environment' | 'ranks'> = {
      schema: RESULT_SCHEMA,
      run,
      environment,
      ranks,
    };
    for (const [name, value] of Object.entries(head))
      yield `${name === 'schema' ? '{' : ','}"${name}":${toJsonText(value)}\n`;
    yield ',"rows":[';
    for (const [index, row] of this.#rows.entries()) {
      yield index === 0 ? '\n' : ',\n';
      yield* rowPieces(row, log?.pieces(index) ?? []);
    }
    const study = this.#study === undefined ? '' : `,"study":${toJsonText(this.#study)}\n`;
    yield `\n],"warnings":${toJsonText(this.#warnings)}\n,"status":${toJsonText(this.#status)}\n${study}${end}}\n`;
  }
}

function* rowPieces(row: RowRecord, samples: Iterable<string>): Generator<string> {
  yield toJsonText(row).slice(0, -1);
  let first = true;
  for (const piece of samples) {
    yield first ? `,"samples":${piece}` : piece;
    first = false;
  }
  yield '}';
}

/** The record of a run (`--json`): schema/result-1.json, kept up to date while the run lasts. */
import { curvesOf } from '../analysis/curves.js';
import { toJsonText } from '../results/json.js';
import { RESULT_SCHEMA, type ResultRecord, type RowRecord, type StudyRecord } from '../results/types.js';
import { KeptRun, type RunSoFar } from './kept-run.js';
import type { RecordTarget } from './record-target.js';
import { SampleLog } from './sample-log.js';

export interface JsonReporterOptions {
  /** Keep raw samples (`--samples`). */
  readonly samples: boolean;
  /** The time of the end; default the system's. */
  readonly now?: () => Date;
}

export class JsonReporter extends KeptRun {
  readonly #log: SampleLog | undefined;
  #study: StudyRecord | undefined;

  constructor(target: RecordTarget, { samples, now }: JsonReporterOptions) {
    super(target, now);
    if (samples) this.#log = new SampleLog(target.file === undefined ? undefined : `${target.file}.samples.ndjson`);
  }

  samples(rank: number, seconds: Float64Array): void {
    this.#log?.add(this.rowCount, rank, seconds);
  }

  /** What a study has found so far; it takes the place of what was told before. */
  study(study: StudyRecord): void {
    this.#study = study;
    this.update();
  }

  /** Samples and what follows from all rows belong to a record that is complete. */
  protected override save(run: RunSoFar, last: boolean): void {
    const study = this.#study === undefined ? '' : `,"study":${toJsonText(this.#study)}\n`;
    this.target.save(last ? pieces(run, study + analysisOf(run), this.#log) : pieces(run, study), last);
  }

  protected override written(): void {
    this.#log?.remove();
  }
}

function analysisOf({ head: { run, environment, ranks }, rows, warnings, status }: RunSoFar): string {
  const curves = curvesOf({ schema: RESULT_SCHEMA, run, environment, ranks, rows, warnings, status });
  return curves.length === 0 ? '' : `,"analysis":${toJsonText({ curves })}\n`;
}

/** One line for each part and row; samples, which may exceed what a string can hold, come in pieces. */
function* pieces({ head, rows, warnings, status }: RunSoFar, end: string, log?: SampleLog): Generator<string> {
  const { run, environment, ranks } = head;
  const parts: Pick<ResultRecord, 'schema' | 'run' | 'environment' | 'ranks'> = {
    schema: RESULT_SCHEMA,
    run,
    environment,
    ranks,
  };
  for (const [name, value] of Object.entries(parts))
    yield `${name === 'schema' ? '{' : ','}"${name}":${toJsonText(value)}\n`;
  yield ',"rows":[';
  for (const [index, row] of rows.entries()) {
    yield index === 0 ? '\n' : ',\n';
    yield* rowPieces(row, log?.pieces(index) ?? []);
  }
  yield `\n],"warnings":${toJsonText(warnings)}\n,"status":${toJsonText(status)}\n${end}}\n`;
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

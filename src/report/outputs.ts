/** The files beside the table that all programs write: record, CSV, Markdown. */
import type { OutputOptions } from '../cli/outputs.js';
import { JsonReporter } from './json.js';
import { checkWritable, recordTarget } from './record-target.js';
import { tableReporter } from './table/load.js';
import type { RowRecord, StatusRecord } from '../results/types.js';
import type { Reporter, RunHead, Sink } from './types.js';

/** What each is called in errors. */
const NAMES = { json: 'record', csvFile: 'CSV', markdown: 'table in Markdown' } as const;

/** Says before the run why one of them can't be written, in a sentence; undefined = all can. */
export function checkOutputs(outputs: OutputOptions): string | undefined {
  return (['json', 'csvFile', 'markdown'] as const)
    .map((name) => {
      const file = outputs[name];
      return file === undefined ? undefined : checkWritable(file, NAMES[name]);
    })
    .find((sentence) => sentence !== undefined);
}

/** The reporters that write them; `stdout` takes what goes to `-`. */
export function outputReporters(
  { json, csvFile, markdown, samples }: OutputOptions & { readonly samples: boolean },
  stdout: Sink,
): Reporter[] {
  return [
    ...(json === undefined ? [] : [new JsonReporter(recordTarget(json, stdout), { samples })]),
    ...(csvFile === undefined ? [] : [tableReporter('csv', recordTarget(csvFile, stdout, NAMES.csvFile))]),
    ...(markdown === undefined ? [] : [tableReporter('markdown', recordTarget(markdown, stdout, NAMES.markdown))]),
  ];
}

/** What keeps a run besides showing it, as one. */
export class Keepers {
  readonly #all: readonly Reporter[];

  constructor(all: readonly Reporter[]) {
    this.#all = all;
  }

  get some(): boolean {
    return this.#all.length > 0;
  }

  begin(head: RunHead): void {
    for (const one of this.#all) one.begin(head);
  }

  samples(rank: number, seconds: Float64Array): void {
    for (const one of this.#all) one.samples?.(rank, seconds);
  }

  row(row: RowRecord): void {
    for (const one of this.#all) one.row(row);
  }

  warning(text: string): void {
    for (const one of this.#all) one.warning?.(text);
  }

  amend(changes: Partial<RunHead>): void {
    for (const one of this.#all) one.amend?.(changes);
  }

  /** Ends all of them, and throws the first failure only then. */
  end(status: StatusRecord): void {
    const failures: unknown[] = [];
    for (const one of this.#all) {
      try {
        one.end(status);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

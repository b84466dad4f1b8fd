/** The records that launches leave: read, told apart, put together in one file. */
import { readFileSync, statSync } from 'node:fs';
import { recordTarget, type RecordTarget } from '../report/record-target.js';
import type { Sink } from '../report/types.js';
import { toJsonText } from '../results/json.js';
import type { LaunchRecord, ResultRecord } from '../results/types.js';

/**
 * The record in a file; undefined where there is none, as when a launch was refused or ended before it began. What a pipe
 * or a device was given can't be read again: a pipe would be waited for, and some devices have no end.
 */
export function readLaunchRecord(file: string): ResultRecord | undefined {
  try {
    if (!statSync(file).isFile()) return undefined;
    return JSON.parse(readFileSync(file, 'utf8')) as ResultRecord;
  } catch {
    return undefined; // none was written: those that are, are whole
  }
}

/** A record with the reason why its launch failed; one that has a reason of its own keeps it. */
export function asFailed(record: ResultRecord, reason: string): ResultRecord {
  return record.status.state === 'failed' ? record : { ...record, status: { state: 'failed', message: reason } };
}

export function ofLaunch(record: ResultRecord, launch: LaunchRecord): ResultRecord {
  return { ...record, run: { ...record.run, launch } };
}

/** Without what takes much room and no summary needs. */
export function withoutSamples(record: ResultRecord): ResultRecord {
  const rows = record.rows.map((row) => {
    const kept = Object.entries(row).filter(([name]) => name !== 'samples');
    return Object.fromEntries(kept) as unknown as typeof row;
  });
  return { ...record, rows };
}

/** Records in one file as a JSON array, rewritten whole after each launch. */
export class RecordList {
  readonly #target: RecordTarget;
  readonly #texts: string[][] = [];

  constructor(json: string, stdout: Sink) {
    this.#target = recordTarget(json, stdout);
  }

  /** Throws a `RecordError` when it can't be written; what was written before stays. */
  add(record: ResultRecord): void {
    this.#texts.push([...recordPieces(record)]);
    if (this.#target.replaces) this.#save(false);
  }

  end(): void {
    this.#save(true);
  }

  #save(isLast: boolean): void {
    const texts = this.#texts;
    function* pieces(): Generator<string> {
      yield '[';
      for (const [index, text] of texts.entries()) {
        yield index === 0 ? '\n' : ',\n';
        yield* text;
      }
      yield '\n]\n';
    }
    this.#target.save(pieces(), isLast);
  }
}

/** Writes one record in place of what is there. Throws a `RecordError` when it can't be written. */
export function writeRecord(record: ResultRecord, json: string, stdout: Sink): void {
  function* pieces(): Generator<string> {
    yield* recordPieces(record);
    yield '\n';
  }
  recordTarget(json, stdout).save(pieces(), true);
}

/** One line for each part and row, as a benchmark writes them. */
function* recordPieces(record: ResultRecord): Generator<string> {
  for (const [index, [name, value]] of Object.entries(record).entries()) {
    yield `${index === 0 ? '{' : ','}"${name}":`;
    yield* name === 'rows' ? rowLines(value as ResultRecord['rows']) : [toJsonText(value)];
    yield '\n';
  }
  yield '}';
}

function* rowLines(rows: ResultRecord['rows']): Generator<string> {
  yield '[';
  for (const [index, row] of rows.entries()) yield `${index === 0 ? '' : ','}\n${toJsonText(row)}`;
  yield '\n]';
}

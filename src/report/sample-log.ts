/** Raw samples on their way into a record: appended to a file during the run and merged at the end, or kept in memory. */
import { closeSync, fstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { SAMPLE_LIMIT } from '../bench/measure/samples.js';
import { RecordError } from './record-target.js';
import { errorCode, writeFully } from './sink.js';

/** Samples of one line of the file. */
const LINE_SAMPLES = 16384;

/** Where the numbers of one batch are: in the text itself or in the file. */
type Batch = { readonly text: string } | { readonly offset: number; readonly length: number };

interface RankSamples {
  readonly batches: Batch[];
  kept: number;
  omitted: number;
}

/** Where batches of numbers go and come back from. */
interface BatchStore {
  put(row: number, rank: number, numbers: string): Batch;
  get(batch: Batch): string;
  remove(): void;
}

export class SampleLog {
  readonly #store: BatchStore;
  readonly #limit: number;
  readonly #rows = new Map<number, Map<number, RankSamples>>();

  /** `file` is where batches are appended; undefined = they stay in memory. `limit` holds per row and rank. */
  constructor(file: string | undefined, limit = SAMPLE_LIMIT) {
    this.#store = file === undefined ? memoryStore() : fileStore(file);
    this.#limit = limit;
  }

  /** Adds durations in seconds of one rank to a row. */
  add(row: number, rank: number, seconds: Float64Array): void {
    const samples = this.#samplesOf(row, rank);
    const taken = Math.min(seconds.length, this.#limit - samples.kept);
    samples.kept += taken;
    samples.omitted += seconds.length - taken;
    for (let at = 0; at < taken; at += LINE_SAMPLES) {
      // Numbers alone: what else a record's text needs would be asked of each of a million.
      const numbers = JSON.stringify(Array.from(seconds.subarray(at, Math.min(at + LINE_SAMPLES, taken)))).slice(1, -1);
      samples.batches.push(this.#store.put(row, rank, numbers));
    }
  }

  /** JSON text of a row's `samples`, in pieces; nothing when the row has none. */
  *pieces(row: number): Generator<string> {
    const ranks = [...(this.#rows.get(row) ?? [])].sort(([a], [b]) => a - b);
    for (const [index, [rank, samples]] of ranks.entries()) {
      yield `${index === 0 ? '[' : ','}{"rank":${rank},"seconds":[`;
      for (const [at, batch] of samples.batches.entries()) yield (at === 0 ? '' : ',') + this.#store.get(batch);
      yield `]${samples.omitted > 0 ? `,"omitted":${samples.omitted}` : ''}}`;
    }
    if (ranks.length > 0) yield ']';
  }

  /** Removes the file once its samples are in the record. */
  remove(): void {
    this.#store.remove();
  }

  #samplesOf(row: number, rank: number): RankSamples {
    const ranks = this.#rows.get(row) ?? new Map<number, RankSamples>();
    this.#rows.set(row, ranks);
    const samples = ranks.get(rank) ?? { batches: [], kept: 0, omitted: 0 };
    ranks.set(rank, samples);
    return samples;
  }
}

function memoryStore(): BatchStore {
  return {
    put: (_row, _rank, text) => ({ text }),
    get: (batch) => ('text' in batch ? batch.text : ''),
    remove: () => undefined,
  };
}

function fileStore(file: string): BatchStore {
  const guarded = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw new RecordError(file, error);
    }
  };
  const fd = guarded(() => openAnew(file));
  let end = 0;
  return {
    put: (row, rank, numbers) => {
      const before = `{"row":${row},"rank":${rank},"seconds":[`;
      const line = `${before}${numbers}]}\n`;
      guarded(() => writeFully(fd, line));
      const offset = end + before.length;
      end += line.length;
      return { offset, length: numbers.length };
    },
    get: (batch) => ('text' in batch ? batch.text : guarded(() => readAt(fd, batch.offset, batch.length))),
    remove: () =>
      guarded(() => {
        const own = isAt(file, fd);
        closeSync(fd);
        if (own) rmSync(file, { force: true });
      }),
  };
}

/** How often others may be quicker to take the name. */
const TRIES = 10;

/** Opens a file of this job's own, whatever has the name: another job may still write to that, and go on reading from it. */
function openAnew(file: string): number {
  for (let left = TRIES; ; left--) {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isFile() === false) return openSync(file, 'w+'); // a device, which is nobody's own
    rmSync(file, { force: true });
    try {
      return openSync(file, 'wx+');
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || left === 0) throw error;
    }
  }
}

/** Whether the name is still that of the open file. */
function isAt(file: string, fd: number): boolean {
  const [named, open] = [statSync(file, { throwIfNoEntry: false }), fstatSync(fd)];
  return named?.isFile() === true && named.ino === open.ino && named.dev === open.dev;
}

function readAt(fd: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const count = readSync(fd, bytes, at, length - at, offset + at);
    if (count === 0) throw new Error('it was cut short while in use');
    at += count;
  }
  return bytes.toString('latin1');
}

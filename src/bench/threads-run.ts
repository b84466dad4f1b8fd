/** Several programs on threads of their own as one run: what the time of such a rank is. */
import { startThreads, type ThreadsRun } from '../engine/threads.js';
import type { Advanced, AdvanceOptions, Program, Run } from '../engine/types.js';

/** Its seconds and its samples are means over the threads. */
export class MeanOfThreads implements Run {
  readonly #threads: ThreadsRun;
  readonly #count: number;

  constructor(threads: ThreadsRun, count: number) {
    this.#threads = threads;
    this.#count = count;
  }

  get iterations(): number {
    return this.#threads.iterations;
  }

  warmUp(iterations: number): void {
    this.#threads.warmUp(iterations);
  }

  advance(options: AdvanceOptions): Advanced {
    const { iterations, samples, leadIn = 0 } = options;
    const each = Array.from({ length: this.#count }, () => new Float64Array(iterations).fill(0));
    const all = this.#threads.advance({ iterations, leadIn, samples: each });
    const mean = (of: (thread: number) => number): number =>
      each.reduce((sum, _, thread) => sum + of(thread), 0) / this.#count;
    samples?.forEach((_, i) => (samples[i] = mean((thread) => each[thread]?.[i] ?? NaN)));
    return { iterations, seconds: mean((thread) => all[thread]?.seconds ?? NaN), samples: samples ? iterations : 0 };
  }

  /** Threads are not split. */
  split(): Float64Array {
    return new Float64Array(0);
  }

  finish(): void {
    this.#threads.finish();
  }
}

/** Starts one native thread per program; see `startThreads`. */
export function startOnThreads(programs: readonly Program[]): Run {
  return new MeanOfThreads(startThreads(programs), programs.length);
}

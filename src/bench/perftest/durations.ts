/** How long runs go on that end by the clock, and how many iterations a call of the executor has. */
import { sampleSeconds } from './figures.js';
import type { Job } from './job.js';

/** Seconds of a call of the executor: what a margin may be off by. */
const CALL_SECONDS = 0.02;
/** How much longer a call is than the one before, at most: the first messages of a stream take less than the others. */
const GROWTH = 16;
export const MOST_SAMPLES = 65_536;
/** Seconds of a row of an endless run. */
const ROW_SECONDS = 5;

/** Iterations of one call after the other. */
export class Calls {
  #next = 1;

  get next(): number {
    return this.#next;
  }

  took(iterations: number, seconds: number): void {
    const most = iterations * GROWTH;
    const wanted = seconds > 0 ? Math.ceil((CALL_SECONDS * iterations) / seconds) : most;
    this.#next = Math.max(1, Math.min(wanted, most, MOST_SAMPLES));
  }
}

export interface Duration {
  readonly seconds: number;
  readonly margin: number;
}

/** The parts of `-D`: only what lies between the margins counts. */
export class Period {
  readonly #begin: number;

  constructor(
    private readonly job: Job,
    private readonly duration: Duration,
  ) {
    this.#begin = job.tools.now();
  }

  get elapsed(): number {
    return this.job.tools.now() - this.#begin;
  }

  /** Whether the first margin is over. */
  get counts(): boolean {
    return this.elapsed >= this.duration.margin;
  }

  /** Whether what counts is over: the second margin has begun. */
  get counted(): boolean {
    return this.elapsed >= this.duration.margin + sampleSeconds(this.duration);
  }

  get over(): boolean {
    return this.elapsed >= this.duration.seconds;
  }
}

/** Seconds of a row. */
export const rowSeconds = ({ options }: Job): number => options.duration?.seconds ?? ROW_SECONDS;

/**
 * When to stop. Ranks agree at chunk boundaries, outside of what is timed: rank 0 asks its `Chunker` how many
 * iterations come next, all ranks run them, and 0 ends the row for all. Without a time limit or a target nothing needs
 * agreeing, since the answers depend on the count alone.
 */

/** Largest chunk, so that sample buffers stay small. */
export const CHUNK_LIMIT = 1_000_000;
/** First chunk under a time limit: one iteration may take long, and nothing is known yet. */
const FIRST_CHUNK = 8;
/** A chunk should take this long: long against an agreement, short against a budget. */
const CHUNK_SECONDS = 0.075;

/** With a target for the median a row has at least so many iterations: a few may agree by chance. */
export const FEWEST_FOR_TARGET = 30;
/** Whoever looks after each chunk would find a tight interval by chance sooner or later, and would sort for longer than it measures. */
const BETWEEN_CHECKS = 1.5;

/** The measuring budget of a whole run (`--time-limit`). */
export class TimeBudget {
  /** Seconds; undefined = no limit. */
  readonly limit: number | undefined;
  #spent = 0;

  constructor(limit: number | undefined) {
    this.limit = limit;
  }

  /** Counts time spent measuring: all of a chunk, its untimed parts and warm-up included. */
  spend(seconds: number): void {
    this.#spent += seconds;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Seconds left, Infinity without a limit. */
  get left(): number {
    return this.limit === undefined ? Infinity : Math.max(0, this.limit - this.#spent);
  }

  get exhausted(): boolean {
    return this.left === 0;
  }
}

export interface ChunkerOptions {
  /** Iterations of the row. */
  readonly iterations: number;
  readonly budget: TimeBudget;
  /** Largest chunk (default 10^6). */
  readonly limit?: number;
  /** Whether what was measured so far is sure enough (`--target-ci`); it ends the row before its iterations have run. */
  readonly enough?: () => boolean;
}

/** Decides, on rank 0, how one row is measured. */
export class Chunker {
  readonly #options: ChunkerOptions;
  readonly #limit: number;
  #done = 0;
  #last = 0;
  #lastSeconds = 0;
  #nextCheck = FEWEST_FOR_TARGET;
  #reached = false;

  constructor(options: ChunkerOptions) {
    this.#options = options;
    this.#limit = options.limit ?? CHUNK_LIMIT;
  }

  /** Iterations to run next; 0 = the row is over. A row that was started measures at least one chunk. */
  next(): number {
    const { iterations, budget, enough } = this.#options;
    const rest = Math.min(iterations - this.#done, this.#limit);
    if (budget.limit === undefined && !enough) return rest;
    if (this.#done === 0) return Math.min(FIRST_CHUNK, rest);
    if (budget.exhausted || this.#isEnough()) return 0;
    const wanted = Math.min(this.#wanted(budget.left), rest);
    return enough ? Math.min(wanted, this.#nextCheck - this.#done) : wanted;
  }

  /** Says what the chunk took on rank 0: wall-clock seconds. The budget is charged. */
  ran(iterations: number, seconds: number): void {
    this.#done += iterations;
    this.#last = iterations;
    this.#lastSeconds = seconds;
    this.#options.budget.spend(seconds);
  }

  /** Iterations run so far. */
  get done(): number {
    return this.#done;
  }

  /** What ended the row early. */
  get stopped(): 'time-limit' | 'target-ci' | undefined {
    if (this.#done >= this.#options.iterations) return undefined;
    if (this.#reached) return 'target-ci';
    return this.#options.budget.exhausted ? 'time-limit' : undefined;
  }

  /** Whether the row is as sure as it should be; true without a target. To be asked when the row is over. */
  get reached(): boolean {
    return this.#reached || (this.#options.enough?.() ?? true);
  }

  /** Looks when half as many iterations again have run as at the last time. */
  #isEnough(): boolean {
    const { enough } = this.#options;
    if (!enough || this.#done < this.#nextCheck) return false;
    this.#nextCheck = Math.ceil(this.#done * BETWEEN_CHECKS);
    this.#reached = enough();
    return this.#reached;
  }

  /** Twice the last chunk, but no more than fits into a chunk's time and into what is left of the budget; 1 at least. */
  #wanted(left: number): number {
    const perIteration = this.#lastSeconds / this.#last;
    const fitting = perIteration > 0 ? Math.floor(Math.min(CHUNK_SECONDS, left) / perIteration) : Infinity;
    return Math.max(1, Math.min(2 * this.#last, fitting));
  }
}

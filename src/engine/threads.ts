import { requireExisting } from './affinity.js';
import { checkAdvance, checkSamples, requireOperations, wholeNumber } from './arguments.js';
import { programLists } from './native-executor.js';
import { engine, type NativeThreads } from './native.js';
import type { Advanced, Program } from './types.js';

export interface ThreadsOptions {
  /** The core of each program's thread, by program; without it threads run where the process may. */
  readonly cpus?: readonly number[];
}

export interface ThreadsAdvanceOptions {
  /** How many iterations each program runs. */
  readonly iterations: number;
  /** One array of samples per program. */
  readonly samples?: readonly Float64Array[];
  readonly perSample?: number;
  /** Iterations before the measured ones, as in `AdvanceOptions`: each thread runs its own. */
  readonly leadIn?: number;
  /** Whether each thread runs its program's `closing` at the end, as in `AdvanceOptions`. */
  readonly close?: boolean;
}

/** Several started programs. Each call returns when all of them are done; the JavaScript thread waits. */
export interface ThreadsRun {
  warmUp(iterations: number): void;
  /** Runs all programs at once, beginning together; one result per program. The first failure ends them all. */
  advance(options: ThreadsAdvanceOptions): Advanced[];
  finish(): void;
  readonly iterations: number;
}

class NativeThreadsRun implements ThreadsRun {
  readonly #threads: NativeThreads;
  readonly #count: number;
  #ended: 'finished' | 'failed' | undefined;

  constructor(programs: readonly Program[], cpus: readonly number[]) {
    this.#count = programs.length;
    this.#threads = new (engine().Threads)(programs.map(programLists), cpus);
  }

  get iterations(): number {
    return this.#threads.iteration;
  }

  warmUp(iterations: number): void {
    wholeNumber(iterations, 'iterations');
    this.#attempt(() => {
      this.#threads.warmUp(iterations);
    });
  }

  advance(options: ThreadsAdvanceOptions): Advanced[] {
    const { iterations, perSample = 1, leadIn = 0, close = false } = options;
    checkAdvance({ iterations, perSample, leadIn });
    const samples = this.#checkSamples(options.samples, iterations / perSample);
    const seconds = this.#attempt(() => this.#threads.advance(iterations, samples, perSample, leadIn, close));
    const count = options.samples === undefined ? 0 : iterations / perSample;
    return seconds.map((value) => ({ iterations, seconds: value, samples: count }));
  }

  finish(): void {
    if (this.#ended === 'finished') return;
    try {
      if (this.#ended === undefined) this.#threads.drain();
    } finally {
      this.#ended = 'finished';
      this.#threads.close();
    }
  }

  #checkSamples(samples: readonly Float64Array[] | undefined, count: number): (Float64Array | undefined)[] {
    if (samples === undefined) return Array.from({ length: this.#count }, () => undefined);
    if (samples.length !== this.#count) {
      throw new RangeError(`there are ${samples.length} arrays of samples for ${this.#count} programs`);
    }
    for (const array of samples) checkSamples(array, count);
    return [...samples];
  }

  #attempt<T>(action: () => T): T {
    if (this.#ended !== undefined) throw new Error(`the run has ${this.#ended}: start a new one`);
    try {
      return action();
    } catch (error) {
      this.#ended = 'failed';
      throw error;
    }
  }
}

/**
 * Starts one native thread per program. Throws for operations that work on one thread only, for an operation in two
 * programs, and for cores that don't exist or may not be used.
 */
export function startThreads(programs: readonly Program[], options: ThreadsOptions = {}): ThreadsRun {
  if (programs.length === 0) throw new RangeError('there must be at least one program');
  programs.forEach(requireOperations);
  const cpus = options.cpus ?? [];
  if (options.cpus !== undefined && cpus.length !== programs.length) {
    throw new RangeError(`there are ${cpus.length} cores for ${programs.length} programs: name one for each`);
  }
  cpus.forEach((cpu) => wholeNumber(cpu, 'a core'));
  requireExisting(cpus);
  return new NativeThreadsRun(programs, cpus);
}

import { checkAdvance, requireOperations, wholeNumber } from './arguments.js';
import { engine, type Lists, type NativeProgram } from './native.js';
import type { Advanced, AdvanceOptions, Executor, Program, Run } from './types.js';

/** The lists of a program in the order in which the engine takes them. */
export function programLists(program: Program): Lists {
  const { timed, untimed, drain = [], closing = [] } = program;
  return [untimed?.before ?? [], timed, untimed?.after ?? [], drain, closing];
}

class NativeRun implements Run {
  readonly #program: NativeProgram;
  readonly #split: Float64Array;
  #ended: string | undefined;

  constructor(program: Program) {
    requireOperations(program);
    this.#program = new (engine().Program)(...programLists(program), program.split === true);
    this.#split = new Float64Array(program.split === true ? program.timed.length : 0);
  }

  get iterations(): number {
    return this.#program.iteration;
  }

  warmUp(iterations: number): void {
    wholeNumber(iterations, 'iterations');
    this.#attempt(() => this.#program.warmUp(iterations));
  }

  advance(options: AdvanceOptions): Advanced {
    const { iterations, perSample, leadIn, samples, count, close } = checkAdvance(options);
    const seconds = this.#attempt(() => this.#program.advance(iterations, samples, perSample, leadIn, close));
    return { iterations, seconds, samples: count };
  }

  split(): Float64Array {
    if (this.#split.length > 0 && this.#ended === undefined) this.#program.splitSeconds(this.#split);
    return this.#split.slice();
  }

  finish(): void {
    if (this.#ended === 'finished') return;
    try {
      if (this.#ended === undefined) this.#program.drain();
    } finally {
      this.#ended = 'finished';
      this.#program.close();
    }
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
 * Runs programs natively: all iterations of `advance` in one native call. A run that failed can only be finished, and is
 * then not drained, since what is in flight may never complete.
 */
export const nativeExecutor: Executor = { name: 'native', start: (program) => new NativeRun(program) };

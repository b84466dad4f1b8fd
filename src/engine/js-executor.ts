import { checkAdvance, requireOperations, wholeNumber } from './arguments.js';
import { engineClock } from './clock.js';
import { OperationError } from './errors.js';
import { compileLoop, type Loop } from './js-loop.js';
import { programLists } from './native-executor.js';
import { engine } from './native.js';
import type { Advanced, AdvanceOptions, Executor, Operation, Program, Run } from './types.js';

/** An operation in plain JavaScript, such as a mock's. */
export interface JsOperation extends Operation {
  /** Forgets what warm-up left behind. */
  reset?(): void;
}

/** What holds the operations of a run, and is told when they are being called. */
export interface HeldProgram {
  enter(): void;
  leave(): void;
  reset(): void;
  close(): void;
}

export interface JsExecutorOptions {
  readonly name: Executor['name'];
  /** Reads the clock, in seconds. */
  readonly now: () => number;
  /** Where the run's iteration is counted, for operations that look at it: its low and its high 32 bits. */
  readonly iteration?: Uint32Array;
  /** Checks and holds a program. By default its operations are plain JavaScript and nothing needs holding. */
  readonly hold?: (program: Program) => HeldProgram;
}

/** Holds nothing: for operations in plain JavaScript, which the program itself keeps alive. */
function holdPlain(program: Program): HeldProgram {
  const operations = new Set<JsOperation>(programLists(program).flat());
  const nothing = (): void => undefined;
  return {
    enter: nothing,
    leave: nothing,
    close: nothing,
    reset: () => {
      for (const operation of operations) operation.reset?.();
    },
  };
}

/** Iterations per call while warming up: code that V8 has compiled meanwhile is entered at the next call. */
const WARM_PIECE = 100;

class JsRun implements Run {
  readonly #loop: Loop;
  readonly #held: HeldProgram;
  readonly #program: Program;
  readonly #now: () => number;
  readonly #iteration: Uint32Array;
  readonly #scratch = new Float64Array(1);
  readonly #split: Float64Array;
  /** Takes what no figure is made of. */
  readonly #unwanted: Float64Array;
  #iterations = 0;
  #ended: 'finished' | 'failed' | undefined;

  constructor(program: Program, options: JsExecutorOptions) {
    requireOperations(program);
    this.#held = (options.hold ?? holdPlain)(program);
    this.#program = program;
    this.#loop = compileLoop(program);
    this.#split = new Float64Array(program.split === true ? program.timed.length : 0);
    this.#unwanted = new Float64Array(this.#split.length);
    this.#now = options.now;
    this.#iteration = options.iteration ?? new Uint32Array(2);
  }

  get iterations(): number {
    return this.#iterations;
  }

  warmUp(iterations: number): void {
    wholeNumber(iterations, 'iterations');
    this.#execute(() => this.#warm(iterations));
    this.#split.fill(0);
    this.#held.reset();
  }

  advance(options: AdvanceOptions): Advanced {
    const { iterations, perSample, leadIn, samples, count, close } = checkAdvance(options);
    const seconds = this.#execute(() => {
      this.#warm(leadIn);
      const timed =
        samples === undefined ? this.#run(1, iterations, this.#scratch) : this.#run(count, perSample, samples);
      return close ? timed + this.#close() : timed;
    });
    return { iterations, seconds, samples: count };
  }

  split(): Float64Array {
    return this.#split.slice();
  }

  finish(): void {
    if (this.#ended === 'finished') return;
    try {
      if (this.#ended === undefined) this.#execute(() => this.#drain());
    } finally {
      this.#ended = 'finished';
      this.#held.close();
    }
  }

  #run(groups: number, perSample: number, samples: Float64Array, split = this.#split): number {
    return this.#loop(groups, perSample, samples, this.#now, this.#iteration, split);
  }

  /** Runs the same loop in the same way as `advance` with samples: what V8 learns from it must stay true then. */
  #warm(iterations: number): number {
    const samples = new Float64Array(Math.min(iterations, WARM_PIECE));
    for (let left = iterations; left > 0; left -= samples.length) {
      this.#run(Math.min(left, samples.length), 1, samples, this.#unwanted);
    }
    return 0;
  }

  /** Returns the seconds that it took. */
  #close(): number {
    const { closing = [] } = this.#program;
    if (closing.length === 0) return 0;
    const start = this.#now();
    for (const operation of closing) operation();
    return this.#now() - start;
  }

  #drain(): number {
    for (const operation of this.#program.drain ?? []) operation();
    return 0;
  }

  /** Runs `action` with the run's iteration in place, and locates the failure if one comes. */
  #execute(action: () => number): number {
    if (this.#ended !== undefined) throw new Error(`the run has ${this.#ended}: start a new one`);
    const before = this.#iterations;
    this.#iteration[0] = before;
    this.#iteration[1] = Math.floor(before / 2 ** 32);
    try {
      this.#held.enter();
      return action();
    } catch (error) {
      this.#ended = 'failed';
      const iteration = this.#counted();
      throw error instanceof OperationError ? error.locate({ iteration, completed: iteration - before }) : error;
    } finally {
      this.#iterations = this.#counted();
      // What is called outside of a run is in iteration 0, whatever ran before.
      this.#iteration.fill(0);
      this.#held.leave();
    }
  }

  #counted(): number {
    return (this.#iteration[0] ?? 0) + (this.#iteration[1] ?? 0) * 2 ** 32;
  }
}

/**
 * An executor that calls every operation from JavaScript. Its operations may be native or plain functions with an
 * `operationName`; its clock is whatever `now` reads, so that a mock may bring a virtual one.
 */
export function makeJsExecutor(options: JsExecutorOptions): Executor {
  return { name: options.name, start: (program) => new JsRun(program, options) };
}

let shared: Executor | undefined;

/** The JavaScript executor over native operations, with the engine's clock. */
function nativeOperations(): Executor {
  shared ??= makeJsExecutor({
    name: 'js',
    now: engineClock(),
    iteration: new Uint32Array(engine().callIteration),
    hold: (program) => new (engine().Program)(...programLists(program), false),
  });
  return shared;
}

/**
 * V8 compiles a loop anew for each program, on a thread that shares the core of a bound rank; loops of 66 calls were steady
 * after 5000 to 6000 iterations.
 */
const STEADY_AFTER = 8000;

/** Runs the same programs as the native executor with one JavaScript call per operation: what a Node program would see. */
export const jsExecutor: Executor = {
  name: 'js',
  steadyAfter: STEADY_AFTER,
  start: (program) => nativeOperations().start(program),
};

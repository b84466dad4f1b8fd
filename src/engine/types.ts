/** What the engine's users see: operations, programs, runs, buffers. See ARCHITECTURE.md, "Operations and programs". */

/**
 * One communication call with everything it needs already bound. Calling it runs it once, and throws an
 * `OperationError` (or its stack's own subclass) on failure. Built by a stack (`src/mpi`, ...) or by the engine.
 */
export interface Operation {
  (): void;
  /** The field's name of the call, e.g. `MPI_Isend`. */
  readonly operationName: string;
}

/** A list of operations that the executor runs many times in one native call. */
export interface Program {
  /** What is measured, in order. */
  readonly timed: readonly Operation[];
  /** What runs between the timed parts and is not measured: before each of them, and after each of them. */
  readonly untimed?: { readonly before?: readonly Operation[]; readonly after?: readonly Operation[] };
  /**
   * Run once at the end of a call of `advance` that says `close`, and measured: flushes, and waits for the peer's last
   * acknowledgement, without which a bandwidth would be that of posting.
   */
  readonly closing?: readonly Operation[];
  /** Whether each timed operation's own time is wanted (`Run.split`), which takes a read of the clock after each of them. */
  readonly split?: boolean;
  /** Run once by `finish`, to complete what is still in flight. */
  readonly drain?: readonly Operation[];
}

export interface AdvanceOptions {
  /** How many iterations to run: a positive integer. */
  readonly iterations: number;
  /**
   * Where durations go, in seconds, one per iteration (or per `perSample` iterations), from index 0.
   * Its length must hold `iterations / perSample`. Without it only the total is measured: where the program has no
   * untimed part, by one read of the clock before the first and one after the last iteration.
   */
  readonly samples?: Float64Array;
  /** Iterations that share one sample (default 1), for operations far below the clock's resolution. Divides `iterations`. */
  readonly perSample?: number;
  /**
   * How many more iterations to run in the same call directly before the first read of the clock, with their untimed
   * parts (default 0). They leave no sample and are in no figure of `Advanced`, but `Run.iterations` counts them. After
   * anything between two calls (an exchange of results, JavaScript) they bring the ranks back into step, so that the
   * first sample doesn't hold the wait for the peer.
   */
  readonly leadIn?: number;
  /** Whether to run the program's `closing` after the last iteration: their time is in `seconds` and in no sample. */
  readonly close?: boolean;
}

export interface Advanced {
  /** Measured iterations of this call: without its lead-in. */
  readonly iterations: number;
  /** Sum of all timed parts of this call, in seconds. */
  readonly seconds: number;
  /** How many samples were written. */
  readonly samples: number;
}

/** A started program. State in flight lives on between calls of `advance`. */
export interface Run {
  /** Runs iterations that leave no figure, then resets every operation's counters. */
  warmUp(iterations: number): void;
  advance(options: AdvanceOptions): Advanced;
  /**
   * Seconds of each timed operation over all measured iterations since warm-up; empty where the program doesn't ask for it.
   */
  split(): Float64Array;
  /** Drains what is in flight and lets go of buffers and operations. */
  finish(): void;
  /** Iterations run so far, warm-up and lead-ins included. */
  readonly iterations: number;
}

/** Starts programs: the native executor, the JavaScript loop, or a mock with a virtual clock. */
export interface Executor {
  readonly name: 'native' | 'js' | 'mock';
  /** Iterations after which the executor itself has reached its speed; undefined = from the first one. */
  readonly steadyAfter?: number;
  start(program: Program): Run;
}

/** How time is measured. */
export interface ClockInfo {
  readonly source: 'tsc' | 'cntvct' | 'clock_gettime';
  /** Ticks per second after calibration. */
  readonly frequency: number;
  /** Smallest step seen between two reads that differ, in seconds. */
  readonly resolution: number;
  /** Median cost of one read, in seconds. */
  readonly readCost: number;
}

/** Memory that a native stack may read or write: an engine buffer, or any view or buffer of JavaScript's own. */
export type Bytes = import('./buffer.js').EngineBuffer | ArrayBufferView | ArrayBuffer;

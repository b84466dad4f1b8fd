/** What is known of an operation's failure. */
export interface OperationFailure {
  /** Name of the operation, e.g. `MPI_Isend`. */
  readonly operation: string;
  /** Stack whose code it is: `mpi`, `engine`, ... */
  readonly stackName: string;
  readonly code: number;
  /** The code in the stack's own words. */
  readonly text: string;
  /** Iteration of the run in which it failed, from 0, warm-up included. Absent for a call outside a run. */
  readonly iteration?: number;
  /** Iterations that the failing call of `advance` completed, its lead-in included. */
  readonly completed?: number;
  /** Index of the program that failed, where several run on several threads. */
  readonly thread?: number;
}

function sentence(failure: OperationFailure): string {
  const where = failure.iteration === undefined ? '' : ` in iteration ${failure.iteration}`;
  const thread = failure.thread === undefined || failure.thread === 0 ? '' : ` of thread ${failure.thread}`;
  return `${failure.operation} failed${where}${thread}: ${failure.text} (${failure.stackName} code ${failure.code})`;
}

/** An operation failed. `stackName` names the stack (`mpi`, ...) that `code` belongs to; `stack` is JavaScript's trace. */
export class OperationError extends Error {
  override name = 'OperationError';
  readonly operation: string;
  readonly stackName: string;
  readonly code: number;
  readonly text: string;
  declare iteration?: number;
  declare completed?: number;
  declare thread?: number;

  constructor(failure: OperationFailure, options?: ErrorOptions) {
    super(sentence(failure), options);
    this.operation = failure.operation;
    this.stackName = failure.stackName;
    this.code = failure.code;
    this.text = failure.text;
    if (failure.iteration !== undefined) this.iteration = failure.iteration;
    if (failure.completed !== undefined) this.completed = failure.completed;
    if (failure.thread !== undefined) this.thread = failure.thread;
  }

  /** Adds where in a run it happened, for an error that came out of a single call. Returns this error. */
  locate(place: { readonly iteration: number; readonly completed: number }): this {
    this.iteration = place.iteration;
    this.completed = place.completed;
    this.message = sentence(this);
    return this;
  }
}

/** A native addon could not be loaded; the message names stack, cause and mend. */
export class LoadError extends Error {
  override name = 'LoadError';
  constructor(
    message: string,
    /** The addon's name, e.g. `mpi-openmpi`. */
    readonly addon: string,
    /**
     * The file is missing, a library that it needs is missing, what was asked for or launched with can't be had whatever
     * this host has, or anything else.
     */
    readonly reason: 'not-built' | 'library' | 'choice' | 'other',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

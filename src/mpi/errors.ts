import { OperationError, type OperationFailure } from '../engine/errors.js';

/** What is known of an MPI call's failure. */
export interface MpiFailure extends OperationFailure {
  /** MPI's error class of the code. */
  readonly class: number;
  /** Its name, e.g. `MPI_ERR_RANK`. */
  readonly className: string;
}

/** An MPI call failed. `code` is what it returned, `text` says it in MPI's own words, `operation` names the call. */
export class MpiError extends OperationError {
  override name = 'MpiError';
  readonly class: number;
  readonly className: string;

  constructor(failure: MpiFailure, options?: ErrorOptions) {
    super(failure, options);
    this.class = failure.class;
    this.className = failure.className;
  }
}

/** The MPI in use does not have what was asked for; the message says what, and which MPI has it. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError';
}

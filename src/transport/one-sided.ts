/** The one-sided part of the transport seam: memory that a peer exposes, and what reads and writes it from here. */
import type { Bytes, Operation } from '../engine/types.js';
import type { Rendezvous } from '../rendezvous/types.js';

/** How a stack comes by the memory that it exposes, as OMB's `-w` names it. */
export const windowCreations = ['create', 'allocate', 'dynamic'] as const;
export type WindowCreation = (typeof windowCreations)[number];

export interface OneSidedOptions {
  /** Rank of the peer in the run. */
  readonly peer: number;
  /** The stack's own name of the element type, e.g. `MPI_CHAR`. */
  readonly datatype: string;
  /** Bytes that this rank and the peer each expose. */
  readonly bytes: number;
  readonly creation: WindowCreation;
}

/** What making a channel needs to let the peer know where the memory is. */
export type Meeting = Pick<Rendezvous, 'allgather'>;

/**
 * One-sided access to the memory of one peer. Every method builds an operation and moves nothing itself. Sizes and offsets
 * are bytes; offsets count from the beginning of the peer's exposed memory, and what would go beyond its end is refused.
 *
 * Operations on data are complete when one of those that synchronise has run after them, as in MPI: until then neither
 * their buffers nor the peer's memory may be looked at. Making a channel and closing it is collective: all ranks of the run
 * take part, at the same time.
 */
export interface OneSidedChannel {
  /** What this rank exposes: zero at first, its pages touched. */
  readonly exposed: Bytes;
  /** Writes the first `size` bytes of the origin to the peer. */
  put(origin: Bytes, size: number, offset?: number): Operation;
  /** Reads `size` bytes of the peer into the origin. */
  get(origin: Bytes, size: number, offset?: number): Operation;
  /** `window` puts in one operation: slot i is the `size` bytes at `i * size`, on both sides. */
  putWindow(origin: Bytes, size: number, window: number): Operation;
  /** `window` gets in one operation, likewise. */
  getWindow(origin: Bytes, size: number, window: number): Operation;
  /** Adds the origin's elements to the peer's. */
  accumulate(origin: Bytes, size: number, offset?: number): Operation;
  /** The same, and reads into `result` what the peer had before. */
  getAccumulate(origin: Bytes, result: Bytes, size: number, offset?: number): Operation;
  /** Adds one element to the peer's, and reads into `result` what it was before. */
  fetchAndOp(origin: Bytes, result: Bytes, offset?: number): Operation;
  /** Writes one element where the peer's is equal to `compare`; reads into `result` what it was before. */
  compareAndSwap(origin: Bytes, compare: Bytes, result: Bytes, offset?: number): Operation;

  /** Begins access to the peer; by default others may have access at the same time. */
  lock(kind?: 'shared' | 'exclusive'): Operation;
  /** Ends it: all is complete, here and there. */
  unlock(): Operation;
  /** Begins access to all ranks. */
  lockAll(): Operation;
  unlockAll(): Operation;
  /** Under a lock: all is complete, here and there. */
  flush(): Operation;
  /** Under a lock: buffers here may be looked at and used again. */
  flushLocal(): Operation;
  /** On all ranks: completes all before it, and begins the next access. */
  fence(): Operation;
  /** Lets the peer in, until its `complete`. */
  post(): Operation;
  /** Begins access to the peer once it has posted. */
  start(): Operation;
  /** Ends it. */
  complete(): Operation;
  /** Waits for the peer's `complete`. */
  wait(): Operation;

  /**
   * Frees the window and the exposed memory. Operations that use the memory, such as a check, must have been released
   * before. Those of the channel fail from now on, and let go of their buffers.
   */
  close(): void;
}

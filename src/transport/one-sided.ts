/** One-sided channels: what one rank does to the memory of another. */
import type { EngineBuffer } from '../engine/buffer.js';
import type { Bytes, Operation } from '../engine/types.js';

/** How memory is exposed: memory of ours, memory of the stack's, or memory attached later. */
export type Creation = 'create' | 'allocate' | 'dynamic';

export interface OneSidedOptions {
  /** Rank of the peer in the run. */
  readonly peer: number;
  /** The stack's own name of the element type. */
  readonly datatype: string;
  /** Bytes that each rank exposes. */
  readonly bytes: number;
  readonly creation: Creation;
}

/**
 * This rank's memory exposed, and access to the peer's. Every method builds an operation and moves nothing itself. Offsets
 * are bytes from the start of the peer's memory.
 */
export interface OneSidedChannel {
  /** What this rank exposes. */
  readonly exposed: Bytes;
  put(origin: EngineBuffer, size: number, offset: number): Operation;
  get(origin: EngineBuffer, size: number, offset: number): Operation;
  /** `window` puts in one operation: message i lies at i x size in both memories. */
  putWindow(origin: EngineBuffer, size: number, window: number): Operation;
  getWindow(origin: EngineBuffer, size: number, window: number): Operation;
  /** Adds the origin's elements to the peer's. */
  accumulate(origin: EngineBuffer, size: number, offset: number): Operation;
  /** The same, and brings what was there before. */
  getAccumulate(origin: EngineBuffer, result: EngineBuffer, size: number, offset: number): Operation;
  /** Puts one element where the peer has another one, and brings what was there before. */
  compareAndSwap(origin: EngineBuffer, compare: EngineBuffer, result: EngineBuffer, offset: number): Operation;
  /** Adds one element to the peer's, and brings what was there before. */
  fetchAndOp(origin: EngineBuffer, result: EngineBuffer, offset: number): Operation;

  /** A shared lock on the peer's memory, and its end. */
  lock(): Operation;
  unlock(): Operation;
  lockAll(): Operation;
  unlockAll(): Operation;
  /** Completes what this rank started, at the peer. */
  flush(): Operation;
  /** Completes it at this rank: its buffers are free again. */
  flushLocal(): Operation;
  fence(): Operation;
  /** Exposes this rank's memory to the peer for an epoch, and waits for the epoch's end. */
  post(): Operation;
  wait(): Operation;
  /** Opens an epoch of access to the peer's memory, and ends it. */
  start(): Operation;
  complete(): Operation;
  /** Gives the memory back; every rank calls it together, once the channel's operations have been released. */
  close(): void;
}

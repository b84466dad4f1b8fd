/** What bindings of UCP and UCT have in common. */
import type { EngineBuffer } from '../engine/buffer.js';
import type { Bytes, Operation } from '../engine/types.js';

/**
 * Counts the calls of one kind that are in flight. Operations that post a call wait, with progress, while `limit` are in
 * flight already; `complete` waits for all of them. A call that completes with an error makes the next operation that uses
 * the counter fail with it.
 */
export interface InFlight {
  /** Calls in flight now. */
  readonly count: number;
  /** Calls that may be in flight at once; at least 1. */
  readonly limit: number;
}

/** Counts messages that an active message handler has taken. */
export interface Messages {
  /** Messages taken since the handler was set. */
  readonly arrived: number;
  /** Takes the handler away. Its operations must have been released. */
  close(): void;
}

/** Memory that a context or memory domain has allocated or registered. */
export interface Memory {
  /** The bytes, where UCX allocated them; freed by `free`. */
  readonly buffer: EngineBuffer | null;
  /** Address in this process: what a peer gives as remote address. */
  readonly address: bigint;
  readonly length: number;
  /** What a peer unpacks to access it; empty where none is needed. */
  packKey(): Uint8Array;
  /** Deregisters it, and frees it where UCX allocated it. Throws while an operation holds it. */
  free(): void;
}

/** What a list of pieces of one message is made of: entry i begins `stride` bytes after entry i-1 (0: they are adjacent). */
export interface Pieces {
  readonly lengths: readonly number[];
  readonly stride: number;
}

/** A remote place that one-sided calls work on. */
export interface Remote<Key> {
  readonly address: bigint;
  readonly key: Key;
}

/** Atomic operations that need no more than one operand. */
export type AtomicName = 'add' | 'and' | 'or' | 'xor' | 'swap' | 'cswap';

export interface AtomicRequest<Endpoint, Key> {
  readonly endpoint: Endpoint;
  readonly remote: Remote<Key>;
  readonly name: AtomicName;
  /** Bytes of the word. */
  readonly size: 4 | 8;
  /** Operand: what is added, or put in place. */
  readonly value: bigint;
  /** Of cswap alone: what the word must hold. */
  readonly compare?: bigint;
  /** Takes the old value, for the fetching forms; without it the call is posted. swap and cswap need it. */
  readonly result?: Bytes;
  readonly inFlight: InFlight;
}

/**
 * A byte in memory that a peer writes with sequence numbers: each execution of the operation waits until it holds the next
 * one (1, 2, ... 255, 0, 1, ...). The numbers are not reset after warm-up, since those of the peer aren't.
 */
export interface ByteRequest {
  readonly buffer: Bytes;
  /** Index of the byte. */
  readonly offset: number;
}

/**
 * A two-sided channel of messages between two processes, matched in the order in which they were sent; `Channel` of
 * src/transport/types.ts is laid over it. Methods return operations.
 */
export interface MessageChannel {
  /** Sends, and waits until the buffer may be used again. */
  send(buffer: Bytes, size: number): Operation;
  /** Receives a message of exactly `size` bytes. */
  receive(buffer: Bytes, size: number): Operation;
  /** Starts `window` sends of `buffers[i % buffers.length]`; `completeSends` waits for all that were started. */
  startSends(buffers: readonly Bytes[], size: number, window: number): Operation;
  startReceives(buffers: readonly Bytes[], size: number, window: number): Operation;
  completeSends(): Operation;
  completeReceives(): Operation;
  /** Its operations must have been released. */
  close(): void;
}

export type { Bytes, EngineBuffer, Operation };

/**
 * The transport seam: how bytes move. Kernels see channels and buffers and never a stack; a stack gives channels: two-sided
 * ones here, one-sided ones in one-sided.ts.
 */
import type { EngineBuffer } from '../engine/buffer.js';
import type { Operation } from '../engine/types.js';
import type { Meeting, OneSidedChannel, OneSidedOptions } from './one-sided.js';

/** How the bytes of a message lie in memory: all of them, or a derived datatype of blocks with gaps. */
export type Layout =
  | { readonly kind: 'cont' }
  | { readonly kind: 'vect'; readonly stride: number; readonly block: number }
  | {
      readonly kind: 'indx';
      readonly file: string;
      readonly blocks: readonly { length: number; displacement: number }[];
    };

export interface ChannelOptions {
  /** Rank of the peer in the run. */
  readonly peer: number;
  /** The stack's own name of the element type, e.g. `MPI_CHAR`. */
  readonly datatype: string;
  /** Derived layout, or none for plain contiguous elements. */
  readonly layout?: Layout;
}

/** Sends and receives between this rank and one peer. Every method builds an operation and moves nothing itself. */
export interface Channel {
  /** Blocking send of `size` bytes from the start of the buffer. */
  send(buffer: EngineBuffer, size: number): Operation;
  /** Blocking receive of `size` bytes. */
  receive(buffer: EngineBuffer, size: number): Operation;
  /** Starts `window` sends (one operation), from `buffers[i % buffers.length]`. `completeSends` waits for all of them. */
  startSends(buffers: readonly EngineBuffer[], size: number, window: number): Operation;
  /** Starts `window` receives (one operation), into `buffers[i % buffers.length]`. */
  startReceives(buffers: readonly EngineBuffer[], size: number, window: number): Operation;
  completeSends(): Operation;
  completeReceives(): Operation;
  /** Bytes that really move for a message of `size` bytes under this channel's layout. */
  transmitSize(size: number): number;
  /** Frees datatypes and requests. */
  close(): void;
}

export interface Transport {
  /** Name of the layer in records and messages, e.g. `mpi`. */
  readonly layer: string;
  channel(options: ChannelOptions): Channel;
  /** A one-sided channel, where the stack has such. Collective: all ranks of the run take part, each with its own peer. */
  oneSided?(options: OneSidedOptions, meeting: Meeting): OneSidedChannel;
  /** A barrier of all ranks as an operation, for untimed parts. */
  barrier(): Operation;
  /** Page-aligned memory of this transport, its pages touched. */
  allocate(byteLength: number): EngineBuffer;
  /** Element types this transport can move: name and bytes per element. */
  readonly datatypes: ReadonlyMap<string, number>;
}

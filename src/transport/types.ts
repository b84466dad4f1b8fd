/**
 * The transport seam: how bytes move. Kernels see channels and buffers and never a stack; a stack gives channels: two-sided
 * ones here, one-sided ones in one-sided.ts.
 */
import type { EngineBuffer } from '../engine/buffer.js';
import type { Operation } from '../engine/types.js';
import type { Meeting, OneSidedChannel, OneSidedOptions } from './one-sided.js';
import type { CollectiveName, Neighbours, Shape } from './collective-shapes.js';

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
  /** Keeps its messages apart from those of other channels between the two ranks. */
  readonly tag?: number;
}

/** What is started by one operation and completed by another. */
export interface Started {
  readonly start: Operation;
  readonly wait: Operation;
  /** Makes an operation that tests once whether it is complete. */
  test(): Operation;
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
  /** Makes `window` persistent sends from `buffers[i % buffers.length]`, which are started and waited for together. */
  prepareSends(buffers: readonly EngineBuffer[], size: number, window: number): Started;
  /** Makes `window` persistent receives, likewise. */
  prepareReceives(buffers: readonly EngineBuffer[], size: number, window: number): Started;
  /** Bytes that really move for a message of `size` bytes under this channel's layout. */
  transmitSize(size: number): number;
  /** Frees datatypes and requests. */
  close(): void;
}

export interface CollectiveOptions {
  readonly name: CollectiveName;
  /** Bytes: of a vector for reductions and bcast, of a rank's block for others; 0 for a barrier. */
  readonly size: number;
  readonly datatype: string;
  readonly layout?: Layout;
  readonly root: number;
  readonly inPlace: boolean;
  /** Of neighbourhood collectives. */
  readonly neighbours?: Neighbours;
}

/** Buffers as large as the collective's shape says; null where it says 0 bytes. */
export interface CollectiveBuffers {
  readonly send: EngineBuffer | null;
  readonly receive: EngineBuffer | null;
}

/** A collective of all ranks. Every method builds operations; only `prepare` calls the stack, on all ranks together. */
export interface Collective {
  readonly shape: Shape;
  /** Bytes that really move for a block under the layout. */
  readonly transmitSize: number;
  /** The blocking form. */
  run(buffers: CollectiveBuffers): Operation;
  /**
   * The non-blocking form. What is started `like` another, which may be another collective's, shares its request, and with
   * it `wait` and `test`: never start both at once.
   */
  start(buffers: CollectiveBuffers, like?: Started): Started;
  /** The persistent form, initialised. */
  prepare(buffers: CollectiveBuffers): Started;
  /** Frees datatypes and requests; its operations must have been released. */
  close(): void;
}

/** A call that the stack's version doesn't have. */
export class MissingCall extends Error {
  /** @param version of the standard that the library follows */
  constructor(call: string, version: string) {
    super(
      `${call} is not in this MPI, which follows MPI-${version}: run it with one that follows MPI-4, such as MPICH 4`,
    );
    this.name = 'MissingCall';
  }
}

export interface Transport {
  /** Name of the layer in records and messages, e.g. `mpi`. */
  readonly layer: string;
  /** Bytes of the longest message; undefined = any. */
  readonly largest?: number;
  channel(options: ChannelOptions): Channel;
  collective(options: CollectiveOptions): Collective;
  /** A one-sided channel, where the stack has such. Collective: all ranks of the run take part, each with its own peer. */
  oneSided?(options: OneSidedOptions, meeting: Meeting): OneSidedChannel;
  /**
   * A barrier of all ranks as an operation, for untimed parts: the stack's own, or by the dissemination algorithm over
   * point-to-point messages, whatever the stack's does.
   */
  barrier(kind?: 'barrier' | 'dissemination'): Operation;
  /** Page-aligned memory of this transport, its pages touched. */
  allocate(byteLength: number): EngineBuffer;
  /** Element types this transport can move: name and bytes per element. */
  readonly datatypes: ReadonlyMap<string, number>;
}

import { loadAddon, type CancelWord } from './load.js';
import type { OperationError } from './errors.js';
import type { ClockInfo, Operation } from './types.js';

/** A program held by the engine, as csrc/engine/program.cc exports it. Arguments are not checked there. */
export interface NativeProgram {
  /** Returns seconds. */
  advance(
    iterations: number,
    samples: Float64Array | undefined,
    perSample: number,
    leadIn: number,
    close: boolean,
  ): number;
  warmUp(iterations: number): void;
  /** Fills in the seconds of each timed operation; a program without `split` leaves them as they are. */
  splitSeconds(seconds: Float64Array): void;
  reset(): void;
  drain(): void;
  /** Lets go of the operations. */
  close(): void;
  /** From here to `leave` the operations are called from JavaScript: they see the iteration in `callIteration`. */
  enter(): void;
  leave(): void;
  readonly iteration: number;
}

/** Several programs on as many threads, as csrc/engine/threads_js.cc exports it. */
export interface NativeThreads {
  /** Returns seconds by program. */
  advance(
    iterations: number,
    samples: readonly (Float64Array | undefined)[],
    perSample: number,
    leadIn: number,
    close: boolean,
  ): number[];
  warmUp(iterations: number): void;
  drain(): void;
  close(): void;
  readonly iteration: number;
}

/** A control connection, as csrc/engine/control_js.cc exports it. What it throws has a property `reason`. */
export interface NativeConnection {
  readonly peer: string;
  readonly lost: string | null;
  send(text: string): void;
  /** Waits for ever where `seconds` is negative. */
  receive(seconds: number): string;
  abort(text: string): void;
  close(): void;
  signal(): Operation;
  signalled(): Operation;
}

export interface NativeListener {
  readonly port: number;
  /** Null once `seconds` have passed; waits for ever where they are negative. */
  accept(seconds: number): NativeConnection | null;
  acceptRaw(seconds: number): NativeRawConnection | null;
  close(): void;
}

/** A connection of bytes, as csrc/engine/raw_js.cc exports it. Negative seconds are for ever. */
export interface NativeRawConnection {
  readonly peer: string;
  readonly lost: string | null;
  write(bytes: Uint8Array, seconds: number): void;
  read(length: number, seconds: number): Uint8Array;
  watch(on: boolean): void;
  close(): void;
}

/** Segments of shared memory, as csrc/engine/shm_js.cc exports them. `line` is an index among those to the peer. */
export interface NativeShmSegments {
  /** Of this rank's file; empty once it is unlinked. */
  readonly path: string;
  open(paths: readonly string[]): void;
  unlink(): void;
  prepare(peer: number, line: number): void;
  forget(peer: number, line: number): void;
  send(peer: number, line: number, buffers: readonly unknown[], size: number): Operation;
  receive(peer: number, line: number, buffers: readonly unknown[], size: number): Operation;
  startSends(peer: number, line: number, buffers: readonly unknown[], size: number, window: number): Operation;
  startReceives(peer: number, line: number, buffers: readonly unknown[], size: number, window: number): Operation;
  completeSends(peer: number, line: number): Operation;
  completeReceives(peer: number, line: number): Operation;
}

/** What numbers to fill or to check, after the buffer: offset and length in bytes, first in elements. */
export type NumberArguments = [
  type: string,
  offset: number,
  length: number,
  first: number,
  slot: number,
  senders: number,
  sender: number,
];

/** A program's lists in the order in which the engine takes them. */
export type Lists = [
  before: readonly Operation[],
  timed: readonly Operation[],
  after: readonly Operation[],
  drain: readonly Operation[],
  closing: readonly Operation[],
];

/** What engine.node exports. Only the files of src/engine call it; they check every argument first. */
export interface NativeEngine {
  setErrorClass(constructor: typeof OperationError): void;
  setCancelWord(word: CancelWord): void;
  /** Where the flag is that ends all runs. */
  readonly cancelWord: CancelWord;
  cancelRuns(reason: string): void;
  clearCancel(): void;

  readonly Program: new (...program: [...lists: Lists, split: boolean]) => NativeProgram;
  readonly Threads: new (programs: readonly Lists[], cpus: readonly number[]) => NativeThreads;
  readonly ControlListener: new (port: number, ipv6: boolean) => NativeListener;
  controlConnect(host: string, port: number, ipv6: boolean, seconds: number, source: string): NativeConnection;
  /** Takes over a local socket behind which `peer` is. */
  controlAdopt(fd: number, peer: string): NativeConnection;
  rawConnect(host: string, port: number, ipv6: boolean, seconds: number, source: string): NativeRawConnection;
  readonly ShmSegments: new (rank: number, ranks: number) => NativeShmSegments;
  /** How many lines there may be between two ranks at the same time. */
  readonly shmLines: number;

  /** Reads the clock: its seconds then stand in `stamped`. */
  readonly stamp: () => void;
  readonly stamped: ArrayBuffer;
  readonly callIteration: ArrayBuffer;
  calibrateClock(): void;
  clockInfo(): ClockInfo;
  clockTicks(): number;

  bufferAllocate(object: object, byteLength: number, alignment: number): void;
  bufferView(object: object, offset: number, length: number): ArrayBuffer;
  bufferAddress(object: object): bigint;
  bufferUsers(object: object): number;
  bufferFree(object: object, views: readonly ArrayBuffer[]): void;

  noop(): Operation;
  fill(bytes: unknown, offset: number, length: number, sender: number, slot: number): Operation;
  check(bytes: unknown, offset: number, blocks: Float64Array, sender: number, slot: number): Operation;
  checkResult(operation: Operation): unknown;
  copy(from: unknown, to: unknown, length: number): Operation;
  repeat(operations: readonly Operation[], times: number): Operation;
  /** The test comes first. */
  until(operations: readonly Operation[], every: number): Operation;
  rotate(operations: readonly Operation[]): Operation;
  /** The test alone; counts and seconds go to `notes`. */
  collect(test: readonly Operation[], notes: Float64Array, from: number, to: number): Operation;
  pace(seconds: number, every: number): Operation;
  numberTypes(): Readonly<Record<string, number>>;
  fillNumbers(bytes: unknown, ...numbers: NumberArguments): Operation;
  checkNumbers(bytes: unknown, ...numbers: NumberArguments): Operation;
  checkReduction(bytes: unknown, ...numbers: NumberArguments): Operation;
  /** Units of work per second. */
  calibrateCompute(): number;
  compute(units: number): Operation;
  timestamp(array: Float64Array, ticks: number, frequency: number): Operation;
  releaseOperation(operation: Operation): void;

  getAffinity(thread: number): number[];
  setAffinity(thread: number, cpus: readonly number[]): number;
  currentCpu(): number;
  /** Returns 0 or the errno. */
  setMemoryPolicy(nodes: readonly number[]): number;
  /** The kernel's number of the mode, then nodes; empty where it doesn't tell. */
  memoryPolicy(): number[];

  watchdogStart(limit: number, said: string, rank: number): void;
  watchdogContext(text: string): void;
  watchdogKick(): void;
  watchdogArm(armed: boolean): void;
  watchdogStop(): void;
}

let loaded: NativeEngine | undefined;

/** engine.node, loaded on first use. Throws `LoadError`. */
export function engine(): NativeEngine {
  loaded ??= loadAddon('engine') as NativeEngine;
  return loaded;
}

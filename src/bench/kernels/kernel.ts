import type { EngineBuffer } from '../../engine/buffer.js';
import type { Operation } from '../../engine/types.js';
import type { Channel } from '../../transport/types.js';

/** What a kernel builds its operations from, on one rank and for one row of the table. */
export interface KernelContext {
  /** `first` is the lower rank of a pair: the one that starts. */
  readonly role: 'first' | 'second';
  /** Data to and from the peer, in the row's datatype and layout. */
  readonly channel: Channel;
  /** Acknowledgements to and from the peer: plain bytes, whatever the datatype. */
  readonly control: Channel;
  readonly buffers: {
    /** One buffer, or one per message of the window (`-b multiple`). */
    readonly send: readonly [EngineBuffer, ...EngineBuffer[]];
    readonly receive: readonly [EngineBuffer, ...EngineBuffer[]];
    /** A few bytes for acknowledgements. */
    readonly control: EngineBuffer;
  };
  /** Bytes per message. */
  readonly size: number;
  /** Messages per iteration. */
  readonly window: number;
}

/** What a kernel does per iteration on one rank. */
export interface KernelProgram {
  readonly timed: readonly Operation[];
  /** Whether this rank's send buffers go out, and whether data arrives in its receive buffers: what validation fills and checks. */
  readonly sends: boolean;
  readonly receives: boolean;
  /** Completes what `timed` leaves in flight. */
  readonly drain?: readonly Operation[];
}

/** What a figure is computed from. */
export interface Measured {
  /** Mean over the timing ranks of each one's sum of timed parts, in seconds. */
  readonly seconds: number;
  readonly iterations: number;
  readonly size: number;
  readonly window: number;
  readonly pairs: number;
}

/** Figures in SI units: seconds, bytes per second, messages per second. */
export type Figures = Readonly<Record<string, { readonly value: number; readonly unit: 's' | 'B/s' | '1/s' }>>;

/** A communication pattern: what each rank of a pair does, and what the time says. */
export interface Kernel {
  readonly name: string;
  program(context: KernelContext): KernelProgram;
  /** The figures of `iterations` iterations; of a single sample when `iterations` is 1. */
  figures(measured: Measured): Figures;
}

/** Declares a kernel; exists so that a kernel file is typed where it is written. */
export function defineKernel(kernel: Kernel): Kernel {
  return Object.freeze(kernel);
}

/** What a stream of messages of `size` bytes says, given its messages per second. */
export function streamFigures(rate: number, size: number): Figures {
  return { bandwidth: { value: rate * size, unit: 'B/s' }, rate: { value: rate, unit: '1/s' } };
}

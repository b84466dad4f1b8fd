import type { OsuOptions } from '../../cli/options.js';
import type { CheckOperation } from '../../engine/operations.js';
import type { Program } from '../../engine/types.js';
import type { Bench, RowTask } from '../row.js';

/** Times of one phase over the ranks whose times count, in seconds: of each rank's sum of timed parts. */
export interface Times {
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  readonly iterations: number;
}

/** What a figure is computed from. */
export interface Measured {
  /** Mean over the timing ranks of each one's sum of timed parts, in seconds. */
  readonly seconds: number;
  /** The smallest and the largest of those sums. */
  readonly least: number;
  readonly most: number;
  readonly iterations: number;
  readonly size: number;
  readonly window: number;
  readonly pairs: number;
  /** Calls that follow each other in one iteration: 2 where a target becomes the origin and answers, else 1. */
  readonly calls: number;
  /** Mean over the timing ranks of the seconds of each named part; empty for a single sample. */
  readonly parts: Readonly<Record<string, number>>;
  /** Phases before the last one, by name; empty for a single sample. */
  readonly earlier: Readonly<Record<string, Times>>;
}

/** Figures in SI units: seconds, bytes per second, messages per second; and per cent. */
export type Figures = Readonly<Record<string, { readonly value: number; readonly unit: 's' | 'B/s' | '1/s' | '%' }>>;

/** One run of a row: the same number of iterations on every rank. Most kernels have one. */
export interface Phase {
  readonly name: string;
  /**
   * What this rank does, several programs on threads of their own, or null where it only waits for the others. Built when
   * its turn comes: `earlier` are this rank's seconds per iteration in the phases before it.
   */
  program(earlier: readonly number[]): Program | readonly Program[] | null;
  /** Seconds of named parts of the timed part, given those of each operation (`Run.split`). */
  readonly parts?: (split: Float64Array) => Readonly<Record<string, number>>;
}

/** Begin and end of timed parts on this rank's clock, in seconds: the i-th part since the warm-up at i modulo the length. */
export interface Stamps {
  readonly begin: Float64Array;
  readonly end: Float64Array;
}

/** What a kernel laid out on one rank for one row. */
export interface Built {
  readonly phases: readonly Phase[];
  /** Whether this rank's times make the figures. */
  readonly times: boolean;
  /** Operations that looked at what arrived here. */
  readonly checks: readonly CheckOperation[];
  /** Bytes that really move for a message. */
  readonly transmitSize: number;
  /** Absolute begin and end of each timed part, in turn (`--per-repetition`). */
  readonly stamps?: Stamps;
  /** Gives memory back at once: large buffers can't wait for the garbage collector. Called after the last phase. */
  release(): void;
}

/** A communication pattern: what each rank does, and what the time says. Families (src/bench/families) make them. */
export interface Kernel {
  readonly name: string;
  /** Lays out one row on this rank. Every rank calls it together, and it may communicate. */
  build(task: RowTask, bench: Bench): Built;
  /** Of the iterations asked for, how many one iteration of the program stands for (default 1). */
  messages?(options: OsuOptions): number;
  /** Calls that follow each other in one iteration (default 1). */
  calls?(options: OsuOptions): number;
  /** The figures of `iterations` iterations; of a single sample when `iterations` is 1. */
  figures(measured: Measured): Figures;
}

/** What a stream of messages of `size` bytes says, given its messages per second. */
export function streamFigures(rate: number, size: number): Figures {
  return { bandwidth: { value: rate * size, unit: 'B/s' }, rate: { value: rate, unit: '1/s' } };
}

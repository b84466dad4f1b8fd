/**
 * What scan, map and congest share: a field of ranks on which rank 0 has small phases measured, one after the other, in one
 * job. A study talks to a `Field` alone, so that it runs over MPI and over simulated hosts alike.
 */
import type { LayerRequest } from '../cli/layer.js';
import type { Figures } from '../bench/kernels/kernel.js';

/** Two ranks of the field that talk to each other. The first keeps the time; of streams it is the sender. */
export type Pair = readonly [first: number, second: number];

/** How much is done. */
export interface Work {
  /** A program whose kernel is run, as `osu_latency`, `osu_bw`, `osu_bibw`, `osu_mbw_mr`, `osu_allreduce`. */
  readonly program: string;
  /** Bytes of a message. */
  readonly size: number;
  /** Messages of an iteration, of programs that have windows. */
  readonly window: number;
  readonly iterations: number;
  /** Iterations before those that are timed. */
  readonly warmup: number;
  /** Seconds after which a pair or part ends with what it has; undefined = it does all its iterations. */
  readonly limit?: number;
}

/** Pairs that measure at the same time, each alone with itself, on the communicator of all ranks. No rank is in two pairs. */
export interface PairStep extends Work {
  readonly kind: 'pairs';
  readonly pairs: readonly Pair[];
}

/** Ranks that work together on a communicator of their own, as if the program had been started on them alone. */
export interface Part extends Work {
  /** Ranks of the field; its i-th is rank i of the part. Programs of pairs pair i and i + half of them. */
  readonly ranks: readonly number[];
  /** What carries the messages; undefined = MPI. */
  readonly layer?: LayerRequest;
  /**
   * Does not count: it works, for as long as the parts that count need, from before their beginning; `iterations` are those
   * of its first chunk. Its figures are of all that it did.
   */
  readonly background?: true;
}

/** Parts that work at the same time. No rank is in two of them. */
export interface PartStep {
  readonly kind: 'parts';
  readonly parts: readonly Part[];
  /** Whether it is tried if the parts can be had at all: what MPI can't do is then a refusal, and no failure of the job. */
  readonly tries?: true;
  /** Whether samples of parts that count come along. */
  readonly samples?: true;
}

/** Every rank named streams to the one `by` places after it and receives from the one as many before it, all at once. */
export interface ShiftStep extends Omit<Work, 'program' | 'limit'> {
  readonly kind: 'shift';
  readonly ranks: readonly number[];
  /** 1 to one less than there are ranks. */
  readonly by: number;
}

export type Step = PairStep | PartStep | ShiftStep;

/** Seconds of one iteration over all that a rank timed; the bad end is the high one. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** What a rank whose times count saw of a step. */
export interface Summary {
  readonly rank: number;
  /** Iterations that were timed. */
  readonly iterations: number;
  /** Their sum. */
  readonly seconds: number;
  readonly spread: Spread;
}

export interface StepResult {
  /** In the order of ranks. */
  readonly summaries: readonly Summary[];
  /** By rank, of parts that count, where the step asks for them: seconds of each iteration. */
  readonly samples: ReadonlyMap<number, Float64Array>;
}

/** Ranks that measure what they are told to. Its methods are called on rank 0 alone. */
export interface Field {
  /** Ranks. */
  readonly size: number;
  /** Name of each rank's host. */
  readonly hosts: readonly string[];
  /** Switches above each rank's host, the highest first, where Slurm tells them. */
  readonly switches?: readonly (readonly string[])[];
  /** Seconds of a clock that only advances; the virtual one of a simulation. */
  now(): number;
  /** Measures one step; ranks that have no part in it keep still. Throws `Impossible` for what can't be had here. */
  run(step: Step): StepResult;
}

/** What a pair measured: the figures of its program, and those that single iterations would give. */
export interface PairResult {
  readonly pair: Pair;
  readonly iterations: number;
  /** Seconds that the timed iterations took. */
  readonly seconds: number;
  /** Of all iterations together. */
  readonly figures: Figures;
  /** The main figure (s, B/s): of all iterations, then of the best, the median, the slowest 10 %, 1 % and the worst. */
  readonly value: number;
  readonly best: number;
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
  readonly worst: number;
}

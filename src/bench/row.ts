/** Measures one row: has its kernel lay it out, warms up, runs timed chunks, and tells what was seen. */
import type { OsuOptions } from '../cli/options.js';
import { checkResult, type CheckOperation } from '../engine/operations.js';
import type { ClockBase } from '../engine/timestamp.js';
import type { Bytes, Executor, Operation, Run } from '../engine/types.js';
import { CounterTotals, type Counters, type CounterValue } from '../papi/index.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { Neighbours } from '../transport/collective-shapes.js';
import type { Layout, Transport } from '../transport/types.js';
import type { Nodes } from './nodes.js';
import { startOnThreads } from './threads-run.js';
import type { Built, Kernel, Phase, Stamps } from './kernels/kernel.js';

/** What a row's measuring needs of its surroundings. */
export interface Bench {
  readonly rendezvous: Rendezvous;
  readonly transport: Transport;
  readonly executor: Executor;
  /** Wall-clock time in seconds, for time limits. */
  readonly now: () => number;
  /** Hardware counters of this rank (`-P`). */
  readonly counters?: Counters;
  /** What this rank's absolute times are counted from (default: its own start). */
  readonly clockBase?: ClockBase;
  /** Turns a rank's clock into one that all ranks share, in seconds; undefined where they share theirs. */
  readonly globalTime?: (rank: number, seconds: number) => number;
  /** Ranks by node, for kernels between nodes. */
  readonly nodes?: Nodes;
  /** This rank's neighbours, where the transport has a topology. */
  readonly neighbours?: Neighbours;
  /** For tests: operations that run after each timed part and before the data is checked. */
  readonly tamper?: (place: TamperPlace) => readonly Operation[];
}

/** Where a test's own operations may meddle. */
export interface TamperPlace {
  readonly rank: number;
  readonly receive: readonly Bytes[];
  readonly size: number;
}

/** What is measured in one row. */
export interface RowTask {
  readonly kernel: Kernel;
  /** Barriers of all ranks before each timed part. */
  readonly barriers: number;
  readonly pairs: number;
  readonly size: number;
  readonly window: number;
  readonly datatype: string;
  readonly layout: Layout | undefined;
  /** One buffer per message of a window instead of one for all. */
  readonly manyBuffers: boolean;
  readonly warmup: number;
  /** Untimed repeats before each timed part, with every byte checked after it; undefined = no validation. */
  readonly validationWarmup: number | undefined;
  /** How many repetitions are stamped with their absolute begin and end before the first is overwritten; undefined = none. */
  readonly stamps: number | undefined;
  /** What else was asked for: a family takes what concerns it. */
  readonly options: OsuOptions;
}

/** One wrong byte, as the log of `-c log` tells it. */
export interface WrongBytes {
  readonly slot: number;
  readonly bytes: number;
  readonly iteration: number;
  readonly offset: number;
  readonly expected: number;
  readonly got: number;
}

/** What one phase took on this rank. */
export interface PhaseSeen {
  readonly name: string;
  readonly iterations: number;
  /** Sum of the timed parts. */
  readonly seconds: number;
  /** Seconds of named parts. */
  readonly parts: Readonly<Record<string, number>>;
}

/** What this rank saw. */
export interface RowSeen {
  readonly phases: readonly PhaseSeen[];
  /** Whether this rank's times make the figures. */
  readonly times: boolean;
  readonly wrong: readonly WrongBytes[];
  readonly transmitSize: number;
  /** What was counted during the measured iterations of the last phase. */
  readonly counters?: readonly CounterValue[];
}

function wrongBytes(checks: readonly CheckOperation[]): WrongBytes[] {
  return checks.flatMap((operation, slot) => {
    const { errors, first } = checkResult(operation);
    return errors > 0 && first ? [{ slot, bytes: errors, ...first }] : [];
  });
}

/** How many iterations come next: the same answer on every rank. */
export interface ChunkSource {
  /** No chunk is larger. */
  readonly most: number;
  /** 0 = the phase is over. */
  next(): number;
  /** Says what a chunk (or, with 0 iterations, the warm-up) took on this rank in seconds of wall-clock time. */
  ran(iterations: number, seconds: number): void;
}

/** Gives each phase its chunks; `last` is the phase whose samples are kept. */
export type ChunksOf = (last: boolean) => ChunkSource;

/** One chunk's samples, one per iteration. */
export interface Chunk {
  readonly seconds: Float64Array;
  /** Whether they mean something: this rank's times make the figures. */
  readonly times: boolean;
  /** When each iteration began and ended, where that was asked for. */
  readonly stamps: Stamps | undefined;
}

/** Takes one chunk and copies what it keeps; every rank calls it. */
export type Collect = (chunk: Chunk) => void;

interface PhaseRun {
  readonly phase: Phase;
  readonly earlier: readonly number[];
  readonly warmup: number;
  readonly chunks: ChunkSource;
  readonly totals: CounterTotals;
  /** Takes samples, and the number of iterations before them. */
  readonly collect: (seconds: Float64Array, before: number) => void;
}

/** Starts what a rank does in a phase; says whether it has untimed parts. */
function startOf(programs: ReturnType<Phase['program']>, executor: Executor): { run: Run | null; untimed: boolean } {
  if (programs === null) return { run: null, untimed: false };
  if (!('timed' in programs)) return { run: startOnThreads(programs), untimed: programs.some((one) => one.untimed) };
  return { run: executor.start(programs), untimed: programs.untimed !== undefined };
}

function runPhase({ phase, earlier, warmup, chunks, totals, collect }: PhaseRun, bench: Bench): PhaseSeen {
  const { run, untimed } = startOf(phase.program(earlier), bench.executor);
  bench.rendezvous.barrier();
  const timeOf = (work: () => void): number => {
    const start = bench.now();
    work();
    return bench.now() - start;
  };
  let seconds = 0;
  let iterations = 0;
  // Touched before the warm-up, or the kernel would map its pages while we measure.
  const room = new Float64Array(run ? chunks.most : 0).fill(0);
  // A chunk begins where the ranks come from elsewhere: without a first iteration beside the measured ones its first
  // sample would hold the wait for the peer. Barriers and exchanges before each timed part do the same.
  const leadIn = warmup > 0 && !untimed ? 1 : 0;
  if (warmup > 0) {
    const took = timeOf(() => {
      run?.warmUp(warmup);
    });
    chunks.ran(0, took);
  }
  for (let chunk = chunks.next(); chunk > 0; chunk = chunks.next()) {
    const samples = room.subarray(0, chunk);
    const took = timeOf(() => {
      seconds += totals.during(() => run?.advance({ iterations: chunk, samples, leadIn }).seconds ?? 0);
    });
    chunks.ran(chunk, took);
    collect(samples, iterations);
    iterations += chunk;
  }
  const parts = run && phase.parts ? phase.parts(run.split()) : {};
  run?.finish();
  return { name: phase.name, iterations, seconds, parts };
}

/** The stamps of one chunk. They turn around at the end of their arrays. */
function stampsOf({ begin, end }: Stamps, before: number, count: number): Stamps {
  const pick = (all: Float64Array) =>
    Float64Array.from({ length: count }, (_, i) => all[(before + i) % all.length] ?? NaN);
  return { begin: pick(begin), end: pick(end) };
}

/** Runs the phases in turn; samples are those of the last one. */
function runPhases(built: Built, task: RowTask, bench: Bench, chunksOf: ChunksOf, collectChunk: Collect) {
  const counted = new CounterTotals(bench.counters);
  const { phases, times } = built;
  const collect = (seconds: Float64Array, before: number): void => {
    const stamps = built.stamps && stampsOf(built.stamps, before, seconds.length);
    collectChunk({ seconds, times, stamps });
  };
  const seen: PhaseSeen[] = [];
  for (const phase of phases) {
    const last = seen.length === phases.length - 1;
    const earlier = seen.map(({ seconds, iterations }) => seconds / iterations);
    const ignore = (): void => undefined;
    const totals = last ? counted : new CounterTotals(undefined);
    const { warmup } = task;
    const run = { phase, earlier, warmup, chunks: chunksOf(last), totals, collect: last ? collect : ignore };
    seen.push(runPhase(run, bench));
  }
  return { phases: seen, counters: counted.values };
}

/**
 * Runs one row on this rank; every rank of the run calls it together.
 *
 * @param collect takes the samples of the last phase
 * @throws OperationError where a communication call fails
 */
export function measureRow(task: RowTask, bench: Bench, chunksOf: ChunksOf, collect: Collect): RowSeen {
  const built = task.kernel.build(task, bench);
  const { times, transmitSize } = built;
  const { phases, counters } = runPhases(built, task, bench, chunksOf, collect);
  const wrong = wrongBytes(built.checks);
  built.release();
  return { phases, times, wrong, transmitSize, ...(counters ? { counters } : {}) };
}

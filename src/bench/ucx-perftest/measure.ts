/** Warm-up and the measured iterations of one test on one side; the client takes the times. */
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import type { UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import { nativeExecutor } from '../../engine/native-executor.js';
import { startThreads } from '../../engine/threads.js';
import type { Advanced, Operation, Program } from '../../engine/types.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import type { UcxFigures } from '../../report/ucx-perftest-types.js';
import { SAMPLE_LIMIT, SampleStore } from '../measure/samples.js';
import type { UcxTest } from '../suites/ucx-perftest.js';
import { type Role, type SidePrograms } from './side.js';

/** Seconds that warm-up takes at most, once it has begun a round. */
const WARM_UP_SECONDS = 0.1;
/** Seconds between two rows while a test runs. */
const ROW_SECONDS = 1;
/** Seconds that one call of the executor should take, so that rows come in time. */
const CHUNK_SECONDS = 0.1;
const MOST_SAMPLES = 65536;
/** How much longer a call of the executor is than the one before, at most. */
const GROWTH = 16;
/** Iterations below this many seconds share samples: a read of the clock would be a part of each that counts. */
const SHORT_SECONDS = 25e-9;
const SHARING = 16;

export interface MeasureRequest {
  readonly test: UcxTest;
  readonly options: UcxTestOptions;
  readonly role: Role;
  readonly pair: Rendezvous;
  /** All processes of the run, where there are several pairs. */
  readonly world: Rendezvous;
  readonly side: SidePrograms;
  /** Of the pair; it makes progress while it waits. */
  readonly barrier: Operation;
  /** Takes figures at most once a second. */
  readonly progress?: (figures: UcxFigures) => void;
  /** Takes raw durations, as they come. */
  readonly samples?: (thread: number, seconds: Float64Array) => void;
}

export interface Measurement {
  /** Of each thread. */
  readonly iterations: number;
  /** Mean over threads of the time that all iterations and their end took. */
  readonly seconds: number;
  readonly warmup: number;
  readonly perSample: number;
  readonly store: SampleStore;
  /** Figures of the whole run, and since the last row. */
  readonly figures: UcxFigures;
}

/** One program, or one for each thread. */
interface Run {
  readonly threads: number;
  advance(iterations: number, more?: { close?: boolean; samples?: Float64Array[]; perSample?: number }): Advanced[];
  finish(): void;
}

function startRun(programs: readonly Program[]): Run {
  const [only] = programs;
  if (programs.length !== 1 || !only) {
    const run = startThreads(programs);
    return {
      threads: programs.length,
      advance: (iterations, more = {}) => run.advance({ iterations, ...more }),
      finish: () => {
        run.finish();
      },
    };
  }
  const run = nativeExecutor.start(only);
  return {
    threads: 1,
    advance: (iterations, { samples: all, ...more } = {}) => {
      const samples = all?.[0];
      return [run.advance({ iterations, ...more, ...(samples ? { samples } : {}) })];
    },
    finish: () => {
      run.finish();
    },
  };
}

/** Of a message one way: half of what a ping-pong takes between two processes. */
function divisorOf({ test, role }: MeasureRequest): number {
  return test.pattern === 'ping-pong' && role !== 'both' ? 2 : 1;
}

const meanSeconds = (all: readonly Advanced[]): number =>
  all.reduce((sum, { seconds }) => sum + seconds, 0) / all.length;

/** Rounds of 1, 2, 4, ... iterations, until so many have run or the time is up; the client decides. */
function warmUp({ options, pair }: MeasureRequest, run: Run | null, barrier: Operation): { ran: number; each: number } {
  const begin = performance.now();
  let ran = 0;
  let each = 0;
  for (let round = 1, more = options.warmup > 0; more; round *= 2) {
    const count = Math.min(round, options.warmup - ran);
    if (run) each = meanSeconds(run.advance(count, { close: true })) / count;
    barrier();
    ran += count;
    more = pair.broadcast(ran < options.warmup && (performance.now() - begin) / 1000 < WARM_UP_SECONDS);
  }
  return { ran, each };
}

/** What the client knows of its own measurement so far. */
class Tally {
  iterations = 0;
  seconds = 0;
  perSample = 1;
  readonly store: SampleStore;
  #rowIterations = 0;
  #rowSeconds = 0;
  #rowAt = performance.now();

  constructor(
    private readonly request: MeasureRequest,
    private readonly threads: number,
  ) {
    const divisor = divisorOf(request);
    this.store = new SampleStore({ limit: SAMPLE_LIMIT * threads, convert: (seconds) => seconds / divisor });
  }

  add(iterations: number, seconds: number): void {
    this.iterations += iterations;
    this.seconds += seconds;
  }

  /** Seconds since the last row, as whoever looks on has them. */
  get sinceRow(): number {
    return (performance.now() - this.#rowAt) / 1000;
  }

  /** Figures now; what comes after is of the next row. */
  row(): UcxFigures {
    const average = this.#figures(this.iterations - this.#rowIterations, this.seconds - this.#rowSeconds);
    const overall = this.#figures(this.iterations, this.seconds);
    this.#rowIterations = this.iterations;
    this.#rowSeconds = this.seconds;
    this.#rowAt = performance.now();
    const { percentile } = this.request.options;
    return {
      iterations: this.iterations,
      percentile: this.store.percentile(percentile),
      latency: { average: average.latency, overall: overall.latency },
      bandwidth: { average: average.bandwidth, overall: overall.bandwidth },
      rate: { average: average.rate, overall: overall.rate },
    };
  }

  #figures(iterations: number, seconds: number): { latency: number; bandwidth: number; rate: number } {
    const latency = iterations > 0 ? seconds / iterations / divisorOf(this.request) : 0;
    const rate = latency > 0 ? this.threads / latency : 0;
    return { latency, rate, bandwidth: rate * messageSize(this.request.options) };
  }
}

/**
 * Iterations of the next call: as many as take a tenth of a second, and as samples have room for. Without warm-up nothing
 * is known yet of what one takes, and the first ones of a window take less than the others: calls grow by steps.
 */
function chunkOf(remaining: number, { each, before }: { each: number; before: number }, perSample: number): number {
  const grown = GROWTH * Math.max(1, before / perSample);
  const wanted = each > 0 ? Math.min(Math.ceil(CHUNK_SECONDS / each), grown) : 1;
  const most = Math.max(1, Math.min(wanted, MOST_SAMPLES)) * perSample;
  return Math.min(remaining, most);
}

function takeTimes(request: MeasureRequest, run: Run, each: number): Tally {
  const { options } = request;
  const tally = new Tally(request, run.threads);
  const sharing = each > 0 && each < SHORT_SECONDS ? SHARING : 1;
  const samples = Array.from({ length: run.threads }, () => new Float64Array(MOST_SAMPLES));
  const total = options.iterations === 0 ? Infinity : options.iterations;
  let time = each;
  let before = options.warmup > 0 ? MOST_SAMPLES : 0;
  while (tally.iterations < total) {
    const remaining = total - tally.iterations;
    const perSample = remaining >= sharing ? sharing : 1;
    const count = chunkOf(remaining, { each: time * perSample, before }, perSample);
    const whole = count - (count % perSample);
    const all = run.advance(whole, { samples, perSample, close: whole === remaining });
    const seconds = meanSeconds(all);
    tally.add(whole, seconds);
    keep(request, tally, samples, whole / perSample, perSample);
    time = seconds / whole;
    before = whole;
    if (request.progress && tally.sinceRow >= ROW_SECONDS && tally.iterations < total) request.progress(tally.row());
  }
  tally.perSample = sharing;
  return tally;
}

/** Samples shared by several iterations count as what one of them took. */
function keep(request: MeasureRequest, { store }: Tally, all: Float64Array[], count: number, perSample: number): void {
  all.forEach((samples, thread) => {
    if (perSample > 1) for (let i = 0; i < count; i++) samples[i] = (samples[i] ?? NaN) / perSample;
    store.add(samples, count, thread);
    request.samples?.(thread, samples.subarray(0, count));
  });
}

/**
 * A server reads the clock in each iteration too, as the peer's does. One that doesn't is faster than its client: it then polls
 * the very lines that the client writes to, and a stream over shared memory takes up to a fifth longer.
 */
function serve({ options }: MeasureRequest, run: Run): void {
  const samples = Array.from({ length: run.threads }, () => new Float64Array(MOST_SAMPLES));
  let left = options.iterations === 0 ? Infinity : options.iterations;
  while (left > 0) {
    const count = Math.min(left, MOST_SAMPLES);
    left -= count;
    run.advance(count, { samples, close: left === 0 });
  }
}

/**
 * Measures; both sides of all pairs call it together.
 *
 * @returns what the client measured; on a server the iterations that its programs ran, or none
 * @throws OperationError where a call fails or the other side has given up
 */
export function measure(request: MeasureRequest): Measurement | null {
  const { side, pair, world, role, barrier } = request;
  const run = side.programs.length > 0 ? startRun(side.programs) : null;
  barrier();
  const { ran, each } = warmUp(request, run, barrier);
  if (world !== pair) world.barrier();
  barrier();
  const tally = run && role !== 'server' ? takeTimes(request, run, each) : null;
  if (role === 'server' && run) serve(request, run);
  barrier();
  run?.finish();
  barrier();
  if (!tally) return null;
  const { iterations, seconds, perSample, store } = tally;
  return { iterations, seconds, perSample, store, warmup: ran, figures: tally.row() };
}

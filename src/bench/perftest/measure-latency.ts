/** Measures a latency test at one size. */
import { noop } from '../../engine/operations.js';
import type { Program, Run } from '../../engine/types.js';
import { SAMPLE_LIMIT, type SampleStore } from '../measure/samples.js';
import { Checking } from './checking.js';
import { Calls, MOST_SAMPLES, Period, type Duration } from './durations.js';
import { latencyFigures, latencyStore, timedLatencyFigures } from './figures.js';
import type { Job } from './job.js';
import { latencyProgram, onlyLane } from './programs-latency.js';
import { isBothWays } from './programs-requests.js';
import { PerftestRefusal, type SizeResult } from './types.js';

/** Iterations of `--perform_warm_up`, at most. */
const WARM_UP = 100;

interface Taken {
  readonly result: SizeResult;
  /** Iterations that ran, those that were not measured too. */
  readonly executed: number;
}

/** The trips of an iteration whose time is shown as that of one message. */
const tripsOf = ({ options }: Job): { readonly trips: 1 | 2 } => ({ trips: isBothWays(options) ? 2 : 1 });

/**
 * The peer doesn't keep a sample of one of n iterations, its last. Here it is the first, in which both sides come into step:
 * all n messages are sent, and n - 1 samples are shown.
 */
function untimedFirst({ options, stock }: Job, iterations: number): number {
  const step = iterations > 1 ? 1 : 0;
  // A stock perftest counts the messages.
  return step + (options.warmUp && !stock ? Math.min(WARM_UP, iterations) : 0);
}

/** The first samples as they are, and all of them in a store. */
class Keeper {
  readonly store: SampleStore;
  readonly #trips: number;
  readonly #kept: Float64Array;
  #count = 0;

  constructor(job: Job, most: number) {
    const trips = tripsOf(job);
    this.#trips = trips.trips;
    this.store = latencyStore(trips);
    this.#kept = new Float64Array(Math.min(most, SAMPLE_LIMIT));
  }

  add(samples: Float64Array, count: number): void {
    this.store.add(samples, count);
    const kept = Math.min(count, this.#kept.length - this.#count);
    for (let index = 0; index < kept; index++) this.#kept[this.#count++] = (samples[index] ?? NaN) / this.#trips;
  }

  get samples(): Float64Array {
    return this.#kept.subarray(0, this.#count);
  }
}

function countedIterations(job: Job, run: Run): Taken {
  const { iterations } = job.options;
  let leadIn = untimedFirst(job, iterations);
  let left = iterations > 1 ? iterations - 1 : iterations;
  const keeper = new Keeper(job, left);
  const samples = new Float64Array(Math.min(left, SAMPLE_LIMIT));
  for (; left > 0; leadIn = 0) {
    const count = Math.min(left, samples.length);
    run.advance({ iterations: count, samples, leadIn });
    keeper.add(samples, count);
    left -= count;
  }
  const { store } = keeper;
  const latency = latencyFigures(job.size, iterations, store);
  return { result: { latency, samples: keeper.samples, store }, executed: run.iterations };
}

/** One call of the executor: how many iterations, and whether they lie between the margins. */
interface Step {
  readonly iterations: number;
  readonly counts: boolean;
}

/** Whether both sides run as many iterations: of reads and atomics the server has none, unless they are checked. */
const isShared = ({ options }: Job): boolean => isBothWays(options) || (options.validate && options.verb === 'read');

/** The client says how it goes on, to whom it concerns. */
function nextStep(job: Job, propose: () => Step): Step {
  if (!isShared(job)) return propose();
  const nothing: Step = { iterations: 0, counts: false };
  return job.side.pair.broadcast(job.role === 'client' ? propose() : nothing);
}

function timedIterations(job: Job, run: Run, duration: Duration): Taken {
  const period = new Period(job, duration);
  const keeper = new Keeper(job, SAMPLE_LIMIT);
  const samples = new Float64Array(MOST_SAMPLES);
  const calls = new Calls();
  let [iterations, seconds] = [0, 0];
  const propose = (): Step => ({
    iterations: period.over && iterations > 0 ? 0 : calls.next,
    // A call that is longer than all that counts is better than none.
    counts: period.counts && (!period.counted || iterations === 0),
  });
  for (let step = nextStep(job, propose); step.iterations > 0; step = nextStep(job, propose)) {
    const advanced = run.advance({ iterations: step.iterations, samples, leadIn: isShared(job) ? 1 : 0 });
    calls.took(step.iterations, advanced.seconds);
    if (!step.counts) continue;
    iterations += step.iterations;
    seconds += advanced.seconds;
    keeper.add(samples, step.iterations);
  }
  const { store } = keeper;
  const latency = timedLatencyFigures({ size: job.size, iterations, seconds, store }, tripsOf(job));
  return {
    result: { latency, samples: keeper.samples, store, sampleSeconds: seconds },
    executed: run.iterations,
  };
}

/** Nothing of the size before may look like a message of this one, and words begin at 0. */
function clearMemory(job: Job): void {
  const { mr, receiveOffset, half } = onlyLane(job);
  mr.buffer.view(receiveOffset, half).fill(0);
}

function take(job: Job, program: Program): Taken {
  const { duration } = job.options;
  return job.run(program, (run) => (duration ? timedIterations(job, run, duration) : countedIterations(job, run)));
}

/** Atomics are looked at in the end; all else after each iteration, in which a server that only waits takes part too. */
function checked(job: Job, program: Program | null, checking: Checking | undefined): Program | null {
  if (!checking || job.options.verb === 'atomic') return program;
  return checking.around(program ?? { timed: [job.keep(noop())] });
}

/** @throws PerftestRefusal on both sides for what a stock perftest can't agree on */
export function measureLatency(job: Job): SizeResult {
  const { options, side } = job;
  if (job.stock && options.duration && isBothWays(options)) {
    throw new PerftestRefusal('-D needs both sides to agree when to end, which a stock perftest does not: give -n');
  }
  // A stock server has written its first message by now; sizes ascend, so that none finds the last byte of another.
  if (!job.stock) clearMemory(job);
  const measured = latencyProgram(job);
  const checking = options.validate ? new Checking(job) : undefined;
  const program = checked(job, measured, checking);
  job.begin();
  const taken = program ? take(job, program) : undefined;
  job.end();
  const result = (measured && taken?.result) ?? {};
  if (!checking) return result;
  const executed = side.pair.broadcast(taken?.executed ?? 0);
  return { ...result, wrongBytes: checking.wrongBytes(executed) };
}

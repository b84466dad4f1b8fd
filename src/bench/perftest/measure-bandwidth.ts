/** Measures a bandwidth test at one size. */
import { noop } from '../../engine/operations.js';
import type { Run } from '../../engine/types.js';
import type { BandwidthFigures } from '../../report/perftest-types.js';
import { cqModFor } from '../../cli/perftest-depths.js';
import { Calls, Period, rowSeconds, type Duration } from './durations.js';
import { bandwidthFigures } from './figures.js';
import type { Job } from './job.js';
import { startLoad } from './machine.js';
import { bestWindow } from './peak.js';
import { openSending, sends, takes, type Sending } from './programs-bandwidth.js';
import { openReceives } from './programs-receives.js';
import {
  collectArrivals,
  conclude,
  concludeTaken,
  expectedMessages,
  isExact,
  meetsTaking,
  openGate,
  takeAll,
  type Arriving,
} from './receiver.js';
import type { SizeResult } from './types.js';

/** Most iterations and most postings for which a peak is looked for. */
const PEAK_ITERATIONS = 20_000;
const PEAK_POSTINGS = 2 ** 20;

/** Calls of the executor that post `each` messages of each queue pair. */
const postings = ({ options, side }: Job, each: number): number =>
  Math.ceil((each / options.postList) * side.lanes.length);

function wantsPeak(job: Job): boolean {
  const { noPeak, duration, iterations, runInfinitely } = job.options;
  const counted = !duration && !runInfinitely && iterations <= PEAK_ITERATIONS;
  return counted && !noPeak && postings(job, iterations) <= PEAK_POSTINGS;
}

/** Room for the times of all completions: one of every poll that finds any. */
function roomForCompletions(job: Job): Float64Array {
  const { options, side, size } = job;
  const cqMod = Math.min(cqModFor(options, size), options.txDepth);
  return new Float64Array(2 * side.lanes.length * (Math.ceil(options.iterations / cqMod) + 1));
}

/**
 * When each chain was posted. An execution polls for room first and then posts, so that it has posted at its end less the
 * time of a post, which is that of the shortest execution.
 */
function postedTimes(durations: Float64Array): Float64Array {
  const least = durations.reduce((shortest, duration) => Math.min(shortest, duration), Infinity);
  let end = 0;
  return durations.map((duration) => {
    end += duration;
    return end - least;
  });
}

function peakOf({ options }: Job, durations: Float64Array, completions: Float64Array, noted: number): number | null {
  const seen = completions.subarray(0, 2 * noted);
  return bestWindow(
    { at: postedTimes(durations), step: options.postList },
    { at: seen.filter((_, index) => index % 2 === 0), count: seen.filter((_, index) => index % 2 === 1) },
  );
}

/** `-n`: all messages, from before the first post until the last is complete. */
function streamMessages(job: Job, run: Run, { stream }: Sending, completions?: Float64Array): BandwidthFigures {
  const { options, side, size } = job;
  const iterations = postings(job, options.iterations);
  const durations = completions ? new Float64Array(iterations) : undefined;
  const load = startLoad(job);
  const { seconds } = run.advance({ iterations, close: true, ...(durations ? { samples: durations } : {}) });
  const { cpuUtil } = load();
  const messages = options.iterations * side.lanes.length;
  const best = durations && completions ? peakOf(job, durations, completions, stream.noted()) : undefined;
  return bandwidthFigures({
    ...{ size, messages, seconds },
    ...(best === undefined ? {} : { bestWindow: best }),
    ...(cpuUtil === undefined ? {} : { cpuUtil }),
  });
}

/** A moment of a stream that goes on. */
interface Mark {
  readonly at: number;
  readonly completed: number;
}

/** Runs on until `over`. What is under way between two calls is so still: the stream doesn't stop. */
function goOn(run: Run, calls: Calls, over: () => boolean): void {
  while (!over()) {
    const iterations = calls.next;
    const { seconds } = run.advance({ iterations });
    calls.took(iterations, seconds);
  }
}

const markOf = ({ tools }: Job, { stream }: Sending): Mark => ({ at: tools.now(), completed: stream.completed() });

function between({ size }: Job, from: Mark, to: Mark, load: { readonly cpuUtil?: number } = {}): BandwidthFigures {
  return bandwidthFigures({ size, messages: to.completed - from.completed, seconds: to.at - from.at, ...load });
}

/** `-D`: what completed between the margins. */
function streamSeconds(job: Job, run: Run, sending: Sending, duration: Duration): SizeResult {
  const period = new Period(job, duration);
  const calls = new Calls();
  goOn(run, calls, () => period.counts);
  const load = startLoad(job);
  const from = markOf(job, sending);
  let calledOnce = false;
  goOn(run, calls, () => {
    // At least one call counts, however long it takes.
    const over = calledOnce && period.counted;
    calledOnce = true;
    return over;
  });
  const to = markOf(job, sending);
  const bandwidth = between(job, from, to, load());
  goOn(run, calls, () => period.over);
  run.advance({ iterations: 1, close: true });
  return { bandwidth, sampleSeconds: to.at - from.at };
}

/** `--run_infinitely`: a row of this side's direction every so many seconds, until the process is ended. */
function streamForEver(job: Job, run: Run, sending: Sending): never {
  const calls = new Calls();
  const { pair } = job.side;
  for (;;) {
    const from = markOf(job, sending);
    goOn(run, calls, () => job.tools.now() - from.at >= rowSeconds(job));
    const own = between(job, from, markOf(job, sending));
    job.progress(job.options.bidirectional && !job.stock ? bothDirections(pair.allgather(own), own) : own);
  }
}

/** All directions together: each side tells its row, which brings both into step again. */
function bothDirections(all: readonly BandwidthFigures[], own: BandwidthFigures): BandwidthFigures {
  const total = (what: 'average' | 'messageRate'): number | null =>
    all.reduce<number | null>((sum, { [what]: value }) => (sum === null || value === null ? null : sum + value), 0);
  return { ...own, average: total('average'), messageRate: total('messageRate') };
}

/** One depth of each queue pair, in no figure. */
function warmUp(job: Job, { stream, program }: Sending, total: number): void {
  const { txDepth, postList } = job.options;
  const each = Math.max(1, Math.floor(txDepth / postList)) * postList;
  stream.restart(each);
  job.run({ timed: [stream.post], closing: program.closing ?? [] }, (run) =>
    run.advance({ iterations: postings(job, each), close: true }),
  );
  stream.restart(total);
}

function measureSending(job: Job): SizeResult {
  const { options } = job;
  const { duration, iterations, runInfinitely } = options;
  const completions = wantsPeak(job) ? roomForCompletions(job) : undefined;
  const total = duration || runInfinitely ? 0 : iterations;
  const sending = openSending(job, { total, ...(completions ? { completions } : {}) });
  const arriving = sending.receives && collectArrivals(job, sending.receives);
  // Receives would have to be counted too.
  if (options.warmUp && !takes(job) && options.verb !== 'send' && !options.withImm) warmUp(job, sending, total);
  const gate = openGate(job, arriving);
  job.begin();
  gate();
  const result = job.run(sending.program, (run): SizeResult => {
    if (runInfinitely) return streamForEver(job, run, sending);
    if (duration) return streamSeconds(job, run, sending, duration);
    return { bandwidth: streamMessages(job, run, sending, completions) };
  });
  conclude(job, sending.stream.completed(), arriving);
  return result;
}

/** The first message starts the clock of a receiver: of n messages n - 1 take the time until the last. */
function receiverFigures(job: Job, messages: number, seconds: number, load: { readonly cpuUtil?: number }) {
  const { size } = job;
  const intervals = Math.max(0, messages - 1);
  return { ...bandwidthFigures({ size, messages: intervals, seconds, ...load }), iterations: messages };
}

/** What is called for the first time takes long, and the first messages would have come before it ends. */
function warmExecutor(job: Job): void {
  job.run({ timed: [job.keep(noop())] }, (run) => run.advance({ iterations: 1 }));
}

/** All that are sent arrive: one after the other is taken. */
function receiveMessages(job: Job, { receives }: Arriving): BandwidthFigures {
  warmExecutor(job);
  const messages = expectedMessages(job);
  const load = startLoad(job);
  const counted = messages > 1 ? { iterations: messages - 1, leadIn: 1 } : { iterations: 1 };
  const seconds = job.run({ timed: [receives.take] }, (run) => {
    job.begin();
    return run.advance(counted).seconds;
  });
  return receiverFigures(job, messages, seconds, load());
}

function receiveForEver(job: Job, { receives }: Arriving): never {
  return job.run({ timed: [receives.take] }, (run) => {
    job.begin();
    openGate(job)();
    const calls = new Calls();
    for (;;) {
      const from: Mark = { at: job.tools.now(), completed: receives.taken() };
      goOn(run, calls, () => job.tools.now() - from.at >= rowSeconds(job));
      job.progress(between(job, from, { at: job.tools.now(), completed: receives.taken() }));
    }
  });
}

function measureReceiving(job: Job): SizeResult {
  const receives = openReceives(job);
  const arriving = collectArrivals(job, receives);
  if (job.options.runInfinitely) return receiveForEver(job, arriving);
  if (isExact(job)) {
    const bandwidth = receiveMessages(job, arriving);
    conclude(job, 0, arriving);
    return { bandwidth };
  }
  const load = startLoad(job);
  if (meetsTaking(job)) {
    takeAll(job, arriving);
    concludeTaken(job, arriving);
  } else {
    job.begin();
    conclude(job, 0, arriving);
  }
  const { collecting } = arriving;
  const sampleSeconds = job.options.duration ? { sampleSeconds: collecting.seconds() } : {};
  return { bandwidth: receiverFigures(job, collecting.counted(), collecting.seconds(), load()), ...sampleSeconds };
}

export function measureBandwidth(job: Job): SizeResult {
  if (sends(job)) return measureSending(job);
  if (takes(job)) return measureReceiving(job);
  job.begin();
  conclude(job, 0);
  return {};
}

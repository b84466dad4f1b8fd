/**
 * Bandwidth with `--data_validation`. The stream is cut into passes: what is sent changes from one to the next, and each
 * ends with all messages complete. Messages of one pass that go to the same place write the same data there, so that the last
 * one in each place is what is checked.
 */
import { noop } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import type { BandwidthFigures } from '../../report/perftest-types.js';
import { cqModFor } from '../../cli/perftest-depths.js';
import { Checking, placesOf } from './checking.js';
import { Calls, Period, rowSeconds, type Duration } from './durations.js';
import { bandwidthFigures } from './figures.js';
import type { Job } from './job.js';
import { startLoad } from './machine.js';
import { openSending, sends, takes } from './programs-bandwidth.js';
import { openReceives } from './programs-receives.js';
import { collectArrivals } from './receiver.js';
import type { SizeResult } from './types.js';

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** How the messages of a queue pair are cut. */
interface Passes {
  /** Messages of a pass: all places are written, and the queue is full meanwhile. Whole chains. */
  readonly messages: number;
  readonly whole: number;
  /** Messages of a longer last one, where they don't come out even: a shorter one would leave places as they were. */
  readonly last: number;
}

export function passesOf(job: Job): Passes {
  const { txDepth, postList, iterations, duration } = job.options;
  const wanted = Math.ceil(Math.max(txDepth, placesOf(job).length) / postList) * postList;
  if (duration) return { messages: wanted, whole: 0, last: 0 };
  const messages = Math.min(wanted, iterations);
  const whole = Math.floor(iterations / messages);
  const rest = iterations % messages;
  return rest === 0 ? { messages, whole, last: 0 } : { messages, whole: whole - 1, last: messages + rest };
}

/** What a pass of so many messages of each queue pair consists of, on this side. */
type MakePass = (messages: number) => Program;

/** Runs passes: what a row is made of. */
class Tally {
  messages = 0;
  seconds = 0;
  constructor(private readonly job: Job) {}

  figures(load: { readonly cpuUtil?: number }): BandwidthFigures {
    const { size, side } = this.job;
    return bandwidthFigures({ size, messages: this.messages * side.lanes.length, seconds: this.seconds, ...load });
  }

  add(messages: number, seconds: number): void {
    this.messages += messages;
    this.seconds += seconds;
  }
}

function runPasses(job: Job, pass: MakePass, tally: Tally): number {
  const { messages, whole, last } = passesOf(job);
  for (const [count, each] of [
    [whole, messages],
    [last > 0 ? 1 : 0, last],
  ] as const) {
    if (count === 0) continue;
    const { seconds } = job.run(pass(each), (run) => run.advance({ iterations: count }));
    tally.add(count * each, seconds);
  }
  return tally.messages;
}

interface Step {
  readonly passes: number;
  readonly counts: boolean;
}

/** `-D`: the client says how many passes come next. Returns the messages of each queue pair. */
function runSeconds(job: Job, pass: MakePass, tally: Tally, duration: Duration): number {
  const { messages } = passesOf(job);
  const { pair } = job.side;
  const period = new Period(job, duration);
  const calls = new Calls();
  const propose = (): Step => ({
    passes: period.over && tally.messages > 0 ? 0 : calls.next,
    counts: period.counts && (!period.counted || tally.messages === 0),
  });
  const next = (): Step => pair.broadcast(job.role === 'client' ? propose() : { passes: 0, counts: false });
  return job.run(pass(messages), (run) => {
    for (let step = next(); step.passes > 0; step = next()) {
      const before = job.tools.now();
      const { seconds } = run.advance({ iterations: step.passes });
      // Fills and checks count here: they are most of a pass.
      calls.took(step.passes, job.tools.now() - before);
      if (step.counts) tally.add(step.passes * messages, seconds);
    }
    return run.iterations * messages;
  });
}

function runForEver(job: Job, pass: MakePass): never {
  const { messages } = passesOf(job);
  return job.run(pass(messages), (run) => {
    for (;;) {
      const tally = new Tally(job);
      for (const begin = job.tools.now(); job.tools.now() - begin < rowSeconds(job);)
        tally.add(messages, run.advance({ iterations: 1 }).seconds);
      if (sends(job)) job.progress(tally.figures({}));
    }
  });
}

/** The posts of a pass and its end; a side that only receives has nothing to time. */
function passMaker(job: Job, checking: Checking): MakePass {
  const { options, side } = job;
  const wrap = (timed: readonly Operation[], meanwhile?: Operation): Program => {
    const program = { timed };
    return options.verb === 'atomic' ? program : checking.around(program, meanwhile);
  };
  if (!sends(job)) {
    const meanwhile = takes(job) ? collectArrivals(job, openReceives(job)).collecting.operation : undefined;
    const idle = job.keep(noop());
    return () => wrap([idle], meanwhile);
  }
  const { messages, last } = passesOf(job);
  const cqMod = divisor(Math.min(cqModFor(options, job.size), options.txDepth), divisor(messages, last));
  const { program, receives } = openSending(job, { total: 0, cqMod });
  const meanwhile = receives && collectArrivals(job, receives).collecting.operation;
  return (each) => {
    const posts = Array.from({ length: (each / options.postList) * side.lanes.length }, () => program.timed).flat();
    return wrap([...posts, ...(program.closing ?? [])], meanwhile);
  };
}

/** @throws PerftestRefusal where the exchange has no barrier that makes progress */
export function measureChecked(job: Job): SizeResult {
  const { options, side } = job;
  for (const { mr, receiveOffset, half } of side.lanes) mr.buffer.view(receiveOffset, half).fill(0);
  const checking = new Checking(job);
  const pass = passMaker(job, checking);
  const tally = new Tally(job);
  job.begin();
  const load = startLoad(job);
  if (options.runInfinitely) return runForEver(job, pass);
  const executed = options.duration ? runSeconds(job, pass, tally, options.duration) : runPasses(job, pass, tally);
  const bandwidth = tally.figures(load());
  job.end();
  const wrongBytes = checking.wrongBytes(executed);
  const sampleSeconds = options.duration ? { sampleSeconds: tally.seconds } : {};
  return { wrongBytes, ...(sends(job) ? { bandwidth, ...sampleSeconds } : {}) };
}

/** What arrives at a side of a bandwidth test, when it ends, and what was lost on the way. */
import type { Collecting } from '../../engine/pace.js';
import type { Receives } from '../../verbs/bind-types.js';
import type { Job } from './job.js';
import { isReceived, isUnreliable } from './programs-requests.js';

/** Seconds without a message after which no more is on its way, once the other side has ended. */
const QUIET_SECONDS = 0.1;
/** A stock perftest doesn't tell when it has ended. */
const STOCK_QUIET_SECONDS = 2;

/** Whether it is known beforehand how many messages arrive: all that are sent, and neither side ends by the clock. */
export const isExact = ({ options }: Job): boolean => !isUnreliable(options) && !options.duration;

/** Messages that arrive here in a run whose length is given. */
export const expectedMessages = ({ options, side }: Job): number => options.iterations * side.lanes.length;

export interface Arriving {
  readonly receives: Receives;
  readonly collecting: Collecting;
}

/** A collector of what arrives, for ends that the other side tells. With `-D` it has margins as the sender has. */
export function collectArrivals(job: Job, receives: Receives): Arriving {
  const { duration } = job.options;
  const window = duration ? { from: duration.margin, to: duration.seconds - duration.margin } : {};
  const collecting = job.tools.collect(receives.test, window);
  job.keep(collecting.operation);
  return { receives, collecting };
}

/** Takes until nothing has come for so long. Waits for the first for ever, where `first` asks for it. */
function takeUntilQuiet(
  { tools }: Job,
  { receives, collecting }: Arriving,
  { quiet, most, first = false }: { readonly quiet: number; readonly most: number; readonly first?: boolean },
): void {
  let last = tools.now();
  for (let before = receives.taken(); receives.taken() < most; before = receives.taken()) {
    collecting.operation();
    if (receives.taken() > before || (first && receives.taken() === 0)) last = tools.now();
    else if (tools.now() - last >= quiet) return;
  }
}

function takeExactly({ receives }: Arriving, count: number): void {
  while (receives.taken() < count) receives.take();
}

/** Whether a receiver hears of the other side's begin and end while it takes: it doesn't know how much there is to come. */
export const meetsTaking = (job: Job): boolean => isReceived(job.options) && !isExact(job) && !job.stock;

/** A side that sends lets it begin; built before `begin`, run after it. */
export function openGate(job: Job, arriving?: Arriving): () => void {
  if (!meetsTaking(job)) return () => undefined;
  return job.barrier(arriving?.collecting.operation);
}

/**
 * Takes what comes from before the other side has begun until it has ended, in one call of the executor: JavaScript between
 * two meetings would come late for the first messages, whose time would then be missing in the rate.
 */
export function takeAll(job: Job, { collecting }: Arriving): void {
  const [begun, ended] = [job.barrier(collecting.operation), job.barrier(collecting.operation)];
  job.run({ timed: [begun, ended] }, (run) => {
    job.begin();
    run.advance({ iterations: 1 });
  });
}

/** Our own two sides: each tells when it has ended, and how many it has sent. */
function countLost(job: Job, sent: number, arriving: Arriving | undefined): number {
  const { pair } = job.side;
  const expected = pair.allgather(sent).reduce((sum, count, rank) => sum + (rank === pair.rank ? 0 : count), 0);
  if (!arriving) return 0;
  // Of a server's messages to several clients each gets a part.
  if (pair.size > 2 && job.role === 'client') {
    takeUntilQuiet(job, arriving, { quiet: QUIET_SECONDS, most: Infinity });
    return 0;
  }
  if (!isUnreliable(job.options)) takeExactly(arriving, expected);
  else takeUntilQuiet(job, arriving, { quiet: QUIET_SECONDS, most: expected });
  return expected - arriving.receives.taken();
}

function endWithStock(job: Job, arriving: Arriving | undefined): number {
  const most = job.options.duration ? Infinity : expectedMessages(job);
  if (arriving) takeUntilQuiet(job, arriving, { quiet: STOCK_QUIET_SECONDS, most, first: true });
  job.end();
  return arriving && most < Infinity ? most - arriving.receives.taken() : 0;
}

/** After `takeAll`, or after the other side's end has been heard of. */
function warnOfLost(job: Job, lost: number): void {
  if (lost <= 0) return;
  const { connection } = job.options;
  job.warnings.push(
    `${lost} ${lost === 1 ? 'message of' : 'messages of'} ${job.size} bytes never arrived: ${connection} does not send again what is lost; give a larger -r or a smaller -t`,
  );
}

/** Ends a test of a side that has taken all that came until the other one's end. */
export function concludeTaken(job: Job, arriving: Arriving): void {
  warnOfLost(job, countLost(job, 0, arriving));
}

/**
 * Ends a test on both sides, whichever they are: takes what is still to come, and warns of what never did.
 *
 * @param sent messages that this side has sent
 */
export function conclude(job: Job, sent: number, arriving?: Arriving): void {
  if (!isReceived(job.options)) {
    job.end();
    return;
  }
  if (isExact(job)) {
    if (arriving) takeExactly(arriving, expectedMessages(job));
    job.end();
    return;
  }
  if (job.stock) {
    warnOfLost(job, endWithStock(job, arriving));
    return;
  }
  job.barrier(arriving?.collecting.operation)();
  warnOfLost(job, countLost(job, sent, arriving));
}

/**
 * Brings the clock of another node into relation with a reference clock, from ping-pongs between the two.
 *
 * The model is linear, as in the methods JK (Jones and Koenig 2013, Concurrency and Computation 25(6)) and HCA (Hunold and
 * Carpen-Amarie 2018, "Hierarchical Clock Synchronization in MPI", CLUSTER): two clocks that both run at an even pace
 * differ by an offset which grows evenly, their drift. In words:
 *
 * - The reference sends at s, the other reads its clock at r, the reference receives the answer at e. Where both ways take
 *   as long as each other, r was read at (s + e) / 2 of the reference: the offset is r - (s + e) / 2. Where they don't, it
 *   is wrong by at most half of the round trip e - s.
 * - So round trips that took long say little. Only the fastest quarter is kept.
 * - Offset and drift are those of the line through the kept offsets over r for which the sum of the squared distances is
 *   smallest.
 */
import { nearestRank } from './quantiles.js';

/** Ping-pongs, one per index: all in seconds, `sent` and `received` on the reference clock, `remote` on the other. */
export interface PingPongs {
  readonly sent: ArrayLike<number>;
  readonly remote: ArrayLike<number>;
  readonly received: ArrayLike<number>;
}

/** How another clock relates to the reference: plain JSON. */
export interface ClockModel {
  /** A time on the other clock, in the middle of the observations. */
  readonly origin: number;
  /** What the other clock shows at `origin` more than the reference, in seconds. */
  readonly offset: number;
  /** How much more it shows per second of its own. */
  readonly drift: number;
  /** Standard deviation of the kept offsets around the line, in seconds. */
  readonly residual: number;
  /** Half of the longest round trip that was kept, in seconds: no kept offset is off by more, however uneven both ways were. */
  readonly bound: number;
  /** Ping-pongs that were kept. */
  readonly kept: number;
  /** Seconds over which these are spread. The error of the drift is about that of the offsets divided by this. */
  readonly span: number;
}

/** Percentage of the round trips that is kept. */
const KEPT_PERCENT = 25;
/** A quarter of these is four: a line and what scatters around it. */
export const FEWEST_PING_PONGS = 16;

interface Observation {
  readonly remote: number;
  readonly offset: number;
  readonly roundTrip: number;
}

/**
 * Fits the model. Ping-pongs should be spread over as much time as there is: the drift is only as certain as this is long.
 * Throws RangeError for too few of them, for times that are none, and where all kept ones are of the same moment.
 */
export function fitClock(pingPongs: PingPongs): ClockModel {
  const all = observe(pingPongs);
  const roundTrips = all.map(({ roundTrip }) => roundTrip).sort((a, b) => a - b);
  const longest = roundTrips[nearestRank(all.length, KEPT_PERCENT) - 1] ?? NaN;
  const kept = all.filter(({ roundTrip }) => roundTrip <= longest);
  // Counted from the middle: squares of times since some distant moment would leave no digits.
  const origin = mean(kept.map(({ remote }) => remote));
  const offset = mean(kept.map((one) => one.offset));
  const span = spanOf(kept.map(({ remote }) => remote));
  if (span === 0) throw new RangeError('all ping-pongs are of the same moment: spread them over some time');
  const spread = sum(kept.map(({ remote }) => (remote - origin) ** 2));
  const drift = sum(kept.map((one) => (one.remote - origin) * (one.offset - offset))) / spread;
  const squares = sum(kept.map((one) => (one.offset - offset - drift * (one.remote - origin)) ** 2));
  const residual = Math.sqrt(squares / (kept.length - 2));
  return { origin, offset, drift, residual, bound: longest / 2, kept: kept.length, span };
}

/** What the reference clock showed when the other one showed `remote`; both in seconds. */
export function toReference({ origin, offset, drift }: ClockModel, remote: number): number {
  return remote - offset - drift * (remote - origin);
}

function observe({ sent, remote, received }: PingPongs): Observation[] {
  const { length } = remote;
  if (sent.length !== length || received.length !== length) {
    throw new RangeError(`there are ${sent.length}, ${length} and ${received.length} times for the same ping-pongs`);
  }
  if (length < FEWEST_PING_PONGS) {
    throw new RangeError(`${length} ping-pongs say too little about a clock: observe at least ${FEWEST_PING_PONGS}`);
  }
  return Array.from(remote, (time, index) => observation(sent[index] ?? NaN, time, received[index] ?? NaN));
}

function observation(sent: number, remote: number, received: number): Observation {
  const roundTrip = received - sent;
  if (Number.isFinite(remote) && Number.isFinite(roundTrip) && roundTrip >= 0) {
    return { remote, offset: remote - sent - roundTrip / 2, roundTrip };
  }
  throw new RangeError(`a ping-pong can't have been sent at ${sent}, read at ${remote} and received at ${received}`);
}

/** Values come in the order of time or not: the largest minus the smallest. */
function spanOf(values: readonly number[]): number {
  const [smallest, largest] = values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const,
    [Infinity, -Infinity] as const,
  );
  return largest - smallest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

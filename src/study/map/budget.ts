/**
 * Time first: what fits into the limit, given what a few pairs took. It gives up the repeats that only make figures surer,
 * then large messages, and pairs last.
 */

/** How much is done with each pair of a round. */
export interface Effort {
  /** Bytes of a message there and back; 0 iterations = latency isn't measured. */
  readonly latencySize: number;
  readonly latencyIterations: number;
  readonly latencyWarmup: number;
  /** Bytes of a message in a stream, messages of a window, and windows each way; 0 windows = bandwidth isn't measured. */
  readonly size: number;
  readonly window: number;
  readonly windows: number;
  readonly windowWarmup: number;
}

/** What the slowest pair of a few rounds took, in seconds. */
export interface Pilot {
  /** Of a round beside its messages: connecting, barriers, telling. */
  readonly overhead: number;
  /** Half a round trip. */
  readonly latency: number;
  /** Per byte of a stream. */
  readonly byte: number;
  /** Directions of a link that are measured one after the other: 2, or 1 where all nodes talk at once. */
  readonly ways: 1 | 2;
}

export interface PlanRequest {
  /** In all. */
  readonly rounds: number;
  /** Seconds that they may take. */
  readonly limit: number;
  readonly pilot: Pilot;
  /** What there would be time for in a perfect world. */
  readonly wanted: Effort;
  /** What the user asked for and may not be changed. */
  readonly fixed?: { readonly size?: boolean; readonly iterations?: boolean; readonly rounds?: boolean };
}

export interface Plan {
  readonly rounds: number;
  readonly of: number;
  readonly effort: Effort;
  /** Seconds that it should take. */
  readonly seconds: number;
}

/** From so few up a median means something. */
const LEAST = { latencyIterations: 20, windows: 3, size: 64 * 1024, windowBytes: 256 * 1024 };
/** Two rounds reach every node from every other. */
export const FEWEST_ROUNDS = 2;

const streams = ({ windows }: Effort): boolean => windows > 0;

/** Seconds of one round. */
export function roundSeconds(effort: Effort, { overhead, latency, byte, ways }: Pilot): number {
  const { latencyIterations, latencyWarmup, windows, windowWarmup, size, window } = effort;
  const pings = latencyIterations > 0 ? 2 * latency * (latencyIterations + latencyWarmup) : 0;
  // A window ends with an acknowledgement.
  const perWindow = size * window * byte + 2 * latency;
  return overhead + pings + (windows > 0 ? ways * (windows + windowWarmup) * perWindow : 0);
}

const atLeast = (wanted: number, least: number, share: number): number =>
  Math.max(Math.min(wanted, least), Math.floor(wanted * share));

/** So many of the repeats, but no fewer than a median needs. */
function thinned(effort: Effort, share: number): Effort {
  return {
    ...effort,
    latencyIterations: atLeast(effort.latencyIterations, LEAST.latencyIterations, share),
    windows: atLeast(effort.windows, LEAST.windows, share),
  };
}

/** The most repeats with which a round takes no longer than it may; undefined where even the fewest take longer. */
function fitting(effort: Effort, pilot: Pilot, seconds: number): Effort | undefined {
  if (roundSeconds(thinned(effort, 0), pilot) > seconds) return undefined;
  let [low, high] = [0, 1];
  if (roundSeconds(effort, pilot) <= seconds) return effort;
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (roundSeconds(thinned(effort, middle), pilot) <= seconds) low = middle;
    else high = middle;
  }
  return thinned(effort, low);
}

/** The same with ever smaller messages, and then with ever fewer of them at a time. */
function smaller(effort: Effort): Effort[] {
  if (!streams(effort)) return [effort];
  const all = [effort];
  for (let size = effort.size / 2; size >= LEAST.size; size /= 2) all.push({ ...effort, size: Math.floor(size) });
  const last = all.at(-1) ?? effort;
  for (let window = last.window / 2; window * last.size >= LEAST.windowBytes && window >= 1; window /= 2)
    all.push({ ...last, window: Math.floor(window) });
  return all;
}

/** What is measured, so that it ends in time. */
export function planMap({ rounds, limit, pilot, wanted, fixed = {} }: PlanRequest): Plan {
  const seconds = limit / Math.max(1, rounds);
  const efforts = fixed.size === true ? [wanted] : smaller(wanted);
  const told = (effort: Effort, count: number): Plan => ({
    ...{ rounds: count, of: rounds, effort },
    seconds: count * roundSeconds(effort, pilot),
  });
  for (const effort of efforts) {
    const fits = roundSeconds(effort, pilot) <= seconds ? effort : undefined;
    const found = fits ?? (fixed.iterations === true ? undefined : fitting(effort, pilot, seconds));
    if (found) return told(found, rounds);
  }
  const smallest = efforts.at(-1) ?? wanted;
  const least = fixed.iterations === true ? smallest : thinned(smallest, 0);
  const most = Math.floor(limit / roundSeconds(least, pilot));
  return told(least, fixed.rounds === true ? rounds : Math.min(rounds, Math.max(FEWEST_ROUNDS, most)));
}

/**
 * Which sizes of two curves are small and which large: where a message costs the same whatever its size, and where the
 * link is full. The curves themselves tell.
 */
import { SATURATED } from './curve.js';
import type { TimedSize } from './segments.js';

/** Sizes whose message rate is at least this share of the best are small. */
const SMALL = 0.9;
/** Such a size with more of the peak bandwidth than this isn't: there is nothing larger to tell it from. */
const MOST_OF_PEAK = 0.6;

export interface Regimes {
  /** Ascending; empty where neither curve has such sizes. */
  readonly small: readonly number[];
  readonly large: readonly number[];
}

/** Of times of messages by ascending size, on both sides. A single size is neither small nor large. */
export function regimesOf(a: readonly TimedSize[], b: readonly TimedSize[]): Regimes {
  const [ofA, ofB] = [sharesOf(a), sharesOf(b)];
  const common = a.map(({ size }) => size).filter((size) => ofB.has(size));
  if (common.length < 2) return { small: [], large: [] };
  const both = (size: number, test: (share: Shares) => boolean): boolean =>
    [ofA.get(size), ofB.get(size)].every((share) => share !== undefined && test(share));
  const small = common.filter((size) => both(size, ({ rate, peak }) => rate >= SMALL && peak <= MOST_OF_PEAK));
  const limit = small.at(-1) ?? -1;
  const [fullA, fullB] = [ofA, ofB].map(fullSizes);
  const from = Math.max(fullA?.[0] ?? Infinity, fullB?.[0] ?? Infinity);
  const plateau = [fullA, fullB].some((sizes) => (sizes?.length ?? 0) > 1);
  return {
    small: common.filter((size) => size <= limit),
    large: plateau ? common.filter((size) => size > limit && size >= from) : [],
  };
}

/** Of the best message rate and of the best bandwidth. */
interface Shares {
  readonly rate: number;
  readonly peak: number;
}

/** Sizes that have all but the peak: from the first of them on the link is full. */
function fullSizes(shares: ReadonlyMap<number, Shares>): number[] {
  return [...shares].filter(([, { peak }]) => peak >= SATURATED).map(([size]) => size);
}

function sharesOf(times: readonly TimedSize[]): Map<number, Shares> {
  const least = Math.min(...times.map(({ seconds }) => seconds));
  const most = Math.max(...times.map(({ size, seconds }) => size / seconds));
  return new Map(
    times.map(({ size, seconds }) => [size, { rate: least / seconds, peak: size / seconds / most }] as const),
  );
}

/** How often to repeat: the classes of OMB 7.4. */
import type { CountClass, Counts } from './types.js';

const THRESHOLD = 8192;

export const COUNTS = {
  latency: {
    name: 'LAT',
    threshold: THRESHOLD,
    small: { iterations: 10000, warmup: 100 },
    large: { iterations: 1000, warmup: 10 },
  },
  bandwidth: {
    name: 'BW',
    threshold: THRESHOLD,
    small: { iterations: 100, warmup: 10 },
    large: { iterations: 20, warmup: 2 },
  },
  collective: {
    name: 'COLL',
    threshold: THRESHOLD,
    small: { iterations: 1000, warmup: 100 },
    large: { iterations: 100, warmup: 10 },
  },
  /** osu_mbw_mr never switches to large counts. */
  multiBandwidth: {
    name: 'MBW_MR',
    threshold: THRESHOLD,
    small: { iterations: 100, warmup: 10 },
    large: { iterations: 100, warmup: 10 },
  },
  /** osu_ibarrier, which has no size, always takes large counts. */
  nonblockingBarrier: {
    name: 'IBARRIER',
    threshold: THRESHOLD,
    small: { iterations: 100, warmup: 10 },
    large: { iterations: 100, warmup: 10 },
  },
} as const satisfies Record<string, CountClass>;

/** A row that goes on until its median is sure enough has at most so many times the iterations it has by default. */
export const MOST_FOR_TARGET = 10;

/** Counts for messages of `size` bytes. What the user gave (`-i`, `-x`) holds for small and large ones. */
export function countsFor(
  countClass: CountClass,
  size: number,
  given: { readonly iterations?: number | undefined; readonly warmup?: number | undefined } = {},
): Counts {
  const { iterations, warmup } = size > countClass.threshold ? countClass.large : countClass.small;
  return { iterations: given.iterations ?? iterations, warmup: given.warmup ?? warmup };
}

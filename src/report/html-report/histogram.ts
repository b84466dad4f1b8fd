/** Samples as a histogram that is small enough for a page. */
import type { ReportHistogram } from './types.js';

const BINS = 48;
/** Less than this share of the samples lies above the last bin's edge, and is counted in it. */
const TAIL = 0.001;

/** Of positive samples; undefined where there are too few to show a distribution. */
export function histogramOf(samples: readonly number[]): ReportHistogram | undefined {
  const sorted = Float64Array.from(samples.filter((value) => value > 0)).sort();
  if (sorted.length < BINS / 2) return undefined;
  const low = sorted[0] ?? 0;
  const high = sorted[Math.ceil(sorted.length * (1 - TAIL)) - 1] ?? low;
  const [from, to] = high > low ? [Math.log(low), Math.log(high)] : [Math.log(low) - 0.01, Math.log(low) + 0.01];
  const counts = new Array<number>(BINS).fill(0);
  for (const value of sorted) {
    const bin = Math.floor(((Math.log(value) - from) / (to - from)) * BINS);
    const at = Math.min(BINS - 1, Math.max(0, bin));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return {
    edges: Array.from({ length: BINS + 1 }, (_, index) => Math.exp(from + ((to - from) * index) / BINS)),
    counts,
  };
}

/** What a rank says of what it timed: a few numbers, however many samples there were. */
import type { Spread, Summary } from './types.js';

/** Nearest rank: the least sample that so many per cent of them do not exceed. */
function at(sorted: Float64Array, percent: number): number {
  const index = Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1);
  return sorted[index] ?? NaN;
}

/** Of the durations of single iterations. */
export function spreadOf(samples: Float64Array): Spread {
  const sorted = Float64Array.from(samples).sort();
  const [min, median, p90, p99, max] = [0, 50, 90, 99, 100].map((percent) => at(sorted, percent));
  return { min: min ?? NaN, median: median ?? NaN, p90: p90 ?? NaN, p99: p99 ?? NaN, max: max ?? NaN };
}

/** Collects the samples of one rank and step. */
export class Collected {
  #samples: Float64Array[] = [];

  /** Copies what it keeps. */
  add(seconds: Float64Array): void {
    this.#samples.push(seconds.slice());
  }

  get all(): Float64Array {
    const all = new Float64Array(this.#samples.reduce((sum, { length }) => sum + length, 0));
    let next = 0;
    for (const part of this.#samples) {
      all.set(part, next);
      next += part.length;
    }
    return all;
  }
}

/** Numbers alone, to be sent: names of fields would be most of it. */
export type SentSummary = readonly number[];

export function toSent({ iterations, seconds, spread }: Omit<Summary, 'rank'>): SentSummary {
  const { min, median, p90, p99, max } = spread;
  return [iterations, seconds, min, median, p90, p99, max];
}

export function fromSent(rank: number, sent: SentSummary): Summary {
  const [iterations = NaN, seconds = NaN, min = NaN, median = NaN, p90 = NaN, p99 = NaN, max = NaN] = sent;
  return { rank, iterations, seconds, spread: { min, median, p90, p99, max } };
}

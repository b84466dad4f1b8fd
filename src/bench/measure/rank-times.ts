/** The median time of each rank in one row, for telling ranks apart; bounded whatever the number of samples. */
import { median } from './robust.js';

/** Samples of a rank that are looked at in one chunk, spread over it. */
const PER_CHUNK = 101;
/** Chunks that are looked at. */
const MOST_CHUNKS = 20;

export class RankTimes {
  readonly #picked = new Map<number, number[]>();
  readonly #seen = new Map<number, { chunks: number; samples: number }>();

  /** Takes a rank's samples of one chunk, in seconds. */
  add(rank: number, samples: Float64Array): void {
    const seen = this.#seen.get(rank) ?? { chunks: 0, samples: 0 };
    this.#seen.set(rank, { chunks: seen.chunks + 1, samples: seen.samples + samples.length });
    if (seen.chunks >= MOST_CHUNKS) return;
    const picked = this.#picked.get(rank) ?? [];
    const count = Math.min(PER_CHUNK, samples.length);
    for (let i = 0; i < count; ++i) picked.push(samples[Math.floor((i * samples.length) / count)] ?? NaN);
    this.#picked.set(rank, picked);
  }

  /** Seconds by rank, and how many samples the rank had that has fewest. */
  medians(): { readonly seconds: ReadonlyMap<number, number>; readonly fewest: number } {
    const seconds = new Map([...this.#picked].map(([rank, samples]) => [rank, median(samples)]));
    return { seconds, fewest: Math.min(...[...this.#seen.values()].map(({ samples }) => samples)) };
  }
}

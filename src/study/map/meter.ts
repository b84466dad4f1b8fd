/** Whoever measures links for a map: the ranks of a job, or what stands for them. */
import type { Effort } from './budget.js';
import type { Round } from './schedule.js';

/** Of each link: latency (s), jitter, bandwidth there and back (B/s). NaN where it isn't measured. */
export const FIGURES_PER_LINK = 4;

export interface Meter {
  readonly nodes: number;
  /** Its clock, in seconds. */
  now(): number;
  /**
   * Measures rounds one after the other, all links of a round at the same time, and gives the figures of each link in the
   * order of rounds and of `linksOf`.
   */
  measure(rounds: readonly Round[], effort: Effort): Float64Array;
}

/** Calls `take` for each link of some rounds with its figures. */
export function eachLink(
  nodes: number,
  links: readonly Int32Array[],
  figures: Float64Array,
  take: (a: number, b: number, own: Float64Array) => void,
): void {
  let at = 0;
  for (const round of links) {
    for (let index = 0; index < round.length; index += 2) {
      const own = figures.subarray(at, at + FIGURES_PER_LINK);
      take(round[index] ?? nodes, round[index + 1] ?? nodes, own);
      at += FIGURES_PER_LINK;
    }
  }
}

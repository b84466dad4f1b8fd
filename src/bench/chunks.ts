/** How many iterations come next: what all ranks of a row agree on. */
import type { OsuOptions } from '../cli/options.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { SampleStore } from './measure/samples.js';
import { Chunker, CHUNK_LIMIT, type TimeBudget } from './measure/stopping.js';
import type { ChunkSource } from './row.js';

/**
 * Chunks that all ranks agree on: without a time limit or a target by counting alike, with one by doing what rank 0 says.
 * `enough` is asked on rank 0 alone, which has the samples.
 */
export function agreedChunks(
  rendezvous: Rendezvous,
  iterations: number,
  budget: TimeBudget,
  enough: (() => boolean) | undefined,
): ChunkSource & { chunker: Chunker } {
  const chunker = new Chunker({ iterations, budget, ...(enough && { enough }) });
  const next = (): number => chunker.next();
  const alike = budget.limit === undefined && !enough;
  return {
    chunker,
    most: Math.min(iterations, CHUNK_LIMIT),
    next: alike ? next : () => rendezvous.broadcast(rendezvous.rank === 0 ? next() : 0),
    ran: (count, seconds) => {
      if (count === 0) budget.spend(seconds);
      else chunker.ran(count, seconds);
    },
  };
}

/** Whether the samples say enough (`--target-ci`); undefined where nothing was asked. */
export function enoughOf({ targetCi }: Pick<OsuOptions, 'targetCi'>, store: SampleStore): (() => boolean) | undefined {
  return targetCi === undefined ? undefined : () => (store.uncertainty() ?? Infinity) <= targetCi;
}

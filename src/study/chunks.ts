/** How many iterations a rank of a study does next. */
import { agreedChunks } from '../bench/chunks.js';
import { TimeBudget } from '../bench/measure/stopping.js';
import type { ChunkSource } from '../bench/row.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { Work } from './types.js';

/** All its iterations, or as many as its time allows. */
export function countedChunks(rendezvous: Rendezvous, { iterations, limit }: Work): ChunkSource {
  return agreedChunks(rendezvous, iterations, new TimeBudget(limit), undefined);
}

/** A chunk of the background takes so long: whoever waits for its end waits no longer. */
const CHUNK_SECONDS = 0.005;
const MOST = 10_000;

/**
 * Goes on until `over` says on rank 0 of the part that the others are through. `begun` is called there before the second
 * chunk: from then on there is traffic.
 */
export function backgroundChunks(
  rendezvous: Rendezvous,
  { iterations }: Work,
  { begun, over }: { readonly begun: () => void; readonly over: () => boolean },
): ChunkSource {
  let [next, chunks] = [iterations, 0];
  const decide = (): number => {
    if (chunks === 1) begun();
    return chunks > 1 && over() ? 0 : next;
  };
  return {
    most: MOST,
    next: () => rendezvous.broadcast(rendezvous.rank === 0 ? decide() : 0),
    ran: (count, seconds) => {
      if (count === 0) return;
      chunks++;
      const fitting = Math.floor((CHUNK_SECONDS * count) / Math.max(seconds, 1e-9));
      next = Math.max(1, Math.min(2 * count, fitting, MOST));
    },
  };
}

/** Two processes that meet over SENDs of a connection by rdma_cm: a server and its client, without TCP. */
import type { Connection } from '../engine/control.js';
import { pairRendezvous } from './pair.js';
import type { Rendezvous } from './types.js';

/**
 * `pairRendezvous` over a connection of `connectTexts` or `listenTexts` (`src/verbs/cm.ts`). Its barriers take a thread's
 * waking on each side: what is timed must not wait in one.
 */
export function cmRendezvous(connection: Connection, rank: 0 | 1): Rendezvous {
  return pairRendezvous('rdma_cm', connection, rank);
}

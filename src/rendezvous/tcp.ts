/** Two processes that meet over TCP: a server and its client. */
import type { Connection } from '../engine/control.js';
import { pairRendezvous } from './pair.js';
import type { Rendezvous } from './types.js';

/** `pairRendezvous` over a connection of `connect` or `listen`. */
export function tcpRendezvous(connection: Connection, rank: 0 | 1): Rendezvous {
  return pairRendezvous('tcp', connection, rank);
}

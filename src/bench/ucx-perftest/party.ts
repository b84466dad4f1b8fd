/** How the processes of ucx_perftest meet: by a launcher, server and client over TCP, or one with itself. */
import type { Connection } from '../../engine/control.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { loopbackRendezvous } from '../../rendezvous/loopback.js';
import { mpiRendezvous } from '../../rendezvous/mpi.js';
import { connected as connectedPair, inPairs, type Party as MetParty } from '../meeting/party.js';
import { SETUP_FAILED, TestRefusal, type Role, type Tamper } from './side.js';

/** Clients: pairs that measure at once, or processes that talk to themselves (`-l`), whose pair is one process. */
export interface Party extends MetParty<Role> {
  readonly tamper?: Tamper;
}

/** One process that talks to itself. */
export function alone(): Party {
  const pair = loopbackRendezvous(1);
  return { role: 'both', pair, world: pair, clients: 1, close: () => undefined };
}

/** A server and a client that have connected. */
export function connected(connection: Connection, role: 'client' | 'server'): Party {
  return connectedPair(connection, role);
}

/**
 * Ranks of a launcher: rank r and rank r + size/2 are a pair, or with `loopback` each talks to itself. Starts MPI.
 *
 * @throws TestRefusal for an odd number of ranks
 */
export function launched(launcher: Launcher, loopback: boolean): Party {
  const world = mpiRendezvous({ launcher });
  if (!loopback) return inPairs(world, refuseOdd);
  const close = (): void => {
    world.close();
  };
  return { role: 'both', pair: loopbackRendezvous(1), world, clients: world.size, close };
}

function refuseOdd(ranks: number): TestRefusal {
  return new TestRefusal(
    `ranks work in pairs, and this run has ${ranks}: start it with an even number, or with -l`,
    SETUP_FAILED,
  );
}

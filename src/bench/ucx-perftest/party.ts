/** How the processes of a run meet: by a launcher, server and client over TCP, or one with itself. */
import type { Connection } from '../../engine/control.js';
import { mpi } from '../../mpi/mpi.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { loopbackRendezvous } from '../../rendezvous/loopback.js';
import { MpiRendezvous, mpiRendezvous } from '../../rendezvous/mpi.js';
import { tcpRendezvous } from '../../rendezvous/tcp.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import { SETUP_FAILED, TestRefusal, type Role, type Tamper } from './side.js';

export interface Party {
  readonly role: Role;
  /** This process and its peer; the client is rank 0. Of `-l` there is only one. */
  readonly pair: Rendezvous;
  /** All processes; rank 0 prints. The pair itself where there is only one. */
  readonly world: Rendezvous;
  /** Clients: pairs that measure at once, or processes that talk to themselves. */
  readonly clients: number;
  /** Whose end ends the run, where there is a connection. */
  readonly connection?: Connection;
  readonly tamper?: Tamper;
  close(): void;
}

/** One process that talks to itself. */
export function alone(): Party {
  const pair = loopbackRendezvous(1);
  return { role: 'both', pair, world: pair, clients: 1, close: () => undefined };
}

/** A server and a client that have connected. */
export function connected(connection: Connection, role: 'client' | 'server'): Party {
  const pair = tcpRendezvous(connection, role === 'client' ? 0 : 1);
  return {
    ...{ role, pair, world: pair, clients: 1, connection },
    close: () => {
      pair.close();
    },
  };
}

/**
 * Ranks of a launcher: rank r and rank r + size/2 are a pair, or with `loopback` each talks to itself. Starts MPI.
 *
 * @throws TestRefusal for an odd number of ranks
 */
export function launched(launcher: Launcher, loopback: boolean): Party {
  const world = mpiRendezvous({ launcher });
  const { rank, size } = world;
  const close = (): void => {
    world.close();
  };
  if (loopback) return { role: 'both', pair: loopbackRendezvous(1), world, clients: size, close };
  if (size % 2 !== 0) {
    close();
    throw new TestRefusal(
      `ranks work in pairs, and this run has ${size}: start it with an even number, or with -l`,
      SETUP_FAILED,
    );
  }
  const clients = size / 2;
  const role = rank < clients ? 'client' : 'server';
  const pair = pairOf(world, rank % clients);
  return {
    ...{ role, pair, world: clients === 1 ? pair : world, clients },
    close: () => {
      pair.close();
      close();
    },
  };
}

function pairOf(world: MpiRendezvous, index: number): MpiRendezvous {
  const MPI = mpi();
  const comm = MPI.Comm_split(world.comm, index, world.rank);
  return new MpiRendezvous(MPI, {
    comm,
    end: () => {
      MPI.Comm_free(comm);
    },
  });
}

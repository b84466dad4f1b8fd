/** How the processes of a run meet: by a launcher, or server and client over TCP. */
import type { Connection } from '../../engine/control.js';
import { mpi } from '../../mpi/mpi.js';
import { MpiRendezvous } from '../../rendezvous/mpi.js';
import { tcpRendezvous } from '../../rendezvous/tcp.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import type { Refusal } from './refusal.js';

export type PairRole = 'client' | 'server';

export interface Party<Role = PairRole> {
  readonly role: Role;
  /** This process and its peer; the client is rank 0. */
  readonly pair: Rendezvous;
  /** All processes; rank 0 prints. The pair itself where there is only one. */
  readonly world: Rendezvous;
  /** Clients that measure at once. */
  readonly clients: number;
  /** Whose end ends the run, where there is a connection. */
  readonly connection?: Connection;
  close(): void;
}

/** A server and a client that have connected. */
export function connected(connection: Connection, role: PairRole): Party {
  const pair = tcpRendezvous(connection, role === 'client' ? 0 : 1);
  return {
    ...{ role, pair, world: pair, clients: 1, connection },
    close: () => {
      pair.close();
    },
  };
}

/**
 * Ranks of a launcher in pairs: rank r and rank r + size/2. Closing the party ends the world.
 *
 * @throws the refusal of an odd number of ranks, after it has closed the world
 */
export function inPairs(world: MpiRendezvous, refuseOdd: (ranks: number) => Refusal): Party {
  const { rank, size } = world;
  if (size % 2 !== 0) {
    world.close();
    throw refuseOdd(size);
  }
  const clients = size / 2;
  const pair = partOf(world, rank % clients, rank);
  return {
    role: rank < clients ? 'client' : 'server',
    ...{ pair, world: clients === 1 ? pair : world, clients },
    close: () => {
      pair.close();
      world.close();
    },
  };
}

/** The processes that name the same part, ordered by their keys. Closing it leaves the world as it is. */
export function partOf(world: MpiRendezvous, part: number, key: number): MpiRendezvous {
  const MPI = mpi();
  const comm = MPI.Comm_split(world.comm, part, key);
  return new MpiRendezvous(MPI, {
    comm,
    end: () => {
      MPI.Comm_free(comm);
    },
  });
}

/** How the processes of an ib_* test meet: by TCP or rdma_cm, or as ranks of a launcher: in pairs, or all against the last. */
import type { Connection } from '../../engine/control.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { mpiRendezvous, type MpiRendezvous } from '../../rendezvous/mpi.js';
import { pairRendezvous } from '../../rendezvous/pair.js';
import { inPairs, partOf, type PairRole, type Party } from '../meeting/party.js';
import { PerftestRefusal } from './types.js';

/** How roles are dealt. */
export interface Layout {
  /** The server sends: roles are the other way round from the start. */
  readonly reversed: boolean;
  readonly incast: boolean;
}

const otherRole = (role: PairRole): PairRole => (role === 'client' ? 'server' : 'client');

/** A server and a client that have connected, by TCP or by texts over rdma_cm (`-z`); `role` is who connected. */
export function metByConnection(
  connection: Connection,
  role: PairRole,
  { reversed, kind }: Pick<Layout, 'reversed'> & { readonly kind: 'tcp' | 'rdma_cm' },
): Party {
  const played = reversed ? otherRole(role) : role;
  const pair = pairRendezvous(kind, connection, played === 'client' ? 0 : 1);
  return {
    ...{ role: played, pair, world: pair, clients: 1, connection },
    close: () => {
      pair.close();
    },
  };
}

/**
 * Ranks of a launcher. Rank r is the client of rank r + size/2, or with `incast` of the last; reversed, those are the clients.
 * The first client is rank 0 of the party's world. Starts MPI.
 *
 * @throws PerftestRefusal on all ranks where there are too few, or an odd number for pairs
 */
export function metByLauncher(launcher: Launcher, { reversed, incast }: Layout): Party {
  const all = mpiRendezvous({ launcher });
  const world = reversed ? backwards(all) : all;
  return incast ? againstTheLast(world) : inPairs(world, refuseOdd);
}

function backwards(all: MpiRendezvous): MpiRendezvous {
  const world = partOf(all, 0, -all.rank);
  const close = world.close.bind(world);
  world.close = () => {
    close();
    all.close();
  };
  return world;
}

function againstTheLast(world: MpiRendezvous): Party {
  const { rank, size } = world;
  if (size < 2) {
    world.close();
    throw new PerftestRefusal('--incast needs at least 2 ranks, and this run has 1: start more');
  }
  return {
    role: rank === size - 1 ? 'server' : 'client',
    ...{ pair: world, world, clients: size - 1 },
    close: () => {
      world.close();
    },
  };
}

function refuseOdd(ranks: number): PerftestRefusal {
  const mend = ranks === 1 ? 'start it with 2' : 'start it with an even number, or with --incast';
  return new PerftestRefusal(`ranks work in pairs, and this run has ${ranks}: ${mend}`);
}

/** What the other side of a pair said: of a client its server, of a server each of its clients. */
export function ofPeers<T>({ role }: Pick<Party, 'role'>, said: readonly T[]): readonly T[] {
  return role === 'client' ? said.slice(-1) : said.slice(0, -1);
}

/**
 * What the peer's queue pairs said, in the order of one's own: with several clients a server has `perClient` for each, one
 * client after the other.
 */
export function ofPeerLanes<T>(
  { role, pair }: Pick<Party, 'role' | 'pair'>,
  said: readonly (readonly T[])[],
  perClient: number,
): readonly T[] {
  if (role === 'server') return said.slice(0, -1).flat();
  const begin = pair.rank * perClient;
  return (said.at(-1) ?? []).slice(begin, begin + perClient);
}

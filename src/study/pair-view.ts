/** Two ranks of a job as a run of their own, without a communicator of their own: making one takes all ranks and time. */
import type { Mpi } from '../mpi/types.js';
import type { MpiRendezvous } from '../rendezvous/mpi.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { Transport } from '../transport/types.js';
import type { Pair } from './types.js';

/** No other message of a study has it. */
const TALK_TAG = 32010;

/**
 * The pair's way to meet, over the communicator of all ranks. Its barrier is of all ranks of the job, also of those outside:
 * so all pairs of a step begin together.
 *
 * @param role which of the two this rank is
 */
export function pairRendezvous(MPI: Mpi, world: MpiRendezvous, pair: Pair, role: 0 | 1): Rendezvous {
  const { comm } = world;
  const peer = pair[1 - role] ?? NaN;
  const send = (value: unknown): void => {
    const bytes = Buffer.from(JSON.stringify(value) ?? 'null');
    MPI.Send(Int32Array.of(bytes.length), 1, MPI.INT, peer, TALK_TAG, comm);
    MPI.Send(bytes, bytes.length, MPI.BYTE, peer, TALK_TAG, comm);
  };
  const receive = (): unknown => {
    const length = new Int32Array(1);
    MPI.Recv(length, 1, MPI.INT, peer, TALK_TAG, comm, MPI.STATUS_IGNORE);
    const bytes = Buffer.alloc(length[0] ?? 0);
    MPI.Recv(bytes, bytes.length, MPI.BYTE, peer, TALK_TAG, comm, MPI.STATUS_IGNORE);
    return JSON.parse(bytes.toString());
  };
  const broadcast = <T>(value: T, root = 0): T => {
    if (role !== root) return receive() as T;
    send(value);
    return value;
  };
  const allgather = <T>(value: T): T[] => [broadcast(value, 0), broadcast(value, 1)];
  return {
    ...{ kind: 'mpi', rank: role, size: 2, broadcast, allgather },
    gather: (value) => (role === 0 ? allgather(value) : allgather(value).slice(2)),
    gatherNumbers: (values) => {
      const all = allgather([...values]);
      return role === 0 ? all.map((numbers) => Float64Array.from(numbers)) : [];
    },
    barrier: () => {
      world.barrier();
    },
    abort: (code) => world.abort(code),
    close: () => undefined,
  };
}

/** The transport of all ranks, with the two for its ranks 0 and 1. It has channels alone. */
export function pairTransport(world: Transport, pair: Pair): Transport {
  const none = (what: string) => (): never => {
    throw new Error(`a pair of a study has no ${what}: measure it as a part, which has a communicator of its own`);
  };
  return {
    ...{ layer: world.layer, datatypes: world.datatypes, collective: none('collectives'), barrier: none('barriers') },
    allocate: (byteLength) => world.allocate(byteLength),
    channel: (options) => world.channel({ ...options, peer: pair[options.peer] ?? NaN }),
  };
}

/** Neighbourhood collectives: blocks are for neighbours, whose number is not the communicator's size. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { releaseOperation } from '../../../src/engine/operations.js';
import type { Comm } from '../../../src/mpi/types.js';
import { both, range } from './forms.js';
import { refused, refusedByMpi, thrown, type Binding, type Case, type CaseContext, type Cases } from './support.js';

interface Graph {
  readonly comm: Comm;
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
}

/** Runs a case on a graph in which everybody sends to all others of a higher rank: degrees differ, and some are 0. */
function onGraph(run: (context: CaseContext, graph: Graph) => void): Case {
  return {
    run: (context) => {
      const { MPI, rank, size } = context;
      const sources = range(rank, (each) => rank - 1 - each);
      const destinations = range(size - 1 - rank, (each) => rank + 1 + each);
      const comm = MPI.Dist_graph_create_adjacent(MPI.COMM_WORLD, sources, null, destinations, null, false);
      run(context, { comm, sources, destinations });
      MPI.Comm_free(comm);
    },
  };
}

/** One after the other, with a gap of one element after each block. */
function placed(counts: readonly number[]): { counts: number[]; displs: number[]; total: number } {
  const displs: number[] = [];
  let total = 0;
  for (const count of counts) {
    displs.push(total);
    total += count + 1;
  }
  return { counts: [...counts], displs, total };
}

/** A communicator of this rank alone that is its own neighbour twice: blocks for two, where the size is one. */
function twice(MPI: Binding): Comm {
  return MPI.Dist_graph_create_adjacent(MPI.COMM_SELF, [0, 0], null, [0, 0], null, false);
}

type Call = (MPI: Binding, small: Int32Array, comm: Comm) => unknown;
const full = (): Int32Array => new Int32Array(2);

/** Each call on `twice` with a buffer of one element where both neighbours need one. */
const tooSmall: Readonly<Record<string, Call>> = {
  Neighbor_allgather: (MPI, small, comm) => MPI.Neighbor_allgather(full(), 1, MPI.INT, small, 1, MPI.INT, comm),
  Ineighbor_allgather: (MPI, small, comm) => MPI.Ineighbor_allgather(full(), 1, MPI.INT, small, 1, MPI.INT, comm),
  Neighbor_alltoall: (MPI, small, comm) => MPI.Neighbor_alltoall(small, 1, MPI.INT, full(), 1, MPI.INT, comm),
  Ineighbor_alltoall: (MPI, small, comm) => MPI.Ineighbor_alltoall(full(), 1, MPI.INT, small, 1, MPI.INT, comm),
  Neighbor_allgatherv: (MPI, small, comm) =>
    MPI.Neighbor_allgatherv(full(), 1, MPI.INT, small, [1, 1], [0, 1], MPI.INT, comm),
  Ineighbor_allgatherv: (MPI, small, comm) =>
    MPI.Ineighbor_allgatherv(small, 2, MPI.INT, full(), [1, 1], [0, 1], MPI.INT, comm),
  Neighbor_alltoallv: (MPI, small, comm) =>
    MPI.Neighbor_alltoallv(small, [1, 1], [0, 1], MPI.INT, full(), [1, 1], [0, 1], MPI.INT, comm),
  Ineighbor_alltoallv: (MPI, small, comm) =>
    MPI.Ineighbor_alltoallv(full(), [1, 1], [0, 1], MPI.INT, small, [1, 1], [0, 1], MPI.INT, comm),
  Neighbor_alltoallw: (MPI, small, comm) => {
    const types = [MPI.INT, MPI.INT];
    MPI.Neighbor_alltoallw(small, [1, 1], [0, 4], types, full(), [1, 1], [0, 4], types, comm);
  },
  Ineighbor_alltoallw: (MPI, small, comm) => {
    const types = [MPI.INT, MPI.INT];
    MPI.Ineighbor_alltoallw(full(), [1, 1], [0, 4], types, small, [1, 1], [0, 4], types, comm);
  },
};

export const neighborhood: Cases = {
  'Neighbor_allgather and Ineighbor_allgather': onGraph(({ MPI, rank, guarded }, { comm, sources }) => {
    for (const allgather of both(MPI, MPI.Neighbor_allgather, MPI.Ineighbor_allgather)) {
      const send = guarded(Int32Array, 2);
      send.set([rank * 10, rank * 10 + 1]);
      const receive = guarded(Int32Array, 2 * sources.length);
      allgather(send, 2, MPI.INT, receive, 2, MPI.INT, comm);
      assert.deepEqual(
        [...receive],
        sources.flatMap((each) => [each * 10, each * 10 + 1]),
      );
    }
  }),
  'Neighbor_allgatherv and Ineighbor_allgatherv, with uneven counts and gaps': onGraph(
    ({ MPI, rank, guarded }, { comm, sources }) => {
      const { counts, displs, total } = placed(sources.map((each) => each + 1));
      for (const allgatherv of both(MPI, MPI.Neighbor_allgatherv, MPI.Ineighbor_allgatherv)) {
        const send = guarded(Float64Array, rank + 1).fill(rank + 0.5);
        const receive = guarded(Float64Array, total).fill(-1);
        allgatherv(send, rank + 1, MPI.DOUBLE, receive, counts, displs, MPI.DOUBLE, comm);
        assert.deepEqual(
          [...receive],
          sources.flatMap((each) => [...Array<number>(each + 1).fill(each + 0.5), -1]),
        );
      }
    },
  ),
  'Neighbor_alltoall and Ineighbor_alltoall': onGraph(({ MPI, rank, guarded }, { comm, sources, destinations }) => {
    for (const alltoall of both(MPI, MPI.Neighbor_alltoall, MPI.Ineighbor_alltoall)) {
      const send = guarded(Int16Array, 2 * destinations.length);
      send.set(destinations.flatMap((each) => [rank * 100 + each, -each]));
      const receive = guarded(Int16Array, 2 * sources.length);
      alltoall(send, 2, MPI.SHORT, receive, 2, MPI.SHORT, comm);
      assert.deepEqual(
        [...receive],
        sources.flatMap((each) => [each * 100 + rank, -rank]),
      );
    }
  }),
  'Neighbor_alltoallv and Ineighbor_alltoallv, with uneven counts and gaps': onGraph(
    ({ MPI, rank, guarded }, { comm, sources, destinations }) => {
      // Everybody gets as many elements as its rank says.
      const sent = placed(destinations);
      const received = placed(sources.map(() => rank));
      for (const alltoallv of both(MPI, MPI.Neighbor_alltoallv, MPI.Ineighbor_alltoallv)) {
        const send = guarded(Int32Array, sent.total).fill(rank);
        const receive = guarded(Int32Array, received.total).fill(-1);
        const sends = [send, sent.counts, Int32Array.from(sent.displs), MPI.INT] as const;
        alltoallv(...sends, receive, Int32Array.from(received.counts), received.displs, MPI.INT, comm);
        assert.deepEqual(
          [...receive],
          sources.flatMap((each) => [...Array<number>(rank).fill(each), -1]),
        );
      }
    },
  ),
  'Neighbor_alltoallw and Ineighbor_alltoallw, with a type for each neighbour': onGraph(
    ({ MPI, rank, guarded }, { comm, sources, destinations }) => {
      const typeOf = (each: number) => ((rank + each) % 2 === 0 ? MPI.INT : MPI.FLOAT);
      const block = (each: number): number => 8 * each + 4; // bytes: every second element
      for (const alltoallw of both(MPI, MPI.Neighbor_alltoallw, MPI.Ineighbor_alltoallw)) {
        const send = guarded(Int32Array, 2 * destinations.length).fill(rank + 1);
        const receive = guarded(Int32Array, 2 * sources.length).fill(-1);
        const part = (neighbours: readonly number[]) =>
          [neighbours.map(() => 1), neighbours.map((_, i) => block(i)), neighbours.map(typeOf)] as const;
        alltoallw(send, ...part(destinations), receive, ...part(sources), comm);
        assert.deepEqual(
          [...receive],
          sources.flatMap((each) => [-1, each + 1]),
        );
      }
    },
  ),
  'a rank without neighbours may pass null for all that is empty': onGraph(
    ({ MPI }, { comm, sources, destinations }) => {
      const zeros = (neighbours: readonly number[]) => (neighbours.length === 0 ? null : neighbours.map(() => 0));
      const types = (neighbours: readonly number[]) => (neighbours.length === 0 ? null : neighbours.map(() => MPI.INT));
      const [to, from] = [zeros(destinations), zeros(sources)];
      MPI.Neighbor_alltoallv(null, to, to, MPI.INT, null, from, from, MPI.INT, comm);
      MPI.Neighbor_alltoallw(null, to, to, types(destinations), null, from, from, types(sources), comm);
    },
  ),
  'edges of a grid leave their blocks as they are': {
    run: ({ MPI, rank, size, guarded }) => {
      const cart = MPI.Cart_create(MPI.COMM_WORLD, [size], [false], false);
      for (const allgather of both(MPI, MPI.Neighbor_allgather, MPI.Ineighbor_allgather)) {
        const receive = guarded(Int32Array, 2).fill(-1);
        allgather(guarded(Int32Array, 1).fill(rank + 10), 1, MPI.INT, receive, 1, MPI.INT, cart);
        assert.deepEqual([...receive], [rank === 0 ? -1 : rank + 9, rank === size - 1 ? -1 : rank + 11]);
      }
      for (const alltoall of both(MPI, MPI.Neighbor_alltoall, MPI.Ineighbor_alltoall)) {
        const receive = guarded(Int32Array, 2).fill(-1);
        const send = guarded(Int32Array, 2);
        send.set([rank * 10, rank * 10 + 1]); // to the left, to the right
        alltoall(send, 1, MPI.INT, receive, 1, MPI.INT, cart);
        const expected = [rank === 0 ? -1 : (rank - 1) * 10 + 1, rank === size - 1 ? -1 : (rank + 1) * 10];
        assert.deepEqual([...receive], expected);
      }
      MPI.Comm_free(cart);
    },
  },
  'a ring of a grid': {
    least: 3,
    run: ({ MPI, rank, size, guarded }) => {
      const ring = MPI.Cart_create(MPI.COMM_WORLD, [size], [true], false);
      const receive = guarded(Int32Array, 2);
      MPI.Neighbor_alltoall(Int32Array.of(rank * 10, rank * 10 + 1), 1, MPI.INT, receive, 1, MPI.INT, ring);
      const [left, right] = [(rank + size - 1) % size, (rank + 1) % size];
      assert.deepEqual([...receive], [left * 10 + 1, right * 10]);
      MPI.Comm_free(ring);
    },
  },
  'bound, by the native executor': onGraph(({ MPI, rank, guarded }, { comm, sources, destinations }) => {
    const { bind } = MPI;
    const requests = MPI.requests(5);
    const send = guarded(Int32Array, destinations.length);
    send.set(destinations.map((each) => rank * 100 + each));
    const own = guarded(Int32Array, 1).fill(rank);
    const received = range(10, () => guarded(Int32Array, sources.length));
    const into = (i: number): Int32Array => received[i] ?? send;
    const to = [destinations.map(() => 1), destinations.map((_, i) => i)] as const;
    const from = [sources.map(() => 1), sources.map((_, i) => i)] as const;
    const types = (neighbours: readonly number[]) => neighbours.map(() => MPI.INT);
    const bytes = (neighbours: readonly number[]) => neighbours.map((_, i) => 4 * i);
    const typedSends = [send, to[0], bytes(destinations), types(destinations)] as const;
    const typedReceives = [from[0], bytes(sources), types(sources)] as const;
    const timed = [
      bind.Neighbor_allgather(own, 1, MPI.INT, into(0), 1, MPI.INT, comm),
      bind.Neighbor_allgatherv(own, 1, MPI.INT, into(1), ...from, MPI.INT, comm),
      bind.Neighbor_alltoall(send, 1, MPI.INT, into(2), 1, MPI.INT, comm),
      bind.Neighbor_alltoallv(send, ...to, MPI.INT, into(3), ...from, MPI.INT, comm),
      bind.Neighbor_alltoallw(...typedSends, into(4), ...typedReceives, comm),
      bind.Ineighbor_allgather(own, 1, MPI.INT, into(5), 1, MPI.INT, comm, requests, 0),
      bind.Ineighbor_allgatherv(own, 1, MPI.INT, into(6), ...from, MPI.INT, comm, requests, 1),
      bind.Ineighbor_alltoall(send, 1, MPI.INT, into(7), 1, MPI.INT, comm, requests, 2),
      bind.Ineighbor_alltoallv(send, ...to, MPI.INT, into(8), ...from, MPI.INT, comm, requests, 3),
      bind.Ineighbor_alltoallw(...typedSends, into(9), ...typedReceives, comm, requests, 4),
      bind.Waitall(requests),
    ];
    const run = nativeExecutor.start({ timed });
    run.advance({ iterations: 5 });
    run.finish();
    const gathered = [...sources];
    const exchanged = sources.map((each) => each * 100 + rank);
    const expected = [gathered, gathered, exchanged, exchanged, exchanged];
    assert.deepEqual(
      received.map((each) => [...each]),
      [...expected, ...expected],
    );
    timed.forEach((operation) => releaseOperation(operation));
    MPI.freeRequests(requests);
  }),
  'buffers too small for all neighbours, by every call': {
    run: ({ MPI }) => {
      const comm = twice(MPI);
      for (const [name, call] of Object.entries(tooSmall)) {
        const error = thrown(() => call(MPI, new Int32Array(1), comm));
        assert.ok(error instanceof RangeError, `${name}: ${error.message}`);
        assert.match(error.message, new RegExp(`^MPI_${name}: .* is too small: .* 8 bytes, it has 4$`));
      }
      assert.equal(MPI.retiredRequests(), 0); // nothing was started
      const small = new Int32Array(1);
      refused(() => MPI.bind.Neighbor_alltoall(full(), 1, MPI.INT, small, 1, MPI.INT, comm), /recvbuf is too small/);
      MPI.Comm_free(comm);
    },
  },
  'counts, displacements and types that are not one for each neighbour': {
    run: ({ MPI }) => {
      const comm = twice(MPI);
      const alltoallv = (counts: number[], displs: number[]) => () =>
        MPI.Neighbor_alltoallv(full(), counts, displs, MPI.INT, full(), [1, 1], [0, 1], MPI.INT, comm);
      const sends = /counts must hold one number for each of the 2 neighbours that this rank sends to, not 1$/;
      refused(alltoallv([1], [0, 1]), sends, RangeError);
      refused(alltoallv([1, 1], [0]), /displs must hold one number for each of the 2 neighbours/, RangeError);
      refused(alltoallv([1, -1], [0, 1]), /counts must not be negative, got -1/, RangeError);
      refused(alltoallv([1, 1], [0, -1]), /reached 4 bytes before its start/, RangeError);
      const receives = /counts must hold one number for each of the 2 neighbours that send to this rank, not 3$/;
      const gathered = (counts: number[]) => () =>
        MPI.Neighbor_allgatherv(full(), 1, MPI.INT, full(), counts, [0, 1], MPI.INT, comm);
      refused(gathered([1, 1, 1]), receives, RangeError);
      const types = [MPI.INT, MPI.INT];
      const alltoallw = (displs: number[], each: typeof types) => () =>
        MPI.Neighbor_alltoallw(full(), [1, 1], displs, each, full(), [1, 1], [0, 4], types, comm);
      refused(alltoallw([0, 4], [MPI.INT]), /datatypes must hold one datatype for each of the 2 neigh/, RangeError);
      refused(alltoallw([0, 5], types), /1 element of MPI_INT at byte 5 needs 9 bytes, it has 8$/, RangeError);
      refused(alltoallw([0, 2 ** 40], types), /at byte 1099511627776 needs/, RangeError);
      MPI.Comm_free(comm);
    },
  },
  'a communicator without a topology, and IN_PLACE': {
    run: ({ MPI }) => {
      const world = MPI.COMM_WORLD;
      const call = () => MPI.Neighbor_allgather(full(), 1, MPI.INT, full(), 1, MPI.INT, world);
      refusedByMpi(MPI, call, 'MPI_ERR_TOPOLOGY');
      assert.match(thrown(call).message, /^MPI_Neighbor_allgather failed: comm has no process topology: /);
      const comm = twice(MPI);
      const bind = MPI.bind.Neighbor_allgather as (...args: unknown[]) => unknown;
      refused(() => bind(MPI.IN_PLACE, 1, MPI.INT, full(), 1, MPI.INT, comm), /sendbuf can't be IN_PLACE/, TypeError);
      const typed = MPI.Neighbor_alltoallv as (...args: unknown[]) => unknown;
      const receives = [full(), [1, 1], [0, 1], MPI.INT, comm];
      refused(() => typed(MPI.IN_PLACE, null, null, MPI.INT, ...receives), /sendbuf can't be IN_PLACE/, TypeError);
      MPI.Comm_free(comm);
    },
  },
  'buffers in flight stay, and operations end with their communicator': {
    run: ({ MPI }) => {
      const comm = twice(MPI);
      const [send, receive] = [EngineBuffer.allocate(8), EngineBuffer.allocate(8)];
      const request = MPI.Ineighbor_alltoall(send, 1, MPI.INT, receive, 1, MPI.INT, comm);
      refused(() => receive.free(), /can't be freed/);
      MPI.Wait(request);
      const operation = MPI.bind.Neighbor_alltoall(send, 1, MPI.INT, receive, 1, MPI.INT, comm);
      operation();
      MPI.Comm_free(comm);
      refused(operation, /^MPI_Neighbor_alltoall failed: a communicator, .* has been freed/, MPI.MpiError);
      releaseOperation(operation);
      [send, receive].forEach((buffer) => buffer.free());
    },
  },
};

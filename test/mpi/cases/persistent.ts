/** Persistent collectives: one request, started again and again. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { jsExecutor } from '../../../src/engine/js-executor.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { releaseOperation } from '../../../src/engine/operations.js';
import { MpiError } from '../../../src/mpi/errors.js';
import { hasMpi4, mpi4Refusal } from '../../../src/mpi/mpi4.js';
import { mpi } from '../../../src/mpi/mpi.js';
import type { Mpi4, Request } from '../../../src/mpi/types.js';
import { range } from './forms.js';
import { collect } from './garbage.js';
import { refused, thrown, type Case, type CaseContext, type Cases } from './support.js';

interface Mpi4Context extends Omit<CaseContext, 'MPI'> {
  readonly MPI: Mpi4;
}

/** A case that needs MPI-4. */
function withMpi4(run: (context: Mpi4Context) => void, least = 1): Case {
  return {
    mpi: 'mpich',
    least,
    run: (context) => {
      const MPI = mpi();
      assert.ok(hasMpi4(MPI), 'this MPI has no persistent collectives');
      run({ ...context, MPI });
    },
  };
}

/** Starts a request three times: `set` what goes out, then `look` at what came. */
function thrice(MPI: Mpi4, request: Request, set: (round: number) => void, look: (round: number) => void): void {
  for (let round = 1; round <= 3; round++) {
    set(round);
    MPI.Start(request);
    MPI.Wait(request);
    look(round);
  }
  MPI.Request_free(request);
}

const sum = (size: number): number => (size * (size - 1)) / 2;

/** Uneven counts, and displacements with a gap of one element after each block. */
function uneven(size: number): { counts: number[]; displs: number[]; total: number } {
  const counts = range(size, (each) => each + 1);
  return { counts, displs: range(size, (each) => sum(each + 1) + each), total: sum(size + 1) + size };
}

const blocks = (size: number, value: (each: number) => number): number[] =>
  range(size, (each) => [...Array<number>(each + 1).fill(value(each)), -1]).flat();

type Call = (MPI: Mpi4, small: Uint8Array) => unknown;
const full = (): Int32Array => new Int32Array(1);

/** Each call on MPI_COMM_SELF with a buffer of 3 bytes where 4 are needed. */
const tooSmall: Readonly<Record<string, Call>> = {
  Bcast_init: (MPI, small) => MPI.Bcast_init(small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Reduce_init: (MPI, small) => MPI.Reduce_init(full(), small, 1, MPI.INT, MPI.SUM, 0, MPI.COMM_SELF),
  Allreduce_init: (MPI, small) => MPI.Allreduce_init(small, full(), 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Scan_init: (MPI, small) => MPI.Scan_init(full(), small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Exscan_init: (MPI, small) => MPI.Exscan_init(small, full(), 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Reduce_scatter_init: (MPI, small) => MPI.Reduce_scatter_init(full(), small, [1], MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Reduce_scatter_block_init: (MPI, small) =>
    MPI.Reduce_scatter_block_init(small, full(), 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Gather_init: (MPI, small) => MPI.Gather_init(full(), 1, MPI.INT, small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Gatherv_init: (MPI, small) => MPI.Gatherv_init(full(), 1, MPI.INT, small, [1], [0], MPI.INT, 0, MPI.COMM_SELF),
  Scatter_init: (MPI, small) => MPI.Scatter_init(small, 1, MPI.INT, full(), 1, MPI.INT, 0, MPI.COMM_SELF),
  Scatterv_init: (MPI, small) => MPI.Scatterv_init(small, [1], [0], MPI.INT, full(), 1, MPI.INT, 0, MPI.COMM_SELF),
  Allgather_init: (MPI, small) => MPI.Allgather_init(full(), 1, MPI.INT, small, 1, MPI.INT, MPI.COMM_SELF),
  Allgatherv_init: (MPI, small) => MPI.Allgatherv_init(full(), 1, MPI.INT, small, [1], [0], MPI.INT, MPI.COMM_SELF),
  Alltoall_init: (MPI, small) => MPI.Alltoall_init(small, 1, MPI.INT, full(), 1, MPI.INT, MPI.COMM_SELF),
  Alltoallv_init: (MPI, small) =>
    MPI.Alltoallv_init(small, [1], [0], MPI.INT, full(), [1], [0], MPI.INT, MPI.COMM_SELF),
  Alltoallw_init: (MPI, small) =>
    MPI.Alltoallw_init(full(), [1], [0], [MPI.INT], small, [1], [0], [MPI.INT], MPI.COMM_SELF),
};

export const persistent: Cases = {
  Barrier_init: withMpi4(({ MPI }) => {
    thrice(
      MPI,
      MPI.Barrier_init(MPI.COMM_WORLD),
      () => undefined,
      () => undefined,
    );
  }),
  'Bcast_init, from every root': withMpi4(({ MPI, rank, size, guarded }) => {
    for (let root = 0; root < size; root++) {
      const data = guarded(Float64Array, 3);
      thrice(
        MPI,
        MPI.Bcast_init(data, 3, MPI.DOUBLE, root, MPI.COMM_WORLD),
        (round) => data.fill(rank === root ? round + root : 0),
        (round) => assert.deepEqual([...data], Array<number>(3).fill(round + root)),
      );
    }
  }),
  'Reduce_init, to every root': withMpi4(({ MPI, rank, size, guarded }) => {
    for (let root = 0; root < size; root++) {
      const send = guarded(Int32Array, 2);
      const receive = rank === root ? guarded(Int32Array, 2) : null;
      thrice(
        MPI,
        MPI.Reduce_init(send, receive, 2, MPI.INT, MPI.SUM, root, MPI.COMM_WORLD),
        (round) => send.fill(rank * round),
        (round) => {
          if (receive) assert.deepEqual([...receive], [sum(size) * round, sum(size) * round]);
        },
      );
    }
  }),
  'Allreduce_init, in place too': withMpi4(({ MPI, rank, size, guarded }) => {
    const send = guarded(Int32Array, 2);
    const receive = guarded(Int32Array, 2);
    thrice(
      MPI,
      MPI.Allreduce_init(send, receive, 2, MPI.INT, MPI.MAX, MPI.COMM_WORLD),
      (round) => send.fill(rank + round),
      (round) => assert.deepEqual([...receive], [size - 1 + round, size - 1 + round]),
    );
    const own = guarded(Float64Array, 1);
    thrice(
      MPI,
      MPI.Allreduce_init(MPI.IN_PLACE, own, 1, MPI.DOUBLE, MPI.SUM, MPI.COMM_WORLD),
      (round) => own.fill(rank + round),
      (round) => assert.equal(own[0], sum(size) + size * round),
    );
  }),
  'Scan_init and Exscan_init': withMpi4(({ MPI, rank, guarded }) => {
    const [send, receive] = [guarded(Int32Array, 1), guarded(Int32Array, 1)];
    thrice(
      MPI,
      MPI.Scan_init(send, receive, 1, MPI.INT, MPI.SUM, MPI.COMM_WORLD),
      (round) => send.fill(rank * round),
      (round) => assert.equal(receive[0], sum(rank + 1) * round),
    );
    thrice(
      MPI,
      MPI.Exscan_init(send, receive, 1, MPI.INT, MPI.SUM, MPI.COMM_WORLD),
      (round) => send.fill(rank * round),
      (round) => {
        if (rank > 0) assert.equal(receive[0], sum(rank) * round);
      },
    );
  }),
  'Reduce_scatter_init and Reduce_scatter_block_init': withMpi4(({ MPI, rank, size, guarded }) => {
    const counts = range(size, (each) => each + 1);
    const send = guarded(Int32Array, sum(size + 1));
    const receive = guarded(Int32Array, rank + 1);
    thrice(
      MPI,
      MPI.Reduce_scatter_init(send, receive, counts, MPI.INT, MPI.SUM, MPI.COMM_WORLD),
      (round) => send.fill(round),
      (round) => assert.ok(receive.every((value) => value === size * round)),
    );
    const [blockSend, block] = [guarded(Int32Array, 2 * size), guarded(Int32Array, 2)];
    thrice(
      MPI,
      MPI.Reduce_scatter_block_init(blockSend, block, 2, MPI.INT, MPI.SUM, MPI.COMM_WORLD),
      (round) => blockSend.forEach((_, i) => (blockSend[i] = i * round)),
      (round) => assert.deepEqual([...block], [2 * rank * size * round, (2 * rank + 1) * size * round]),
    );
  }),
  'Gather_init and Scatter_init, with every root': withMpi4(({ MPI, rank, size, guarded }) => {
    for (let root = 0; root < size; root++) {
      const own = guarded(Int16Array, 2);
      const all = rank === root ? guarded(Int16Array, 2 * size) : null;
      thrice(
        MPI,
        MPI.Gather_init(own, 2, MPI.SHORT, all, 2, MPI.SHORT, root, MPI.COMM_WORLD),
        (round) => own.fill(rank * round),
        (round) => {
          if (all) assert.deepEqual([...all], range(size, (each) => [each * round, each * round]).flat());
        },
      );
      thrice(
        MPI,
        MPI.Scatter_init(all, 2, MPI.SHORT, own, 2, MPI.SHORT, root, MPI.COMM_WORLD),
        (round) => all?.forEach((_, i) => (all[i] = i + round)),
        (round) => assert.deepEqual([...own], [2 * rank + round, 2 * rank + 1 + round]),
      );
    }
  }, 2), // on one rank no algorithm of MPICH 4.0 is right
  'Gatherv_init and Scatterv_init, with uneven counts and gaps': withMpi4(({ MPI, rank, size, guarded }) => {
    const { counts, displs, total } = uneven(size);
    for (let root = 0; root < size; root++) {
      const own = guarded(Int32Array, rank + 1);
      const all = rank === root ? guarded(Int32Array, total).fill(-1) : null;
      const [lengths, starts] = all ? [counts, displs] : [null, null];
      thrice(
        MPI,
        MPI.Gatherv_init(own, rank + 1, MPI.INT, all, lengths, starts, MPI.INT, root, MPI.COMM_WORLD),
        (round) => own.fill(rank * round),
        (round) => {
          if (all)
            assert.deepEqual(
              [...all],
              blocks(size, (each) => each * round),
            );
        },
      );
      thrice(
        MPI,
        MPI.Scatterv_init(all, lengths, starts, MPI.INT, own, rank + 1, MPI.INT, root, MPI.COMM_WORLD),
        (round) => displs.forEach((start, each) => all?.fill(each + round, start, start + each + 1)),
        (round) => assert.ok(own.every((value) => value === rank + round)),
      );
    }
  }),
  'Allgather_init and Allgatherv_init': withMpi4(({ MPI, rank, size, guarded }) => {
    const [own, all] = [guarded(Int32Array, 1), guarded(Int32Array, size)];
    thrice(
      MPI,
      MPI.Allgather_init(own, 1, MPI.INT, all, 1, MPI.INT, MPI.COMM_WORLD),
      (round) => own.fill(rank * round),
      (round) =>
        assert.deepEqual(
          [...all],
          range(size, (each) => each * round),
        ),
    );
    const { counts, displs, total } = uneven(size);
    const [part, parts] = [guarded(Int32Array, rank + 1), guarded(Int32Array, total).fill(-1)];
    thrice(
      MPI,
      MPI.Allgatherv_init(part, rank + 1, MPI.INT, parts, counts, displs, MPI.INT, MPI.COMM_WORLD),
      (round) => part.fill(rank * round),
      (round) =>
        assert.deepEqual(
          [...parts],
          blocks(size, (each) => each * round),
        ),
    );
  }),
  'Alltoall_init, Alltoallv_init and Alltoallw_init': withMpi4(({ MPI, rank, size, guarded }) => {
    const [send, receive] = [guarded(Int32Array, size), guarded(Int32Array, size)];
    const set = (round: number) => send.forEach((_, each) => (send[each] = (rank * 10 + each) * round));
    const look = (round: number) =>
      assert.deepEqual(
        [...receive],
        range(size, (each) => (each * 10 + rank) * round),
      );
    const [ones, places, bytes] = [range(size, () => 1), range(size, (i) => i), range(size, (i) => 4 * i)];
    const types = range(size, () => MPI.INT);
    thrice(MPI, MPI.Alltoall_init(send, 1, MPI.INT, receive, 1, MPI.INT, MPI.COMM_WORLD), set, look);
    const v = [send, ones, places, MPI.INT, receive, ones, places, MPI.INT, MPI.COMM_WORLD] as const;
    thrice(MPI, MPI.Alltoallv_init(...v), set, look);
    const w = [send, ones, bytes, types, receive, ones, bytes, types, MPI.COMM_WORLD] as const;
    thrice(MPI, MPI.Alltoallw_init(...w), set, look);
  }),
  'bound, started by both executors': withMpi4(({ MPI, rank, size, guarded }) => {
    const { bind } = MPI;
    const requests = MPI.requests(3);
    const [own, total, all] = [guarded(Int32Array, 1).fill(rank), guarded(Int32Array, 1), guarded(Int32Array, size)];
    const inits = [
      bind.Allreduce_init(own, total, 1, MPI.INT, MPI.SUM, MPI.COMM_WORLD, requests, 0),
      bind.Allgather_init(own, 1, MPI.INT, all, 1, MPI.INT, MPI.COMM_WORLD, requests, 1),
      bind.Barrier_init(MPI.COMM_WORLD, requests, 2),
    ];
    inits.forEach((init) => init());
    refused(() => inits[0]?.(), /^MPI_Allreduce_init failed: a request slot is still active/, MpiError);
    const one = [bind.Start(requests, 0), bind.Wait(requests, 0)];
    const timed = [...one, bind.Startall(requests), bind.Waitall(requests)];
    for (const executor of [nativeExecutor, jsExecutor]) {
      total.fill(0);
      all.fill(-1);
      const run = executor.start({ timed });
      run.advance({ iterations: 5 });
      run.finish();
      assert.equal(total[0], sum(size));
      assert.deepEqual(
        [...all],
        range(size, (each) => each),
      );
    }
    const tested = bind.Test(requests, 1);
    bind.Start(requests, 1)();
    while (MPI.Test(requests, 1) === null) tested();
    [...inits, ...timed, tested].forEach((operation) => releaseOperation(operation));
    MPI.freeRequests(requests);
  }),
  'buffers and counts stay until the request is freed': withMpi4(({ MPI, rank, size }) => {
    const requests = MPI.requests(1);
    const [send, receive] = [EngineBuffer.allocate(4 * size), EngineBuffer.allocate(4 * size)];
    // Everything that the call was given is forgotten but for the buffers.
    const make = (): void => {
      const [ones, places] = [range(size, () => 1), range(size, (each) => each)];
      const call = [send, ones, places, MPI.INT, receive, ones, places, MPI.INT, MPI.COMM_WORLD] as const;
      const init = MPI.bind.Alltoallv_init(...call, requests, 0);
      init();
      releaseOperation(init);
    };
    make();
    collect();
    refused(() => receive.free(), /can't be freed/);
    for (let round = 0; round < 3; round++) {
      new Int32Array(send.view().buffer, send.view().byteOffset, size).fill(rank + round);
      MPI.Start(requests, 0);
      MPI.Wait(requests, 0);
      const came = [...new Int32Array(receive.view().buffer, receive.view().byteOffset, size)];
      assert.deepEqual(
        came,
        range(size, (each) => each + round),
      );
      collect();
    }
    MPI.freeRequests(requests);
    [send, receive].forEach((buffer) => buffer.free());
  }),
  'a request that is freed lets go of its buffer': withMpi4(({ MPI }) => {
    const buffer = EngineBuffer.allocate(8);
    const request = MPI.Bcast_init(buffer, 8, MPI.BYTE, 0, MPI.COMM_SELF);
    MPI.Start(request);
    MPI.Wait(request);
    refused(() => buffer.free(), /can't be freed/);
    MPI.Request_free(request);
    assert.equal(MPI.retiredRequests(), 0);
    buffer.free();
  }),
  'requests that were never started may be freed': withMpi4(({ MPI }) => {
    const requests = MPI.requests(2);
    const buffer = EngineBuffer.allocate(8);
    MPI.Bcast_init(buffer, 8, MPI.BYTE, 0, MPI.COMM_SELF, requests, 0);
    MPI.Bcast_init(buffer, 8, MPI.BYTE, 0, MPI.COMM_SELF, requests, 1);
    MPI.Start(requests, 0);
    MPI.Wait(requests, 0);
    MPI.freeRequests(requests);
    MPI.Request_free(MPI.Bcast_init(buffer, 8, MPI.BYTE, 0, MPI.COMM_SELF));
    assert.equal(MPI.retiredRequests(), 0);
    buffer.free();
  }),
  'a buffer too small, by every call': withMpi4(({ MPI }) => {
    for (const [name, call] of Object.entries(tooSmall)) {
      const error = thrown(() => call(MPI, new Uint8Array(3)));
      assert.ok(error instanceof RangeError, `${name}: ${error.message}`);
      assert.match(error.message, new RegExp(`^MPI_${name}: .* is too small: .* 4 bytes, it has 3$`));
    }
    const names = Object.keys(MPI.bind).filter((name) => name.endsWith('_init'));
    const pointToPoint = ['Send_init', 'Bsend_init', 'Ssend_init', 'Rsend_init', 'Recv_init'];
    assert.deepEqual(
      names.filter((name) => !(name in tooSmall)),
      [...pointToPoint, 'Barrier_init'],
    );
  }),
  'are missing below MPI-4, which is said': {
    mpi: 'openmpi',
    run: ({ MPI }) => {
      const instance = mpi();
      assert.equal(hasMpi4(instance), false);
      assert.equal(MPI.Allreduce_init, undefined);
      assert.equal(MPI.bind.Allreduce_init, undefined);
      assert.equal(MPI.Session_init, undefined);
      assert.match(
        mpi4Refusal(instance, 'osu_bcast_persistent') ?? '',
        /^osu_bcast_persistent needs MPI-4, and Open MPI v4\.\S+ has MPI 3\.1: use one that has, such as MPICH 4$/,
      );
    },
  },
  'are there in MPI-4': withMpi4(({ MPI }) => assert.equal(mpi4Refusal(MPI, 'anything'), null)),
};

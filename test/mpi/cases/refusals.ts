import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import type { Binding, CaseContext, Cases } from './support.js';
import { refused, thrown, untyped } from './support.js';

type Call = (MPI: Binding, small: Uint8Array, context: CaseContext) => unknown;

/** Each kind of call with one buffer of 3 bytes where 4 are needed on every rank; all in MPI_COMM_SELF. */
const tooSmall: Readonly<Record<string, Call>> = {
  Send: (MPI, small) => MPI.Send(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Bsend: (MPI, small) => MPI.Bsend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Ssend: (MPI, small) => MPI.Ssend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Rsend: (MPI, small) => MPI.Rsend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Recv: (MPI, small) => MPI.Recv(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Isend: (MPI, small) => MPI.Isend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Ibsend: (MPI, small) => MPI.Ibsend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Issend: (MPI, small) => MPI.Issend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Irsend: (MPI, small) => MPI.Irsend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Irecv: (MPI, small) => MPI.Irecv(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Send_init: (MPI, small) => MPI.Send_init(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Bsend_init: (MPI, small) => MPI.Bsend_init(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Ssend_init: (MPI, small) => MPI.Ssend_init(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Rsend_init: (MPI, small) => MPI.Rsend_init(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Recv_init: (MPI, small) => MPI.Recv_init(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Sendrecv: (MPI, small) => MPI.Sendrecv(null, 0, MPI.INT, 0, 0, small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
  Sendrecv_replace: (MPI, small) => MPI.Sendrecv_replace(small, 1, MPI.INT, 0, 0, 0, 0, MPI.COMM_SELF),
  Bcast: (MPI, small) => MPI.Bcast(small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Ibcast: (MPI, small) => MPI.Ibcast(small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Reduce: (MPI, small) => MPI.Reduce(big(), small, 1, MPI.INT, MPI.SUM, 0, MPI.COMM_SELF),
  Ireduce: (MPI, small) => MPI.Ireduce(small, big(), 1, MPI.INT, MPI.SUM, 0, MPI.COMM_SELF),
  Allreduce: (MPI, small) => MPI.Allreduce(big(), small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Iallreduce: (MPI, small) => MPI.Iallreduce(small, big(), 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Scan: (MPI, small) => MPI.Scan(MPI.IN_PLACE, small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Iscan: (MPI, small) => MPI.Iscan(MPI.IN_PLACE, small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Exscan: (MPI, small) => MPI.Exscan(big(), small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Iexscan: (MPI, small) => MPI.Iexscan(big(), small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Reduce_scatter: (MPI, small) => MPI.Reduce_scatter(big(), small, [1], MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Ireduce_scatter: (MPI, small) => MPI.Ireduce_scatter(small, big(), [1], MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Reduce_scatter_block: (MPI, small) => MPI.Reduce_scatter_block(big(), small, 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Ireduce_scatter_block: (MPI, small) => MPI.Ireduce_scatter_block(small, big(), 1, MPI.INT, MPI.SUM, MPI.COMM_SELF),
  Gather: (MPI, small) => MPI.Gather(big(), 1, MPI.INT, small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Igather: (MPI, small) => MPI.Igather(small, 1, MPI.INT, big(), 1, MPI.INT, 0, MPI.COMM_SELF),
  Scatter: (MPI, small) => MPI.Scatter(small, 1, MPI.INT, big(), 1, MPI.INT, 0, MPI.COMM_SELF),
  Iscatter: (MPI, small) => MPI.Iscatter(big(), 1, MPI.INT, small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Gatherv: (MPI, small) => MPI.Gatherv(big(), 1, MPI.INT, small, [1], [0], MPI.INT, 0, MPI.COMM_SELF),
  Igatherv: (MPI, small) => MPI.Igatherv(small, 1, MPI.INT, big(), [1], [0], MPI.INT, 0, MPI.COMM_SELF),
  Scatterv: (MPI, small) => MPI.Scatterv(small, [1], [0], MPI.INT, big(), 1, MPI.INT, 0, MPI.COMM_SELF),
  Iscatterv: (MPI, small) => MPI.Iscatterv(big(), [1], [0], MPI.INT, small, 1, MPI.INT, 0, MPI.COMM_SELF),
  Allgather: (MPI, small) => MPI.Allgather(big(), 1, MPI.INT, small, 1, MPI.INT, MPI.COMM_SELF),
  Iallgather: (MPI, small) => MPI.Iallgather(small, 1, MPI.INT, big(), 1, MPI.INT, MPI.COMM_SELF),
  Allgatherv: (MPI, small) => MPI.Allgatherv(big(), 1, MPI.INT, small, [1], [0], MPI.INT, MPI.COMM_SELF),
  Iallgatherv: (MPI, small) => MPI.Iallgatherv(small, 1, MPI.INT, big(), [1], [0], MPI.INT, MPI.COMM_SELF),
  Alltoall: (MPI, small) => MPI.Alltoall(small, 1, MPI.INT, big(), 1, MPI.INT, MPI.COMM_SELF),
  Ialltoall: (MPI, small) => MPI.Ialltoall(big(), 1, MPI.INT, small, 1, MPI.INT, MPI.COMM_SELF),
  Alltoallv: (MPI, small) => MPI.Alltoallv(small, [1], [0], MPI.INT, big(), [1], [0], MPI.INT, MPI.COMM_SELF),
  Ialltoallv: (MPI, small) => MPI.Ialltoallv(big(), [1], [0], MPI.INT, small, [1], [0], MPI.INT, MPI.COMM_SELF),
  Alltoallw: (MPI, small) => MPI.Alltoallw(small, [1], [0], [MPI.INT], big(), [1], [0], [MPI.INT], MPI.COMM_SELF),
  Ialltoallw: (MPI, small) => MPI.Ialltoallw(big(), [1], [0], [MPI.INT], small, [1], [0], [MPI.INT], MPI.COMM_SELF),
};

function big(): Int32Array {
  return new Int32Array(4);
}

/** Bound calls that the table above has under another name, or not at all. */
const boundTooSmall: Readonly<Record<string, Call>> = {
  IsendWindow: (MPI, small) => MPI.bind.IsendWindow([big(), small], 1, MPI.INT, 0, 0, MPI.COMM_SELF, MPI.requests(4)),
  IrecvWindow: (MPI, small) => MPI.bind.IrecvWindow([small], 1, MPI.INT, 0, 0, MPI.COMM_SELF, MPI.requests(1)),
  Isend: (MPI, small) => MPI.bind.Isend(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF, MPI.requests(1), 0),
  Send: (MPI, small) => MPI.bind.Send(small, 1, MPI.INT, 0, 0, MPI.COMM_SELF),
};

function mpiError(MPI: Binding, action: () => unknown): { className: string; operation: string; text: string } {
  const error = thrown(action);
  assert.ok(error instanceof MPI.MpiError, `${error.name} is no MpiError: ${error.message}`);
  assert.equal(MPI.Error_class(error.code), error.class);
  assert.equal(error.stackName, 'mpi');
  assert.equal(error.message, `${error.operation} failed: ${error.text} (mpi code ${error.code})`);
  return error;
}

export const refusals: Cases = {
  'a buffer too small, by every call': {
    run: (context) => {
      const small = new Uint8Array(3);
      for (const [calls, of] of [
        [tooSmall, ''],
        [boundTooSmall, ' bound'],
      ] as const) {
        for (const [name, call] of Object.entries(calls)) {
          const error = thrown(() => call(context.MPI, small, context));
          assert.ok(error instanceof RangeError, `${name}${of}: ${error.message}`);
          assert.match(error.message, new RegExp(`^MPI_${name}: .* is too small: .* 4 bytes, it has 3$`));
        }
      }
      assert.equal(context.MPI.retiredRequests(), 0); // nothing was started
    },
  },
  'a buffer too small for all ranks': {
    least: 2,
    run: ({ MPI, rank, size }) => {
      const own = new Int32Array(1);
      const most = new Int32Array(size - 1);
      const wrong = /recvbuf is too small/;
      refused(() => MPI.Allgather(own, 1, MPI.INT, most, 1, MPI.INT, MPI.COMM_WORLD), wrong, RangeError);
      refused(() => MPI.Alltoall(most, 1, MPI.INT, new Int32Array(size), 1, MPI.INT, MPI.COMM_WORLD), /sendbuf is too/);
      if (rank === 0) {
        refused(() => MPI.Gather(own, 1, MPI.INT, most, 1, MPI.INT, 0, MPI.COMM_WORLD), wrong, RangeError);
        refused(() => MPI.Scatter(most, 1, MPI.INT, own, 1, MPI.INT, 0, MPI.COMM_WORLD), /sendbuf is too small/);
      }
      const ones = Array<number>(size).fill(1);
      const places = ones.map((_, each) => each);
      const gatherv = (counts: number[], displs: number[]) => () =>
        MPI.Allgatherv(own, 1, MPI.INT, new Int32Array(size), counts, displs, MPI.INT, MPI.COMM_WORLD);
      refused(gatherv(ones, [...places.slice(1), size]), /1 element of MPI_INT at byte \d+ needs/, RangeError);
      refused(gatherv(ones, [-1, ...places.slice(1)]), /reached 4 bytes before its start/, RangeError);
      refused(gatherv(ones.slice(1), places), /counts must hold one number for each of the/, RangeError);
      refused(gatherv(ones, places.slice(1)), /displs must hold one number for each of the/, RangeError);
      refused(gatherv([-1, ...ones.slice(1)], places), /counts must not be negative, got -1/, RangeError);
    },
  },
  'memory that is detached, resizable or freed': {
    run: ({ MPI }) => {
      const send = (data: Uint8Array | ArrayBuffer | EngineBuffer) => () =>
        MPI.Send(data, 1, MPI.BYTE, 0, 0, MPI.COMM_SELF);
      const gone = new Uint8Array(8);
      structuredClone(gone, { transfer: [gone.buffer] });
      refused(send(gone), /^MPI_Send: buf is detached/, TypeError);
      const resizable: unknown = Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }]);
      assert.ok(resizable instanceof ArrayBuffer);
      refused(send(resizable), /^MPI_Send: buf lies in a resizable ArrayBuffer/, TypeError);
      refused(send(new Uint8Array(resizable)), /resizable/, TypeError);
      const freed = EngineBuffer.allocate(8);
      freed.free();
      refused(send(freed), /freed/, TypeError);
      refused(() => MPI.bind.Send(gone, 1, MPI.BYTE, 0, 0, MPI.COMM_SELF), /detached/, TypeError);
    },
  },
  'arguments of the wrong kind, missing or surplus': {
    run: ({ MPI }) => {
      const data = new Uint8Array(4);
      const self = MPI.COMM_SELF;
      const send =
        (...args: unknown[]) =>
        () =>
          untyped(MPI.Send, ...args);
      refused(send(data, 1, MPI.BYTE, 0, 0), /^MPI_Send: argument 6 \(comm\) is missing$/, TypeError);
      refused(send(data, 1, MPI.BYTE, 0, 0, self, 1), /^MPI_Send: takes 6 arguments, got 7$/, TypeError);
      refused(send(data, 1.5, MPI.BYTE, 0, 0, self), /count must be a safe integer/, TypeError);
      refused(send(data, '1', MPI.BYTE, 0, 0, self), /count must be a safe integer/, TypeError);
      refused(send(data, 2 ** 53, MPI.BYTE, 0, 0, self), /count must be a safe integer/, TypeError);
      refused(send(data, 1, MPI.BYTE, NaN, 0, self), /dest must be an integer of 32 bits/, TypeError);
      refused(send(data, 1, MPI.BYTE, 2 ** 31, 0, self), /dest must be an integer of 32 bits/, TypeError);
      refused(send(data, 1, MPI.SUM, 0, 0, self), /datatype must be a datatype/, TypeError);
      refused(send(data, 1, MPI.BYTE, 0, 0, MPI.BYTE), /comm must be a communicator/, TypeError);
      refused(send(data, 1, MPI.BYTE, 0, 0, Object.create(MPI.COMM_SELF)), /must be a communicator/, TypeError);
      refused(send('text', 1, MPI.BYTE, 0, 0, self), /buf must be an EngineBuffer, an ArrayBuffer/, TypeError);
      refused(send(undefined, 0, MPI.BYTE, 0, 0, self), /buf must be/, TypeError);
      refused(send(MPI.IN_PLACE, 0, MPI.BYTE, 0, 0, self), /buf can't be IN_PLACE here/, TypeError);
      refused(
        () => untyped(MPI.bind.Isend, data, 1, MPI.BYTE, 0, 0, self),
        /argument 7 \(request\) is missing/,
        TypeError,
      );
      refused(() => untyped(MPI.bind.Waitall, []), /request must be a request/, TypeError);
      refused(
        () => MPI.bind.Isend(data, 1, MPI.BYTE, 0, 0, self, MPI.requests(2), 2),
        /index 2 is outside/,
        RangeError,
      );
      refused(() => MPI.requests(0), /length must be at least 1/, RangeError);
      refused(() => MPI.Wait(MPI.requests(2)), /an index must follow a request array/, TypeError);
      const Comm = (MPI.COMM_SELF as object).constructor as new () => unknown;
      refused(() => new Comm(), /only MPI's own functions make a communicator/, TypeError);
    },
  },
  'MpiError: class, name and text of what MPI refuses': {
    run: ({ MPI, size }) => {
      const data = new Uint8Array(8);
      const world = MPI.COMM_WORLD;
      const rank = mpiError(MPI, () => MPI.Send(data, 1, MPI.BYTE, size, 0, world));
      assert.deepEqual([rank.className, rank.operation], ['MPI_ERR_RANK', 'MPI_Send']);
      assert.match(rank.text, /invalid rank/i);
      const classes: [string, () => unknown][] = [
        ['MPI_ERR_TAG', () => MPI.Send(data, 1, MPI.BYTE, 0, -5, world)],
        ['MPI_ERR_COUNT', () => MPI.Send(data, -1, MPI.BYTE, 0, 0, world)],
        ['MPI_ERR_TYPE', () => MPI.Send(data, 0, MPI.DATATYPE_NULL, 0, 0, world)],
        ['MPI_ERR_TYPE', () => MPI.Send(data, 1, MPI.Type_contiguous(2, MPI.BYTE), 0, 0, world)],
        ['MPI_ERR_COMM', () => MPI.Send(data, 1, MPI.BYTE, 0, 0, MPI.COMM_NULL)],
        ['MPI_ERR_COMM', () => MPI.Comm_rank(MPI.COMM_NULL)],
        ['MPI_ERR_ROOT', () => MPI.Bcast(data, 1, MPI.BYTE, size, world)],
        ['MPI_ERR_OP', () => MPI.Allreduce(data, new Uint8Array(8), 1, MPI.BYTE, MPI.OP_NULL, world)],
        ['MPI_ERR_RANK', () => MPI.bind.Send(data, 1, MPI.BYTE, size, 0, world)()],
        ['MPI_ERR_REQUEST', () => MPI.Request_free(MPI.requests(1))],
      ];
      for (const [name, action] of classes) assert.equal(mpiError(MPI, action).className, name, String(action));
    },
  },
  'MpiError: a message longer than its buffer, and which request it was': {
    run: ({ MPI, guarded }) => {
      // Sent first: Open MPI's ob1 does not notice where the receive was posted before.
      const self = MPI.COMM_SELF;
      const sends = [1, 2, 3].map((tag) => MPI.Isend(new Uint8Array(8), 8, MPI.BYTE, 0, tag, self));
      const room = guarded(Uint8Array, 4);
      assert.equal(mpiError(MPI, () => MPI.Recv(room, 4, MPI.BYTE, 0, 1, self)).className, 'MPI_ERR_TRUNCATE');
      const requests = [
        MPI.Irecv(guarded(Uint8Array, 8), 8, MPI.BYTE, 0, 2, self),
        MPI.Irecv(room, 4, MPI.BYTE, 0, 3, self),
      ];
      const error = mpiError(MPI, () => MPI.Waitall(requests));
      assert.deepEqual([error.className, error.operation], ['MPI_ERR_TRUNCATE', 'MPI_Waitall']);
      assert.match(error.text, /^request 1: /);
      MPI.Waitall(sends);
    },
  },
};

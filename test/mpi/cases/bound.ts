import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { OperationError } from '../../../src/engine/errors.js';
import { jsExecutor } from '../../../src/engine/js-executor.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { check, checkResult, fill, releaseOperation } from '../../../src/engine/operations.js';
import type { Executor, Operation, Program } from '../../../src/engine/types.js';
import type { CaseContext, Cases } from './support.js';
import { refused, thrown } from './support.js';

const TAG = 100;
const executors: readonly Executor[] = [nativeExecutor, jsExecutor];

function run(executor: Executor, program: Program, iterations: number): number {
  const started = executor.start(program);
  const samples = new Float64Array(iterations);
  started.warmUp(3);
  const { seconds } = started.advance({ iterations, samples });
  started.finish();
  assert.ok(samples.every((sample) => sample >= 0));
  return seconds;
}

/** Runs a program on ranks 0 and 1 by both executors; others only take part in building nothing. */
function onTwo(context: CaseContext, build: (peer: number) => Program, iterations = 20): void {
  if (context.rank > 1) return;
  for (const executor of executors) assert.ok(run(executor, build(1 - context.rank), iterations) > 0);
}

/** The starts of a window: one operation, or one call for each message. */
type Starts = 'Window' | 'Next';

/** Every timed part sends what the pattern of its iteration says, and every receiver checks each byte. */
function checkedStream(
  context: CaseContext,
  [bytes, buffers, window]: [number, number, number],
  starts: Starts = 'Window',
): void {
  const { MPI, rank } = context;
  if (rank > 1) return;
  for (const executor of executors) {
    const memory = Array.from({ length: buffers }, () => EngineBuffer.allocate(bytes));
    const requests = MPI.requests(window);
    const start = MPI.bind[`${rank === 0 ? 'Isend' : 'Irecv'}${starts}`];
    const started = start(memory, bytes, MPI.CHAR, 1 - rank, TAG, MPI.COMM_WORLD, requests);
    const timed = [
      ...Array.from({ length: starts === 'Window' ? 1 : window }, () => started),
      MPI.bind.Waitall(requests),
      rank === 0
        ? MPI.bind.Recv(null, 0, MPI.CHAR, 1, TAG + 1, MPI.COMM_WORLD)
        : MPI.bind.Send(null, 0, MPI.CHAR, 0, TAG + 1, MPI.COMM_WORLD),
    ];
    const fills = rank === 0 ? memory.map((each, slot) => fill(each, { sender: 0, length: bytes, slot })) : [];
    const checks = rank === 1 ? memory.map((each, slot) => check(each, { sender: 0, length: bytes, slot })) : [];
    run(executor, { timed, untimed: { before: fills, after: checks } }, 10);
    for (const each of checks) {
      const { checked, errors } = checkResult(each);
      assert.ok(checked >= 10 * bytes);
      assert.equal(errors, 0);
    }
    new Set([...timed, ...fills, ...checks]).forEach((operation) => releaseOperation(operation));
    MPI.freeRequests(requests);
    memory.forEach((each) => each.free()); // nothing holds it any more
  }
}

/** Builds a collective as a bound operation, runs it three times, and looks at what came. */
function collective(operation: Operation, look: () => void): void {
  assert.match(operation.operationName, /^MPI_/);
  for (let i = 0; i < 3; i++) operation();
  look();
}

export const bound: Cases = {
  'a ping-pong by both executors': {
    least: 2,
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const send = guarded(Int32Array, 4).fill(rank + 1);
      const receive = guarded(Int32Array, 4);
      onTwo(context, (peer) => {
        const there = MPI.bind.Send(send, 4, MPI.INT, peer, TAG, MPI.COMM_WORLD);
        const back = MPI.bind.Recv(receive, 4, MPI.INT, peer, TAG, MPI.COMM_WORLD);
        assert.deepEqual([there.operationName, back.operationName], ['MPI_Send', 'MPI_Recv']);
        return { timed: rank === 0 ? [there, back] : [back, there] };
      });
      if (rank < 2) assert.ok(receive.every((value) => value === 2 - rank));
    },
  },
  'a window over one buffer, every byte checked': { least: 2, run: (context) => checkedStream(context, [5000, 1, 8]) },
  'a window over several buffers, every byte checked': {
    least: 2,
    run: (context) => checkedStream(context, [100000, 3, 3]),
  },
  'a window started one by one, every byte checked': {
    least: 2,
    run: (context) => checkedStream(context, [3000, 4, 4], 'Next'),
  },
  'single starts into a request array, in flight across advance': {
    least: 2,
    run: (context) => {
      const { MPI, rank, guarded } = context;
      if (rank > 1) return;
      const data = guarded(Int32Array, 2).fill(rank === 0 ? 9 : 0);
      const requests = MPI.requests(2);
      const start = rank === 0 ? MPI.bind.Isend : MPI.bind.Irecv;
      const one = (index: number): Operation =>
        start(data.subarray(index, index + 1), 1, MPI.INT, 1 - rank, TAG, MPI.COMM_WORLD, requests, index);
      const waits = [MPI.bind.Wait(requests, 0), MPI.bind.Wait(requests, 1)];
      // Each iteration waits for what the one before it started, the last by drain.
      const first = nativeExecutor.start({ timed: [one(0), one(1), ...waits], drain: [] });
      first.advance({ iterations: 5 });
      first.finish();
      const later = nativeExecutor.start({
        timed: [one(0), waits[0] ?? one(1), one(1)],
        drain: [MPI.bind.Waitall(requests)],
      });
      later.advance({ iterations: 1 });
      later.finish();
      assert.equal(MPI.Testall(requests)?.length, 2);
      if (rank === 1) assert.deepEqual([...data], [9, 9]);
    },
  },
  'persistent requests': {
    least: 2,
    run: (context) => {
      const { MPI, rank, guarded } = context;
      if (rank > 1) return;
      const data = guarded(Float64Array, 3).fill(rank === 0 ? 0.5 : 0);
      const requests = MPI.requests(1);
      const init = rank === 0 ? MPI.Send_init : MPI.Recv_init;
      init(data, 3, MPI.DOUBLE, 1 - rank, TAG, MPI.COMM_WORLD, requests, 0);
      onTwo(context, () => ({ timed: [MPI.bind.Startall(requests), MPI.bind.Waitall(requests)] }));
      onTwo(context, () => ({ timed: [MPI.bind.Start(requests, 0), MPI.bind.Wait(requests, 0)] }));
      assert.ok(data.every((value) => value === 0.5));
      MPI.freeRequests(requests);
    },
  },
  'all send modes, Sendrecv and Probe': {
    least: 2,
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const send = guarded(Int16Array, 2).fill(rank + 1);
      const receive = guarded(Int16Array, 2);
      MPI.Buffer_attach(new Uint8Array(1 << 16));
      onTwo(context, (peer) => {
        const to = [MPI.bind.Ssend, MPI.bind.Bsend, MPI.bind.Send].map((mode) =>
          mode(send, 2, MPI.SHORT, peer, TAG, MPI.COMM_WORLD),
        );
        const probe = MPI.bind.Probe(peer, TAG, MPI.COMM_WORLD);
        const from = MPI.bind.Recv(receive, 2, MPI.SHORT, peer, TAG, MPI.COMM_WORLD);
        const both = MPI.bind.Sendrecv(send, 2, MPI.SHORT, peer, 1, receive, 2, MPI.SHORT, peer, 1, MPI.COMM_WORLD);
        const replace = MPI.bind.Sendrecv_replace(
          send,
          2,
          MPI.SHORT,
          MPI.PROC_NULL,
          0,
          MPI.PROC_NULL,
          0,
          MPI.COMM_WORLD,
        );
        return { timed: rank === 0 ? [...to, both, replace] : [from, from, probe, from, both, replace] };
      });
      MPI.Buffer_detach();
      if (rank < 2) assert.ok(receive.every((value) => value === 2 - rank));
    },
  },
  'collectives, blocking': {
    run: ({ MPI, rank, size, guarded }) => {
      const world = MPI.COMM_WORLD;
      const { bind } = MPI;
      const own = guarded(Int32Array, 1).fill(rank);
      const all = guarded(Int32Array, size);
      const ones = Array<number>(size).fill(1);
      const places = ones.map((_, each) => each);
      const sum = (size * (size - 1)) / 2;
      const ranks = (): void => assert.deepEqual([...all], places);
      const zero = (): void => void all.fill(-1);
      collective(bind.Barrier(world), zero);
      collective(bind.Allgather(own, 1, MPI.INT, all, 1, MPI.INT, world), ranks);
      zero();
      collective(bind.Allgatherv(own, 1, MPI.INT, all, ones, places, MPI.INT, world), ranks);
      const copy = guarded(Int32Array, size).fill(rank);
      collective(bind.Alltoall(copy, 1, MPI.INT, all, 1, MPI.INT, world), ranks);
      zero();
      collective(bind.Alltoallv(copy, ones, places, MPI.INT, all, ones, places, MPI.INT, world), ranks);
      const result = guarded(Int32Array, 1);
      collective(bind.Allreduce(own, result, 1, MPI.INT, MPI.SUM, world), () => assert.equal(result[0], sum));
      collective(bind.Reduce(own, result, 1, MPI.INT, MPI.MAX, 0, world), () => {
        if (rank === 0) assert.equal(result[0], size - 1);
      });
      collective(bind.Scan(own, result, 1, MPI.INT, MPI.SUM, world), () =>
        assert.equal(result[0], (rank * (rank + 1)) / 2),
      );
      collective(bind.Bcast(result, 1, MPI.INT, size - 1, world), () => assert.equal(result[0], sum));
      zero();
      collective(bind.Gather(own, 1, MPI.INT, all, 1, MPI.INT, 0, world), () => {
        if (rank === 0) ranks();
      });
      collective(bind.Scatter(all, 1, MPI.INT, result, 1, MPI.INT, 0, world), () => assert.equal(result[0], rank));
      collective(bind.Reduce_scatter_block(copy, result, 1, MPI.INT, MPI.SUM, world), () =>
        assert.equal(result[0], sum),
      );
      collective(bind.Reduce_scatter(copy, result, ones, MPI.INT, MPI.SUM, world), () => assert.equal(result[0], sum));
    },
  },
  'collectives, non-blocking': {
    run: ({ MPI, rank, size, guarded }) => {
      const { bind } = MPI;
      const requests = MPI.requests(3);
      const result = guarded(Int32Array, 1);
      const all = guarded(Int32Array, size);
      const timed = [
        bind.Iallreduce(Int32Array.of(rank), result, 1, MPI.INT, MPI.SUM, MPI.COMM_WORLD, requests, 0),
        bind.Iallgather(Int32Array.of(rank), 1, MPI.INT, all, 1, MPI.INT, MPI.COMM_WORLD, requests, 1),
        bind.Ibarrier(MPI.COMM_WORLD, requests, 2),
        bind.Test(requests, 0),
        bind.Waitall(requests),
      ];
      for (const executor of executors) run(executor, { timed }, 5);
      assert.equal(result[0], (size * (size - 1)) / 2);
      assert.deepEqual(
        [...all],
        Array.from({ length: size }, (_, each) => each),
      );
    },
  },
  'a slot that is still active is refused': {
    run: ({ MPI, guarded }) => {
      const requests = MPI.requests(2);
      const data = guarded(Uint8Array, 1);
      const receive = MPI.bind.Irecv(data, 1, MPI.BYTE, 0, 77, MPI.COMM_SELF, requests, 1);
      const window = MPI.bind.IrecvWindow([data], 1, MPI.BYTE, 0, 78, MPI.COMM_SELF, requests);
      receive();
      refused(() => receive(), /^MPI_Irecv failed: a request slot is still active/, MPI.MpiError);
      refused(() => window(), /^MPI_IrecvWindow failed: a request slot is still active/, MPI.MpiError);
      MPI.Send(Uint8Array.of(1), 1, MPI.BYTE, 0, 77, MPI.COMM_SELF);
      MPI.bind.Wait(requests, 1)();
      window(); // what Wait completed is free again
      MPI.Cancel(requests, 0);
      MPI.Cancel(requests, 1);
      MPI.Waitall(requests);
    },
  },
  'after their communicator, datatype or requests are freed': {
    run: ({ MPI, guarded }) => {
      const data = guarded(Int32Array, 2);
      const comm = MPI.Comm_dup(MPI.COMM_SELF);
      const type = MPI.Type_contiguous(2, MPI.INT);
      MPI.Type_commit(type);
      const requests = MPI.requests(1);
      const overComm = MPI.bind.Send(data, 1, MPI.INT, MPI.PROC_NULL, 0, comm);
      const ofType = MPI.bind.Send(data, 1, type, MPI.PROC_NULL, 0, MPI.COMM_SELF);
      const into = MPI.bind.Isend(data, 1, MPI.INT, MPI.PROC_NULL, 0, MPI.COMM_SELF, requests, 0);
      const operations = [overComm, ofType, into];
      operations.forEach((operation) => operation());
      MPI.Wait(requests, 0);
      MPI.Comm_free(comm);
      MPI.Type_free(type);
      MPI.freeRequests(requests);
      for (const operation of operations) refused(operation, /has been freed/, MPI.MpiError);
      const started = nativeExecutor.start({ timed: [overComm] });
      refused(
        () => started.advance({ iterations: 1 }),
        /MPI_Send failed in iteration 0: .* has been freed/,
        OperationError,
      );
    },
  },
  'requests in flight are not freed': {
    run: ({ MPI, guarded }) => {
      const requests = MPI.requests(1);
      MPI.bind.Irecv(guarded(Uint8Array, 1), 1, MPI.BYTE, 0, 79, MPI.COMM_SELF, requests, 0)();
      refused(() => MPI.freeRequests(requests), /requests are in flight; complete them first/);
      MPI.Cancel(requests, 0);
      MPI.Waitall(requests);
      MPI.freeRequests(requests);
    },
  },
  'failures by the executors carry iteration, operation and text': {
    run: ({ MPI, size }) => {
      const wrong = MPI.bind.Send(null, 0, MPI.BYTE, size + 1, 0, MPI.COMM_WORLD);
      for (const executor of executors) {
        const started = executor.start({ timed: [wrong] });
        const error = thrown(() => started.advance({ iterations: 3 }));
        assert.ok(error instanceof OperationError);
        assert.deepEqual([error.operation, error.stackName, error.iteration], ['MPI_Send', 'mpi', 0]);
        assert.match(error.message, /invalid rank/i);
      }
    },
  },
  'every bound form exists for a call that exists': {
    run: ({ MPI }) => {
      const names = Object.keys(MPI.bind);
      assert.ok(names.length > 60);
      const without = names.filter((name) => !(name in MPI));
      const window = ['IsendWindow', 'IrecvWindow', 'IsendNext', 'IrecvNext', 'TestDone', 'PutWindow', 'GetWindow'];
      assert.deepEqual(without, window);
    },
  },
};

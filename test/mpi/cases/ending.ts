/** How a program may end; each scenario is a launch of its own. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { fill, releaseOperation } from '../../../src/engine/operations.js';
import { startThreads } from '../../../src/engine/threads.js';
import * as MPI from '../../../src/mpi/index.js';
import { collectAndFinalize } from './garbage.js';
import { refused } from './support.js';

const scenarios: Readonly<Record<string, () => void | Promise<void>>> = {
  /** Everything that is left over is let go of after Finalize, and says so when it is used. */
  'after Finalize': async () => {
    const buffer = EngineBuffer.allocate(64);
    const requests = MPI.requests(2);
    const type = MPI.Type_contiguous(2, MPI.INT);
    MPI.Type_commit(type);
    const group = MPI.Comm_group(MPI.COMM_WORLD);
    const bound = MPI.bind.Isend(buffer, 1, type, MPI.PROC_NULL, 0, MPI.COMM_WORLD, requests, 0);
    const persistent = MPI.Send_init(new Uint8Array(8), 8, MPI.BYTE, MPI.PROC_NULL, 0, MPI.COMM_WORLD);
    bound();
    MPI.bind.Waitall(requests)();
    MPI.Finalize();
    assert.equal(MPI.Finalized(), true);
    const over = /MPI has been finalized, and can't be started again in this process/;
    for (const call of [MPI.Init, MPI.Finalize, () => MPI.Type_free(type), () => MPI.Group_size(group)])
      refused(call, over);
    refused(() => MPI.Barrier(MPI.COMM_WORLD), /^MPI_Barrier: MPI has been finalized/);
    refused(() => MPI.bind.Barrier(MPI.COMM_WORLD), over);
    refused(() => MPI.Wait(persistent), over);
    refused(bound, /^MPI_Isend failed: MPI_Finalize has been called since/, MPI.MpiError);
    releaseOperation(bound);
    buffer.free();
    await collectAndFinalize();
  },
  /** Forgotten handles of all kinds are finalized only when MPI is over. */
  'garbage after Finalize': async () => {
    for (let i = 0; i < 100; i++) {
      const type = MPI.Type_vector(1, 1, 1, MPI.INT);
      MPI.Type_commit(type);
      MPI.Comm_group(MPI.COMM_WORLD);
      MPI.Send_init(new Uint8Array(8), 8, MPI.BYTE, MPI.PROC_NULL, 0, MPI.COMM_WORLD, MPI.requests(1), 0);
      MPI.bind.Send(new Int32Array(1), 1, type, MPI.PROC_NULL, 0, MPI.COMM_WORLD);
      MPI.bind.Isend(new Int32Array(1), 1, type, MPI.PROC_NULL, 0, MPI.COMM_WORLD, MPI.requests(1), 0);
    }
    MPI.Finalize();
    await collectAndFinalize();
  },
  /** Requests, operations and buffers that are forgotten in flight stay, and are let go of when they are complete. */
  'forgotten in flight': async () => {
    const length = 1 << 20;
    const weak: WeakRef<Uint8Array>[] = [];
    const receive = (tag: number): void => {
      const data = new Uint8Array(length);
      weak.push(new WeakRef(data));
      if (tag === 1) MPI.Irecv(data, length, MPI.BYTE, 0, tag, MPI.COMM_SELF);
      if (tag === 2) MPI.bind.Irecv(data, length, MPI.BYTE, 0, tag, MPI.COMM_SELF, MPI.requests(3), 1)();
      if (tag === 3) MPI.bind.IrecvWindow([data], length, MPI.BYTE, 0, tag, MPI.COMM_SELF, MPI.requests(1))();
      if (tag === 4) MPI.Start(MPI.Recv_init(data, length, MPI.BYTE, 0, tag, MPI.COMM_SELF));
    };
    [1, 2, 3, 4].forEach(receive);
    await collectAndFinalize();
    assert.equal(MPI.retiredRequests(), 4);
    assert.ok(
      weak.every((each) => each.deref() !== undefined),
      'a buffer in flight was collected',
    );
    for (const tag of [1, 2, 3, 4]) MPI.Send(new Uint8Array(length), length, MPI.BYTE, 0, tag, MPI.COMM_SELF);
    while (MPI.retiredRequests() > 0);
    await collectAndFinalize();
    assert.ok(
      weak.every((each) => each.deref() === undefined),
      'a buffer was kept after its request was complete',
    );
    MPI.Finalize();
  },
  /** What a persistent request needs stays until it is freed, though the call that made it was collected. */
  'persistent requests that outlive their operations': async () => {
    const requests = MPI.requests(2);
    const [send, receive] = [EngineBuffer.allocate(4), EngineBuffer.allocate(4)];
    const make = (): void => {
      MPI.bind.Send_init(send, 4, MPI.BYTE, MPI.PROC_NULL, 0, MPI.COMM_SELF, requests, 0)();
      const blocks = [[1], [0], MPI.INT] as const;
      MPI.bind.Alltoallv_init?.(send, ...blocks, receive, ...blocks, MPI.COMM_SELF, requests, 1)();
    };
    make();
    await collectAndFinalize();
    refused(() => send.free(), /can't be freed/);
    const last = MPI.bind.Alltoallv_init === undefined ? 0 : 1;
    for (let round = 1; round <= 3; round++) {
      send.view().fill(round);
      for (let index = 0; index <= last; index++) MPI.Start(requests, index);
      MPI.Waitall(requests);
      if (last === 1) assert.ok(receive.view().every((byte) => byte === round));
      await collectAndFinalize();
    }
    MPI.freeRequests(requests);
    [send, receive].forEach((buffer) => buffer.free());
    for (let i = 0; i < 50; i++) MPI.Barrier_init?.(MPI.COMM_SELF);
    await collectAndFinalize();
    assert.equal(MPI.retiredRequests(), 0);
    MPI.Finalize();
  },
  /** The program forgets to complete a receive before it finalizes. */
  'Finalize with a receive that nobody serves': async () => {
    const weak = new WeakRef(new Uint8Array(8));
    MPI.Irecv(weak.deref() ?? null, 8, MPI.BYTE, 0, 9, MPI.COMM_SELF);
    await collectAndFinalize();
    MPI.Finalize();
    await collectAndFinalize();
  },
  /** Windows that were not freed: MPI's memory is taken away before MPI is, and not while operations use it. */
  'Finalize with windows': async () => {
    const buffer = EngineBuffer.allocate(64);
    const exposing = MPI.Win_create(buffer, 64, 1, MPI.COMM_WORLD);
    const { win, memory } = MPI.Win_allocate(64, 1, MPI.COMM_WORLD);
    const view = new Uint8Array(memory).fill(5);
    const filling = fill(memory, { sender: 0, length: 64 });
    const fence = MPI.bind.Win_fence(0, exposing);
    fence();
    refused(
      () => MPI.Finalize(),
      /^MPI_Finalize: operations hold the memory of a window that Win_allocate made; release/,
    );
    releaseOperation(filling);
    refused(() => buffer.free(), /can't be freed/);
    MPI.Finalize();
    assert.deepEqual([memory.byteLength, view.length], [0, 0]);
    refused(fence, /^MPI_Win_fence failed: MPI_Finalize has been called since/, MPI.MpiError);
    refused(() => MPI.Win_free(win), /MPI has been finalized/);
    buffer.free();
    await collectAndFinalize();
  },
  /** Puts whose buffers, operations and functions are forgotten in flight keep them until the window is synchronised. */
  'one-sided, forgotten in flight': async () => {
    const length = 1 << 20;
    const rank = MPI.Comm_rank(MPI.COMM_WORLD);
    const own = new Uint8Array(2 * length);
    const win = MPI.Win_create(own, own.length, 1, MPI.COMM_WORLD);
    const weak: WeakRef<Uint8Array>[] = [];
    const put = (bound: boolean): void => {
      const data = new Uint8Array(length).fill(weak.length + 1);
      const place = length * weak.length;
      weak.push(new WeakRef(data));
      if (bound) MPI.bind.Put(data, length, MPI.BYTE, rank, place, length, MPI.BYTE, win)();
      else MPI.Put(data, length, MPI.BYTE, rank, place, length, MPI.BYTE, win);
    };
    MPI.Win_lock(MPI.LOCK_SHARED, rank, 0, win);
    [false, true].forEach(put);
    await collectAndFinalize();
    assert.ok(
      weak.every((each) => each.deref() !== undefined),
      'a buffer in flight was collected',
    );
    MPI.Win_unlock(rank, win);
    assert.deepEqual([own[0], own[length - 1], own[length], own[2 * length - 1]], [1, 1, 2, 2]);
    await collectAndFinalize();
    assert.ok(
      weak.every((each) => each.deref() === undefined),
      'a buffer was kept after the window was synchronised',
    );
    MPI.Win_free(win);
    MPI.Finalize();
  },
  'an uncaught error': () => {
    if (MPI.Comm_rank(MPI.COMM_WORLD) === 1) throw new Error('rank 1 gives up');
    MPI.Barrier(MPI.COMM_WORLD);
  },
  Abort: () => {
    if (MPI.Comm_rank(MPI.COMM_WORLD) === 1) MPI.Abort(MPI.COMM_WORLD, 42);
    MPI.Barrier(MPI.COMM_WORLD);
  },
  /** Two threads of each rank exchange messages at once, each with a communicator of its own. */
  THREAD_MULTIPLE: () => {
    assert.equal(MPI.Query_thread(), MPI.THREAD_MULTIPLE);
    const rank = MPI.Comm_rank(MPI.COMM_WORLD);
    const received = [new Int32Array(2), new Int32Array(2)];
    const programs = received.map((into, thread) => {
      const comm = MPI.Comm_dup(MPI.COMM_WORLD);
      const send = MPI.bind.Send(Int32Array.of(rank, thread), 2, MPI.INT, 1 - rank, thread, comm);
      const receive = MPI.bind.Recv(into, 2, MPI.INT, 1 - rank, thread, comm);
      return { timed: rank === 0 ? [send, receive] : [receive, send] };
    });
    const run = startThreads(programs);
    run.advance({ iterations: 50 });
    run.finish();
    assert.deepEqual(
      received.map((into) => [...into]),
      [
        [1 - rank, 0],
        [1 - rank, 1],
      ],
    );
    MPI.Finalize();
  },
  'one thread only': () => {
    assert.ok(MPI.Query_thread() < MPI.THREAD_MULTIPLE);
    const barrier = MPI.bind.Barrier(MPI.COMM_SELF);
    refused(() => startThreads([{ timed: [barrier] }, { timed: [barrier] }]), /works on one thread only/);
    MPI.Finalize();
  },
};

const name = process.argv[2] ?? '';
const scenario = scenarios[name];
assert.ok(scenario !== undefined, `no scenario ${name}`);
refused(() => MPI.Comm_rank(MPI.COMM_WORLD), /^MPI_Comm_rank: MPI isn't running yet; call MPI.Init_thread/);
MPI.Init_thread(name === 'THREAD_MULTIPLE' ? MPI.THREAD_MULTIPLE : MPI.THREAD_SINGLE);
await scenario();
process.stdout.write('done\n');

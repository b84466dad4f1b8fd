/** One-sided calls as operations, by both executors. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { jsExecutor } from '../../../src/engine/js-executor.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { check, checkResult, fill, releaseOperation } from '../../../src/engine/operations.js';
import type { Bytes, Executor, Operation } from '../../../src/engine/types.js';
import type { Win } from '../../../src/mpi/types.js';
import type { CaseContext, Cases } from './support.js';
import { makeWindow, withEach } from './window.js';

const executors: readonly Executor[] = [nativeExecutor, jsExecutor];
const ITERATIONS = 10;

interface Memory {
  readonly win: Win;
  readonly bytes: Bytes;
  free(): void;
}

/** A window of bytes over an engine buffer, or of MPI's own memory. */
function byteWindow({ MPI }: CaseContext, kind: 'engine' | 'MPI', length: number): Memory {
  if (kind === 'MPI') {
    const { win, memory } = MPI.Win_allocate(length, 1, MPI.COMM_WORLD);
    return { win, bytes: memory, free: () => MPI.Win_free(win) };
  }
  const buffer = EngineBuffer.allocate(length);
  const win = MPI.Win_create(buffer, length, 1, MPI.COMM_WORLD);
  const free = (): void => {
    MPI.Win_free(win);
    buffer.free();
  };
  return { win, bytes: buffer, free };
}

interface Stream {
  readonly kind: 'engine' | 'MPI';
  readonly call: 'PutWindow' | 'GetWindow';
  readonly slots: number;
  readonly bytes: number;
}

/**
 * Rank 0 moves a window of slots to or from rank 1, again and again. Who has the data fills them with the pattern of the
 * iteration before, and who gets them checks each byte after it.
 */
function stream(context: CaseContext, { kind, call, slots, bytes }: Stream, executor: Executor): void {
  const { MPI, rank } = context;
  const exposed = byteWindow(context, kind, slots * bytes);
  const origin = EngineBuffer.allocate(slots * bytes);
  const target = 1;
  const source = call === 'PutWindow' ? 0 : 1;
  const own = rank === 0 ? origin : exposed.bytes;
  const each = Array.from({ length: slots }, (_, slot) => ({
    sender: source,
    offset: slot * bytes,
    length: bytes,
    slot,
  }));
  const fills = rank === source ? each.map((pattern) => fill(own, pattern)) : [];
  const checks = rank === 1 - source ? each.map((pattern) => check(own, pattern)) : [];
  const barrier = MPI.bind.Barrier(MPI.COMM_WORLD);
  const fence = MPI.bind.Win_fence(0, exposed.win);
  const move = MPI.bind[call](origin, bytes, MPI.BYTE, target, 0, bytes, slots, exposed.win);
  const timed = rank === 0 ? [move, fence] : [fence];
  const run = executor.start({ timed, untimed: { before: [...fills, fence], after: [...checks, barrier] } });
  run.warmUp(2);
  run.advance({ iterations: ITERATIONS, samples: new Float64Array(ITERATIONS) });
  run.finish();
  for (const one of checks) assert.deepEqual(checkResult(one), { checked: ITERATIONS * bytes, errors: 0 });
  [move, fence, barrier, ...fills, ...checks].forEach((operation) => releaseOperation(operation));
  exposed.free();
  origin.free();
}

function streams(all: Stream): (context: CaseContext) => void {
  return (context) => executors.forEach((executor) => stream(context, all, executor));
}

/** Runs an operation of each kind between fences three times, on this rank's own part of a window. */
function threeTimes(fences: readonly Operation[], operation: Operation): void {
  const [before = operation, after = operation] = fences;
  for (let i = 0; i < 3; i++) {
    before();
    operation();
    after();
  }
}

export const oneSidedBound: Cases = {
  'PutWindow into engine memory, every byte checked': {
    least: 2,
    most: 2,
    run: streams({ kind: 'engine', call: 'PutWindow', slots: 8, bytes: 3000 }),
  },
  "PutWindow into MPI's memory, every byte checked": {
    least: 2,
    most: 2,
    run: streams({ kind: 'MPI', call: 'PutWindow', slots: 3, bytes: 70000 }),
  },
  'GetWindow from engine memory, every byte checked': {
    least: 2,
    most: 2,
    run: streams({ kind: 'engine', call: 'GetWindow', slots: 5, bytes: 1000 }),
  },
  "GetWindow from MPI's memory, every byte checked": {
    least: 2,
    most: 2,
    run: streams({ kind: 'MPI', call: 'GetWindow', slots: 64, bytes: 8 }),
  },
  'strides and bases, of both directions': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      withEach(context, 8, ({ win, own, at }, creation) => {
        const data = guarded(Int32Array, 3);
        data.set([1, 2, 3]);
        const unit = creation === 'dynamic' ? 4 : 1;
        const [lock, unlock] = [MPI.bind.Win_lock(MPI.LOCK_SHARED, rank, 0, win), MPI.bind.Win_unlock(rank, win)];
        const put = MPI.bind.PutWindow(data, 1, MPI.INT, rank, at(rank, 6), -2 * unit, 3, win);
        threeTimes([lock, unlock], put);
        assert.deepEqual([...own], [0, 0, 3, 0, 2, 0, 1, 0], creation);
        const seen = guarded(Int32Array, 4);
        const get = MPI.bind.GetWindow(seen, 2, MPI.INT, rank, at(rank, 2), 4 * unit, 2, win);
        threeTimes([lock, unlock], get);
        assert.deepEqual([...seen], [3, 0, 1, 0], creation);
      });
    },
  },
  'each call by its bound form': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { bind } = MPI;
      const { win, own, at, free } = makeWindow(context, 'allocate', 2);
      const one = Int32Array.of(1);
      const result = guarded(Int32Array, 1);
      const requests = MPI.requests(1);
      const place = at(rank);
      const fences = [bind.Win_fence(0, win), bind.Win_fence(0, win)];
      threeTimes(fences, bind.Accumulate(one, 1, MPI.INT, rank, place, 1, MPI.INT, MPI.SUM, win));
      assert.equal(own[0], 3);
      threeTimes(fences, bind.Put(Int32Array.of(5), 1, MPI.INT, rank, place, 1, MPI.INT, win));
      threeTimes(fences, bind.Get(result, 1, MPI.INT, rank, place, 1, MPI.INT, win));
      assert.equal(result[0], 5);
      const getAccumulate = bind.Get_accumulate(
        one,
        1,
        MPI.INT,
        result,
        1,
        MPI.INT,
        rank,
        place,
        1,
        MPI.INT,
        MPI.SUM,
        win,
      );
      threeTimes(fences, getAccumulate);
      assert.deepEqual([result[0], own[0]], [7, 8]);
      threeTimes(fences, bind.Fetch_and_op(one, result, MPI.INT, rank, place, MPI.SUM, win));
      assert.deepEqual([result[0], own[0]], [10, 11]);
      threeTimes(fences, bind.Compare_and_swap(one, Int32Array.of(11), result, MPI.INT, rank, place, win));
      assert.deepEqual([result[0], own[0]], [1, 1]);
      const locks = [bind.Win_lock_all(0, win), bind.Win_unlock_all(win)];
      const [lock = bind.Win_sync(win), unlock = lock] = locks;
      const wait = bind.Wait(requests, 0);
      for (const start of [
        bind.Rput(Int32Array.of(9), 1, MPI.INT, rank, place, 1, MPI.INT, win, requests, 0),
        bind.Raccumulate(one, 1, MPI.INT, rank, place, 1, MPI.INT, MPI.SUM, win, requests, 0),
        bind.Rget(result, 1, MPI.INT, rank, place, 1, MPI.INT, win, requests, 0),
      ]) {
        for (const operation of [lock, start, wait, unlock]) operation();
      }
      assert.deepEqual([result[0], own[0]], [10, 10]);
      lock();
      for (const flush of [bind.Win_flush(rank, win), bind.Win_flush_all(win)]) flush();
      for (const flush of [bind.Win_flush_local(rank, win), bind.Win_flush_local_all(win)]) flush();
      bind.Win_sync(win)();
      unlock();
      MPI.freeRequests(requests);
      free();
    },
  },
  'post, start, complete, wait and test': {
    least: 2,
    run: (context) => {
      const { MPI, rank } = context;
      const { bind } = MPI;
      const { win, own, at, free } = makeWindow(context, 'create', 1);
      const world = MPI.Comm_group(MPI.COMM_WORLD);
      const peer = MPI.Group_incl(world, [rank < 2 ? 1 - rank : rank]);
      const number = Int32Array.of(rank + 1);
      if (rank < 2) {
        const put = bind.Put(number, 1, MPI.INT, 1 - rank, at(1 - rank), 1, MPI.INT, win);
        const access = [bind.Win_start(peer, 0, win), put, bind.Win_complete(win)];
        const exposure = [bind.Win_post(peer, 0, win), bind.Win_wait(win)];
        const timed = rank === 0 ? [...access, ...exposure] : [...exposure, ...access];
        for (const executor of executors) {
          const run = executor.start({ timed });
          run.advance({ iterations: 20 });
          run.finish();
        }
        assert.equal(own[0], 2 - rank);
        bind.Win_post(peer, 0, win)();
        bind.Win_test(win)(); // not over, since nobody has begun
        MPI.Barrier(MPI.COMM_WORLD);
        access.forEach((operation) => operation());
        bind.Win_wait(win)();
      } else {
        MPI.Barrier(MPI.COMM_WORLD);
      }
      free();
    },
  },
};

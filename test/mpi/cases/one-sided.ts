/** One-sided communication: a ring in which everyone works on the memory of the next rank. */
import { strict as assert } from 'node:assert';
import type { Win } from '../../../src/mpi/types.js';
import type { CaseContext, Cases } from './support.js';
import { creations, makeWindow, withEach, type TestWindow } from './window.js';

const LENGTH = 4;

/** Open MPI 4.1's component ucx crashes in MPI_Rput on dynamic windows of three ranks, in C programs too. */
const withRequests = creations.filter((kind) => process.env['OMPI_MCA_osc'] !== 'ucx' || kind !== 'dynamic');

function ring({ rank, size }: CaseContext): { next: number; previous: number } {
  return { next: (rank + 1) % size, previous: (rank + size - 1) % size };
}

/** Puts four numbers that tell their sender into the next rank's window. */
function putNext(context: CaseContext, { win, at }: TestWindow, round = 0): void {
  const { MPI, rank } = context;
  const { next } = ring(context);
  MPI.Put(Int32Array.from(numbersOf(rank, round)), LENGTH, MPI.INT, next, at(next), LENGTH, MPI.INT, win);
}

function numbersOf(rank: number, round = 0): number[] {
  return [0, 1, 2, 3].map((place) => 1000 * round + 10 * rank + place);
}

/** A way to start and end an access to the next rank; the last part lets the others see what was put. */
type Access = (context: CaseContext, window: TestWindow, action: () => void) => void;

const passive: Readonly<Record<string, Access>> = {
  'lock and unlock': (context, { win }, action) => {
    const { next } = ring(context);
    context.MPI.Win_lock(context.MPI.LOCK_SHARED, next, 0, win);
    action();
    context.MPI.Win_unlock(next, win);
  },
  'an exclusive lock': (context, { win }, action) => {
    const { next } = ring(context);
    context.MPI.Win_lock(context.MPI.LOCK_EXCLUSIVE, next, 0, win);
    action();
    context.MPI.Win_unlock(next, win);
  },
  'lock_all and unlock_all': ({ MPI }, { win }, action) => {
    MPI.Win_lock_all(0, win);
    action();
    MPI.Win_unlock_all(win);
  },
  flush: (context, { win }, action) => {
    const { next } = ring(context);
    context.MPI.Win_lock_all(0, win);
    action();
    context.MPI.Win_flush(next, win);
    context.MPI.Win_unlock_all(win);
  },
  'flush_all, then flush_local and flush_local_all of nothing': (context, { win }, action) => {
    const { MPI } = context;
    MPI.Win_lock_all(0, win);
    action();
    MPI.Win_flush_all(win);
    MPI.Win_flush_local(ring(context).next, win);
    MPI.Win_flush_local_all(win);
    MPI.Win_sync(win);
    MPI.Win_unlock_all(win);
  },
};

function passiveCase(access: Access): (context: CaseContext) => void {
  return (context) =>
    withEach(context, LENGTH, (window, creation) => {
      for (const round of [1, 2]) {
        access(context, window, () => putNext(context, window, round));
        context.MPI.Barrier(context.MPI.COMM_WORLD);
        assert.deepEqual(window.read(), numbersOf(ring(context).previous, round), creation);
        context.MPI.Barrier(context.MPI.COMM_WORLD);
      }
    });
}

/** Runs `action` under a shared lock of the next rank, which is over for all when this returns. */
function locked(context: CaseContext, { win }: TestWindow, action: (next: number) => void): void {
  const { MPI } = context;
  const { next } = ring(context);
  MPI.Win_lock(MPI.LOCK_SHARED, next, 0, win);
  action(next);
  MPI.Win_unlock(next, win);
  MPI.Barrier(MPI.COMM_WORLD);
}

/** Attaches a piece of two numbers on every rank, and puts a value into the second one of the next rank. */
function attachAndPut(context: CaseContext, win: Win, piece: Int32Array, value: number): void {
  const { MPI, size } = context;
  const { next } = ring(context);
  MPI.Win_attach(win, piece, piece.byteLength);
  const places = new Float64Array(size);
  MPI.Allgather(Float64Array.of(MPI.Get_address(piece)), 1, MPI.DOUBLE, places, 1, MPI.DOUBLE, MPI.COMM_WORLD);
  MPI.Win_fence(0, win);
  MPI.Put(Int32Array.of(value), 1, MPI.INT, next, (places[next] ?? NaN) + 4, 1, MPI.INT, win);
  MPI.Win_fence(0, win);
}

export const oneSided: Cases = {
  ...Object.fromEntries(
    Object.entries(passive).map(([name, access]) => [`Put under ${name}`, { run: passiveCase(access) }]),
  ),
  'Put and Get between fences': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next, previous } = ring(context);
      withEach(context, LENGTH, (window, creation) => {
        const { win, own, at } = window;
        MPI.Win_fence(MPI.MODE_NOPRECEDE, win);
        putNext(context, window);
        MPI.Win_fence(0, win);
        assert.deepEqual([...own], numbersOf(previous), creation);
        const seen = guarded(Int32Array, LENGTH);
        MPI.Get(seen, LENGTH, MPI.INT, next, at(next), LENGTH, MPI.INT, win);
        MPI.Win_fence(MPI.MODE_NOPUT | MPI.MODE_NOSTORE | MPI.MODE_NOSUCCEED, win);
        assert.deepEqual([...seen], numbersOf(rank), creation);
      });
    },
  },
  'post, start, complete, and wait or test': {
    run: (context) => {
      const { MPI } = context;
      const { next, previous } = ring(context);
      const world = MPI.Comm_group(MPI.COMM_WORLD);
      const [from, to] = [MPI.Group_incl(world, [previous]), MPI.Group_incl(world, [next])];
      withEach(context, LENGTH, (window, creation) => {
        for (const round of [1, 2]) {
          MPI.Win_post(from, 0, window.win);
          MPI.Win_start(to, 0, window.win);
          putNext(context, window, round);
          MPI.Win_complete(window.win);
          if (round === 1) MPI.Win_wait(window.win);
          else while (!MPI.Win_test(window.win));
          assert.deepEqual([...window.own], numbersOf(previous, round), creation);
        }
      });
    },
  },
  'elements at displacements, and nothing beside them': {
    run: (context) => {
      const { MPI, rank } = context;
      const { previous } = ring(context);
      withEach(context, 6, (window) => {
        window.write([-1, -1, -1, -1, -1, -1]);
        locked(context, window, (next) =>
          MPI.Put(Int32Array.of(rank, rank), 2, MPI.INT, next, window.at(next, 3), 2, MPI.INT, window.win),
        );
        assert.deepEqual(window.read(), [-1, -1, -1, previous, previous, -1]);
        MPI.Barrier(MPI.COMM_WORLD);
      });
    },
  },
  'datatypes with gaps, on either side': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next, previous } = ring(context);
      const type = MPI.Type_vector(2, 1, 2, MPI.INT);
      MPI.Type_commit(type);
      withEach(context, 3, (window) => {
        const { win, at } = window;
        window.write([-1, -1, -1]);
        locked(context, window, () =>
          MPI.Put(Int32Array.of(rank, rank + 10), 2, MPI.INT, next, at(next), 1, type, win),
        );
        assert.deepEqual(window.read(), [previous, -1, previous + 10]);
        const seen = guarded(Int32Array, 3).fill(7);
        locked(context, window, () => MPI.Get(seen, 1, type, next, at(next), 1, type, win));
        assert.deepEqual([...seen], [rank, 7, rank + 10]);
      });
      MPI.Type_free(type);
    },
  },
  'Accumulate by all ranks into one': {
    run: (context) => {
      const { MPI, rank, size } = context;
      const sum = (size * (size - 1)) / 2;
      withEach(context, 2, (window, creation) => {
        const { win, at } = window;
        MPI.Win_lock(MPI.LOCK_SHARED, 0, 0, win);
        MPI.Accumulate(Int32Array.of(rank, 1), 2, MPI.INT, 0, at(0), 2, MPI.INT, MPI.SUM, win);
        MPI.Win_unlock(0, win);
        MPI.Barrier(MPI.COMM_WORLD);
        if (rank === 0) assert.deepEqual(window.read(), [sum, size], creation);
        MPI.Barrier(MPI.COMM_WORLD);
        locked(context, window, (next) =>
          MPI.Accumulate(Int32Array.of(-5), 1, MPI.INT, next, at(next), 1, MPI.INT, MPI.REPLACE, win),
        );
        assert.equal(window.read()[0], -5);
      });
    },
  },
  'Get_accumulate, with and without an operation': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next } = ring(context);
      withEach(context, 2, (window, creation) => {
        const { win, at } = window;
        window.write([100 + rank, 200 + rank]);
        const [old, seen] = [guarded(Int32Array, 2), guarded(Int32Array, 2)];
        locked(context, window, () =>
          MPI.Get_accumulate(
            Int32Array.of(1, 2),
            2,
            MPI.INT,
            old,
            2,
            MPI.INT,
            next,
            at(next),
            2,
            MPI.INT,
            MPI.SUM,
            win,
          ),
        );
        assert.deepEqual([...old], [100 + next, 200 + next], creation);
        assert.deepEqual(window.read(), [101 + rank, 202 + rank], creation);
        MPI.Barrier(MPI.COMM_WORLD);
        locked(context, window, () =>
          MPI.Get_accumulate(null, 0, MPI.INT, seen, 2, MPI.INT, next, at(next), 2, MPI.INT, MPI.NO_OP, win),
        );
        assert.deepEqual([...seen], [101 + next, 202 + next], creation);
      });
    },
  },
  'Fetch_and_op counts all ranks, each number once': {
    run: (context) => {
      const { MPI, rank, size, guarded } = context;
      withEach(context, 1, ({ win, at }, creation) => {
        const mine = guarded(Int32Array, 1);
        MPI.Win_lock(MPI.LOCK_SHARED, 0, 0, win);
        MPI.Fetch_and_op(Int32Array.of(1), mine, MPI.INT, 0, at(0), MPI.SUM, win);
        MPI.Win_unlock(0, win);
        const all = new Int32Array(size);
        MPI.Allgather(mine, 1, MPI.INT, all, 1, MPI.INT, MPI.COMM_WORLD);
        assert.deepEqual([...all].sort(), [...all.keys()], creation);
        const total = guarded(Int32Array, 1);
        MPI.Win_lock(MPI.LOCK_SHARED, 0, 0, win);
        MPI.Fetch_and_op(null, total, MPI.INT, 0, at(0), MPI.NO_OP, win);
        MPI.Win_unlock(0, win);
        assert.equal(total[0], size, `${creation} on rank ${rank}`);
      });
    },
  },
  'Compare_and_swap lets exactly one rank in': {
    run: (context) => {
      const { MPI, rank, size, guarded } = context;
      withEach(context, 1, ({ win, at }, creation) => {
        const seen = guarded(Int32Array, 1);
        MPI.Win_lock(MPI.LOCK_SHARED, 0, 0, win);
        MPI.Compare_and_swap(Int32Array.of(rank + 1), Int32Array.of(0), seen, MPI.INT, 0, at(0), win);
        MPI.Win_unlock(0, win);
        const all = new Int32Array(size);
        MPI.Allgather(seen, 1, MPI.INT, all, 1, MPI.INT, MPI.COMM_WORLD);
        const winners = [...all].filter((value) => value === 0);
        assert.equal(winners.length, 1, creation);
        const winner = all.indexOf(0) + 1;
        assert.ok(
          all.every((value) => value === 0 || value === winner),
          creation,
        );
      });
    },
  },
  'calls with a request': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next } = ring(context);
      withEach(
        context,
        2,
        (window, creation) => {
          const { win, at } = window;
          const [seen, old] = [guarded(Int32Array, 2), guarded(Int32Array, 2)];
          const requests = MPI.requests(1);
          MPI.Win_lock(MPI.LOCK_SHARED, next, 0, win);
          MPI.Wait(MPI.Rput(Int32Array.of(rank, 5), 2, MPI.INT, next, at(next), 2, MPI.INT, win));
          MPI.Win_flush(next, win); // a put's request says only that its buffer is free
          MPI.Raccumulate(Int32Array.of(1, 1), 2, MPI.INT, next, at(next), 2, MPI.INT, MPI.SUM, win, requests, 0);
          MPI.Waitall(requests);
          MPI.Win_flush(next, win);
          MPI.Wait(
            MPI.Rget_accumulate(
              Int32Array.of(1, 1),
              2,
              MPI.INT,
              old,
              2,
              MPI.INT,
              next,
              at(next),
              2,
              MPI.INT,
              MPI.SUM,
              win,
            ),
          );
          MPI.Win_flush(next, win);
          MPI.Wait(MPI.Rget(seen, 2, MPI.INT, next, at(next), 2, MPI.INT, win));
          MPI.Win_unlock(next, win);
          assert.deepEqual([...old], [rank + 1, 6], creation);
          assert.deepEqual([...seen], [rank + 2, 7], creation);
          MPI.Barrier(MPI.COMM_WORLD);
        },
        withRequests,
      );
    },
  },
  'targets that are nobody': {
    run: (context) => {
      const { MPI } = context;
      withEach(context, 1, ({ win }) => {
        MPI.Win_fence(0, win);
        MPI.Put(Int32Array.of(1), 1, MPI.INT, MPI.PROC_NULL, 0, 1, MPI.INT, win);
        MPI.Get(Int32Array.of(1), 1, MPI.INT, MPI.PROC_NULL, 0, 1, MPI.INT, win);
        MPI.Win_fence(0, win);
      });
    },
  },
  'windows of nothing, and of different sizes': {
    run: ({ MPI, rank, size, guarded }) => {
      const none = MPI.Win_create(null, 0, 1, MPI.COMM_WORLD);
      MPI.Win_fence(0, none);
      MPI.Win_free(none);
      const empty = MPI.Win_allocate(0, 1, MPI.COMM_WORLD);
      assert.equal(empty.memory.byteLength, 0);
      MPI.Win_free(empty.win);
      const own = guarded(Uint8Array, rank === 0 ? size : 0);
      const win = MPI.Win_create(own, own.length, 1, MPI.COMM_WORLD);
      MPI.Win_fence(0, win);
      MPI.Put(Uint8Array.of(rank + 1), 1, MPI.BYTE, 0, rank, 1, MPI.BYTE, win);
      MPI.Win_fence(0, win);
      if (rank === 0) {
        assert.deepEqual(
          [...own],
          [...own.keys()].map((each) => each + 1),
        );
      }
      MPI.Win_free(win);
    },
  },
  'several attached pieces, still attached when the window is freed': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { previous } = ring(context);
      const win = MPI.Win_create_dynamic(MPI.COMM_WORLD);
      const pieces = [guarded(Int32Array, 2), guarded(Int32Array, 2)];
      for (const [index, piece] of pieces.entries()) attachAndPut(context, win, piece, rank + 100 * index);
      assert.deepEqual(
        pieces.map((piece) => [...piece]),
        [
          [0, previous],
          [0, previous + 100],
        ],
      );
      MPI.Win_free(win);
    },
  },
  'a piece that is detached and attached again': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { previous } = ring(context);
      const win = MPI.Win_create_dynamic(MPI.COMM_WORLD);
      const piece = guarded(Int32Array, 2);
      for (const round of [1, 2, 3]) {
        attachAndPut(context, win, piece, rank + 100 * round);
        assert.deepEqual([...piece], [0, previous + 100 * round]);
        MPI.Win_detach(win, piece);
      }
      MPI.Win_free(win);
    },
  },
  "the window's group": {
    run: (context) => {
      const { MPI } = context;
      const window = makeWindow(context, 'create', 1);
      const [group, world] = [MPI.Win_get_group(window.win), MPI.Comm_group(MPI.COMM_WORLD)];
      assert.equal(MPI.Group_compare(group, world), MPI.IDENT);
      window.free();
    },
  },
};

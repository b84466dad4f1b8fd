/** What one-sided calls refuse, and who keeps memory alive that other ranks may reach. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { check, fill, releaseOperation } from '../../../src/engine/operations.js';
import type { Win } from '../../../src/mpi/types.js';
import { collect } from './garbage.js';
import type { Binding, CaseContext, Cases } from './support.js';
import { refused, refusedByMpi } from './support.js';
import { makeWindow } from './window.js';

type Call = (MPI: Binding, small: Uint8Array, win: Win, own: number) => unknown;

const big = (): Int32Array => new Int32Array(4);

/** Each call with one buffer of 3 bytes where 4 are needed. */
const tooSmall: Readonly<Record<string, Call>> = {
  Put: (MPI, small, win, own) => MPI.Put(small, 1, MPI.INT, own, 0, 1, MPI.INT, win),
  Get: (MPI, small, win, own) => MPI.Get(small, 1, MPI.INT, own, 0, 1, MPI.INT, win),
  Rput: (MPI, small, win, own) => MPI.Rput(small, 1, MPI.INT, own, 0, 1, MPI.INT, win),
  Rget: (MPI, small, win, own) => MPI.Rget(small, 1, MPI.INT, own, 0, 1, MPI.INT, win),
  Accumulate: (MPI, small, win, own) => MPI.Accumulate(small, 1, MPI.INT, own, 0, 1, MPI.INT, MPI.SUM, win),
  Raccumulate: (MPI, small, win, own) => MPI.Raccumulate(small, 1, MPI.INT, own, 0, 1, MPI.INT, MPI.SUM, win),
  'Get_accumulate from': (MPI, small, win, own) =>
    MPI.Get_accumulate(small, 1, MPI.INT, big(), 1, MPI.INT, own, 0, 1, MPI.INT, MPI.SUM, win),
  'Get_accumulate into': (MPI, small, win, own) =>
    MPI.Get_accumulate(big(), 1, MPI.INT, small, 1, MPI.INT, own, 0, 1, MPI.INT, MPI.SUM, win),
  'Rget_accumulate into': (MPI, small, win, own) =>
    MPI.Rget_accumulate(big(), 1, MPI.INT, small, 1, MPI.INT, own, 0, 1, MPI.INT, MPI.NO_OP, win),
  'Fetch_and_op from': (MPI, small, win, own) => MPI.Fetch_and_op(small, big(), MPI.INT, own, 0, MPI.SUM, win),
  'Fetch_and_op into': (MPI, small, win, own) => MPI.Fetch_and_op(big(), small, MPI.INT, own, 0, MPI.SUM, win),
  'Compare_and_swap with': (MPI, small, win, own) => MPI.Compare_and_swap(small, big(), big(), MPI.INT, own, 0, win),
  'Compare_and_swap against': (MPI, small, win, own) => MPI.Compare_and_swap(big(), small, big(), MPI.INT, own, 0, win),
  'Compare_and_swap into': (MPI, small, win, own) => MPI.Compare_and_swap(big(), big(), small, MPI.INT, own, 0, win),
  PutWindow: (MPI, small, win, own) => MPI.bind.PutWindow(small, 1, MPI.BYTE, own, 0, 1, 4, win),
  GetWindow: (MPI, small, win, own) => MPI.bind.GetWindow(small, 1, MPI.BYTE, own, 0, 1, 4, win),
};

/** Each call on this rank's own memory of 8 bytes, beyond its end. */
const beyond: Readonly<Record<string, (MPI: Binding, win: Win, own: number) => unknown>> = {
  Put: (MPI, win, own) => MPI.Put(big(), 2, MPI.INT, own, 1, 2, MPI.INT, win),
  'Put before the beginning': (MPI, win, own) => MPI.Put(big(), 1, MPI.INT, own, -1, 1, MPI.INT, win),
  Get: (MPI, win, own) => MPI.bind.Get(big(), 2, MPI.INT, own, 1, 2, MPI.INT, win),
  Accumulate: (MPI, win, own) => MPI.Accumulate(big(), 3, MPI.INT, own, 0, 3, MPI.INT, MPI.SUM, win),
  Get_accumulate: (MPI, win, own) =>
    MPI.Get_accumulate(big(), 1, MPI.INT, big(), 1, MPI.INT, own, 2, 1, MPI.INT, MPI.SUM, win),
  Fetch_and_op: (MPI, win, own) => MPI.Fetch_and_op(big(), big(), MPI.INT, own, 2, MPI.SUM, win),
  Compare_and_swap: (MPI, win, own) => MPI.Compare_and_swap(big(), big(), big(), MPI.INT, own, 2, win),
  'PutWindow at its end': (MPI, win, own) => MPI.bind.PutWindow(big(), 1, MPI.INT, own, 0, 1, 3, win),
  'PutWindow at its beginning': (MPI, win, own) => MPI.bind.PutWindow(big(), 1, MPI.INT, own, 2, -1, 2, win),
};

/** A window of 8 bytes, counted in units of 4. */
function withWindow<T>({ MPI, guarded }: CaseContext, action: (win: Win) => T): T {
  const win = MPI.Win_create(guarded(Int32Array, 2), 8, 4, MPI.COMM_WORLD);
  const result = action(win);
  MPI.Win_free(win);
  return result;
}

/** Starts a put whose buffer nobody refers to afterwards, as a call or as an operation. Returns a weak view of it. */
function forgottenPut({ MPI, rank }: CaseContext, win: Win, bound: boolean): WeakRef<Uint8Array> {
  const data = new Uint8Array(1 << 16).fill(7);
  if (bound) MPI.bind.Put(data, data.length, MPI.BYTE, rank, 0, data.length, MPI.BYTE, win)();
  else MPI.Put(data, data.length, MPI.BYTE, rank, 0, data.length, MPI.BYTE, win);
  return new WeakRef(data);
}

function forgottenWindow({ MPI, size }: CaseContext): { memory: WeakRef<Uint8Array>; places: Float64Array } {
  const memory = new Uint8Array(64);
  const places = new Float64Array(size);
  MPI.Allgather(Float64Array.of(MPI.Get_address(memory)), 1, MPI.DOUBLE, places, 1, MPI.DOUBLE, MPI.COMM_WORLD);
  MPI.Win_create(memory, 64, 1, MPI.COMM_WORLD);
  return { memory: new WeakRef(memory), places };
}

export const oneSidedRefusals: Cases = {
  'buffers that are too small': {
    run: (context) =>
      withWindow(context, (win) => {
        for (const [name, call] of Object.entries(tooSmall)) {
          const small = context.guarded(Uint8Array, 3);
          const whose = new RegExp(`^MPI_${name.split(' ')[0]}: \\w+ is too small: .* need.* 4 bytes, it has 3$`);
          refused(() => call(context.MPI, small, win, context.rank), whose, RangeError);
        }
      }),
  },
  "places that this rank's own window has not": {
    run: (context) =>
      withWindow(context, (win) => {
        for (const [name, call] of Object.entries(beyond)) {
          const whose = new RegExp(`^MPI_${name.split(' ')[0]}: this rank's window (is too small|would be reached)`);
          refused(() => call(context.MPI, win, context.rank), whose, RangeError);
        }
      }),
  },
  'arguments that make no sense': {
    run: (context) => {
      const { MPI } = context;
      const untyped = (call: unknown, ...args: unknown[]): unknown => Reflect.apply(call as () => unknown, MPI, args);
      const { COMM_WORLD: world } = MPI;
      refused(() => MPI.Win_create(big(), 17, 1, world), /base is too small: 17 bytes are asked for, it has 16$/);
      refused(() => MPI.Win_create(null, 1, 1, world), /base is too small/, RangeError);
      refused(() => MPI.Win_create(big(), -1, 1, world), /size must not be negative, got -1/, RangeError);
      refused(() => MPI.Win_allocate(-1, 1, world), /size must not be negative/, RangeError);
      refused(() => MPI.Win_allocate(2 ** 32 + 1, 1, world), /at most 4294967296 bytes in one piece/, RangeError);
      refused(() => untyped(MPI.Win_create, MPI.IN_PLACE, 0, 1, world), /base can't be IN_PLACE/, TypeError);
      refused(() => untyped(MPI.Win_fence, 0, world), /^MPI_Win_fence: win must be a window$/, TypeError);
      refused(
        () => untyped(MPI.Put, MPI.IN_PLACE, 1, MPI.INT, 0, 0, 1, MPI.INT, world),
        /can't be IN_PLACE/,
        TypeError,
      );
      refused(() => untyped(MPI.Win_post, world, 0, world), /group must be a group/, TypeError);
      withWindow(context, (win) => {
        refused(() => MPI.bind.PutWindow(big(), 1, MPI.INT, 0, 0, 1, 0, win), /window must be at least 1, not 0/);
        refused(
          () => MPI.bind.PutWindow(big(), 1, MPI.INT, context.rank, 2, 2 ** 53 - 1, 2 ** 30, win),
          /too small|too large/,
        );
        refused(() => MPI.Win_attach(win, big(), 4), /win must come from Win_create_dynamic/, TypeError);
        refused(() => MPI.Win_detach(win, big()), /win must come from Win_create_dynamic/, TypeError);
        refused(() => untyped(MPI.bind.Rput, big(), 1, MPI.INT, 0, 0, 1, MPI.INT, win), /request\) is missing/);
      });
      const dynamic = MPI.Win_create_dynamic(world);
      refused(() => MPI.Win_attach(dynamic, big(), 17), /base is too small: 17 bytes/, RangeError);
      refused(() => MPI.Win_detach(dynamic, big()), /base is not attached to this window/, TypeError);
      MPI.Win_free(dynamic);
      const Class = (dynamic as object).constructor as new () => unknown;
      refused(() => new Class(), /only MPI's own functions make a window/, TypeError);
    },
  },
  'what MPI itself refuses': {
    run: (context) => {
      const { MPI, size } = context;
      const { win, free } = makeWindow(context, 'create', 1);
      refusedByMpi(MPI, () => MPI.Win_lock(MPI.LOCK_SHARED, size, 0, win), 'MPI_ERR_RANK');
      refusedByMpi(MPI, () => MPI.bind.Win_lock(MPI.LOCK_SHARED, size, 0, win)(), 'MPI_ERR_RANK');
      MPI.Win_fence(0, win);
      refusedByMpi(MPI, () => MPI.Put(big(), 1, MPI.INT, size, 0, 1, MPI.INT, win), 'MPI_ERR_RANK');
      refusedByMpi(MPI, () => MPI.Put(big(), -1, MPI.INT, 0, 0, 1, MPI.INT, win), 'MPI_ERR_COUNT');
      MPI.Win_fence(0, win);
      free(); // nothing counts as in flight
    },
  },
  'windows after Win_free': {
    run: (context) => {
      const { MPI, rank } = context;
      const { win, at, free } = makeWindow(context, 'allocate', 1);
      const place = at(rank);
      const group = MPI.Win_get_group(win);
      const operations = [
        MPI.bind.Put(big(), 1, MPI.INT, rank, place, 1, MPI.INT, win),
        MPI.bind.Win_lock_all(0, win),
        MPI.bind.Win_unlock_all(win),
        MPI.bind.PutWindow(big(), 1, MPI.INT, rank, place, 0, 1, win),
        MPI.bind.Fetch_and_op(big(), big(), MPI.INT, rank, place, MPI.SUM, win),
      ];
      free();
      for (const operation of operations) refused(operation, /has been freed/, MPI.MpiError);
      refused(() => MPI.Win_fence(0, win), /^MPI_Win_fence: win has been freed$/, TypeError);
      refused(() => MPI.Win_free(win), /^MPI_Win_free: win has been freed$/, TypeError);
      refused(() => MPI.bind.Win_flush(0, win), /win has been freed/, TypeError);
      const run = nativeExecutor.start({ timed: operations.slice(0, 1) });
      refused(() => run.advance({ iterations: 1 }), /MPI_Put failed in iteration 0: .* has been freed/);
      MPI.Group_free(group);
    },
  },
  'operations after their group or datatype is freed': {
    run: (context) => {
      const { MPI, rank } = context;
      const { win, at, free } = makeWindow(context, 'create', 2);
      const group = MPI.Win_get_group(win);
      const type = MPI.Type_contiguous(2, MPI.INT);
      MPI.Type_commit(type);
      const operations = [
        MPI.bind.Win_post(group, 0, win),
        MPI.bind.Win_start(group, 0, win),
        MPI.bind.Put(big(), 2, MPI.INT, rank, at(rank), 1, type, win),
      ];
      MPI.Group_free(group);
      MPI.Type_free(type);
      for (const operation of operations) refused(operation, /has been freed/, MPI.MpiError);
      free();
    },
  },
  'Win_free while something is in flight': {
    run: (context) => {
      const { MPI, size } = context;
      const { win, at, free } = makeWindow(context, 'create', 1);
      const last = size - 1;
      const inFlight = (complete: () => void): void => {
        MPI.Put(Int32Array.of(1), 1, MPI.INT, last, at(last), 1, MPI.INT, win);
        refused(() => MPI.Win_free(win), /^MPI_Win_free: operations on the window are in flight; complete them first/);
        complete();
      };
      MPI.Win_lock_all(0, win);
      for (const flush of [MPI.Win_flush, MPI.Win_flush_local]) inFlight(() => flush(last, win));
      for (const flush of [MPI.Win_flush_all, MPI.Win_flush_local_all]) inFlight(() => flush(win));
      inFlight(() => MPI.bind.Win_flush(last, win)());
      inFlight(() => MPI.Win_unlock_all(win));
      MPI.Win_fence(0, win);
      inFlight(() => MPI.Win_fence(MPI.MODE_NOSUCCEED, win));
      free();
    },
  },
  'the memory of Win_allocate, which Win_free takes away': {
    run: (context) => {
      const { MPI } = context;
      const { win, memory } = MPI.Win_allocate(64, 1, MPI.COMM_WORLD);
      const view = new Float64Array(memory);
      view.fill(1.5);
      assert.deepEqual([memory.byteLength, view.length], [64, 8]);
      const sending = MPI.bind.Send(memory, 64, MPI.BYTE, MPI.PROC_NULL, 0, MPI.COMM_SELF);
      const operations = [fill(memory, { sender: 0, length: 64 }), check(view, { sender: 0, length: 64 }), sending];
      operations.forEach((operation) => operation());
      refused(() => MPI.Win_free(win), /^MPI_Win_free: 3 operations hold the window's memory; release first$/);
      operations.forEach((operation) => releaseOperation(operation));
      MPI.Win_free(win);
      assert.deepEqual([memory.byteLength, view.length], [0, 0]);
      refused(() => fill(memory, { sender: 0, length: 0 }), /is detached/, TypeError);
    },
  },
  'engine memory in a window is not freed': {
    run: ({ MPI }) => {
      const buffer = EngineBuffer.allocate(64);
      const win = MPI.Win_create(buffer, 64, 1, MPI.COMM_WORLD);
      refused(() => buffer.free(), /can't be freed/);
      MPI.Win_free(win);
      const dynamic = MPI.Win_create_dynamic(MPI.COMM_WORLD);
      MPI.Win_attach(dynamic, buffer, 32);
      refused(() => buffer.free(), /can't be freed/);
      MPI.Win_detach(dynamic, buffer);
      MPI.Win_attach(dynamic, buffer, 64);
      MPI.Win_free(dynamic);
      buffer.free();
    },
  },
  'a window that is forgotten keeps its memory': {
    run: (context) => {
      const { memory, places } = forgottenWindow(context);
      collect();
      const kept = memory.deref();
      assert.ok(kept !== undefined, "a window's memory was collected");
      assert.equal(context.MPI.Get_address(kept), places[context.rank]);
    },
  },
  'buffers in flight outlive everything that referred to them': {
    run: (context) => {
      const { MPI, rank } = context;
      for (const bound of [false, true]) {
        const own = new Uint8Array(1 << 16);
        const win = MPI.Win_create(own, own.length, 1, MPI.COMM_WORLD);
        MPI.Win_lock(MPI.LOCK_SHARED, rank, 0, win);
        const weak = forgottenPut(context, win, bound);
        collect();
        if (!bound) assert.ok(weak.deref() !== undefined, 'the buffer of a put was collected in flight');
        MPI.Win_unlock(rank, win);
        assert.ok(own.every((byte) => byte === 7));
        MPI.Win_free(win);
      }
    },
  },
  'an engine buffer in flight is not freed': {
    run: ({ MPI, rank }) => {
      const buffer = EngineBuffer.allocate(8);
      const own = new Uint8Array(8);
      const win = MPI.Win_create(own, 8, 1, MPI.COMM_WORLD);
      MPI.Win_lock_all(0, win);
      MPI.Put(buffer, 8, MPI.BYTE, rank, 0, 8, MPI.BYTE, win);
      refused(() => buffer.free(), /can't be freed/);
      MPI.Win_flush_local(rank, win);
      buffer.free();
      MPI.Win_unlock_all(win);
      MPI.Win_free(win);
    },
  },
};

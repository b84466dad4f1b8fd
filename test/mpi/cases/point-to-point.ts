import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import type { Comm, Data, Datatype, Request } from '../../../src/mpi/types.js';
import type { Binding, CaseContext, Cases } from './support.js';

const TAG = 7;

/** A ring: everyone sends to the next rank and receives from the one before. */
function neighbours({ rank, size }: CaseContext): { next: number; previous: number } {
  return { next: (rank + 1) % size, previous: (rank + size - 1) % size };
}

type Mode = (buf: Data, count: number, type: Datatype, dest: number, tag: number, comm: Comm) => void;

/** Rank 0 sends to 1 by some mode, once the receive is posted. */
function sendsBy(context: CaseContext, mode: (MPI: Binding) => Mode): void {
  const { MPI, rank } = context;
  const data = context.guarded(Int32Array, 5);
  if (rank === 0) {
    data.set([1, 2, 3, 4, 5]);
    MPI.Barrier(MPI.COMM_WORLD);
    mode(MPI)(data, 5, MPI.INT, 1, TAG, MPI.COMM_WORLD);
    return;
  }
  if (rank !== 1) return MPI.Barrier(MPI.COMM_WORLD);
  const request = MPI.Irecv(data, 5, MPI.INT, 0, TAG, MPI.COMM_WORLD);
  MPI.Barrier(MPI.COMM_WORLD);
  const status = MPI.Wait(request);
  assert.deepEqual([...data], [1, 2, 3, 4, 5]);
  assert.deepEqual([status.source, status.tag, status.count(MPI.INT)], [0, TAG, 5]);
}

/** The same with a mode that gives a request. */
function startsBy(context: CaseContext, mode: (MPI: Binding) => (...args: Parameters<Mode>) => Request): void {
  sendsBy(
    context,
    (MPI) =>
      (...args) =>
        void MPI.Wait(mode(MPI)(...args)),
  );
}

/** The same with a persistent request, used twice. */
function startsPersistent(context: CaseContext, make: (MPI: Binding) => (...args: Parameters<Mode>) => Request): void {
  const { MPI, rank } = context;
  const data = context.guarded(Float64Array, 3);
  if (rank > 1) return;
  const request =
    rank === 0
      ? make(MPI)(data, 3, MPI.DOUBLE, 1, TAG, MPI.COMM_WORLD)
      : MPI.Recv_init(data, 3, MPI.DOUBLE, 0, TAG, MPI.COMM_WORLD);
  for (const round of [1, 2]) {
    if (rank === 0) {
      data.fill(round);
      // The receiver says that it has posted its receive, which Rsend needs.
      MPI.Recv(null, 0, MPI.BYTE, 1, TAG + 1, MPI.COMM_WORLD);
    }
    MPI.Start(request);
    if (rank === 1) MPI.Send(null, 0, MPI.BYTE, 0, TAG + 1, MPI.COMM_WORLD);
    MPI.Wait(request);
    if (rank === 1) assert.deepEqual([...data], [round, round, round]);
  }
  MPI.Request_free(request);
}

function attached(MPI: Binding, action: () => void): void {
  const buffer = new Uint8Array(1024 + MPI.BSEND_OVERHEAD);
  MPI.Buffer_attach(buffer);
  action();
  assert.equal(MPI.Buffer_detach(), buffer);
}

export const pointToPoint: Cases = {
  Send: { least: 2, run: (context) => sendsBy(context, (MPI) => MPI.Send) },
  Ssend: { least: 2, run: (context) => sendsBy(context, (MPI) => MPI.Ssend) },
  Rsend: { least: 2, run: (context) => sendsBy(context, (MPI) => MPI.Rsend) },
  'Bsend, with its buffer attached and detached': {
    least: 2,
    run: (context) => attached(context.MPI, () => sendsBy(context, (MPI) => MPI.Bsend)),
  },
  Isend: { least: 2, run: (context) => startsBy(context, (MPI) => MPI.Isend) },
  Issend: { least: 2, run: (context) => startsBy(context, (MPI) => MPI.Issend) },
  Irsend: { least: 2, run: (context) => startsBy(context, (MPI) => MPI.Irsend) },
  Ibsend: {
    least: 2,
    run: (context) => attached(context.MPI, () => startsBy(context, (MPI) => MPI.Ibsend)),
  },
  Send_init: { least: 2, run: (context) => startsPersistent(context, (MPI) => MPI.Send_init) },
  Ssend_init: { least: 2, run: (context) => startsPersistent(context, (MPI) => MPI.Ssend_init) },
  Rsend_init: { least: 2, run: (context) => startsPersistent(context, (MPI) => MPI.Rsend_init) },
  Bsend_init: {
    least: 2,
    run: (context) => attached(context.MPI, () => startsPersistent(context, (MPI) => MPI.Bsend_init)),
  },
  Sendrecv: {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next, previous } = neighbours(context);
      const send = guarded(Int32Array, 4).fill(rank);
      const receive = guarded(Int32Array, 4);
      const world = MPI.COMM_WORLD;
      const status = MPI.Sendrecv(send, 4, MPI.INT, next, TAG, receive, 4, MPI.INT, previous, TAG, world);
      assert.deepEqual([...receive], [previous, previous, previous, previous]);
      assert.equal(status.source, previous);
    },
  },
  Sendrecv_replace: {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next, previous } = neighbours(context);
      const data = guarded(Float32Array, 3).fill(rank + 0.5);
      MPI.Sendrecv_replace(data, 3, MPI.FLOAT, next, TAG, previous, TAG, MPI.COMM_WORLD);
      assert.deepEqual([...data], [previous + 0.5, previous + 0.5, previous + 0.5]);
    },
  },
  'every datatype that a TypedArray can hold': {
    run: (context) => {
      const { MPI, guarded } = context;
      const { next, previous } = neighbours(context);
      const exchange = <T extends ArrayBufferView>(send: T, receive: T, count: number, type: Datatype): void => {
        MPI.Sendrecv(send, count, type, next, TAG, receive, count, type, previous, TAG, MPI.COMM_WORLD);
        assert.deepEqual(receive, send);
      };
      for (const type of [MPI.CHAR, MPI.UNSIGNED_CHAR, MPI.BYTE, MPI.UINT8_T, MPI.C_BOOL]) {
        exchange(guarded(Uint8Array, 3).fill(1), guarded(Uint8Array, 3), 3, type);
      }
      exchange(guarded(Int16Array, 3).fill(-1), guarded(Int16Array, 3), 3, MPI.SHORT);
      exchange(guarded(Int16Array, 3).fill(-2), guarded(Int16Array, 3), 3, MPI.INT16_T);
      exchange(guarded(Float32Array, 3).fill(0.5), guarded(Float32Array, 3), 3, MPI.FLOAT);
      exchange(guarded(Float64Array, 3).fill(0.1), guarded(Float64Array, 3), 3, MPI.DOUBLE);
      exchange(guarded(Int8Array, 2).fill(-3), guarded(Int8Array, 2), 2, MPI.SIGNED_CHAR);
      exchange(guarded(Int8Array, 2).fill(-4), guarded(Int8Array, 2), 2, MPI.INT8_T);
      exchange(guarded(Uint16Array, 2).fill(65535), guarded(Uint16Array, 2), 2, MPI.UNSIGNED_SHORT);
      exchange(guarded(Uint16Array, 2).fill(65534), guarded(Uint16Array, 2), 2, MPI.UINT16_T);
      exchange(guarded(Int32Array, 2).fill(-5), guarded(Int32Array, 2), 2, MPI.INT);
      exchange(guarded(Int32Array, 2).fill(-6), guarded(Int32Array, 2), 2, MPI.INT32_T);
      exchange(guarded(Uint32Array, 2).fill(7), guarded(Uint32Array, 2), 2, MPI.UNSIGNED);
      exchange(guarded(Uint32Array, 2).fill(8), guarded(Uint32Array, 2), 2, MPI.UINT32_T);
      for (const type of [MPI.LONG, MPI.LONG_LONG, MPI.LONG_LONG_INT, MPI.INT64_T, MPI.AINT, MPI.OFFSET, MPI.COUNT]) {
        exchange(guarded(BigInt64Array, 2).fill(-9n), guarded(BigInt64Array, 2), 2, type);
      }
      for (const type of [MPI.UNSIGNED_LONG, MPI.UNSIGNED_LONG_LONG, MPI.UINT64_T]) {
        exchange(guarded(BigUint64Array, 2).fill(10n), guarded(BigUint64Array, 2), 2, type);
      }
      exchange(guarded(Float32Array, 4).fill(1.5), guarded(Float32Array, 4), 2, MPI.C_FLOAT_COMPLEX);
      exchange(guarded(Float64Array, 4).fill(2.5), guarded(Float64Array, 4), 2, MPI.C_DOUBLE_COMPLEX);
    },
  },
  'all kinds of memory, without a copy': {
    run: (context) => {
      const { MPI, rank } = context;
      const { next, previous } = neighbours(context);
      const engine = EngineBuffer.allocate(16);
      const receivers: [Data, () => Uint8Array][] = [];
      const plain = new ArrayBuffer(16);
      const part = Buffer.alloc(32).subarray(8, 24);
      receivers.push([plain, () => new Uint8Array(plain)]);
      receivers.push([new DataView(plain), () => new Uint8Array(plain)]);
      receivers.push([part, () => part]);
      receivers.push([engine, () => engine.view()]);
      receivers.push([engine.view(4, 12), () => engine.view(4, 12)]);
      for (const [index, [receiver, look]] of receivers.entries()) {
        const length = look().length;
        const send = new Uint8Array(length).fill(rank * 10 + index);
        MPI.Sendrecv(send, length, MPI.BYTE, next, TAG, receiver, length, MPI.BYTE, previous, TAG, MPI.COMM_WORLD);
        assert.ok(look().every((byte) => byte === previous * 10 + index));
      }
    },
  },
  'ANY_SOURCE, ANY_TAG and PROC_NULL': {
    run: ({ MPI, rank, size, guarded }) => {
      const data = guarded(Int32Array, 1);
      if (rank > 0) MPI.Send(Int32Array.of(rank), 1, MPI.INT, 0, 40 + rank, MPI.COMM_WORLD);
      const seen = new Set<number>();
      for (let i = 1; i < size && rank === 0; i++) {
        const { source, tag } = MPI.Recv(data, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG, MPI.COMM_WORLD);
        assert.deepEqual([data[0], tag], [source, 40 + source]);
        seen.add(source);
      }
      assert.equal(seen.size, rank === 0 ? size - 1 : 0);
      MPI.Send(data, 1, MPI.INT, MPI.PROC_NULL, 0, MPI.COMM_WORLD);
      const status = MPI.Recv(data, 1, MPI.INT, MPI.PROC_NULL, 0, MPI.COMM_WORLD);
      assert.deepEqual([status.source, status.count(MPI.INT)], [MPI.PROC_NULL, 0]);
    },
  },
  'nothing at all, and less than there is room for': {
    run: (context) => {
      const { MPI, guarded } = context;
      const { next, previous } = neighbours(context);
      const none = MPI.Sendrecv(null, 0, MPI.INT, next, TAG, null, 0, MPI.INT, previous, TAG, MPI.COMM_WORLD);
      assert.equal(none.count(MPI.INT), 0);
      const room = guarded(Uint8Array, 16);
      const send = Uint8Array.of(1, 2, 3, 4, 5, 6);
      const some = MPI.Sendrecv(send, 6, MPI.BYTE, next, TAG, room, 16, MPI.BYTE, previous, TAG, MPI.COMM_WORLD);
      assert.deepEqual([some.count(MPI.BYTE), some.count(MPI.SHORT)], [6, 3]);
      assert.equal(some.count(MPI.INT), MPI.UNDEFINED); // one and a half
      assert.equal(some.cancelled, false);
      assert.deepEqual([...room.subarray(0, 8)], [1, 2, 3, 4, 5, 6, 0, 0]);
    },
  },
  'no status where none is wanted': {
    run: (context) => {
      const { MPI, guarded } = context;
      const { next, previous } = neighbours(context);
      const data = guarded(Int32Array, 1);
      const requests = [
        MPI.Irecv(data, 1, MPI.INT, previous, TAG, MPI.COMM_WORLD),
        MPI.Isend(Int32Array.of(5), 1, MPI.INT, next, TAG, MPI.COMM_WORLD),
      ];
      assert.equal(MPI.Waitall(requests, MPI.STATUSES_IGNORE), undefined);
      assert.equal(data[0], 5);
      const again = MPI.Isend(Int32Array.of(6), 1, MPI.INT, next, TAG, MPI.COMM_WORLD);
      assert.equal(MPI.Recv(data, 1, MPI.INT, previous, TAG, MPI.COMM_WORLD, MPI.STATUS_IGNORE), undefined);
      assert.equal(MPI.Wait(again, MPI.STATUS_IGNORE), undefined);
      assert.equal(data[0], 6);
    },
  },
  'Probe and Iprobe': {
    least: 2,
    run: ({ MPI, rank }) => {
      if (rank === 0) MPI.Send(new Int16Array(9), 9, MPI.SHORT, 1, TAG, MPI.COMM_WORLD);
      if (rank !== 1) return;
      const status = MPI.Probe(0, MPI.ANY_TAG, MPI.COMM_WORLD);
      assert.deepEqual([status.source, status.tag, status.count(MPI.SHORT)], [0, TAG, 9]);
      assert.equal(MPI.Iprobe(0, TAG, MPI.COMM_WORLD)?.count(MPI.SHORT), 9);
      assert.equal(MPI.Iprobe(0, TAG + 1, MPI.COMM_WORLD), null);
      MPI.Recv(new Int16Array(9), 9, MPI.SHORT, 0, TAG, MPI.COMM_WORLD);
      assert.equal(MPI.Iprobe(0, TAG, MPI.COMM_WORLD), null);
    },
  },
  'Mprobe, Improbe and Mrecv': {
    least: 2,
    run: ({ MPI, rank, guarded }) => {
      if (rank === 0) {
        MPI.Send(Int32Array.of(1), 1, MPI.INT, 1, TAG, MPI.COMM_WORLD);
        MPI.Send(Int32Array.of(2), 1, MPI.INT, 1, TAG, MPI.COMM_WORLD);
      }
      if (rank !== 1) return;
      const data = guarded(Int32Array, 1);
      assert.equal(MPI.Improbe(0, TAG + 1, MPI.COMM_WORLD), null);
      const first = MPI.Mprobe(0, TAG, MPI.COMM_WORLD);
      assert.equal(first.status.count(MPI.INT), 1);
      let second = MPI.Improbe(0, TAG, MPI.COMM_WORLD);
      while (second === null) second = MPI.Improbe(0, TAG, MPI.COMM_WORLD);
      assert.equal(MPI.Mrecv(data, 1, MPI.INT, second.message).source, 0);
      assert.equal(data[0], 2); // matched messages are received in any order
      MPI.Mrecv(data, 1, MPI.INT, first.message);
      assert.equal(data[0], 1);
      assert.throws(() => MPI.Mrecv(data, 1, MPI.INT, first.message), /message has been freed/);
    },
  },
  'Test, until it is complete': {
    least: 2,
    run: ({ MPI, rank, guarded }) => {
      const data = guarded(Int32Array, 1);
      if (rank === 0) {
        const request = MPI.Irecv(data, 1, MPI.INT, 1, TAG, MPI.COMM_WORLD);
        assert.equal(MPI.Test(request), null); // rank 1 sends only when told
        MPI.Send(null, 0, MPI.BYTE, 1, TAG, MPI.COMM_WORLD);
        let status = MPI.Test(request);
        while (status === null) status = MPI.Test(request);
        assert.deepEqual([status.source, data[0]], [1, 11]);
      } else if (rank === 1) {
        MPI.Recv(null, 0, MPI.BYTE, 0, TAG, MPI.COMM_WORLD);
        MPI.Send(Int32Array.of(11), 1, MPI.INT, 0, TAG, MPI.COMM_WORLD);
      }
    },
  },
  'Waitall and Testall': {
    run: (context) => {
      const { MPI, size, rank, guarded } = context;
      const data = guarded(Int32Array, size);
      const own = Int32Array.of(rank * 100);
      const receives = Array.from({ length: size }, (_, peer) =>
        MPI.Irecv(data.subarray(peer, peer + 1), 1, MPI.INT, peer, TAG, MPI.COMM_WORLD),
      );
      const sends = receives.map((_, peer) => MPI.Isend(own, 1, MPI.INT, peer, TAG, MPI.COMM_WORLD));
      const statuses = MPI.Waitall(receives);
      assert.deepEqual(
        statuses.map(({ source }) => source),
        [...data].map((value) => value / 100),
      );
      let sent = MPI.Testall(sends);
      while (sent === null) sent = MPI.Testall(sends);
      assert.equal(sent.length, size);
      assert.deepEqual(
        [...data],
        Array.from({ length: size }, (_, peer) => peer * 100),
      );
    },
  },
  'Waitany, Testany, Waitsome and Testsome': {
    run: (context) => {
      const { MPI, guarded } = context;
      const { next, previous } = neighbours(context);
      const data = guarded(Int32Array, 4);
      const post = (): Request[] =>
        [0, 1, 2, 3].map((i) => MPI.Irecv(data.subarray(i, i + 1), 1, MPI.INT, previous, TAG + i, MPI.COMM_WORLD));
      const send = (i: number): void => MPI.Send(Int32Array.of(i + 1), 1, MPI.INT, next, TAG + i, MPI.COMM_WORLD);
      const requests = post();
      [0, 1, 2, 3].forEach(send);
      const seen: number[] = [];
      const first = MPI.Waitany(requests);
      seen.push(first.index);
      assert.equal(first.status.tag, TAG + first.index);
      let second = MPI.Testany(requests);
      while (second === null) second = MPI.Testany(requests);
      seen.push(second.index);
      seen.push(...(MPI.Waitsome(requests)?.indices ?? []));
      while (seen.length < 4) seen.push(...(MPI.Testsome(requests)?.indices ?? []));
      assert.deepEqual(seen.sort(), [0, 1, 2, 3]);
      assert.deepEqual([...data], [1, 2, 3, 4]);
      assert.equal(MPI.Waitany(requests).index, MPI.UNDEFINED);
      assert.equal(MPI.Testany(requests)?.index, MPI.UNDEFINED);
      assert.equal(MPI.Waitsome(requests), null);
      assert.equal(MPI.Testsome(requests), null);
    },
  },
  'request arrays': {
    run: (context) => {
      const { MPI, guarded } = context;
      const { next, previous } = neighbours(context);
      const data = guarded(Int32Array, 3);
      const requests = MPI.requests(6);
      assert.equal(requests.length, 6);
      for (const i of [0, 1, 2]) {
        MPI.Irecv(data.subarray(i, i + 1), 1, MPI.INT, previous, TAG + i, MPI.COMM_WORLD, requests, i);
        MPI.Isend(Int32Array.of(i * i), 1, MPI.INT, next, TAG + i, MPI.COMM_WORLD, requests, 3 + i);
      }
      assert.equal(MPI.Wait(requests, 1).tag, TAG + 1);
      assert.equal(MPI.Waitall(requests).length, 6);
      assert.deepEqual([...data], [0, 1, 4]);
      assert.equal(MPI.Testall(requests)?.length, 6); // all of them null by now
      MPI.freeRequests(requests);
      assert.throws(() => MPI.Waitall(requests), /request has been freed/);
    },
  },
  'Startall on a request array': {
    run: (context) => {
      const { MPI, rank, guarded } = context;
      const { next, previous } = neighbours(context);
      const send = guarded(Int32Array, 1);
      const receive = guarded(Int32Array, 1);
      const requests = MPI.requests(2);
      MPI.Send_init(send, 1, MPI.INT, next, TAG, MPI.COMM_WORLD, requests, 0);
      MPI.Recv_init(receive, 1, MPI.INT, previous, TAG, MPI.COMM_WORLD, requests, 1);
      for (const round of [1, 2, 3]) {
        send[0] = rank + 10 * round;
        MPI.Startall(requests);
        MPI.Waitall(requests);
        assert.equal(receive[0], previous + 10 * round);
      }
      MPI.freeRequests(requests);
    },
  },
  Cancel: {
    run: ({ MPI, guarded }) => {
      const request = MPI.Irecv(guarded(Int32Array, 1), 1, MPI.INT, 0, 999, MPI.COMM_SELF);
      MPI.Cancel(request);
      assert.equal(MPI.Wait(request).cancelled, true);
    },
  },
  'Request_free of a send that goes on': {
    least: 2,
    run: ({ MPI, rank, guarded }) => {
      const data = guarded(Int32Array, 1000).fill(rank === 0 ? 3 : 0);
      if (rank === 0) {
        const request = MPI.Issend(data, 1000, MPI.INT, 1, TAG, MPI.COMM_WORLD);
        MPI.Request_free(request);
        MPI.Send(null, 0, MPI.BYTE, 1, TAG + 1, MPI.COMM_WORLD);
        MPI.Recv(null, 0, MPI.BYTE, 1, TAG + 1, MPI.COMM_WORLD);
        while (MPI.retiredRequests() > 0);
      } else if (rank === 1) {
        MPI.Recv(null, 0, MPI.BYTE, 0, TAG + 1, MPI.COMM_WORLD);
        MPI.Recv(data, 1000, MPI.INT, 0, TAG, MPI.COMM_WORLD);
        assert.ok(data.every((value) => value === 3));
        MPI.Send(null, 0, MPI.BYTE, 0, TAG + 1, MPI.COMM_WORLD);
      }
    },
  },
  'messages of more than 2 GiB': {
    least: 2,
    most: 2,
    run: ({ MPI, rank }) => {
      const count = 2 ** 31 + 3;
      const buffer = EngineBuffer.allocate(count + 2);
      const edges = [buffer.view(0, 4), buffer.view(2 ** 31 - 6, 4), buffer.view(count - 2, 4)];
      if (rank === 0) {
        edges.forEach((edge, i) => edge.fill(i + 1));
        MPI.Send(buffer, count, MPI.CHAR, 1, TAG, MPI.COMM_WORLD);
      } else {
        const status = MPI.Recv(buffer, count, MPI.CHAR, 0, TAG, MPI.COMM_WORLD);
        assert.equal(status.count(MPI.CHAR), count);
        assert.deepEqual(
          edges.map((edge) => [...edge]),
          [
            [1, 1, 1, 1],
            [2, 2, 2, 2],
            [3, 3, 0, 0], // the last two bytes are beyond the message
          ],
        );
      }
      buffer.free();
    },
  },
};

/** Who keeps memory alive. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { collect } from './garbage.js';
import type { Binding, Cases } from './support.js';
import { refused } from './support.js';

/** Starts a receive whose request and buffer nobody refers to afterwards. Returns a weak view of the buffer. */
function forgotten(MPI: Binding, tag: number): WeakRef<Uint8Array> {
  const data = new Uint8Array(1 << 16);
  MPI.Irecv(data, data.length, MPI.BYTE, 0, tag, MPI.COMM_SELF);
  return new WeakRef(data);
}

export const lifetime: Cases = {
  'a buffer in flight outlives everything that referred to it': {
    run: ({ MPI }) => {
      const weak = forgotten(MPI, 50);
      collect();
      const kept = weak.deref();
      assert.ok(kept !== undefined, 'the buffer was collected in flight');
      MPI.Send(new Uint8Array(1 << 16).fill(7), 1 << 16, MPI.BYTE, 0, 50, MPI.COMM_SELF);
      while (MPI.Iprobe(0, 50, MPI.COMM_SELF) !== null);
      assert.ok(kept.every((byte) => byte === 7));
    },
  },
  'an engine buffer in flight is not freed': {
    run: ({ MPI }) => {
      const buffer = EngineBuffer.allocate(64);
      const request = MPI.Irecv(buffer, 64, MPI.BYTE, 0, 51, MPI.COMM_SELF);
      refused(() => buffer.free(), /can't be freed/);
      MPI.Send(new Uint8Array(64), 64, MPI.BYTE, 0, 51, MPI.COMM_SELF);
      MPI.Wait(request);
      buffer.free();
    },
  },
  'a request array lets go of what is complete': {
    run: ({ MPI }) => {
      const requests = MPI.requests(2);
      const buffer = EngineBuffer.allocate(8);
      MPI.Irecv(buffer, 8, MPI.BYTE, 0, 52, MPI.COMM_SELF, requests, 1);
      MPI.Send(new Uint8Array(8), 8, MPI.BYTE, 0, 52, MPI.COMM_SELF);
      refused(() => buffer.free(), /can't be freed/);
      MPI.Waitall(requests);
      buffer.free();
    },
  },
  'a persistent request keeps its buffer until it is freed': {
    run: ({ MPI }) => {
      const buffer = EngineBuffer.allocate(8);
      const request = MPI.Send_init(buffer, 8, MPI.BYTE, MPI.PROC_NULL, 0, MPI.COMM_SELF);
      MPI.Start(request);
      MPI.Wait(request);
      refused(() => buffer.free(), /can't be freed/);
      MPI.Request_free(request);
      MPI.retiredRequests();
      buffer.free();
    },
  },
  'a persistent request stays one when a request of another kind beside it is freed': {
    run: ({ MPI }) => {
      const requests = MPI.requests(2);
      const [once, again] = [new Uint8Array(8), EngineBuffer.allocate(8)];
      MPI.Irecv(once, 8, MPI.BYTE, 0, 53, MPI.COMM_SELF, requests, 0);
      MPI.Recv_init(again, 8, MPI.BYTE, 0, 54, MPI.COMM_SELF, requests, 1);
      MPI.Request_free(requests, 0);
      MPI.bind.Waitall(requests)();
      MPI.Start(requests, 1);
      refused(() => MPI.freeRequests(requests), /requests are in flight; complete them first/);
      for (const tag of [53, 54]) MPI.Send(new Uint8Array(8).fill(tag), 8, MPI.BYTE, 0, tag, MPI.COMM_SELF);
      MPI.Wait(requests, 1);
      MPI.freeRequests(requests);
      again.free();
      while (MPI.retiredRequests() > 0);
      assert.ok(once.every((byte) => byte === 53));
    },
  },
  'the buffer of buffered sends stays until it is detached': {
    run: ({ MPI }) => {
      const buffer = EngineBuffer.allocate(4096);
      MPI.Buffer_attach(buffer);
      refused(() => buffer.free(), /can't be freed/);
      assert.equal(MPI.Buffer_detach(), buffer);
      buffer.free();
    },
  },
  'handles may be forgotten in any number': {
    run: ({ MPI }) => {
      for (let i = 0; i < 5000; i++) {
        MPI.Type_contiguous(i + 1, MPI.INT);
        MPI.Comm_group(MPI.COMM_WORLD);
        MPI.requests(1);
        MPI.bind.Send(new Uint8Array(8), 8, MPI.BYTE, MPI.PROC_NULL, 0, MPI.COMM_SELF);
      }
      collect();
    },
  },
};

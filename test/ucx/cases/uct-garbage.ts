/** Runs with --expose-gc: UCT's objects and operations are forgotten in every order, and what still works goes on working. */
import { setImmediate } from 'node:timers/promises';
import { uctBind, uctChannel } from '../../../src/ucx/index.js';
import type { Operation } from '../../../src/engine/types.js';
import { openPair, resourceOf } from '../uct-pair.js';

const resource = resourceOf('posix') ?? resourceOf('sysv');
if (resource === undefined) throw new Error('there is no shared memory');

async function collect(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await setImmediate();
  }
}

const found = resource;
/** Bytes that the transport holds while nobody takes them. */
const SIZE = 300_000;

/** Operations whose objects are all forgotten. */
function lostObjects(): { put: Operation; view: Uint8Array; send: Operation; receive: Operation } {
  const { here, there } = openPair(found);
  const memory = there.iface.memAlloc(4096);
  const key = here.iface.rkeyUnpack(memory.packKey());
  const buffer = new Uint8Array(64).fill(5);
  const { endpoint } = here;
  const request = { endpoint, layout: 'short', buffer, length: 64, inFlight: here.iface.inFlight() } as const;
  const messages = there.iface.amMessages({ id: 1, into: new Uint8Array(64) });
  return {
    put: uctBind().put({ ...request, remote: { address: memory.address, key } }),
    view: memory.buffer?.view() ?? new Uint8Array(),
    send: uctBind().am({ ...request, id: 1 }),
    receive: uctBind().amReceive(there.iface, messages),
  };
}

/** Receives that were started, whose operation, channel and buffers are forgotten; then their messages come. */
async function lostReceives(): Promise<void> {
  const pair = openPair(found);
  const sender = uctChannel({ ...pair.here, id: 1 });
  (() => {
    const receiver = uctChannel({ ...pair.there, id: 1 });
    receiver.startReceives([new Uint8Array(SIZE)], SIZE, 1)();
    receiver.startReceives([new Uint8Array(8)], 8, 4)();
  })();
  await collect();
  sender.send(new Uint8Array(SIZE), SIZE)();
  for (let i = 0; i < 4; i++) sender.send(new Uint8Array(8), 8)();
  for (let i = 0; i < 100; i++) pair.there.iface.progress();
}

/** A call that is in flight when its operation, counter and buffer are forgotten: the bytes arrive all the same. */
async function lostCall(): Promise<void> {
  const tcp = resourceOf('tcp');
  if (tcp === undefined) throw new Error('there is no tcp');
  const pair = openPair(tcp);
  const into = new Uint8Array(60_000);
  const messages = pair.there.iface.amMessages({ id: 1, into });
  pair.until(() => pair.here.iface.progress() + pair.there.iface.progress() === 0);
  const sent = (() => {
    const inFlight = pair.here.iface.inFlight(1);
    for (let count = 1; ; count++) {
      const buffer = new Uint8Array(into.length).fill(count);
      const { endpoint } = pair.here;
      uctBind().am({ endpoint, layout: 'zcopy', buffer, length: buffer.length, inFlight, id: 1 })();
      if (inFlight.count > 0) return count;
    }
  })();
  await collect();
  const filler = Array.from({ length: 50 }, () => new Uint8Array(into.length).fill(255));
  pair.until(() => messages.arrived === sent && filler.length > 0);
  process.stdout.write(`bytes in flight: ${String(into.every((byte) => byte === (sent & 255)))}\n`);
}

await lostCall();
const { put, view, send, receive } = lostObjects();
await collect();
put();
process.stdout.write(`memory stays: ${String(view.subarray(0, 64).every((byte) => byte === 5))}\n`);
let came = 0;
for (let i = 0; i < 100; i++) {
  send();
  receive();
  came++;
  if (i % 10 === 0) await collect();
}
process.stdout.write(`messages came: ${String(came === 100)}\n`);
for (let i = 0; i < 20; i++) {
  lostObjects();
  await lostReceives();
}
await collect();
process.stdout.write('nothing crashed\n');

/** Runs with --expose-gc: forgets everything while messages are in flight, and ends with everything open. */
import { setImmediate } from 'node:timers/promises';
import { EngineBuffer } from '../../../src/engine/index.js';
import { allTags, bind, filled, Pair, type Side } from '../ucp-pair.js';

const length = 1 << 20;
const buffers: WeakRef<EngineBuffer>[] = [];

/** Collects garbage until finalizers have had their turn. */
async function collect(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await setImmediate();
  }
}

function report(what: string, holds: boolean): void {
  process.stdout.write(`${what}: ${String(holds)}\n`);
}

/** Starts a message that nobody receives yet, and forgets its operation and its buffer. */
function start({ endpoint, inFlight }: Side, seed: number): void {
  const buffer = filled(length, seed);
  buffers.push(new WeakRef(buffer));
  bind.tagSend({ endpoint, buffer, length, tag: BigInt(seed), inFlight })();
}

function forget(tls: string): void {
  const pair = new Pair(tls);
  const { memory, remote } = pair.target(length);
  const messages = pair.b.worker.amMessages({ id: 1, into: EngineBuffer.allocate(length) });
  const { a, b } = pair;
  const buffer = EngineBuffer.allocate(length);
  bind.tagReceive({ ...b, buffer, length, tag: 1n, mask: allTags })();
  bind.put({ ...a, buffer, length, remote, memory: pair.context.memMap({ buffer }) })();
  bind.amSend({ ...a, buffer, length, id: 1 })();
  bind.amReceive(b.worker, messages);
  bind.waitByte(b.worker, { buffer: memory.buffer ?? buffer, offset: 0 });
}

for (const tls of ['posix', 'tcp', 'self']) {
  for (let i = 0; i < 5; i++) forget(tls);
  await collect();
}

const pair = new Pair('posix');
for (let seed = 1; seed <= 20; seed++) start(pair.a, seed);
await collect();
const into = EngineBuffer.allocate(length);
let right = pair.a.inFlight.count === 20;
for (let seed = 1; seed <= 20; seed++) {
  const receive = bind.tagReceive({ ...pair.b, buffer: into, length, tag: BigInt(seed), mask: allTags });
  receive();
  pair.until(() => pair.b.inFlight.count === 0);
  right &&= Buffer.compare(into.view(), filled(length, seed).view()) === 0;
}
pair.settle();
report('messages arrive', right);
pair.a.worker.progress();
await collect();
report(
  'buffers go',
  buffers.every((buffer) => buffer.deref() === undefined),
);

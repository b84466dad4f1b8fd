/** Runs with --expose-gc: what must stay alive does, and what nobody uses goes. */
import { setImmediate } from 'node:timers/promises';
import { EngineBuffer, fill, nativeExecutor, releaseOperation } from '../../../src/engine/index.js';
import type { Operation, Run } from '../../../src/engine/types.js';
import { testOperations } from '../test-addon.js';

const test = testOperations();

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

function viewOfLostBuffer(): Uint8Array {
  const buffer = EngineBuffer.allocate(1 << 20);
  fill(buffer, { sender: 1, length: 1 << 20 })();
  return buffer.view();
}

function operationOnLostBuffer(): Operation {
  return test.increment(EngineBuffer.allocate(1 << 20).view(5));
}

function startedRun(): { run: Run; buffers: WeakRef<EngineBuffer>[] } {
  const buffers = Array.from({ length: 20 }, () => EngineBuffer.allocate(1 << 16));
  const run = nativeExecutor.start({ timed: buffers.map((buffer) => test.increment(buffer)) });
  return { run, buffers: buffers.map((buffer) => new WeakRef(buffer)) };
}

const view = viewOfLostBuffer();
const sample = view.slice();
await collect();
report('views keep the memory', view.length === 1 << 20 && Buffer.compare(view, sample) === 0);

const operation = operationOnLostBuffer();
await collect();
operation();
report('operations keep the memory', test.destroyed() === 0);

const { run, buffers } = startedRun();
await collect();
run.advance({ iterations: 1000 });
const kept = buffers.filter((buffer) => buffer.deref() !== undefined).length;
report('the run keeps the operations and their buffers', test.destroyed() === 0 && kept === 20);
run.finish();
await collect();
report('all operations are destroyed in the end', test.destroyed() === 20);
releaseOperation(operation);

const before = process.memoryUsage.rss();
for (let i = 0; i < 300; i++) {
  EngineBuffer.allocate(4 << 20).view();
  if (i % 10 === 0) await collect();
}
await collect();
report('memory goes back', process.memoryUsage.rss() - before < 300 << 20);

/** Runs with --expose-gc: what operations of the engine hold stays alive, and goes when nobody uses it. */
import { setImmediate } from 'node:timers/promises';
import {
  checkReduction,
  checkResult,
  EngineBuffer,
  fillNumbers,
  nativeExecutor,
  rotate,
  timestamp,
} from '../../../src/engine/index.js';
import type { Run } from '../../../src/engine/types.js';
import { testOperations } from '../test-addon.js';

const test = testOperations();
const refs: WeakRef<object>[] = [];

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

/** Remembers an object weakly. */
function weakly<T extends object>(object: T): T {
  refs.push(new WeakRef(object));
  return object;
}

const alive = (): number => refs.filter((ref) => ref.deref() !== undefined).length;

const increments = () => Array.from({ length: 4 }, () => test.increment(weakly(EngineBuffer.allocate(1 << 16))));

async function rotationAlone(): Promise<void> {
  const turns = rotate(increments());
  await collect();
  turns();
  report('a rotation keeps its operations and their memory', test.destroyed() === 0 && alive() === 4);
}

const startedRotation = (): Run => nativeExecutor.start({ timed: [rotate(increments())] });

async function rotationInRun(): Promise<void> {
  const run = startedRotation();
  await collect();
  run.advance({ iterations: 100 });
  report('a run keeps what its rotations hold', alive() >= 4 && test.destroyed() <= 4);
  run.finish();
}

function stampedRun(): { run: Run; array: WeakRef<Float64Array> } {
  const array = weakly(new Float64Array(50));
  return { run: nativeExecutor.start({ timed: [timestamp(array)] }), array: new WeakRef(array) };
}

async function stampsAlone(): Promise<void> {
  const { run, array } = stampedRun();
  await collect();
  run.advance({ iterations: 50 });
  report('an array of timestamps stays', array.deref()?.every((seconds) => seconds > 0) === true);
  run.finish();
}

function checkedReduction() {
  const buffer = weakly(EngineBuffer.allocate(4000));
  const numbers = { type: 'MPI_INT', senders: 1, length: 4000 };
  const checking = checkReduction(buffer, { ...numbers, operation: 'sum' });
  return { checking, run: nativeExecutor.start({ timed: [fillNumbers(buffer, { ...numbers, sender: 0 }), checking] }) };
}

async function reductionAlone(): Promise<void> {
  const { run, checking } = checkedReduction();
  await collect();
  run.advance({ iterations: 10 });
  const { checked, errors } = checkResult(checking);
  report('a reduction’s buffers stay', checked === 40_000 && errors === 0);
  run.finish();
}

await rotationAlone();
await rotationInRun();
await stampsAlone();
await reductionAlone();
await collect();
report('everything goes in the end', test.destroyed() === 8 && alive() === 0);

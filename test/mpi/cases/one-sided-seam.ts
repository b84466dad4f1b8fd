/**
 * One-sided channels on two ranks: every way to expose memory with every way to synchronise, for every call. Arguments are
 * the ways to expose memory. A failure on any rank ends the job.
 */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { jsExecutor } from '../../../src/engine/js-executor.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { check, checkResult, fill, noop, releaseOperation } from '../../../src/engine/operations.js';
import type { Bytes, Executor, Operation } from '../../../src/engine/types.js';
import { selection } from '../../../src/mpi/selection.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';
import { mpiRendezvous } from '../../../src/rendezvous/mpi.js';
import { mpiTransport } from '../../../src/transport/mpi.js';
import { windowCreations, type OneSidedChannel, type WindowCreation } from '../../../src/transport/one-sided.js';
import { refused } from './support.js';

const rendezvous = mpiRendezvous({ launcher: readLauncher() });
const transport = mpiTransport();
const { rank } = rendezvous;
assert.equal(rendezvous.size, 2);

const ITERATIONS = 6;
const SLOTS = 4;
const executors: readonly Executor[] = [nativeExecutor, jsExecutor];

/** What happens around what rank 0 does to rank 1: once, in the timed part, and before data is looked at. */
interface Epochs {
  readonly once?: readonly Operation[];
  readonly timed: readonly Operation[];
  /** Makes the data visible where the timed part did not. */
  readonly visible?: readonly Operation[];
  readonly drain?: readonly Operation[];
}

type Synchronise = (channel: OneSidedChannel, action: Operation) => Epochs;

/** On rank 0, as OMB's `-s` names them. */
const synchronisations: Readonly<Record<string, Synchronise>> = {
  lock: (c, action) => ({ timed: [c.lock(), action, c.unlock()] }),
  'exclusive lock': (c, action) => ({ timed: [c.lock('exclusive'), action, c.unlock()] }),
  lock_all: (c, action) => ({ timed: [c.lockAll(), action, c.unlockAll()] }),
  flush: (c, action) => ({ once: [c.lock()], timed: [action, c.flush()], drain: [c.unlock()] }),
  flush_local: (c, action) => ({
    once: [c.lock()],
    timed: [action, c.flushLocal()],
    visible: [c.flush()],
    drain: [c.unlock()],
  }),
  fence: (c, action) => ({ timed: [c.fence(), action, c.fence()] }),
  pscw: (c, action) => ({ timed: [c.start(), action, c.complete()] }),
};

/** On rank 1, for those that need it. */
const exposures: Readonly<Record<string, (channel: OneSidedChannel) => readonly Operation[]>> = {
  fence: (c) => [c.fence(), c.fence()],
  pscw: (c) => [c.post(), c.wait()],
};

interface Task {
  readonly executor: Executor;
  readonly channel: OneSidedChannel;
  readonly sync: string;
}

/** What this rank runs: the action between its epochs on rank 0, and on rank 1 what lets rank 0 in. */
function epochsOf({ channel, sync }: Task, action: () => Operation): Epochs {
  if (rank === 1) return { timed: exposures[sync]?.(channel) ?? [noop()] };
  const synchronise = synchronisations[sync];
  assert.ok(synchronise !== undefined);
  return synchronise(channel, action());
}

interface Untimed {
  readonly fills?: readonly Operation[];
  readonly checks?: readonly Operation[];
}

/** Runs it some times, looks at what came, and lets go of all operations. */
function run(task: Task, action: () => Operation, { fills = [], checks = [] }: Untimed, look: () => void): void {
  const { once = [], timed, visible = [], drain = [] } = epochsOf(task, action);
  const barrier = transport.barrier();
  const before = [...fills, barrier];
  const after = [...visible, barrier, ...checks, barrier];
  once.forEach((operation) => operation());
  const started = task.executor.start({ timed, untimed: { before, after }, drain });
  started.advance({ iterations: ITERATIONS, samples: new Float64Array(ITERATIONS) });
  started.finish();
  look();
  new Set([...once, ...timed, ...drain, ...before, ...after]).forEach((operation) => releaseOperation(operation));
}

interface Move {
  readonly name: 'put' | 'get' | 'putWindow' | 'getWindow';
  readonly offset: number;
  readonly slots: number;
  readonly action: (channel: OneSidedChannel, origin: Bytes, size: number) => Operation;
}

const moves: readonly Move[] = [
  { name: 'put', offset: 0, slots: 1, action: (c, origin, size) => c.put(origin, size) },
  { name: 'put', offset: 24, slots: 1, action: (c, origin, size) => c.put(origin, size, 24) },
  { name: 'get', offset: 16, slots: 1, action: (c, origin, size) => c.get(origin, size, 16) },
  { name: 'putWindow', offset: 0, slots: SLOTS, action: (c, origin, size) => c.putWindow(origin, size, SLOTS) },
  { name: 'getWindow', offset: 0, slots: SLOTS, action: (c, origin, size) => c.getWindow(origin, size, SLOTS) },
];

/** Who has the data fills it with the pattern of each iteration, and who gets it checks every byte. */
function moveChecked(task: Task, { name, offset, slots, action }: Move, origin: EngineBuffer, size: number): void {
  const sender = name.startsWith('put') ? 0 : 1;
  const [own, start] = rank === 0 ? [origin, 0] : [task.channel.exposed, offset];
  const patterns = Array.from({ length: slots }, (_, slot) => ({
    sender,
    length: size,
    slot,
    offset: start + slot * size,
  }));
  const fills = rank === sender ? patterns.map((pattern) => fill(own, pattern)) : [];
  const checks = rank === 1 - sender ? patterns.map((pattern) => check(own, pattern)) : [];
  run(
    task,
    () => action(task.channel, origin, size),
    { fills, checks },
    () => checks.forEach((one) => assert.deepEqual(checkResult(one), { checked: ITERATIONS * size, errors: 0 })),
  );
}

interface Update {
  readonly action: (channel: OneSidedChannel, result: Int32Array, offset: number) => Operation;
  /** What the peer's first elements are in the end, and what the last call read. */
  readonly left: readonly number[];
  readonly seen: readonly number[];
}

const updates: Readonly<Record<string, Update>> = {
  accumulate: {
    action: (c, _result, offset) => c.accumulate(Int32Array.of(1, 2), 8, offset),
    left: [ITERATIONS, 2 * ITERATIONS],
    seen: [0, 0],
  },
  getAccumulate: {
    action: (c, result, offset) => c.getAccumulate(Int32Array.of(1, 2), result, 8, offset),
    left: [ITERATIONS, 2 * ITERATIONS],
    seen: [ITERATIONS - 1, 2 * (ITERATIONS - 1)],
  },
  fetchAndOp: {
    action: (c, result, offset) => c.fetchAndOp(Int32Array.of(3), result, offset),
    left: [3 * ITERATIONS, 0],
    seen: [3 * (ITERATIONS - 1), 0],
  },
  compareAndSwap: {
    action: (c, result, offset) => c.compareAndSwap(Int32Array.of(7), Int32Array.of(0), result, offset),
    left: [7, 0],
    seen: [7, 0],
  },
};

function integersOf(bytes: Bytes): Int32Array {
  if (bytes instanceof EngineBuffer) return new Int32Array(bytes.view().buffer);
  assert.ok(bytes instanceof ArrayBuffer);
  return new Int32Array(bytes);
}

function updateChecked(task: Task, { action, left, seen }: Update, place: number): void {
  const result = new Int32Array(2);
  run(
    task,
    () => action(task.channel, result, 8 * place),
    {},
    () => {
      if (rank === 0) assert.deepEqual([...result], seen);
      else assert.deepEqual([...integersOf(task.channel.exposed).subarray(2 * place, 2 * place + 2)], left);
    },
  );
}

function open(creation: WindowCreation, datatype: string, bytes: number): OneSidedChannel {
  return transport.oneSided?.({ peer: 1 - rank, datatype, bytes, creation }, rendezvous) ?? assert.fail('no channel');
}

function combination(creation: WindowCreation, sync: string): void {
  for (const [size, executor] of [
    [40, jsExecutor],
    [40000, nativeExecutor],
  ] as const) {
    const channel = open(creation, 'MPI_CHAR', SLOTS * size + 24);
    const origin = transport.allocate(size * SLOTS);
    for (const move of moves) moveChecked({ executor, channel, sync }, move, origin, size);
    channel.close();
    origin.free(); // nothing holds it any more
  }
  const channel = open(creation, 'MPI_INT', 8 * executors.length * Object.keys(updates).length);
  let place = 0;
  for (const executor of executors) {
    for (const update of Object.values(updates)) updateChecked({ executor, channel, sync }, update, place++);
  }
  channel.close();
}

function refusals(creation: WindowCreation): void {
  refused(() => open(creation, 'MPI_NONE', 8), /MPI has no datatype MPI_NONE here: use one of/, RangeError);
  const channel = open(creation, 'MPI_INT', 64);
  const origin = transport.allocate(64);
  const beyond = (what: string): RegExp =>
    new RegExp(`^${what}: \\d+ bytes at offset -?\\d+ are not within the 64 bytes`);
  refused(() => channel.put(origin, 64, 4), beyond('put'), RangeError);
  refused(() => channel.get(origin, 8, -4), beyond('get'), RangeError);
  refused(() => channel.putWindow(origin, 20, 4), beyond('putWindow'), RangeError);
  refused(() => channel.getWindow(origin, 20, 4), beyond('getWindow'), RangeError);
  refused(() => channel.accumulate(origin, 68), beyond('accumulate'), RangeError);
  refused(() => channel.getAccumulate(origin, origin, 68), beyond('getAccumulate'), RangeError);
  refused(() => channel.fetchAndOp(origin, origin, 61), beyond('fetchAndOp'), RangeError);
  refused(() => channel.compareAndSwap(origin, origin, origin, 64), beyond('compareAndSwap'), RangeError);
  refused(() => channel.put(new Uint8Array(7), 8), /^MPI_Put: origin_addr is too small/, RangeError);
  const put = channel.put(origin, 8);
  channel.close();
  channel.close(); // twice does no harm
  refused(put, /has been freed/);
  releaseOperation(put);
  origin.free();
}

const asked = process.argv.slice(2);
const known = windowCreations.filter((creation) => asked.includes(creation));
assert.equal(known.length, asked.length);

let current = 'refusals';
try {
  for (const creation of known) {
    refusals(creation);
    for (const sync of Object.keys(synchronisations)) {
      current = `${creation} and ${sync}`;
      combination(creation, sync);
      if (rank === 0) process.stdout.write(`passed: ${current}\n`);
    }
  }
  if (rank === 0) process.stdout.write(`osc: ${selection().osc}\n`);
  rendezvous.close();
} catch (error) {
  process.stderr.write(
    `rank ${rank} failed in "${current}": ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  rendezvous.abort(3);
}

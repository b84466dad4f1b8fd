/**
 * Rendezvous and transport over MPI, as the benchmarks use them, in the world or a session (arguments `session` and
 * `threads`). A failure on any rank ends the job.
 */
import { strict as assert } from 'node:assert';
import { OperationError } from '../../../src/engine/errors.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { check, checkResult, fill, noop, releaseOperation, until } from '../../../src/engine/operations.js';
import type { Operation } from '../../../src/engine/types.js';
import { UnsupportedError } from '../../../src/mpi/errors.js';
import { mpi } from '../../../src/mpi/mpi.js';
import { selection } from '../../../src/mpi/selection.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';
import { mpiRendezvous } from '../../../src/rendezvous/mpi.js';
import { mpiTransport } from '../../../src/transport/mpi.js';
import type { Layout, Transport } from '../../../src/transport/types.js';
import { refused } from './support.js';

const launcher = readLauncher();
const session = process.argv.includes('session');
const threadMultiple = process.argv.includes('threads');
const rendezvous = mpiRendezvous({ launcher, session, threadMultiple });
const { rank, size } = rendezvous;
const range = <T>(map: (rank: number) => T): T[] => Array.from({ length: size }, (_, each) => map(each));

function meet(): void {
  assert.deepEqual([rank, size], [launcher.rank, launcher.size]);
  const value = (each: number): object => ({
    rank: each,
    text: 'ä'.repeat(each * 1000),
    list: [each, null, { deep: true }],
  });
  assert.deepEqual(rendezvous.allgather(value(rank)), range(value));
  assert.deepEqual(rendezvous.gather(value(rank)), rank === 0 ? range(value) : []);
  for (let root = 0; root < size; root++) assert.deepEqual(rendezvous.broadcast(value(rank), root), value(root));
  assert.equal(rendezvous.broadcast(rank === 0 ? 'first' : 'other'), 'first');
  const numbers = (each: number): Float64Array => new Float64Array(each * 10).fill(each + 0.5);
  assert.deepEqual(rendezvous.gatherNumbers(numbers(rank)), rank === 0 ? range(numbers) : []);
  rendezvous.barrier();
}

/** Barriers, between which the slowest rank waits with all others on its side. */
function meetInProgress(): void {
  const progress = until(noop(), []);
  const barrier = rendezvous.progressBarrier(progress);
  const run = nativeExecutor.start({ timed: [barrier] });
  for (let late = 0; late < size; late++) {
    const before = performance.now();
    const entered = rendezvous.allgather(performance.timeOrigin + before);
    if (rank === late) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    run.advance({ iterations: 1 });
    assert.equal(entered.length, size);
    assert.ok(rank === late || size === 1 || performance.now() - before >= 19, 'a barrier that nobody waits in');
  }
  run.advance({ iterations: 500 });
  run.finish();
}

/** The test that such barriers wait by. */
function testPending(): void {
  const MPI = mpi();
  const requests = MPI.requests(1);
  const started = MPI.bind.Ibarrier(rendezvous.comm, requests, 0);
  const test = MPI.bind.TestDone(requests, 0);
  test(); // nothing is active
  rendezvous.barrier();
  if (rank === 0) {
    started();
    refused(test, /^MPI_TestDone failed: it is not complete yet/, OperationError);
    rendezvous.broadcast(1);
  } else {
    rendezvous.broadcast(0);
    started();
  }
  const wait = until(test, []);
  wait();
  [wait, started, test].forEach((operation) => releaseOperation(operation));
  MPI.freeRequests(requests);
}

/** A transport, and this process's rank in its communicator. */
interface Place {
  readonly transport: Transport;
  readonly rank: number;
}

/** Streams checked windows from rank 0 to 1 and sends one message back. */
function stream({ transport, rank }: Place, datatype: string, bytes: number): void {
  const channel = transport.channel({ peer: 1 - rank, datatype });
  const buffers = [transport.allocate(bytes), transport.allocate(bytes)];
  const back = transport.allocate(64);
  const timed =
    rank === 0
      ? [channel.startSends(buffers, bytes, 4), channel.completeSends(), channel.receive(back, 1)]
      : [channel.startReceives(buffers, bytes, 4), channel.completeReceives(), channel.send(back, 1)];
  const pattern = { sender: 0, length: bytes };
  const before = rank === 0 ? buffers.map((buffer, slot) => fill(buffer, { ...pattern, slot })) : [];
  const after = rank === 1 ? buffers.map((buffer, slot) => check(buffer, { ...pattern, slot })) : [];
  const run = nativeExecutor.start({ timed, untimed: { before: [...before, transport.barrier()], after } });
  run.advance({ iterations: 5 });
  run.finish();
  for (const each of after) assert.deepEqual(checkResult(each), { checked: 5 * bytes, errors: 0 });
  assert.equal(channel.transmitSize(bytes), bytes);
  [...timed, ...before, ...after].forEach((operation) => releaseOperation(operation));
  channel.close();
  [...buffers, back].forEach((buffer) => buffer.free());
}

/** Sends `bytes` bytes of ones in a layout, and tells which bytes of the receiver's buffer they reached. */
function spread(transport: Transport, layout: Layout, datatype: string, bytes: number): number[] {
  const channel = transport.channel({ peer: 1 - rank, datatype, layout });
  const buffer = transport.allocate(bytes);
  buffer.view().fill(rank === 0 ? 1 : 0);
  const operation: Operation = rank === 0 ? channel.send(buffer, bytes) : channel.receive(buffer, bytes);
  operation();
  const seen = [...buffer.view()].flatMap((byte, place) => (byte === 1 ? [place] : []));
  const moved = channel.transmitSize(bytes);
  if (rank === 1) assert.equal(moved, seen.length);
  channel.close();
  if (moved > 0) refused(operation, /has been freed/);
  return seen;
}

function layouts(transport: Transport): void {
  const cases: [Layout, string, number, number[]][] = [
    [{ kind: 'cont' }, 'MPI_CHAR', 5, [0, 1, 2, 3, 4]],
    [{ kind: 'vect', stride: 8, block: 4 }, 'MPI_CHAR', 16, [0, 1, 2, 3, 8, 9, 10, 11]],
    [{ kind: 'vect', stride: 8, block: 4 }, 'MPI_CHAR', 7, []],
    [{ kind: 'vect', stride: 2, block: 1 }, 'MPI_INT', 16, [0, 1, 2, 3, 8, 9, 10, 11]],
    [
      {
        kind: 'indx',
        file: 'x',
        blocks: [
          { length: 2, displacement: 3 },
          { length: 9, displacement: 6 },
        ],
      },
      'MPI_CHAR',
      8,
      [3, 4, 6, 7],
    ],
  ];
  for (const [layout, datatype, bytes, places] of cases) {
    const seen = spread(transport, layout, datatype, bytes);
    if (rank === 1) assert.deepEqual(seen, places, JSON.stringify(layout));
  }
}

function move(transport: Transport): void {
  assert.deepEqual(
    ['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT', 'MPI_DOUBLE'].map((name) => transport.datatypes.get(name)),
    [1, 4, 4, 8],
  );
  refused(() => transport.channel({ peer: 0, datatype: 'MPI_NONE' }), /MPI has no datatype MPI_NONE here: use one of/);
  for (const bytes of [0, 1, 100, 100000]) stream({ transport, rank }, 'MPI_CHAR', bytes);
  stream({ transport, rank }, 'MPI_FLOAT', 4000);
  layouts(transport);
}

/** The last two ranks, in the other order, as peers 0 and 1 of a communicator of their own. */
function moveAmongSome(): void {
  const MPI = mpi();
  const comm = MPI.Comm_split(rendezvous.comm, rank < size - 2 ? MPI.UNDEFINED : 0, -rank);
  if (comm === MPI.COMM_NULL) return;
  const transport = mpiTransport({ comm });
  assert.equal(MPI.Comm_rank(comm), size - 1 - rank);
  stream({ transport, rank: MPI.Comm_rank(comm) }, 'MPI_CHAR', 1000);
  MPI.Comm_free(comm);
}

/** What the options promise. */
function startedAsAsked(): void {
  const MPI = mpi();
  assert.equal(MPI.Initialized(), !session);
  assert.equal(rendezvous.comm === MPI.COMM_WORLD, !session);
  // MPICH gives sessions MPI_THREAD_MULTIPLE, asked for or not.
  if (!session) assert.equal(MPI.Query_thread(), threadMultiple ? MPI.THREAD_MULTIPLE : MPI.THREAD_SINGLE);
  if (threadMultiple) return;
  if (!session) refused(() => mpiRendezvous({ threadMultiple: true }), /^this MPI does not provide/, UnsupportedError);
}

/** Rank 0 prints what was selected. */
function describe(): void {
  const selected = selection({ size, localSize: launcher.localSize });
  if (rank === 0) process.stdout.write(`selection: ${JSON.stringify(selected)}\n`);
}

try {
  startedAsAsked();
  meet();
  meetInProgress();
  if (size > 1) testPending();
  const transport = mpiTransport({ comm: rendezvous.comm });
  refused(() => transport.channel({ peer: 0, datatype: 'MPI_CHAR' }).completeSends(), /needs startSends before it/);
  if (size === 2) move(transport);
  if (size > 1) moveAmongSome();
  transport.barrier()();
  describe();
  rendezvous.close();
  rendezvous.close(); // twice does no harm
  assert.equal(mpi().Finalized(), !session);
  assert.equal(mpi().running(), false);
} catch (error) {
  process.stderr.write(`rank ${rank}: ${error instanceof Error ? error.stack : String(error)}\n`);
  rendezvous.abort(3);
}

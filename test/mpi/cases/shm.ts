/** Channels over shared memory between the ranks of a launch: rank r and rank r + size / 2. A failure ends the job. */
import { strict as assert } from 'node:assert';
import { readdirSync } from 'node:fs';
import { jsExecutor, nativeExecutor } from '../../../src/engine/index.js';
import { check, checkResult, fill, releaseOperation } from '../../../src/engine/operations.js';
import type { Executor, Operation } from '../../../src/engine/types.js';
import { mpiRendezvous } from '../../../src/rendezvous/mpi.js';
import { mpiTransport } from '../../../src/transport/mpi.js';
import { shmTransport } from '../../../src/transport/shm.js';
import type { Transport } from '../../../src/transport/types.js';

const rendezvous = mpiRendezvous();
const { rank, size } = rendezvous;
const pairs = size / 2;
const peer = rank < pairs ? rank + pairs : rank - pairs;
const first = rank < pairs;

interface Shape {
  readonly bytes: number;
  readonly window: number;
  readonly kind: 'ping-pong' | 'one way' | 'both ways';
}

/** A row of a table: channels for data and for acknowledgements, made and closed as the family of pairs does. */
function row(transport: Transport, executor: Executor, { bytes, window, kind }: Shape): void {
  const data = transport.channel({ peer, datatype: 'MPI_CHAR' });
  const control = transport.channel({ peer, datatype: 'MPI_CHAR' });
  const outs = [transport.allocate(bytes + 8), transport.allocate(bytes + 8)] as const;
  const intos = [transport.allocate(bytes + 8), transport.allocate(bytes + 8)] as const;
  const token = transport.allocate(64);
  const sends = [data.startSends(outs, bytes, window), data.completeSends()];
  const receives = [data.startReceives(intos, bytes, window), data.completeReceives()];
  const [send, receive] = [data.send(outs[0], bytes), data.receive(intos[0], bytes)];
  const timed: Record<Shape['kind'], Operation[]> = {
    'ping-pong': first ? [send, receive] : [receive, send],
    'one way': first ? [...sends, control.receive(token, 4)] : [...receives, control.send(token, 4)],
    'both ways': [data.startReceives(intos, bytes, window), ...sends, data.completeReceives()],
  };
  const used = kind === 'ping-pong' ? 1 : 2;
  const before = outs.slice(0, used).map((buffer, slot) => fill(buffer, { sender: rank, length: bytes, slot }));
  const checks = kind === 'one way' && first ? [] : intos.slice(0, used);
  const after = checks.map((buffer, slot) => check(buffer, { sender: peer, length: bytes, slot }));
  const iterations = bytes * window > 1e6 ? 3 : size > 2 ? 20 : 200;
  const run = executor.start({ timed: timed[kind], untimed: { before: [...before, transport.barrier()], after } });
  run.advance({ iterations });
  run.finish();
  for (const each of after) assert.deepEqual(checkResult(each), { checked: iterations * bytes, errors: 0 });
  const all = new Set([...Object.values(timed).flat(), ...sends, ...receives, send, receive, ...before, ...after]);
  for (const operation of all) releaseOperation(operation);
  data.close();
  control.close();
  for (const buffer of [...outs, ...intos, token]) buffer.free();
}

try {
  const transport = shmTransport({ rendezvous, base: mpiTransport() });
  rendezvous.barrier();
  const left = readdirSync('/dev/shm').filter((name) => name.startsWith('fabricbench-'));
  assert.deepEqual(left, []);
  for (const executor of [nativeExecutor, jsExecutor]) {
    for (const kind of ['ping-pong', 'one way', 'both ways'] as const) {
      for (const bytes of [0, 1, 8, 200, 4096, 100000]) row(transport, executor, { bytes, window: 64, kind });
      row(transport, executor, { bytes: 4 << 20, window: 8, kind });
    }
  }
  if (rank === 0) process.stdout.write('passed: shm\n');
  rendezvous.close();
} catch (error) {
  process.stderr.write(`rank ${rank}: ${error instanceof Error ? error.stack : String(error)}\n`);
  rendezvous.abort(3);
}

/** MPI in a session alone, without MPI_Init; each scenario is a launch of its own. */
import { strict as assert } from 'node:assert';
import { EngineBuffer } from '../../../src/engine/buffer.js';
import { nativeExecutor } from '../../../src/engine/native-executor.js';
import { releaseOperation } from '../../../src/engine/operations.js';
import * as MPI from '../../../src/mpi/index.js';
import { hasMpi4 } from '../../../src/mpi/mpi4.js';
import { mpi } from '../../../src/mpi/mpi.js';
import type { Comm, Mpi4, Session } from '../../../src/mpi/types.js';
import { collectAndFinalize } from './garbage.js';
import { refused, refusedByMpi } from './support.js';

interface Started {
  readonly four: Mpi4;
  readonly session: Session;
  readonly comm: Comm;
}

const over = /MPI has been finalized, and can't be started again in this process/;

const scenarios: Readonly<Record<string, (started: Started) => void | Promise<void>>> = {
  /** Everything that is left over is let go of after the session, and says so when it is used. */
  'the whole life': async ({ four, session, comm }) => {
    assert.deepEqual([MPI.Initialized(), MPI.Finalized(), MPI.running()], [false, false, true]);
    const size = MPI.Comm_size(comm);
    refusedByMpi(MPI, () => MPI.Send(null, 0, MPI.INT, size, 0, comm), 'MPI_ERR_RANK');
    const noWorld = /comm needs MPI_Init; a session makes communicators by Comm_create_from_group$/;
    for (const none of [MPI.COMM_WORLD, MPI.COMM_SELF]) {
      refused(() => MPI.Comm_rank(none), noWorld, TypeError);
      refused(() => MPI.bind.Barrier(none), noWorld, TypeError);
      refused(() => MPI.Abort(none, 1), noWorld, TypeError);
    }
    refused(() => MPI.Finalize(), /^MPI_Finalize: only sessions are running; end them by Session_finalize$/);
    const requests = MPI.requests(1);
    const type = MPI.Type_contiguous(2, MPI.INT);
    MPI.Type_commit(type);
    const buffer = EngineBuffer.allocate(64);
    const total = new Int32Array(1);
    const timed = [
      MPI.bind.Allreduce(Int32Array.of(1), total, 1, MPI.INT, MPI.SUM, comm),
      MPI.bind.Isend(buffer, 1, type, MPI.PROC_NULL, 0, comm, requests, 0),
      MPI.bind.Waitall(requests),
    ];
    const run = nativeExecutor.start({ timed });
    run.advance({ iterations: 10 });
    run.finish();
    assert.equal(total[0], size);
    const attached = EngineBuffer.allocate(4096);
    MPI.Buffer_attach(attached);
    MPI.Comm_free(comm);
    four.Session_finalize(session);
    assert.deepEqual([MPI.Initialized(), MPI.Finalized(), MPI.running()], [false, false, false]);
    const starts = [() => MPI.Init(), () => MPI.Init_thread(0), () => four.Session_init(MPI.THREAD_SINGLE)];
    for (const start of starts) refused(start, over);
    refused(() => MPI.Type_free(type), over);
    for (const operation of timed) {
      refused(operation, /failed: the session that this operation was bound in has been/, MPI.MpiError);
    }
    timed.forEach((operation) => releaseOperation(operation));
    [buffer, attached].forEach((each) => each.free());
    await collectAndFinalize();
  },
  'forgotten objects': async ({ four, session, comm }) => {
    for (let i = 0; i < 100; i++) {
      MPI.Comm_group(comm);
      MPI.Type_contiguous(i + 1, MPI.INT);
      MPI.Send_init(new Uint8Array(8), 8, MPI.BYTE, MPI.PROC_NULL, 0, comm, MPI.requests(1), 0);
      MPI.bind.Send(new Int32Array(1), 1, MPI.INT, MPI.PROC_NULL, 0, comm);
    }
    four.Session_finalize(session);
    await collectAndFinalize();
  },
  'the world after the session, while another lives': async ({ four, session, comm }) => {
    const other = four.Session_init(MPI.THREAD_SINGLE);
    MPI.Init();
    MPI.Barrier(MPI.COMM_WORLD);
    MPI.Comm_free(comm);
    four.Session_finalize(session);
    MPI.Barrier(MPI.COMM_WORLD);
    const ofWorld = MPI.bind.Barrier(MPI.COMM_WORLD);
    MPI.Finalize();
    assert.deepEqual([MPI.Finalized(), MPI.running()], [true, true]);
    refused(ofWorld, /^MPI_Barrier failed: MPI_Finalize has been called since/, MPI.MpiError);
    refused(() => MPI.Barrier(MPI.COMM_WORLD), /comm ended with MPI_Finalize$/, TypeError);
    const last = four.Comm_create_from_group(four.Group_from_session_pset(other, 'mpi://WORLD'), 'last');
    MPI.Barrier(last);
    MPI.Comm_free(last);
    four.Session_finalize(other);
    refused(() => MPI.Init(), over);
    await collectAndFinalize();
  },
  Abort: ({ comm }) => {
    if (MPI.Comm_rank(comm) === 1) MPI.Abort(comm, 42);
    MPI.Barrier(comm);
  },
};

const name = process.argv[2] ?? '';
const scenario = scenarios[name];
assert.ok(scenario !== undefined, `no scenario ${name}`);
const four = mpi();
assert.ok(hasMpi4(four), 'this MPI has no sessions');
const session = four.Session_init(MPI.THREAD_SINGLE);
const comm = four.Comm_create_from_group(four.Group_from_session_pset(session, 'mpi://WORLD'), 'test');
await scenario({ four, session, comm });
process.stdout.write('done\n');

/** Sessions beside the world of MPI_Init. Those without it are launches of their own: session.ts. */
import { strict as assert } from 'node:assert';
import { releaseOperation } from '../../../src/engine/operations.js';
import { MpiError } from '../../../src/mpi/errors.js';
import { hasMpi4 } from '../../../src/mpi/mpi4.js';
import { mpi } from '../../../src/mpi/mpi.js';
import type { Comm, Mpi4, Session } from '../../../src/mpi/types.js';
import { refused, untyped, type Case, type CaseContext, type Cases } from './support.js';

/** A case that needs sessions, in one of its own. */
function withSession(run: (MPI: Mpi4, session: Session, context: CaseContext) => void): Case {
  return {
    mpi: 'mpich',
    run: (context) => {
      const MPI = mpi();
      assert.ok(hasMpi4(MPI), 'this MPI has no sessions');
      run(MPI, MPI.Session_init(MPI.THREAD_SINGLE), context);
    },
  };
}

function everyone(MPI: Mpi4, session: Session, tag: string): Comm {
  const group = MPI.Group_from_session_pset(session, 'mpi://WORLD');
  const comm = MPI.Comm_create_from_group(group, tag);
  MPI.Group_free(group);
  return comm;
}

export const sessions: Cases = {
  'process sets, groups and communicators': withSession((MPI, session, { rank, size, guarded }) => {
    const names = Array.from({ length: MPI.Session_get_num_psets(session) }, (_, n) =>
      MPI.Session_get_nth_pset(session, n),
    );
    assert.ok(names.includes('mpi://WORLD') && names.includes('mpi://SELF'), names.join());
    assert.equal(MPI.Session_get_pset_info(session, 'mpi://WORLD')['mpi_size'], String(size));
    assert.match(MPI.Session_get_info(session)['thread_level'] ?? '', /^MPI_THREAD_/);
    const self = MPI.Comm_create_from_group(MPI.Group_from_session_pset(session, 'mpi://SELF'), 'alone');
    assert.equal(MPI.Comm_size(self), 1);
    const comm = everyone(MPI, session, 'all');
    assert.deepEqual([MPI.Comm_rank(comm), MPI.Comm_size(comm)], [rank, size]);
    const sum = guarded(Int32Array, 1);
    MPI.Allreduce(Int32Array.of(rank), sum, 1, MPI.INT, MPI.SUM, comm);
    assert.equal(sum[0], (size * (size - 1)) / 2);
    [self, comm].forEach((each) => MPI.Comm_free(each));
    MPI.Session_finalize(session);
  }),
  'a communicator of some': withSession((MPI, session, { rank, size }) => {
    const world = MPI.Group_from_session_pset(session, 'mpi://WORLD');
    const last = MPI.Group_incl(world, [size - 1]);
    if (rank === size - 1) {
      const comm = MPI.Comm_create_from_group(last, 'last');
      assert.equal(MPI.Comm_size(comm), 1);
      MPI.Comm_free(comm);
    } else {
      refused(() => MPI.Comm_create_from_group(last, 'last'), /this process is no member of the group$/, TypeError);
    }
    assert.equal(MPI.Comm_create_from_group(MPI.GROUP_EMPTY, 'none'), MPI.COMM_NULL);
    MPI.Session_finalize(session);
  }),
  'what is wrong is said before MPI would end the job': withSession((MPI, session) => {
    const count = MPI.Session_get_num_psets(session);
    const beyond = new RegExp(`n must be below the number of process sets, which is ${count}, got ${count}$`);
    refused(() => MPI.Session_get_nth_pset(session, count), beyond, RangeError);
    refused(() => MPI.Session_get_nth_pset(session, -1), /got -1$/, RangeError);
    const unknown = /there is no process set mpi:\/\/NONE: use one of mpi:\/\/WORLD, mpi:\/\/SELF$/;
    refused(() => MPI.Group_from_session_pset(session, 'mpi://NONE'), unknown, RangeError);
    refused(() => MPI.Session_get_pset_info(session, 'mpi://NONE'), unknown, RangeError);
    const group = MPI.Group_from_session_pset(session, 'mpi://SELF');
    refused(() => MPI.Comm_create_from_group(group, 'x'.repeat(1000)), /stringtag must be shorter than/, RangeError);
    refused(() => untyped(MPI.Session_init, 'MPI_THREAD_SINGLE'), /required must be a thread level/, TypeError);
    refused(() => untyped(MPI.Session_init, 99), /required must be a thread level/, TypeError);
    refused(() => untyped(MPI.Session_finalize, MPI.COMM_SELF), /session must be a session/, TypeError);
    MPI.Session_finalize(session);
    refused(() => MPI.Session_finalize(session), /^MPI_Session_finalize: session has been freed$/, TypeError);
  }),
  'what was made from a session ends with it, and nothing else': withSession((MPI, session) => {
    const other = MPI.Session_init(MPI.THREAD_SINGLE);
    const [comm, kept] = [everyone(MPI, session, 'ends'), everyone(MPI, other, 'stays')];
    const derived = MPI.Comm_dup(comm);
    const group = MPI.Comm_group(derived);
    const operations = [comm, derived].map((each) => MPI.bind.Send(null, 0, MPI.INT, MPI.PROC_NULL, 0, each));
    const others = [kept, MPI.COMM_WORLD].map((each) => MPI.bind.Send(null, 0, MPI.INT, MPI.PROC_NULL, 0, each));
    [...operations, ...others].forEach((operation) => operation());
    MPI.Comm_free(derived);
    MPI.Comm_free(comm);
    MPI.Session_finalize(session);
    for (const operation of operations) {
      refused(operation, /^MPI_Send failed: the session that this operation was bound in has been/, MpiError);
    }
    refused(() => MPI.Group_size(group), /^MPI_Group_size: group ended with its session$/, TypeError);
    others.forEach((operation) => operation());
    MPI.Barrier(kept);
    [...operations, ...others].forEach((operation) => releaseOperation(operation));
    MPI.Comm_free(kept);
    MPI.Session_finalize(other);
    assert.equal(MPI.running(), true);
  }),
  'and so do its windows': withSession((MPI, session) => {
    const comm = everyone(MPI, session, 'window');
    const { win, memory } = MPI.Win_allocate(64, 1, comm);
    MPI.Win_fence(0, win);
    const ofWorld = MPI.Win_allocate(64, 1, MPI.COMM_WORLD);
    const members = MPI.Win_get_group(win);
    assert.equal(memory.byteLength, 64);
    const fence = MPI.bind.Win_fence(0, win);
    fence();
    MPI.Session_finalize(session);
    assert.equal(memory.byteLength, 0);
    refused(() => MPI.Win_fence(0, win), /^MPI_Win_fence: win has been freed$/, TypeError);
    refused(fence, /^MPI_Win_fence failed: the session that this operation was bound in has been/, MpiError);
    refused(() => MPI.Group_size(members), /group ended with its session/, TypeError);
    assert.equal(ofWorld.memory.byteLength, 64);
    MPI.Win_fence(0, ofWorld.win);
    MPI.Win_free(ofWorld.win);
  }),
  'communicators that were not freed end too': withSession((MPI, session) => {
    const comm = everyone(MPI, session, 'forgotten');
    MPI.Session_finalize(session);
    refused(() => MPI.Comm_rank(comm), /^MPI_Comm_rank: comm ended with its session$/, TypeError);
    refused(() => MPI.Comm_free(comm), /ended with its session/, TypeError);
  }),
};

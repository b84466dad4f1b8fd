import { strict as assert } from 'node:assert';
import { hostname } from 'node:os';
import { mpiAddon } from '../../../src/mpi/addon.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';
import { refused, type Cases } from './support.js';

export const environment: Cases = {
  'tells rank and size as the launcher does': {
    run: ({ MPI, rank, size }) => {
      const launcher = readLauncher();
      assert.deepEqual([rank, size], [launcher.rank, launcher.size]);
      assert.equal(MPI.Comm_rank(MPI.COMM_SELF), 0);
      assert.equal(MPI.Comm_size(MPI.COMM_SELF), 1);
    },
  },
  'tells versions, thread level and processor name': {
    run: ({ MPI }) => {
      assert.equal(MPI.Initialized(), true);
      assert.equal(MPI.Finalized(), false);
      assert.equal(MPI.running(), true);
      assert.equal(MPI.Query_thread(), MPI.THREAD_SINGLE);
      assert.ok(MPI.Get_version().version >= 3);
      assert.match(MPI.Get_library_version(), /Open MPI|MPICH/);
      assert.equal(MPI.Get_processor_name(), hostname());
      assert.ok(MPI.THREAD_SINGLE < MPI.THREAD_FUNNELED && MPI.THREAD_FUNNELED < MPI.THREAD_SERIALIZED);
    },
  },
  'tells time': {
    run: ({ MPI }) => {
      const before = MPI.Wtime();
      const tick = MPI.Wtick();
      assert.ok(tick > 0 && tick < 0.01);
      assert.ok(MPI.Wtime() >= before);
    },
  },
  'refuses to start twice': {
    run: ({ MPI }) => {
      refused(() => MPI.Init(), /^MPI_Init: MPI is running already/);
      refused(() => MPI.Init_thread(MPI.THREAD_SINGLE), /^MPI_Init_thread: MPI is running already/);
    },
  },
  'exports all that the addon has': {
    run: ({ MPI }) => {
      const internal = [
        'setErrorClass',
        'setCancelWord',
        'setMpiErrorClass',
        'setStatusClass',
        'statusCount',
        'statusCancelled',
        'loadProblem',
      ];
      const classes = ['Comm', 'Group', 'Datatype', 'Op', 'Message', 'RequestArray', 'Session', 'Win'];
      const expected = Object.keys(mpiAddon()).filter(
        (name) => ![...internal, ...classes, 'nativeSelection'].includes(name),
      );
      assert.ok(expected.length > 180);
      assert.deepEqual(
        expected.filter((name) => !(name in MPI)),
        [],
      );
    },
  },
  'puts codes into words': {
    run: ({ MPI }) => {
      assert.match(MPI.Error_string(MPI.SUCCESS), /no error|no MPI error/i);
      assert.equal(MPI.Error_class(MPI.SUCCESS), MPI.SUCCESS);
    },
  },
};

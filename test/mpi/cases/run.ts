/**
 * Runs on every rank: the cases that apply, in the same order everywhere; an argument takes those whose name begins
 * with it. A failure on any rank ends the job.
 */
import * as MPI from '../../../src/mpi/index.js';
import { cases } from './index.js';
import { applies, Guards } from './support.js';

const only = process.argv[2] ?? '';
MPI.repairPersistentCollectives(MPI);
MPI.Init_thread(MPI.THREAD_SINGLE);
const rank = MPI.Comm_rank(MPI.COMM_WORLD);
const size = MPI.Comm_size(MPI.COMM_WORLD);

for (const [name, one] of Object.entries(cases)) {
  if (!applies(one, size, MPI.family) || !name.startsWith(only)) continue;
  const guards = new Guards();
  try {
    one.run({ MPI, rank, size, guarded: (type, length) => guards.make(type, length) });
    guards.check();
    MPI.Barrier(MPI.COMM_WORLD);
  } catch (error) {
    const text = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`rank ${rank} failed in "${name}": ${text}\n`);
    MPI.Abort(MPI.COMM_WORLD, 3);
  }
  if (rank === 0) process.stdout.write(`passed: ${name}\n`);
}
MPI.Finalize();

/** A program that uses the MPI library by itself: rank 1 leaves by what argv names, while rank 0 waits for a message. */
import * as MPI from '../../../src/mpi/index.js';

MPI.Init();
if (MPI.Comm_rank(MPI.COMM_WORLD) === 1) {
  const error = new Error('broken on purpose');
  if (process.argv[2] === 'reject') void Promise.reject(error);
  else throw error;
} else {
  MPI.Recv(new Uint8Array(1), 1, MPI.BYTE, 1, 0, MPI.COMM_WORLD, MPI.STATUS_IGNORE);
}

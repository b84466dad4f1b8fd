import { mpiAddon } from './addon.js';
import { MpiError } from './errors.js';
import { Status } from './status.js';
import type { Mpi } from './types.js';

let ready: Mpi | undefined;

/**
 * MPI, its addon loaded on first use, so that a program can be asked for help where there is no MPI. Which MPI: see
 * `chooseMpiFamily`. Throws `LoadError`.
 */
export function mpi(): Mpi {
  if (ready === undefined) {
    const addon = mpiAddon();
    addon.setMpiErrorClass(MpiError);
    addon.setStatusClass(Status);
    ready = addon;
  }
  return ready;
}

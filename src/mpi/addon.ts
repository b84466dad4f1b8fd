import { loadMpi } from '../engine/load.js';
import type { MpiAddon } from './types.js';

let loaded: MpiAddon | undefined;

/** The MPI addon, loaded on first use. Throws `LoadError`. Others than this folder take `mpi()`. */
export function mpiAddon(): MpiAddon {
  loaded ??= loadMpi().addon as MpiAddon;
  return loaded;
}

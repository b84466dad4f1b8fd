/** What needs MPI-4, and what to say where it is missing. */
import { openMpiVersion } from './defects.js';
import { libraryName } from './selection.js';
import type { Mpi, Mpi4 } from './types.js';

/** Whether this MPI has persistent collectives and sessions. MPI 3.1, such as Open MPI 4's, has neither. */
export function hasMpi4(MPI: Mpi): MPI is Mpi4 {
  return MPI.Session_init !== undefined && MPI.Barrier_init !== undefined;
}

/** Why `what` isn't possible with this MPI, with the mend; null where it is. */
export function mpi4Refusal(MPI: Mpi, what: string): string | null {
  if (hasMpi4(MPI)) return null;
  const { version, subversion } = MPI.Get_version();
  const text = MPI.Get_library_version();
  const [library] = libraryName(text).split(',');
  // Open MPI 5 has them, though it says MPI 3.1.
  const [openMpi = 0] = openMpiVersion(text) ?? [];
  if (version >= 4 || openMpi >= 5)
    return `${what} needs MPI-4, which ${library} has and this build does not: run npm run build again`;
  return `${what} needs MPI-4, and ${library} has MPI ${version}.${subversion}: use one that has, such as MPICH 4`;
}

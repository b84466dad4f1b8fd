/** Defects of an MPI that end its processes. */
import { selection } from './selection.js';
import type { Comm, Mpi } from './types.js';

/** What of MPI's selection decides about a defect. */
export interface SwapFacts {
  /** Text of MPI_Get_library_version. */
  readonly library: string;
  /** The one-sided components that windows have had, as `Selection.osc`. */
  readonly osc: string | null;
}

/** Version of Open MPI that a text of MPI_Get_library_version names; null where it is another MPI's. */
export function openMpiVersion(library: string): readonly [major: number, minor: number, release: number] | null {
  const match = /^Open MPI v(\d+)\.(\d+)\.(\d+)/.exec(library);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
}

/** The first version that swaps in the shared memory of the window itself (open-mpi/ompi pull request 10513). */
const MENDED = [4, 1, 5] as const;

function isMended(version: readonly number[]): boolean {
  const place = MENDED.findIndex((number, i) => version[i] !== number);
  return place < 0 || (version[place] ?? 0) > (MENDED[place] ?? 0);
}

/**
 * Why MPI_Compare_and_swap of 8 bytes would crash in a window of MPI_Win_allocate between ranks of one host, with the mend;
 * null where it works. Open MPI's component rdma sends the target an address of the origin's process.
 */
export function swapRefusal({ library, osc }: SwapFacts): string | null {
  const version = openMpiVersion(library);
  if (version === null || isMended(version) || osc?.split(', ').includes('rdma') !== true) return null;
  const cause = `MPI_Compare_and_swap of 8 bytes in a window of MPI_Win_allocate crashes in Open MPI ${version.join('.')}'s component osc rdma`;
  return `${cause}: use -w create, a type of 4 bytes, or mpirun --mca osc ucx (or sm, pt2pt)`;
}

/** As `swapRefusal`, of the MPI that runs: makes a window to see what MPI selects for it. Collective over `comm`. */
export function swapRefusalHere(MPI: Mpi, comm: Comm): string | null {
  const library = MPI.Get_library_version();
  if (openMpiVersion(library) === null) return null;
  const { win } = MPI.Win_allocate(8, 1, comm);
  const { osc } = selection();
  MPI.Win_free(win);
  return swapRefusal({ library, osc });
}

/** Settings that keep away from defects of an MPI. */
import type { Mpi } from './types.js';

/** A setting that is in force, and who made it. */
export interface RepairSetting {
  readonly value: string;
  readonly setBy: 'user' | 'fabricbench';
}

interface Repair {
  readonly variable: string;
  readonly value: string;
  /** First version of MPICH that needs it no more. */
  readonly until: readonly [major: number, minor: number];
}

/**
 * By default MPICH makes the schedules of these persistent collectives so that they send what a buffer held when they were
 * made, or fail at the second start: Gather_init (pmodels/mpich issue 7078), Scatter_init (pull request 7550) and, for 2, 4,
 * 8, ... ranks, Allgather_init (issue 6423). All seen with 4.0.2. Its other algorithms are right, but for Gather_init on a
 * single rank.
 */
const repairs: readonly Repair[] = [
  { variable: 'MPIR_CVAR_IGATHER_INTRA_ALGORITHM', value: 'tsp_tree', until: [4, 3] },
  { variable: 'MPIR_CVAR_ISCATTER_INTRA_ALGORITHM', value: 'tsp_tree', until: [5, 0] },
  { variable: 'MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM', value: 'tsp_recexch_doubling', until: [4, 2] },
];

/** Whether this is an MPICH from before that version. */
export function isMpichBefore(MPI: Pick<Mpi, 'Get_library_version'>, [major, minor]: Repair['until']): boolean {
  const version = versionOf(MPI.Get_library_version());
  return version !== null && (version[0] < major || (version[0] === major && version[1] < minor));
}

function versionOf(library: string): [major: number, minor: number] | null {
  const match = /MPICH Version:\s*(\d+)\.(\d+)/.exec(library);
  return match ? [Number(match[1]), Number(match[2])] : null;
}

/**
 * Sets MPICH's algorithms for persistent Gather, Scatter and Allgather where its own choice gives wrong data, unless the
 * user has set them; to be called before MPI starts. The non-blocking Igather, Iscatter and Iallgather take the same ones:
 * for programs that measure those it is not. Returns what is in force; nothing for other MPIs.
 */
export function repairPersistentCollectives(
  MPI: Pick<Mpi, 'Get_library_version'>,
  env: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, RepairSetting>> {
  const needed = repairs.filter(({ until }) => isMpichBefore(MPI, until));
  return Object.fromEntries(
    needed.map(({ variable, value }) => {
      const given = env[variable];
      env[variable] = given ?? value;
      return [variable, { value: given ?? value, setBy: given === undefined ? 'fabricbench' : 'user' }];
    }),
  );
}

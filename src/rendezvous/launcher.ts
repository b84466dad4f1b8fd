/** What the launcher says of this process in its environment, before MPI starts. */

export type LauncherName = 'openmpi' | 'mpich' | 'slurm-pmix' | 'slurm-pmi2' | 'slurm' | 'pmix';

export interface Launcher {
  /** Who started this process as a rank; null for a process that nobody did. */
  readonly launcher: LauncherName | null;
  readonly rank: number | null;
  readonly size: number | null;
  /** Rank among those of this job on this host. */
  readonly localRank: number | null;
  readonly localSize: number | null;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A whole number, or null where the variable is missing or anything else. */
function whole(env: Env, ...names: readonly string[]): number | null {
  for (const name of names) {
    const text = env[name];
    if (text !== undefined && /^\d+$/.test(text)) return Number(text);
  }
  return null;
}

/**
 * Tasks per node in Slurm's short form: `2(x3),1` is 2, 2, 2, 1. Returns those of the node with index `node`.
 */
function tasksOfNode(text: string | undefined, node: number | null): number | null {
  if (text === undefined || node === null) return null;
  let next = 0;
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:\(x(\d+)\))?$/.exec(part);
    if (!match) return null;
    next += Number(match[2] ?? 1);
    if (node < next) return Number(match[1]);
  }
  return null;
}

function openMpi(env: Env): Launcher {
  return {
    launcher: 'openmpi',
    rank: whole(env, 'OMPI_COMM_WORLD_RANK'),
    size: whole(env, 'OMPI_COMM_WORLD_SIZE'),
    localRank: whole(env, 'OMPI_COMM_WORLD_LOCAL_RANK'),
    localSize: whole(env, 'OMPI_COMM_WORLD_LOCAL_SIZE'),
  };
}

/** Slurm's own variables; under mpirun they describe the daemon, so that others come first. */
function slurm(env: Env, launcher: LauncherName, rank: number | null, size: number | null): Launcher {
  return {
    launcher,
    rank: rank ?? whole(env, 'SLURM_PROCID'),
    size: size ?? whole(env, 'SLURM_STEP_NUM_TASKS', 'SLURM_NTASKS'),
    localRank: whole(env, 'MPI_LOCALRANKID', 'SLURM_LOCALID'),
    localSize:
      whole(env, 'MPI_LOCALNRANKS') ??
      tasksOfNode(env['SLURM_STEP_TASKS_PER_NODE'] ?? env['SLURM_TASKS_PER_NODE'], whole(env, 'SLURM_NODEID')),
  };
}

/** Slurm calls a batch script, and the shell of an interactive job, rank 0 too, but they are ranks of nothing. */
function isBatchScript(env: Env): boolean {
  const step = env['SLURM_STEP_ID'] ?? env['SLURM_STEPID'];
  return env['SLURM_JOB_ID'] !== undefined && (step === undefined || step === INTERACTIVE_STEP);
}

const INTERACTIVE_STEP = '4294967290';

/** Reads the launcher's variables: Open MPI's, then those of PMIx and PMI, of MPICH's Hydra, and last Slurm's. */
export function readLauncher(env: Env = process.env): Launcher {
  const underSlurm = env['SLURM_PROCID'] !== undefined && !isBatchScript(env);
  if (env['OMPI_COMM_WORLD_RANK'] !== undefined) return openMpi(env);
  if (env['PMIX_RANK'] !== undefined) {
    return slurm(env, underSlurm ? 'slurm-pmix' : 'pmix', whole(env, 'PMIX_RANK'), null);
  }
  if (env['PMI_RANK'] !== undefined) {
    const byHydra = env['MPI_LOCALRANKID'] !== undefined || !underSlurm;
    return slurm(env, byHydra ? 'mpich' : 'slurm-pmi2', whole(env, 'PMI_RANK'), whole(env, 'PMI_SIZE'));
  }
  if (underSlurm) return slurm(env, 'slurm', null, null);
  return { launcher: null, rank: null, size: null, localRank: null, localSize: null };
}

/** The launcher doesn't belong to the MPI in use: every rank that it started sees the same. */
export class LauncherError extends Error {
  override name = 'LauncherError';
}

const mends: Readonly<Record<string, string>> = {
  openmpi: 'start it with the mpirun of Open MPI, or with srun --mpi=pmix',
  mpich: 'start it with mpirun.mpich, or with srun --mpi=pmi2',
};

const starters: Readonly<Record<LauncherName, string>> = {
  openmpi: "Open MPI's mpirun",
  mpich: "MPICH's mpirun",
  'slurm-pmix': 'srun --mpi=pmix',
  'slurm-pmi2': 'srun --mpi=pmi2',
  slurm: 'Slurm',
  pmix: 'a PMIx launcher',
};

/**
 * A launcher of another MPI never errors: each process becomes a world of its own. Returns the sentence that refuses this,
 * or null where MPI sees as many ranks as were started.
 *
 * @param size ranks that MPI sees
 * @param family the MPI in use, `openmpi` or `mpich`
 */
export function checkSize(launcher: Launcher, size: number, family: string): string | null {
  if (launcher.launcher === null || agrees(launcher, size)) return null;
  const started = launcher.size === null ? `rank ${launcher.rank}` : `${launcher.size} ranks`;
  const saw = size === 1 ? 'each process sees itself alone' : `MPI sees ${size} ranks`;
  const mend = mends[family] ?? 'start it with the launcher that belongs to this MPI';
  const other = family === 'openmpi' ? 'mpich' : 'openmpi';
  const swap = launcher.launcher === other ? `, or set FABRICBENCH_MPI=${other}` : '';
  return `${starters[launcher.launcher]} started ${started}, but ${saw}: it does not belong to the MPI in use (${family}); ${mend}${swap}`;
}

/** A launcher that doesn't tell how many it started may still tell a rank that there can't be. */
function agrees({ rank, size: started }: Launcher, size: number): boolean {
  return started === null ? rank === null || rank < size : started === size;
}

/**
 * The same for an Open MPI that knows PMIx alone, before it starts: under Slurm without PMIx it would end every rank with
 * a page of text. Returns null where it may start.
 */
export function checkPmix(launcher: Launcher): string | null {
  if ((launcher.size ?? 0) < 2) return null;
  if (launcher.launcher === 'mpich') return checkSize(launcher, 1, 'openmpi');
  if (launcher.launcher !== 'slurm' && launcher.launcher !== 'slurm-pmi2') return null;
  const by = starters[launcher.launcher];
  return `${by} started ${launcher.size} ranks without PMIx, and this Open MPI knows no other way for them to meet; ${mends['openmpi']}`;
}

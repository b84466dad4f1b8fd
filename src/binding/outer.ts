/** What a process was started for, before a launcher bound it to a part of that. */
import { readFileSync } from 'node:fs';
import { allowedCpus, parseCpuList } from '../engine/affinity.js';
import type { Launcher, LauncherName } from '../rendezvous/launcher.js';
import { coreOf } from './core-of.js';

/** What a launcher sets in its ranks, and has not itself. */
const RANK_VARIABLES: Readonly<Record<LauncherName, string>> = {
  openmpi: 'OMPI_COMM_WORLD_RANK',
  pmix: 'PMIX_RANK',
  'slurm-pmix': 'PMIX_RANK',
  mpich: 'PMI_RANK',
  'slurm-pmi2': 'PMI_RANK',
  slurm: 'SLURM_PROCID',
};
/** Wrappers between a launcher and its rank. */
const MOST_WRAPPERS = 16;

export interface ProcessFiles {
  /** Where /proc is. */
  readonly proc?: string;
  readonly pid?: number | 'self';
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Cores that the kernel, and so a cgroup, would let this process use. */
  readonly cores?: () => number;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** Whether it runs on behalf of a rank: a wrapper, such as a shell. What can't be read belongs to somebody else. */
function hasVariable(environ: string | undefined, name: string): boolean {
  return environ !== undefined && `\0${environ}`.includes(`\0${name}=`);
}

const parentOf = (status: string): number => Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);

const cpusOf = (status: string): number[] => parseCpuList(/^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? '');

const coresHere = (): number => new Set(allowedCpus().map((cpu) => coreOf(cpu))).size;

/**
 * Whether a task's affinity is all that keeps it to its job: Slurm gave the job less than the node has, and no cgroup says so.
 * It counts cores or hardware threads, as it is set up: what is less than the cores is a part of the node either way.
 */
function confinedBySlurm(launcher: LauncherName, own: readonly number[], files: ProcessFiles): boolean {
  const { env = process.env, cores = coresHere } = files;
  const given = Number(env['SLURM_CPUS_ON_NODE'] ?? NaN);
  return launcher.startsWith('slurm') && own.length <= given && given < cores();
}

/**
 * Hardware threads that this process may be bound to, as far as affinities tell. Launchers bind their ranks, which is theirs
 * to give and ours to take; but what they run on themselves was set by a batch system, a container or `taskset`. So under a
 * launcher they are its own; without one those of this process, and under Slurm too where nothing else keeps a job to its part
 * of the node. Null where /proc doesn't tell.
 */
export function outerCpus({ launcher }: Pick<Launcher, 'launcher'>, files: ProcessFiles = {}): number[] | null {
  const { proc = '/proc', pid = 'self' } = files;
  let status = read(`${proc}/${pid}/status`);
  if (status === undefined) return null;
  if (launcher === null || confinedBySlurm(launcher, cpusOf(status), files)) return cpusOf(status);
  for (let wrappers = 0; wrappers < MOST_WRAPPERS; ++wrappers) {
    const parent: number = parentOf(status);
    status = parent === 0 ? undefined : read(`${proc}/${parent}/status`);
    if (status === undefined) return null;
    if (!hasVariable(read(`${proc}/${parent}/environ`), RANK_VARIABLES[launcher])) return cpusOf(status);
  }
  return null;
}

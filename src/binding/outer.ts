/** What a process was started for, before a launcher bound it to a part of that. */
import { readFileSync } from 'node:fs';
import { parseCpuList } from '../engine/affinity.js';
import type { Launcher, LauncherName } from '../rendezvous/launcher.js';

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

/**
 * Hardware threads that this process may be bound to, as far as affinities tell. Launchers bind their ranks, which is theirs
 * to give and ours to take; but what they run on themselves was set by a batch system, a container or `taskset`. So under a
 * launcher they are its own; without one those of this process. Null where /proc doesn't tell.
 */
export function outerCpus({ launcher }: Pick<Launcher, 'launcher'>, files: ProcessFiles = {}): number[] | null {
  const { proc = '/proc', pid = 'self' } = files;
  let status = read(`${proc}/${pid}/status`);
  if (status === undefined || launcher === null) return status === undefined ? null : cpusOf(status);
  for (let wrappers = 0; wrappers < MOST_WRAPPERS; ++wrappers) {
    const parent: number = parentOf(status);
    status = parent === 0 ? undefined : read(`${proc}/${parent}/status`);
    if (status === undefined) return null;
    if (!hasVariable(read(`${proc}/${parent}/environ`), RANK_VARIABLES[launcher])) return cpusOf(status);
  }
  return null;
}

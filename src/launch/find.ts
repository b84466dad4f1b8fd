/** Which launchers this host has, and which of them can start ranks that work. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Impossible } from '../cli/commands/command.js';
import { howToBuild, type MpiFamily } from '../engine/load.js';
import type { LauncherName } from './types.js';

/** A launcher's program, and the MPI whose ranks it starts. */
export interface Found {
  readonly launcher: LauncherName;
  readonly program: string;
  readonly family: MpiFamily;
}

/** What is looked at; tests have their own. */
export interface Surroundings {
  /** Folders, `:` between them. */
  readonly path: string;
  /** Addons that are built. */
  readonly built: readonly string[];
  /** `FABRICBENCH_MPI` */
  readonly asked?: string | undefined;
  /** What a program prints when asked for its version; undefined where it doesn't run. */
  readonly version: (program: string) => string | undefined;
  /** Whether this process is in a job of Slurm, whose srun comes first where it can start these ranks. */
  readonly inJob?: boolean;
  /** What srun prints of its ways to start an MPI. */
  readonly plugins?: (srun: string) => string | undefined;
}

/** The user's own choice (the first on PATH) comes first: mpirun may be any MPI's. */
const NAMES: Readonly<Record<MpiFamily, readonly string[]>> = {
  openmpi: ['mpirun', 'mpiexec', 'mpirun.openmpi', 'mpiexec.openmpi'],
  mpich: ['mpirun', 'mpiexec', 'mpiexec.hydra', 'mpiexec.mpich', 'mpirun.mpich'],
};
const TITLES: Readonly<Record<MpiFamily, string>> = { openmpi: 'Open MPI', mpich: 'MPICH' };
const FAMILIES: readonly MpiFamily[] = ['openmpi', 'mpich'];
const VERSION_SECONDS = 10;

/** Whose launcher printed this version. */
export function familyOf(version: string): MpiFamily | undefined {
  if (/Open MPI|OpenRTE|PRRTE/.test(version)) return 'openmpi';
  return /HYDRA|Intel\(R\) MPI/.test(version) ? 'mpich' : undefined;
}

/**
 * The launcher that was asked for, or the first that there is: of the family that FABRICBENCH_MPI names, of Open MPI, of
 * MPICH.
 *
 * @throws Impossible where there is none, with how to get one
 */
export function findLauncher(asked: LauncherName | undefined, here: Surroundings): Found {
  if (asked === 'srun') return findSrun(here);
  const bySlurm = asked === undefined && here.inJob === true ? srunOfJob(here) : undefined;
  if (bySlurm !== undefined) return bySlurm;
  const { asked: variable } = here;
  const wished = asked ?? (variable === 'openmpi' || variable === 'mpich' ? variable : undefined);
  const problems: string[] = [];
  for (const family of wished === undefined ? FAMILIES : [wished]) {
    const found = launcherOf(family, here);
    if (typeof found !== 'string') return found;
    problems.push(found);
  }
  throw new Impossible(problems.length === 1 ? (problems[0] ?? '') : noneOf(problems));
}

function noneOf(problems: readonly string[]): string {
  return `no MPI is here that can start ranks: ${problems.join('; ')}`;
}

/** The launcher of a family, or why there is none. */
function launcherOf(family: MpiFamily, here: Surroundings): Found | string {
  const programs = NAMES[family].flatMap((name) => onPath(name, here.path) ?? []);
  const program = programs.find((candidate) => familyOf(here.version(candidate) ?? '') === family);
  const addon = `mpi-${family}`;
  if (program === undefined) return `PATH has no mpirun of ${TITLES[family]}: ${howToBuild(addon)}`;
  if (here.built.includes(addon)) return { launcher: family, program, family };
  return `${program} is ${TITLES[family]}'s, for which ${addon}.node is not built: ${howToBuild(addon)}`;
}

function findSrun(here: Surroundings): Found {
  const program = onPath('srun', here.path);
  if (program === undefined)
    throw new Impossible('PATH has no srun: go where Slurm is, or leave it out for an mpirun (--mpi openmpi, mpich)');
  const family = FAMILIES.find((name) => name === here.asked) ?? FAMILIES.find((name) => isBuilt(name, here));
  if (family === undefined) throw new Impossible(`there is no addon of an MPI: ${howToBuild('mpi-openmpi')}`);
  return { launcher: 'srun', program, family };
}

/** How ranks of each MPI meet under srun. */
const PLUGINS: Readonly<Record<MpiFamily, RegExp>> = { openmpi: /\bpmix/, mpich: /\bpmi2\b/ };

/** The srun of a job, where it speaks what the MPI needs that would be taken outside of one. */
function srunOfJob(here: Surroundings): Found | undefined {
  const program = onPath('srun', here.path);
  if (program === undefined) return undefined;
  const wished = FAMILIES.filter((name) => name === here.asked);
  const families = wished.length > 0 ? wished : FAMILIES;
  const usual = families.map((name) => launcherOf(name, here)).find((found) => typeof found !== 'string');
  const family = usual?.family ?? families.find((name) => isBuilt(name, here));
  if (family === undefined || !isBuilt(family, here)) return undefined;
  return PLUGINS[family].test(here.plugins?.(program) ?? '') ? { launcher: 'srun', program, family } : undefined;
}

/** Loaded on use: with sockets and streams it takes a start 1 ms. */
const childProcess = () => process.getBuiltinModule('node:child_process');

/** What `srun --mpi=list` prints: some versions to stdout, others to stderr. */
export function pluginsOf(srun: string): string | undefined {
  const { spawnSync } = childProcess();
  const { stdout, stderr } = spawnSync(srun, ['--mpi=list'], { encoding: 'utf8', timeout: VERSION_SECONDS * 1000 });
  return `${stdout ?? ''}${stderr ?? ''}`;
}

const isBuilt = (family: MpiFamily, { built }: Surroundings): boolean => built.includes(`mpi-${family}`);

/** The first executable file of that name. */
function onPath(name: string, path: string): string | undefined {
  const candidates = path.split(':').map((folder) => join(folder === '' ? '.' : folder, name));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What a program prints for --version; undefined where it fails. */
export function versionOf(program: string): string | undefined {
  return printed(program, ['--version']);
}

function printed(program: string, args: readonly string[]): string | undefined {
  const { execFileSync } = childProcess();
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync(program, args, { encoding: 'utf8', timeout: VERSION_SECONDS * 1000, stdio: [...stdio] });
  } catch {
    return undefined;
  }
}

/** Components of the Open MPI of this launcher, as `pml:ucx`; none where they can't be found out. */
export function componentsOf({ program, launcher }: Found, path: string): ReadonlySet<string> {
  const beside = join(dirname(program), 'ompi_info');
  const info = launcher === 'openmpi' && isExecutable(beside) ? beside : onPath('ompi_info', path);
  const text = info === undefined ? '' : (printed(info, ['--parsable']) ?? '');
  return new Set([...text.matchAll(/^mca:(\w+:\w+):/gm)].map(([, name = '']) => name));
}

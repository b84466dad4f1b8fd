/** Files of Open MPI's components ("MCA components") on this host. */
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { mpiAddon } from './addon.js';
import { parameter, type ParameterSources } from './parameters.js';

/** Where installations keep them, seen from the library's folder: of Open MPI itself, and of Debian's. */
const BESIDE_LIBRARY = ['openmpi', 'openmpi/lib/openmpi3', 'openmpi/lib/openmpi'];

/** Folders that may hold components, in the order in which Open MPI looks. */
export function componentFolders(maps: string, sources: ParameterSources = {}): string[] {
  const asked = (parameter('mca_base_component_path', sources) ?? '').split(':').filter((path) => path.startsWith('/'));
  const library = /(\/\S*\/libmpi\.so\S*)$/m.exec(maps)?.[1];
  const beside = library === undefined ? [] : BESIDE_LIBRARY.map((name) => join(dirname(library), name));
  return [...asked, ...beside];
}

export interface ComponentLook {
  readonly folders: readonly string[];
  /** Why a file can't be loaded; null where it can. */
  readonly load: (path: string) => string | null;
}

/**
 * Why Open MPI will not find its PML ucx, in a clause; null where it will, and where that isn't certain: components may be
 * parts of the library.
 */
export function ucxProblem({ folders, load }: ComponentLook): string | null {
  const folder = folders.find((path) => existsSync(join(path, 'mca_pml_ob1.so')));
  if (folder === undefined) return null;
  const file = join(folder, 'mca_pml_ucx.so');
  if (!existsSync(file)) return 'this Open MPI was built without it';
  return load(file);
}

/** Something that this host lacks; every rank on it sees the same. */
export class HostError extends Error {
  override name = 'HostError';
}

/**
 * Sees to it that the PML ucx, where it was asked for, can be had on this host: MPI_Init would end the process, and no word
 * of ours would be heard.
 *
 * @throws HostError
 */
export function requireUcx(sources: ParameterSources = {}): void {
  if (parameter('pml', sources) !== 'ucx') return;
  const folders = componentFolders(readFileSync('/proc/self/maps', 'latin1'), sources);
  const problem = ucxProblem({ folders, load: (path) => mpiAddon().loadProblem(path) });
  if (problem === null) return;
  throw new HostError(
    `Open MPI's PML ucx can't be had on ${hostname()}: ${problem}; install UCX there, or take another on all hosts (--mca pml ob1)`,
  );
}

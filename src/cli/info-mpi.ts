/** What `fabricbench info` says of MPI: the families that are built, and their libraries. */
import { readFileSync } from 'node:fs';
import { LoadError } from '../engine/errors.js';
import { builtAddons, loadAddon } from '../engine/load.js';
import type { Mpi } from '../mpi/types.js';
import { entry } from './entry.js';

export interface MpiInfo {
  /** `openmpi`, `mpich`. */
  readonly family: string;
  /** The library's own words, their first line; null where it can't be loaded, `problem` saying why. */
  readonly version: string | null;
  /** Of the MPI standard, `3.1`. */
  readonly standard: string | null;
  /** Path of the library; null where it is unknown. */
  readonly library: string | null;
  readonly problem: string | null;
}

type Library = Pick<Mpi, 'Get_library_version' | 'Get_version'>;

/** All families; MPI isn't started. */
export function gatherMpi(
  addons: readonly string[] = builtAddons(),
  load: (name: string) => unknown = loadAddon,
): MpiInfo[] {
  return addons.filter((name) => name.startsWith('mpi-')).map((name) => mpiOf(name, load));
}

function mpiOf(addon: string, load: (name: string) => unknown): MpiInfo {
  const family = addon.slice('mpi-'.length);
  const before = new Set(mappedLibraries());
  try {
    const mpi = load(addon) as Library;
    const { version, subversion } = mpi.Get_version();
    const library = mappedLibraries().find((path) => !before.has(path)) ?? null;
    return {
      family,
      version: firstLine(mpi.Get_library_version()),
      standard: `${version}.${subversion}`,
      library,
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { family, version: null, standard: null, library: null, problem: error.message };
  }
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').replace(/[\s\0]+/g, ' ').trim();

/** MPI libraries of this process, as the kernel knows them. */
function mappedLibraries(): string[] {
  const lines = readFileSync('/proc/self/maps', 'latin1').split('\n');
  return lines
    .map((line) => line.slice(line.indexOf('/')))
    .filter((path) => /^\/.*\/libmpi(ch)?[^/]*\.so[^/]*$/.test(path));
}

export function mpiLines(families: readonly MpiInfo[]): string[] {
  if (families.length === 0) return entry('MPI', 'none was there when fabricbench was built', 0);
  return ['MPI', ...families.flatMap((family) => entry(family.family, mpiText(family), 2))];
}

function mpiText({ version, standard, library, problem }: MpiInfo): string {
  if (version === null) return problem ?? 'it can not be loaded';
  const [own = ''] = version.split(',');
  return `${own}; MPI ${standard ?? '?'}${library === null ? '' : `; ${library}`}`;
}

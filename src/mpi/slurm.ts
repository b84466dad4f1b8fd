/** Whether Open MPI can be started by Slurm without PMIx. Where it can't, MPI_Init ends every rank with a page of text. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where Open MPI keeps its components, from the folder of its libraries: as it comes, and as Debian packs it. */
const componentFolders = ['openmpi', 'openmpi/lib/openmpi3'];
/** Components that speak Slurm's own interfaces, PMI-1 and PMI-2. */
const slurmComponents = ['mca_pmix_s1.so', 'mca_pmix_s2.so'];

function folderOfLibraries(maps: string): string | undefined {
  const path = /\s(\/\S*\/libopen-pal\.so\S*)$/m.exec(maps)?.[1];
  return path === undefined ? undefined : dirname(path);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // this Open MPI is laid out in another way
  }
}

/**
 * True for an Open MPI 4 that certainly knows no way to meet under srun but PMIx; false where it does, or where that isn't
 * known.
 *
 * @param maps the process's mapped files, as in /proc/self/maps, with Open MPI's libraries among them
 */
export function needsPmix(maps = readFileSync('/proc/self/maps', 'latin1')): boolean {
  const libraries = folderOfLibraries(maps);
  if (libraries === undefined) return false;
  const names = componentFolders.flatMap((folder) => namesIn(join(libraries, folder)));
  const known = names.some((name) => name.startsWith('mca_pmix_') && name.endsWith('.so'));
  return known && !slurmComponents.some((name) => names.includes(name));
}

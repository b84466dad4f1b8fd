/** Which MPIs are here, and whether the launcher, the library and fabricbench's own part belong together. */
import { basename, dirname, join } from 'node:path';
import type { Host } from '../host.js';
import { finding, goodOr, type Check, type Finding } from '../types.js';

type Family = 'openmpi' | 'mpich';

const titles: Readonly<Record<Family, string>> = { openmpi: 'Open MPI', mpich: 'MPICH' };

/** Names that launchers have by themselves. */
const launchers: readonly (readonly [RegExp, Family])[] = [
  [/^(orterun|prterun|prun|mpi(run|exec)\.openmpi)$/, 'openmpi'],
  [/hydra|\.mpich$|^mpi(run|exec)\.(gforker|slurm)$/, 'mpich'],
];
/** What stands beside a launcher of that family alone. */
const neighbours: readonly (readonly [string, Family])[] = [
  ['mpiexec.hydra', 'mpich'],
  ['mpichversion', 'mpich'],
  ['ompi_info', 'openmpi'],
];

export interface LauncherFile {
  /** As PATH names it. */
  readonly path: string;
  /** Without links. */
  readonly real: string;
  readonly family: Family | null;
}

function familyOf({ files }: Host, real: string): Family | null {
  const byName = launchers.find(([name]) => name.test(basename(real)))?.[1];
  if (byName) return byName;
  const beside = neighbours.filter(([name]) => files.exists(join(dirname(real), name)));
  const families = new Set(beside.map(([, family]) => family));
  return families.size === 1 ? (beside[0]?.[1] ?? null) : null;
}

/** Every mpirun of PATH, the one that a shell takes first, each file once. */
export function launchersOf(host: Host): LauncherFile[] {
  const paths = (host.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const found = paths.map((folder) => join(folder, 'mpirun')).filter((path) => host.files.executable(path));
  const all = found.map((path) => {
    const real = host.files.real(path) ?? path;
    return { path, real, family: familyOf(host, real) };
  });
  return all.filter(({ real }, index) => all.findIndex((one) => one.real === real) === index);
}

/** MPI's library in this process, without links; null where none is loaded. */
export function libraryOf({ files }: Host): string | null {
  const path = /\s(\/\S*\/libmpi(?:ch)?\.so[.\d]*)$/m.exec(files.text('/proc/self/maps') ?? '')?.[1];
  return path === undefined ? null : (files.real(path) ?? path);
}

/** Folder of an installation, from its mpirun. */
export const prefixOf = ({ real }: LauncherFile): string => dirname(dirname(real));

const titleOf = (family: Family | null): string => (family ? titles[family] : 'an MPI that is not known');

/** The MPI that the ranks of this job run; null outside of a job, where nobody has chosen yet. */
function running({ ranks, mpi }: Host): Family | null {
  if (ranks === null) return null;
  return mpi?.family === 'openmpi' || mpi?.family === 'mpich' ? mpi.family : null;
}

/** The running MPI where the first mpirun of PATH is another's, so that it can't have started this job. */
function elsewhere(host: Host): Family | null {
  const [first] = launchersOf(host);
  const own = running(host);
  return own && first?.family && first.family !== own ? own : null;
}

function mpirun(host: Host): Finding {
  const [first, ...others] = launchersOf(host);
  const wanted = 'one: the one of the MPI that is to be measured';
  if (!first) {
    return finding('mpirun', 'note', {
      found: 'none in PATH',
      wanted,
      mend: 'load the module of your MPI, put its bin into PATH, or start with srun',
    });
  }
  const rest = others.map(({ real, family }) => `${real} (${titleOf(family)})`);
  const behind = rest.length > 0 ? `; behind it ${rest.join(', ')}` : '';
  const own = elsewhere(host);
  const job = own ? `; but this job runs ${titles[own]}` : '';
  return finding('mpirun', goodOr(others.length === 0 && !own, 'note'), {
    found: `${first.path}, ${titleOf(first.family)}${behind}${job}`,
    wanted,
    mend: 'call mpirun by its full path, or take the others out of PATH (module unload)',
  });
}

/** The addon that ranks of this launcher will load. */
function ownPart({ env, addons }: Host, launched: Family | null): Family | null {
  const asked = env['FABRICBENCH_MPI'];
  if (asked === 'openmpi' || asked === 'mpich') return asked;
  const built = (['openmpi', 'mpich'] as const).filter((family) => addons.includes(`mpi-${family}`));
  return launched && built.includes(launched) ? launched : (built[0] ?? null);
}

function parts(host: Host): Finding[] {
  const [first] = launchersOf(host);
  const own = ownPart(host, first?.family ?? null);
  const built = host.addons.filter((name) => name.startsWith('mpi-')).map((name) => `${name}.node`);
  const wanted = "the part of mpirun's own MPI: with another one's each rank would be alone";
  if (!own) {
    return [
      finding('MPI part', 'note', {
        found: 'none is built',
        wanted: 'one, for the osu_* programs',
        mend: 'install an MPI with its headers, then npm run build',
      }),
    ];
  }
  const asked = host.env['FABRICBENCH_MPI'];
  const here = `${asked ? `FABRICBENCH_MPI=${asked}; ` : ''}${built.join(', ') || 'none built'}`;
  const family = running(host);
  // Ranks that have met say more than what PATH has.
  if (family) return [finding('MPI part', 'good', { found: `${here}; the ranks run ${titles[family]}`, wanted })];
  const fits = !first?.family || first.family === own;
  return [
    finding('MPI part', goodOr(fits, 'bad'), {
      found: `${here}; mpirun is of ${first ? titleOf(first.family) : 'none'}`,
      wanted,
      mend: asked
        ? `FABRICBENCH_MPI=${first?.family ?? ''}, or the mpirun of ${titleOf(own)}`
        : `start with the mpirun of ${titleOf(own)}, or build the part of ${titleOf(first?.family ?? null)}`,
    }),
  ];
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** A launcher of one installation that starts ranks with the library of another one. */
function library(host: Host): Finding[] {
  const path = libraryOf(host);
  const [first] = launchersOf(host);
  if (path === null || !first) return [];
  const found = `${path}${host.mpi ? ` (${host.mpi.library.split(',')[0]})` : ''}`;
  const own = elsewhere(host);
  if (own) return [finding('MPI library', 'good', { found, wanted: `one of ${titles[own]}, which started this job` })];
  // What is loaded here without a job is not what ranks of another MPI's mpirun will load.
  if (host.mpi !== null && first.family !== host.mpi.family) return [];
  return [
    finding('MPI library', goodOr(isBelow(path, prefixOf(first)), 'bad'), {
      found,
      wanted: `that of the first mpirun, below ${prefixOf(first)}`,
      mend: 'load one MPI alone (module purge, then load), see LD_LIBRARY_PATH, and npm run build with its mpicc first in PATH',
    }),
  ];
}

const moduleNames: readonly (readonly [RegExp, string])[] = [
  [/^(open-?mpi|ompi|hpcx)/i, 'Open MPI'],
  [/^mpich/i, 'MPICH'],
  [/^mvapich/i, 'MVAPICH'],
  [/^(intel-?mpi|impi|intel-oneapi-mpi)/i, 'Intel MPI'],
  [/^cray-mpich/i, 'Cray MPICH'],
];

/** Kinds of MPI by the name of a library's file: 40 is Open MPI's, 12 that of MPICH and all its kin. */
const libraries: readonly (readonly [RegExp, string])[] = [
  [/^libmpi\.so\.40$/, 'Open MPI'],
  [/^libmpi(ch)?\.so\.12$|^libmpich\.so/, 'MPICH'],
];

function kindsIn(names: readonly string[], known: readonly (readonly [RegExp, string])[]): string[] {
  return names.flatMap((name) => known.find(([pattern]) => pattern.test(basename(name)))?.[1] ?? []);
}

function mixed({ env, files }: Host): Finding[] {
  const modules = (env['LOADEDMODULES'] ?? '').split(':').map((name) => name.split('/')[0] ?? '');
  const folders = (env['LD_LIBRARY_PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const kinds = {
    LOADEDMODULES: new Set(kindsIn(modules, moduleNames)),
    LD_LIBRARY_PATH: new Set(folders.flatMap((folder) => kindsIn(files.list(folder), libraries))),
  };
  return Object.entries(kinds).flatMap(([name, found]) =>
    found.size < 2
      ? []
      : [
          finding('several MPIs', 'bad', {
            found: `${name} has ${[...found].join(' and ')}`,
            wanted: 'one MPI',
            mend: name === 'LOADEDMODULES' ? 'module purge, then load the one to measure' : 'take the others out of it',
          }),
        ],
  );
}

export const mpiChecks: readonly Check[] = [
  { look: (host) => [mpirun(host), ...parts(host), ...library(host), ...mixed(host)] },
];

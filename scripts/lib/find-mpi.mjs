/** Finds the MPI libraries that mpi addons can be built for: one per family, through mpicc, else through pkg-config. */
import { run, which } from './project.mjs';

const words = (text) =>
  text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
const isLinkFlag = (word) => /^(-L|-l|-Wl,|-pthread|-R)|\.(so|a)$/.test(word);
const isCompileFlag = (word) => /^(-I|-D|-pthread|-isystem)/.test(word);

/** Compile and link flags that a wrapper compiler adds: Open MPI's spelling first, then MPICH's. */
function wrapperFlags(wrapper) {
  const compile = run(wrapper, ['--showme:compile']);
  const link = run(wrapper, ['--showme:link']);
  if (compile.ok && link.ok) return { cflags: words(compile.stdout), libs: words(link.stdout) };
  const shown = run(wrapper, ['-show']);
  if (!shown.ok) return undefined;
  const rest = words(shown.stdout).slice(1);
  return { cflags: rest.filter(isCompileFlag), libs: rest.filter(isLinkFlag) };
}

/** Macros that mpi.h defines when compiled with this command; undefined where there is no mpi.h. */
function macrosOf(compiler, cflags) {
  const done = run(compiler, [...cflags, '-E', '-dM', '-x', 'c', '-'], { input: '#include <mpi.h>\n' });
  if (!done.ok) return undefined;
  const defined = [...done.stdout.matchAll(/^#define (\w+) (.*)$/gm)];
  return new Map(defined.map(([, name, value]) => [name, value.replaceAll('"', '')]));
}

/** Family and version by what mpi.h says of itself; undefined for an MPI that is neither. */
function identify(macros) {
  const of = (name) => macros.get(name);
  if (macros.has('OPEN_MPI')) {
    const version = ['MAJOR', 'MINOR', 'RELEASE'].map((part) => of(`OMPI_${part}_VERSION`)).join('.');
    return { family: 'openmpi', version: `Open MPI ${version}` };
  }
  if (macros.has('I_MPI_VERSION'))
    return { family: 'mpich', version: `Intel MPI ${of('I_MPI_VERSION')} (MPICH's ABI)` };
  if (macros.has('MPICH_VERSION')) return { family: 'mpich', version: `MPICH ${of('MPICH_VERSION')}` };
  return undefined;
}

function byWrapper(name, note) {
  const path = which(name);
  if (path === undefined) return undefined;
  const flags = wrapperFlags(path);
  if (flags === undefined) return note(`${path} answers neither --showme nor -show`);
  const macros = macrosOf(path, []);
  if (macros === undefined) return note(`${path} finds no mpi.h (the development package is missing)`);
  return { ...flags, macros, by: path, compiler: [path] };
}

function byPkgConfig(name, note) {
  const [cflags, libs] = ['--cflags', '--libs'].map((flag) => run('pkg-config', [flag, name]));
  if (!cflags.ok || !libs.ok) return undefined;
  const flags = { cflags: words(cflags.stdout), libs: words(libs.stdout) };
  const macros = macrosOf('cc', flags.cflags);
  if (macros === undefined) return note(`pkg-config knows ${name}, but its mpi.h does not compile`);
  return { ...flags, macros, by: `pkg-config ${name}`, compiler: ['cc', ...flags.cflags] };
}

/**
 * Every MPI found, one per family, the user's choice first: `$MPICC` alone where it is set, else mpicc, Debian's
 * mpicc.FAMILY, and pkg-config. `note` gets each decision as a sentence. Each MPI is `{ family, version, by, cflags,
 * libs, compiler }`, the last being the command that compiles C against it.
 */
export function findMpis(note) {
  const decline = (sentence) => void note(sentence);
  const chosen = process.env.MPICC;
  const searches = chosen
    ? [() => byWrapper(chosen, decline)]
    : [
        ...['mpicc', 'mpicc.openmpi', 'mpicc.mpich'].map((name) => () => byWrapper(name, decline)),
        ...['ompi-c', 'mpich'].map((name) => () => byPkgConfig(name, decline)),
      ];
  const found = new Map();
  for (const search of searches) {
    const { macros, ...mpi } = search() ?? {};
    if (macros === undefined) continue;
    const identity = identify(macros);
    if (identity === undefined) decline(`${mpi.by} belongs to neither Open MPI nor MPICH`);
    else if (!found.has(identity.family)) found.set(identity.family, { ...mpi, ...identity });
  }
  if (found.size === 0) note(`no usable MPI by ${chosen ?? 'mpicc on PATH or by pkg-config'}`);
  for (const { version, by, family } of found.values()) note(`${version} by ${by}: family ${family}`);
  return [...found.values()];
}

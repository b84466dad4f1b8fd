/**
 * The native stacks, as a table. Each row's `find` says what was found: a list of builds `{ name, with, defines }`, or
 * nothing, having told `note` why; `mend` says how to get what is missing. A new stack is one row here and one target in
 * binding.gyp. `always`: nothing works without it; the others are fatal only in CI, and `optional` ones not even there
 * where they are missing.
 */
import { findMpis } from './find-mpi.mjs';
import { findPapi } from './find-papi.mjs';
import { installCommand } from './toolchain.mjs';

// A word of a flag that contains a space or a quote would have to be quoted for gyp; no MPI has been seen to do that.
const mpiBuild = ({ family, version, by, cflags, libs, compiler }) => ({
  name: `mpi-${family}`,
  with: `${version} by ${by}`,
  defines: { stack: 'mpi', mpi_family: family, mpi_cflags: cflags.join(' '), mpi_libs: libs.join(' ') },
  compiler,
});

const papiBuild = ({ version, by, cflags, libs }) => ({
  name: 'papi',
  with: `PAPI ${version} by ${by}`,
  defines: { stack: 'papi', papi_cflags: cflags.join(' '), papi_libs: libs.join(' ') },
});

export const stacks = [
  {
    name: 'engine',
    sources: 'csrc/engine',
    always: true,
    find: () => [{ name: 'engine', with: 'the compiler alone', defines: { stack: 'engine' } }],
    mend: () => '',
  },
  {
    name: 'mpi',
    sources: 'csrc/mpi',
    find: (note) => findMpis(note).map(mpiBuild),
    mend: () => installCommand('libopenmpi-dev openmpi-bin', 'Open MPI or MPICH, or load its module, or set MPICC'),
  },
  {
    name: 'papi',
    sources: 'csrc/papi',
    optional: true,
    find: (note) => findPapi(note).map(papiBuild),
    mend: () => installCommand('libpapi-dev', 'PAPI with its headers, or load its module'),
  },
];

const forTests = (name, sources, stack) => ({
  name,
  sources,
  always: true,
  find: () => [{ name, with: 'the compiler alone', defines: { stack } }],
  mend: () => '',
});

/** Built beside the stacks, into build/test, when asked for: operations that only the tests use, and what they preload. */
export const testStacks = [
  forTests('test_operations', 'test/native/addon', 'test'),
  forTests('give_way', 'test/launch/preload', 'give_way'),
];

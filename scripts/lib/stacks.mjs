/**
 * The native stacks, as a table. Each row's `find` says what was found: a list of builds `{ name, with, defines }`, or
 * nothing, having told `note` why; `missing` says what of it should be there and isn't, as `{ name, how }` with how to get
 * it. A new stack is one row here and one target in binding.gyp. `always`: nothing works without it; the others are fatal
 * only in CI, and `optional` ones not even there where they are missing.
 */
import { findHwloc } from './find-hwloc.mjs';
import { findMpis } from './find-mpi.mjs';
import { findPapi } from './find-papi.mjs';
import { findUcx } from './find-ucx.mjs';
import { findVerbs } from './find-verbs.mjs';
import { installCommand } from './toolchain.mjs';

// A word of a flag that contains a space or a quote would have to be quoted for gyp; no MPI has been seen to do that.
const mpiBuild = ({ family, version, by, cflags, libs, compiler }) => ({
  name: `mpi-${family}`,
  with: `${version} by ${by}`,
  defines: { stack: 'mpi', mpi_family: family, mpi_cflags: cflags.join(' '), mpi_libs: libs.join(' ') },
  compiler,
});

const mpis = [
  { name: 'mpi-openmpi', packages: 'libopenmpi-dev openmpi-bin', title: 'Open MPI' },
  { name: 'mpi-mpich', packages: 'libmpich-dev mpich', title: 'MPICH' },
];

/** Both families should be there, unless MPICC names one MPI. */
function missingMpis(found) {
  if (process.env.MPICC) return found.length > 0 ? [] : [{ name: 'mpi', how: 'set MPICC to the mpicc of an MPI' }];
  const absent = mpis.filter(({ name }) => !found.some((build) => build.name === name));
  return absent.map(({ name, packages, title }) => ({
    name,
    how: installCommand(packages, `${title}, or load its module, or set MPICC`),
  }));
}

const papiBuild = ({ version, by, cflags, libs }) => ({
  name: 'papi',
  with: `PAPI ${version} by ${by}`,
  defines: { stack: 'papi', papi_cflags: cflags.join(' '), papi_libs: libs.join(' ') },
});

const withUcx =
  (name) =>
  ({ version, by, cflags, libs }) => ({
    name,
    with: `UCX ${version} by ${by}`,
    defines: { stack: name, ucx_cflags: cflags.join(' '), ucx_libs: libs.join(' ') },
  });

const verbsMockBuild = ({ version, by, cflags }) => ({
  name: 'verbs_mock',
  with: `the headers of rdma-core ${version} by ${by}`,
  defines: { stack: 'verbs_mock', verbs_cflags: cflags.join(' ') },
});

const missingVerbs = (found) =>
  found.length > 0
    ? []
    : [{ name: 'verbs', how: installCommand('libibverbs-dev librdmacm-dev', 'rdma-core with its headers') }];

const verbsBuild = ({ version, by, cflags, libs }) => ({
  name: 'verbs',
  with: `rdma-core ${version} by ${by}`,
  defines: { stack: 'verbs', verbs_cflags: cflags.join(' '), verbs_libs: libs.join(' ') },
});

const hwlocBuild = ({ version, by, cflags, libs }) => ({
  name: 'topology',
  with: `hwloc ${version} by ${by}`,
  defines: { stack: 'topology', hwloc_cflags: cflags.join(' '), hwloc_libs: libs.join(' ') },
});

const missingHwloc = (found) =>
  found.length > 0
    ? []
    : [
        {
          name: 'topology',
          how: installCommand('libhwloc-dev', 'hwloc 2.4 or later with its headers, or load its module'),
        },
      ];

export const stacks = [
  {
    name: 'engine',
    sources: 'csrc/engine',
    always: true,
    find: () => [{ name: 'engine', with: 'the compiler alone', defines: { stack: 'engine' } }],
    missing: () => [],
  },
  {
    name: 'mpi',
    sources: 'csrc/mpi',
    find: (note) => findMpis(note).map(mpiBuild),
    missing: missingMpis,
  },
  {
    name: 'ucx',
    sources: 'csrc/ucx',
    find: (note) => findUcx(note).map(withUcx('ucx')),
    missing: (found) =>
      found.length > 0
        ? []
        : [{ name: 'ucx', how: installCommand('libucx-dev', 'UCX with its headers, or load its module') }],
  },
  {
    name: 'verbs',
    sources: 'csrc/verbs',
    find: (note) => findVerbs(note).map(verbsBuild),
    missing: missingVerbs,
  },
  {
    name: 'topology',
    sources: 'csrc/topology',
    find: (note) => findHwloc(note).map(hwlocBuild),
    missing: missingHwloc,
  },
  {
    name: 'papi',
    sources: 'csrc/papi',
    optional: true,
    find: (note) => findPapi(note).map(papiBuild),
    missing: (found) =>
      found.length > 0
        ? []
        : [{ name: 'papi', how: installCommand('libpapi-dev', 'PAPI with its headers, or load its module') }],
  },
];

const forTests = (name, sources, stack) => ({
  name,
  sources,
  always: true,
  find: () => [{ name, with: 'the compiler alone', defines: { stack } }],
  missing: () => [],
});

/** What benches preload into ucx_perftest; without UCX there is none to preload into. */
const touchBuffers = {
  name: 'touch_buffers',
  sources: 'test/reference/preload',
  find: (note) => findUcx(note).map(withUcx('touch_buffers')),
  missing: () => [],
};

/** Built beside the stacks, into build/test, when asked for: operations that only the tests use, and what is preloaded. */
export const testStacks = [
  touchBuffers,
  forTests('test_operations', 'test/native/addon', 'test'),
  forTests('give_way', 'test/launch/preload', 'give_way'),
  forTests('jumping_clock', 'test/launch/jumping-clock', 'jumping_clock'),
  {
    name: 'verbs_mock',
    sources: ['test/native/verbs-mock', 'csrc/verbs'],
    find: (note) => findVerbs(note).map(verbsMockBuild),
    missing: missingVerbs,
  },
];

/** How every program of the bench is started: two ranks, bound to a core each, over a chosen PML of Open MPI. */
import { existsSync, readFileSync } from 'node:fs';
import { inProject, which } from '../lib/project.mjs';

/** Debian's name first: where several MPIs are installed, mpirun may be another one's. */
const mpirun = which('mpirun.openmpi') ?? which('mpirun');

const asRoot = process.getuid?.() === 0 ? { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' } : {};

/** UCX carries shared memory only when told that any transport will do. */
const anyTransport = { OMPI_MCA_pml_ucx_tls: 'any', OMPI_MCA_pml_ucx_devices: 'any' };

/** The environment of mpirun: the caller's. */
export const environment = { ...process.env, ...asRoot, ...anyTransport };

/** The command line that runs a program on two bound ranks. MPI refuses to start when it can't have this PML. */
export function command(pml, program, options = []) {
  return [mpirun, '-np', '2', '--map-by', 'core', '--bind-to', 'core', '--mca', 'pml', pml, ...options, ...program];
}

/** What has to be there before anything is measured; undefined when all is. */
export function missing() {
  if (mpirun === undefined) return 'The bench needs Open MPI: no mpirun was found on PATH.';
  const needed = [
    'dist/osu_latency.js',
    'dist/native/engine.node',
    'build/ts/src/bench/row.js',
    'build/ts/test/launch/mpirun.js',
    'build/reference/put_bw',
  ];
  const absent = needed.find((path) => !existsSync(inProject(path)));
  return absent && `The bench needs ${absent}: run npm run build and node scripts/build-native.mjs --tests first.`;
}

/** The processors that a process may use, as the kernel lists them: `0`, `0-1`. */
export function allowedProcessors(pid) {
  return /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
}

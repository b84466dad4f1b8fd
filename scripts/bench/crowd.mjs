/** Whether jobs of far more ranks than cores come to their end, as people try out a job on their own machine. */
import { launch } from '../../build/ts/test/launch/mpirun.js';
import { inProject } from '../lib/project.mjs';
import { BOUNDS, CROWD } from './bounds.mjs';

const PROGRAMS = ['osu_allreduce', 'osu_alltoall', 'osu_mbw_mr'];
const ARGUMENTS = ['-m', '1:64', '-i', '20', '-x', '2'];
/** Sizes from 1 to 64 that are whole elements of the program's default type. */
const SIZES = { osu_allreduce: 5, osu_alltoall: 7, osu_mbw_mr: 7 };
/** A rank that waits gives its core to others; else each figure would be a tick of the scheduler (DESIGN, section 7). */
const YIELDING = { OMPI_MCA_mpi_yield_when_idle: '1' };

/** What keeps a job from counting as finished; undefined when it is. */
function flawOf({ code, stdout, hung, strays }, sizes) {
  if (hung) return `had to be ended after ${BOUNDS.crowd} s`;
  if (code !== 0) return `ended with code ${code}`;
  if (strays > 0) return `${strays} ranks outlived mpirun`;
  const rows = stdout.match(/^\d+ +[\d.]+/gm)?.length ?? 0;
  return rows === sizes ? undefined : `printed ${rows} rows, not ${sizes}`;
}

/** The jobs over a PML as `{ id, run }`; `run` returns the seconds of wall time, what went wrong if anything did, and what was printed. */
export function crowds(pml) {
  return PROGRAMS.map((name) => ({
    id: `${pml} ${CROWD} ranks ${name}`,
    run: async () => {
      const from = performance.now();
      const options = { np: CROWD, pml, limit: BOUNDS.crowd, env: YIELDING };
      const launched = await launch(inProject('dist', `${name}.js`), ARGUMENTS, options);
      const seconds = (performance.now() - from) / 1000;
      return { seconds, flaw: flawOf(launched, SIZES[name]), report: launched.report };
    },
  }));
}

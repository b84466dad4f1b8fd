/**
 * What is compared, as a table. A cell has contestants: `subject` is what is judged, `base` what it is compared with,
 * `control` the base once more (A/A), and `around`, where there is one, the base with the clock read around its loop only.
 */
import { jsExecutor } from '../../build/ts/src/engine/js-executor.js';
import { inProject } from '../lib/project.mjs';
import { BOUNDS } from './bounds.mjs';

const SIZES = [1, 8, 1024, 8192, 65536, 1 << 20];
/** One call's 25 ns can be told from noise only where a message costs little more than that. */
const CALL_SIZES = [1, 8];
const WINDOW = 64;
/** Calls of one iteration on the sending rank: the sends, the wait for them, the acknowledgement. */
const CALLS = WINDOW + 2;

const reference = (name) => [inProject('build/reference', name)];
const ours = (program) => [process.execPath, inProject('scripts/bench/ours.mjs'), program];

/** Warm-up as a share of the run: enough for caches; and enough for V8, which compiles a loop anew for each run. */
const WARMUP = 1 / 8;
const JS_WARMUP = 4;
/** With messages of this size and less it shows whether V8 has compiled the loop, which it does on the rank's own core. */
const JS_SHOWS = 1024;

/** `warmup` says how many iterations come before a run of so many. */
const contest = (job, variant = '', warmup = (iterations) => iterations * WARMUP) => ({ job, variant, warmup });

function jsWarmup(iterations, size) {
  return Math.max(iterations * JS_WARMUP, size <= JS_SHOWS ? jsExecutor.steadyAfter : 0);
}
const againstC = { subject: contest('ours', 'native'), base: contest('c1'), control: contest('c2') };
const againstBoth = { ...againstC, around: contest('around') };
/**
 * An engine has processes of its own, as a program that users start has one engine: what V8 knows of the other one's calls
 * and heap would count too.
 */
const engines = (subject, base) => ({
  subject: contest('js', subject, jsWarmup),
  base: contest('native1', base),
  control: contest('native2', base),
});

/** Times as a ratio. */
const ratio = { unit: '', neutral: 1, of: (seconds, base) => seconds / base };
/** Nanoseconds more per call of an operation. */
const perCall = {
  unit: 'ns/call',
  neutral: 0,
  of: (seconds, base, iterations) => ((seconds - base) / iterations / CALLS) * 1e9,
};
/** Nanoseconds more per one-way message of a ping-pong. */
const perMessage = {
  unit: 'ns',
  neutral: 0,
  of: (seconds, base, iterations) => ((seconds - base) / iterations / 2) * 1e9,
};

/** Kernels that need no more than to equal C. */
const equalsC = (sizes) => [
  { name: 'native / C', sizes, contestants: againstC, figure: ratio, bound: BOUNDS.collective },
];

/**
 * Kinds of cells, by kernel. A kind without a bound is reported and not judged; one that is `alone` shares its jobs with no
 * other kind.
 */
const KINDS = {
  'ping-pong': [
    { name: 'native / C', sizes: SIZES, contestants: againstBoth, figure: ratio, bound: BOUNDS.native },
    {
      name: 'js - native, per message',
      sizes: SIZES,
      alone: true,
      contestants: engines('js', 'native'),
      figure: perMessage,
    },
  ],
  window: [
    { name: 'native / C', sizes: SIZES, contestants: againstBoth, figure: ratio, bound: BOUNDS.native },
    {
      name: 'js / native',
      sizes: SIZES,
      alone: true,
      contestants: engines('js', 'native'),
      figure: ratio,
      bound: BOUNDS.js,
    },
    {
      name: 'js - native, single sends',
      sizes: CALL_SIZES,
      alone: true,
      contestants: engines('js-calls', 'native-calls'),
      figure: perCall,
      bound: BOUNDS.call,
    },
    {
      name: 'js - native, single sends and receives',
      sizes: CALL_SIZES,
      alone: true,
      contestants: engines('js-both-calls', 'native-both-calls'),
      figure: perCall,
    },
  ],
  persistent: equalsC([8, 1024, 65536]),
  allreduce: equalsC([4, 1024, 65536]),
  alltoall: equalsC([4, 1024, 65536]),
  // The time of its iterations with computing in them. Open MPI allocates for each: where a process has long allocated and
  // freed, as ours has by then, glibc takes up to 40 ns more for that (with jemalloc in both they are equal).
  ibcast: equalsC([4, 8192]),
  put_bw: equalsC([8, 8192, 1 << 20]),
};

/** Per kernel the C program, and the benchmark whose kernel it is. */
const PROGRAMS = {
  'ping-pong': { c: 'pingpong', osu: 'osu_latency' },
  window: { c: 'window', osu: 'osu_bw' },
  persistent: { c: 'persistent', osu: 'osu_latency_persistent' },
  allreduce: { c: 'allreduce', osu: 'osu_allreduce' },
  alltoall: { c: 'alltoall', osu: 'osu_alltoall' },
  ibcast: { c: 'ibcast', osu: 'osu_ibcast' },
  put_bw: { c: 'put_bw', osu: 'osu_put_bw' },
};

function jobsOf(kernel) {
  const { c, osu } = PROGRAMS[kernel];
  const engine = ours(osu);
  return {
    ...{ ours: engine, c1: reference(c), c2: reference(c), around: reference(`${c}_around`) },
    ...{ js: engine, native1: engine, native2: engine },
  };
}

const cellsOf = (pml, kernel, kinds) =>
  kinds.flatMap(({ sizes, name, ...kind }) =>
    sizes.map((size) => ({ id: `${pml} ${kernel} ${size} ${name}`, size, ...kind })),
  );

/** Kinds that share their jobs. */
function shares(kinds) {
  const alone = kinds.filter((kind) => kind.alone).map((kind) => [kind]);
  return [kinds.filter((kind) => !kind.alone), ...alone];
}

/**
 * Lanes: cells that share their jobs. `wanted` chooses cells by their id. A job of a lane that no chosen cell needs is
 * not started.
 */
export function lanes(wanted) {
  const all = ['ucx', 'ob1'].flatMap((pml) =>
    Object.entries(KINDS).flatMap(([kernel, kinds]) => shares(kinds).map((shared) => ({ pml, kernel, shared }))),
  );
  return all
    .map(({ pml, kernel, shared }) => {
      const cells = cellsOf(pml, kernel, shared).filter(({ id }) => wanted(id));
      const needed = new Set(cells.flatMap(({ contestants }) => Object.values(contestants).map(({ job }) => job)));
      const jobs = Object.entries(jobsOf(kernel)).filter(([name]) => needed.has(name));
      return { pml, kernel, cells, jobs };
    })
    .filter(({ cells }) => cells.length > 0);
}

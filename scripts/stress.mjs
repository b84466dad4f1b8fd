/**
 * Starts jobs of many more ranks than cores, one after the other, and counts those that crash or hang: UCX patches a process's
 * memory functions, which crashes Node unless its hooks are set as src/engine/load.ts does (ARCHITECTURE.md, "Traps that shaped the code"). A job
 * counts as done only where its record says what carried the traffic, that the hooks were those, and that all ranks
 * got to their end. Nothing is tried again. Jobs of osu_mbw_mr with UCX's default hooks follow, to show that crashes are seen;
 * theirs don't count.
 *
 *     npm run stress -- [--mpi openmpi|mpich] [--jobs NAME,...] [--pml ucx,ob1] [--launches N] [--ranks N] [--limit S]
 *                       [--skip-defaults]
 *
 * Exits 1 where a job of the first kind was not done, and 2 for wrong use.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inProject, which } from './lib/project.mjs';

/** Nodes that `map` takes the ranks for. */
const NODES = 8;

/**
 * What is run. `rows` is how many rows the record of so many ranks has, and `everybody` whether these rows are of all ranks.
 */
const JOBS = {
  osu_mbw_mr: {
    program: 'osu_mbw_mr',
    args: () => ['-m', '1:8', '-W', '4', '-i', '3', '-x', '1'],
    rows: () => 4,
    everybody: (rows, ranks) => rows.every(({ parameters }) => parameters.pairs === ranks / 2),
  },
  osu_allreduce: {
    program: 'osu_allreduce',
    args: () => ['-m', '4:64', '-i', '5', '-x', '1', '-c'],
    rows: () => 5,
    everybody: (rows) => rows.every(({ validation }) => validation?.passed === true),
  },
  scan: {
    program: 'fabricbench',
    args: (ranks) =>
      `scan --pairs 1,${ranks / 2} --sizes 8 --windows 4 --iterations 3 --warmup 1 --repeats 1`.split(' '),
    rows: () => 2,
    everybody: (rows, ranks) => rows.at(-1)?.parameters.pairs === ranks / 2,
  },
  map: {
    program: 'fabricbench',
    args: (ranks) => `map --nodes-by ${ranks / NODES} --iterations 5 --size 8192 --window 4 --windows 1`.split(' '),
    rows: () => 3,
    everybody: (rows) =>
      rows.some(({ parameters }) => parameters.nodes === NODES && parameters.links === (NODES * (NODES - 1)) / 2),
  },
};
const NO_WATCHDOG = ['--watchdog', '0'];
const launcher = inProject('build/ts/test/launch/mpirun.js');

const fileOf = (program) => inProject(`dist/${program}.js`);

/** As users run it: test launches of MPICH preload something of ours. */
const asUsers = { LD_PRELOAD: process.env.LD_PRELOAD };

/** Kinds of jobs: variables of UCX that mpirun gets, and the hook settings that the record must show. */
const KINDS = {
  ours: {
    title: 'our hook settings',
    env: { UCX_MEM_MMAP_HOOK_MODE: undefined, UCX_MEM_MALLOC_RELOC: undefined },
    hooks: ['UCX_MEM_MMAP_HOOK_MODE=reloc by fabricbench', 'UCX_MEM_MALLOC_RELOC=n by fabricbench'],
  },
  defaults: {
    title: "UCX's defaults",
    // What UCX does anyway: named here, so that ours does not take its place.
    env: { UCX_MEM_MMAP_HOOK_MODE: 'bistro', UCX_MEM_MALLOC_RELOC: undefined },
    hooks: ['UCX_MEM_MMAP_HOOK_MODE=bistro by user'],
  },
};

function wrongUse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function wholeNumber(name, text, least) {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return value >= least ? value : wrongUse(`--${name} ${text}: give a whole number from ${least}.`);
}

function seconds(name, text) {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  return value > 0 ? value : wrongUse(`--${name} ${text}: give seconds above 0.`);
}

/** What the record must show of the MPI: that what was asked for carried the traffic, and not another of its ways. */
const MPIS = {
  openmpi: {
    launchers: ['mpirun.openmpi', 'mpirun'],
    pmls: ['ucx', 'ob1'],
    flaw: ({ pml }, wanted) => pml !== wanted && `PML ${pml} carried the traffic`,
  },
  mpich: {
    launchers: ['mpiexec.mpich', 'mpiexec.hydra'],
    pmls: ['ucx'],
    flaw: ({ library, transports }) =>
      !(library.includes('ch4:ucx') && transports?.length > 0) &&
      `${library} has no UCX lanes that carried the traffic`,
  },
};

function oneOf(name, text, known) {
  const words = text.split(',');
  const strange = words.find((word) => !known.includes(word));
  return strange === undefined ? words : wrongUse(`--${name} ${strange}: give ${known.join(', ')}, or some of them.`);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        mpi: { type: 'string', default: 'openmpi' },
        jobs: { type: 'string', default: Object.keys(JOBS).join() },
        pml: { type: 'string' },
        launches: { type: 'string', default: '50' },
        ranks: { type: 'string', default: '64' },
        limit: { type: 'string', default: '300' },
        'skip-defaults': { type: 'boolean', default: false },
      },
    });
    const ranks = wholeNumber('ranks', values.ranks, 2);
    if (ranks % 2 !== 0) wrongUse(`--ranks ${ranks}: give an even number, because ranks work in pairs.`);
    const launches = wholeNumber('launches', values.launches, 1);
    const limit = seconds('limit', values.limit);
    if (!(values.mpi in MPIS)) wrongUse(`--mpi ${values.mpi}: give openmpi or mpich.`);
    const jobs = oneOf('jobs', values.jobs, Object.keys(JOBS));
    if (jobs.includes('map') && ranks % NODES !== 0) wrongUse(`--ranks ${ranks}: map needs a multiple of ${NODES}.`);
    const pmls = values.pml === undefined ? MPIS[values.mpi].pmls : oneOf('pml', values.pml, MPIS[values.mpi].pmls);
    const ours = jobs.flatMap((job) => pmls.map((pml) => ({ job, pml, kind: 'ours' })));
    const defaults = { job: 'osu_mbw_mr', pml: 'ucx', kind: 'defaults' };
    return { mpi: values.mpi, launches, ranks, limit, series: values['skip-defaults'] ? ours : [...ours, defaults] };
  } catch (error) {
    return wrongUse(error.message);
  }
}

/** What a record shows that it shouldn't, in words; an empty list where all is right. */
function flawsOf({ environment, ranks, rows, status }, wanted) {
  const hooks = (environment.hooks ?? []).map(({ name, value, by }) => `${name}=${value} by ${by}`);
  const otherWay = environment.mpi && MPIS[wanted.mpi].flaw(environment.mpi, wanted.pml);
  const job = JOBS[wanted.job];
  const flaws = [
    [status.state === 'done', `its status is ${status.state}`],
    [environment.mpi?.family === wanted.mpi, `MPI was ${environment.mpi?.family}`],
    [!otherWay, otherWay],
    [hooks.join() === wanted.hooks.join(), `its hook settings are ${hooks.join(', ') || 'unknown'}`],
    [ranks.length === wanted.ranks, `it has ${ranks.length} ranks`],
    [rows.length === job.rows(wanted.ranks), `it has ${rows.length} rows`],
    [job.everybody(rows, wanted.ranks), 'not all ranks took part'],
  ];
  return flaws.filter(([right]) => !right).map(([, flaw]) => flaw);
}

/** The signal that ended a rank, in the launcher's words: Open MPI's on stderr, MPICH's on stdout. */
function signalIn({ stdout, stderr }) {
  const [, number, name] = /exited on signal (\d+) \(([^)]*)\)/.exec(stderr) ?? [];
  const [, mpichName, mpichNumber] = /EXIT STRING: (.*) \(signal (\d+)\)/.exec(stdout) ?? [];
  return number === undefined && mpichNumber === undefined
    ? undefined
    : `signal ${number ?? mpichNumber} (${name ?? mpichName})`;
}

/** How a job ended: `done`, `crashed`, `hung` or `wrong`, and more about it in words. */
function judge(launched, record, wanted) {
  const { code, hung, stderr, strays } = launched;
  if (hung) return { end: 'hung', about: `it did not end by itself within ${wanted.limit} s` };
  if (code !== 0) return { end: 'crashed', about: signalIn(launched) ?? `exit code ${code}: ${stderr.trim()}` };
  if (strays > 0) return { end: 'hung', about: `${strays} ranks outlived mpirun` };
  if (!existsSync(record)) return { end: 'wrong', about: 'it wrote no record' };
  const flaws = flawsOf(JSON.parse(readFileSync(record, 'utf8')), wanted);
  if (flaws.length > 0) return { end: 'wrong', about: flaws.join(', ') };
  return {
    end: 'done',
    about: `all ${wanted.ranks} ranks over ${wanted.mpi === 'mpich' ? 'ch4:ucx' : `pml ${wanted.pml}`} with ${wanted.hooks.join(', ')}`,
  };
}

async function runJob(launch, { job, pml, kind }, { mpi, ranks, limit }) {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-stress-'));
  try {
    const record = join(folder, 'record.json');
    const { program, args } = JOBS[job];
    const options = { mpi, np: ranks, pml, limit, env: { ...KINDS[kind].env, ...asUsers } };
    const words = [...args(ranks), ...NO_WATCHDOG, '--json', record];
    const launched = await launch(fileOf(program), words, options);
    return judge(launched, record, { mpi, job, pml, ranks, limit, hooks: KINDS[kind].hooks });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs all launches of a job and returns how many were done. */
async function runSeries(launch, series, options) {
  const title = `${series.job}, ${KINDS[series.kind].title}`;
  const counts = { done: 0, crashed: 0, hung: 0, wrong: 0 };
  for (let job = 1; job <= options.launches; ++job) {
    const start = performance.now();
    const { end, about } = await runJob(launch, series, options);
    counts[end]++;
    const took = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(`${title}, ${job} of ${options.launches}: ${end} in ${took} s, ${about}\n`);
  }
  const { done, crashed, hung, wrong } = counts;
  const jobs = `${title}, ${options.ranks} ranks a job over ${series.pml}`;
  process.stdout.write(`${jobs}: ${done} done, ${crashed} crashed, ${hung} hung, ${wrong} wrong\n`);
  return done;
}

const options = readOptions();
for (const file of [...options.series.map(({ job }) => fileOf(JOBS[job].program)), launcher]) {
  if (!existsSync(file)) wrongUse(`The stress test needs ${file}: run npm run build first.`);
}
if (!MPIS[options.mpi].launchers.some(which)) {
  wrongUse(`The stress test needs ${options.mpi}: no ${MPIS[options.mpi].launchers.join(' or ')} was found on PATH.`);
}
const { launch } = await import(launcher);
for (const series of options.series) {
  const done = await runSeries(launch, series, options);
  if (series.kind === 'ours' && done < options.launches) process.exitCode = 1;
}

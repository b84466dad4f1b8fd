#!/usr/bin/env node
/**
 * What it costs that ranks are ours: the time of a job of many ranks that starts, meets and ends (osu_hello), against the same
 * job of the bare addon, which does MPI_Init and MPI_Finalize and nothing else. Usage:
 *   node scripts/bench/start.mjs [--ranks N] [--turns N] [--bound R]
 * Both take turns, since a machine changes its speed; the ratio is that of each turn, and its median counts. Exit code: 1
 * where that exceeds the bound (default 1.3), 2 when it can't measure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inProject } from '../lib/project.mjs';

const LIMIT_MILLISECONDS = 300_000;
const ADDON = inProject('dist/native/mpi-openmpi.node');
const HOOKS = { UCX_MEM_MMAP_HOOK_MODE: 'reloc', UCX_MEM_MALLOC_RELOC: 'n' };
/** The addon and no line of ours: what any program over it has to pay. */
const BARE = `const mpi = require(${JSON.stringify(ADDON)}); mpi.Init(); mpi.Finalize();`;
const CONTESTANTS = { bare: ['-e', BARE], ours: [inProject('dist/osu_hello.js')] };

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function options() {
  const { values } = parseArgs({
    options: {
      ranks: { type: 'string', default: '128' },
      turns: { type: 'string', default: '7' },
      bound: { type: 'string', default: '1.3' },
    },
  });
  const numbers = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
  const wrong = Object.keys(numbers).find((name) => !(numbers[name] > 0));
  return wrong === undefined ? numbers : fail(`--${wrong} ${values[wrong]}: give a number above 0.`);
}

/** Seconds of one job, from mpirun's start to its end. */
function seconds(contestant, ranks) {
  const words = ['--oversubscribe', '--bind-to', 'none', '--mca', 'pml', 'ob1', '-np', String(ranks), process.execPath];
  const env = { ...process.env, ...HOOKS, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
  const start = performance.now();
  const { status, stderr, error } = spawnSync('mpirun', [...words, ...CONTESTANTS[contestant]], {
    env,
    encoding: 'utf8',
    timeout: LIMIT_MILLISECONDS,
  });
  if (status !== 0) fail(`${contestant}: ${error?.message ?? `exit code ${status}: ${stderr}`}`);
  return (performance.now() - start) / 1000;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const { ranks, turns, bound } = options();
if (!existsSync(ADDON)) fail(`${ADDON} is missing: run npm run build first.`);
const ratios = [];
for (let turn = 1; turn <= turns; ++turn) {
  // Who comes first changes, so that neither always finds the caches of the other.
  const order = turn % 2 === 0 ? ['ours', 'bare'] : ['bare', 'ours'];
  const took = Object.fromEntries(order.map((one) => [one, seconds(one, ranks)]));
  ratios.push(took.ours / took.bare);
  const figures = `bare ${took.bare.toFixed(2)} s, ours ${took.ours.toFixed(2)} s, ratio ${ratios.at(-1).toFixed(2)}`;
  process.stdout.write(`turn ${turn} of ${turns}, ${ranks} ranks: ${figures}\n`);
}
const ratio = median(ratios);
const verdict = ratio <= bound ? 'met' : 'missed';
process.stdout.write(`start of ${ranks} ranks: ${ratio.toFixed(2)} times the bare addon, bound ${bound}: ${verdict}\n`);
process.exitCode = ratio <= bound ? 0 : 1;

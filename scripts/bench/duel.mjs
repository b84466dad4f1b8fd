/** Measures the cells of one lane in one launch: short runs, the contestants taking turns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Job } from './job.mjs';
import { inTurn } from './turns.mjs';

/** How long a run should take: long against the start of both ranks, short against the machine's changes of speed. */
const RUN_SECONDS = 0.01;
/** What a pilot must take before its time is believed. */
const PILOT_SECONDS = 0.002;
const FEWEST_ITERATIONS = 4;
const FEWEST_WARMUP = 2;

function ask(jobs, { job, variant, warmup }, size, iterations) {
  const before = Math.max(FEWEST_WARMUP, Math.ceil(warmup(iterations, size)));
  return jobs.get(job).ask(`${size} ${iterations} ${before} ${variant}`);
}

/**
 * Iterations of which the base takes RUN_SECONDS, at the machine's best: the fastest of three pilots. All contestants run
 * them: a program that has measured more often is faster (an ibcast of 4 bytes by 7 %).
 */
async function pilot(jobs, { size, contestants }) {
  for (let iterations = FEWEST_ITERATIONS; ; iterations *= 4) {
    const times = [];
    for (let n = 0; n < 3; ++n) {
      for (const contestant of Object.values(contestants)) {
        const seconds = await ask(jobs, contestant, size, iterations);
        if (contestant === contestants.base) times.push(seconds);
      }
    }
    const seconds = Math.min(...times);
    if (seconds >= PILOT_SECONDS) return Math.max(FEWEST_ITERATIONS, Math.round((iterations * RUN_SECONDS) / seconds));
  }
}

async function measureCell(jobs, cell, pairs, offset) {
  const names = Object.keys(cell.contestants);
  const iterations = await pilot(jobs, cell);
  const measured = [];
  // The first round is not kept: code that JavaScript has not compiled yet, memory that MPI gets only now.
  for (let pair = -1; pair < pairs; ++pair) {
    const seconds = {};
    for (const name of inTurn(names, offset + pair + 1)) {
      seconds[name] = await ask(jobs, cell.contestants[name], cell.size, iterations);
    }
    if (pair >= 0) measured.push(seconds);
  }
  return { iterations, pairs: measured };
}

/** One launch of a lane's jobs. Returns per cell, by its id, `{ iterations, pairs: [{ CONTESTANT: seconds }] }`. */
export async function launchLane({ pml, cells, jobs: programs }, { pairs, offset }) {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-bench-'));
  const jobs = new Map(programs.map(([name, program]) => [name, new Job(name, program)]));
  try {
    await Promise.all([...jobs.values()].map((job) => job.start(pml, folder)));
    const results = new Map();
    for (const cell of cells) results.set(cell.id, await measureCell(jobs, cell, pairs, offset));
    return results;
  } finally {
    await Promise.all([...jobs.values()].map((job) => job.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two hosts on this machine for a bench, and launches of `fabricbench run` across them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../../lib/project.mjs';

const UP_SECONDS = 60;

export class Lab {
  #folder = mkdtempSync(join(tmpdir(), 'fabricbench-bench-hosts-'));
  #state = join(this.#folder, 'set');

  /** Throws where hosts can't be had. */
  up() {
    this.#hosts(['up', '2', '--own-cpus']);
    return this;
  }

  /** What both send from now on. */
  shape({ rate, delay, loss }) {
    this.#hosts(['shape', '--rate', rate, '--delay', delay, '--loss', loss]);
  }

  /** The figure of a launch of one rank on each host; `under` are the words that run `fabricbench run`. */
  measure({ pml, program, args, figure }, { limit, under }) {
    const json = join(this.#folder, 'record.json');
    rmSync(json, { force: true });
    const run = ['run', '--mpi', 'openmpi', '--pml', pml, '--hosts', 'node1,node2', '--timeout', String(limit)];
    const command = [
      process.execPath,
      inProject('dist/fabricbench.js'),
      ...run,
      '--json',
      json,
      program,
      '--',
      ...args,
    ];
    this.#hosts(['run', '--', ...under, ...command], limit + UP_SECONDS);
    const { rows } = JSON.parse(readFileSync(json, 'utf8'));
    const value = rows[0]?.figures[figure]?.value;
    if (!(value > 0)) throw new Error(`${program} left no figure`);
    return value;
  }

  down() {
    this.#hosts(['down']);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #hosts(words, seconds = UP_SECONDS) {
    const all = ['--state', this.#state, ...words];
    const options = { encoding: 'utf8', timeout: seconds * 1000 };
    const { status, stderr, error } = spawnSync(inProject('scripts/hosts'), all, options);
    if (status === 0) return;
    throw new Error(`scripts/hosts ${words[0]}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  }
}

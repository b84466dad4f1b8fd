#!/usr/bin/env node
/**
 * Figures over shaped cables against what theory says of them, so that the whole way from a message to its figure is checked
 * from outside. Two hosts on this machine (scripts/hosts), a processor for each; `fabricbench run` over Open MPI's ob1 and
 * UCX, both by tcp. Needs root and two processors. Usage:
 *   node scripts/bench/hosts.mjs [--rounds N] [--only PATTERN] [--limit S] [--under COMMAND] [--json FILE]
 * `--under` runs the launches. By default it is `chrt --idle 0`: ranks poll on all processors, and what carries their frames,
 * relays and the kernel's threads, must not wait for them; but beside other programs such ranks hardly run.
 * - What latency rises by where each host's frames are delayed by 5 ms, as a part of that.
 * - osu_bw at 1 Gbit/s, as a part of 125 x 1448/1514 MB/s; osu_bibw as a part of twice that.
 * Each must be 1 within 5 %. Exit code: 1 where one is not, 3 where that can't be told, 2 where it can't measure, else 0.
 *
 * A round measures each cell twice, the second time for the A/A control, and latency before that without a delay. Each
 * launch is independent of the others; the interval of 95 % is that of the median over rounds, of which it takes 6.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { inProject } from '../lib/project.mjs';
import { cells, UNSHAPED } from './hosts/cells.mjs';
import { Lab } from './hosts/lab.mjs';
import { agrees } from './hosts/verdict.mjs';
import { exitCode, medianOf, verdicts } from './statistics.mjs';
import { counts, estimate, progress, say, table } from './text.mjs';

const TOLERANCE = 0.05;

function optionsOf(args) {
  const text = (value) => ({ type: 'string', default: value });
  const options = {
    rounds: text('6'),
    only: text(''),
    limit: text('60'),
    under: text('chrt --idle 0'),
    json: { type: 'string' },
  };
  const { values } = parseArgs({ args, options });
  const count = (name) => {
    const n = Number(values[name]);
    if (Number.isInteger(n) && n > 0) return n;
    throw new Error(`--${name} takes a positive integer, not ${values[name]}`);
  };
  const chosen = cells.filter(({ id }) => new RegExp(values.only).test(id));
  if (chosen.length === 0) throw new Error(`No cell matches ${values.only}.`);
  return {
    rounds: count('rounds'),
    limit: count('limit'),
    under: values.under.split(' ').filter(Boolean),
    chosen,
    json: values.json,
  };
}

function checkMachine() {
  if (availableParallelism() < 2) throw new Error('The bench needs two processors, one for each host.');
  if (!existsSync(inProject('dist/fabricbench.js'))) throw new Error('The bench needs dist: run npm run build first.');
}

/** One cell in one round: its figure twice, and what it is without a shape. */
function measureCell(lab, cell, options) {
  lab.shape(UNSHAPED);
  const base = cell.base ? lab.measure(cell, options) : undefined;
  lab.shape(cell.shape);
  return { base, first: lab.measure(cell, options), again: lab.measure(cell, options) };
}

function measureAll({ rounds, chosen, ...options }) {
  const lab = new Lab();
  try {
    lab.up();
    const measured = chosen.map(() => []);
    for (let round = 1; round <= rounds; ++round) {
      for (const [n, cell] of chosen.entries()) {
        progress(`round ${round} of ${rounds}: ${cell.id}`);
        measured[n].push(measureCell(lab, cell, options));
      }
    }
    return measured;
  } finally {
    lab.down();
  }
}

function judgeCell(cell, runs) {
  const values = runs.map(({ first, base }) => cell.of(first, base));
  const figure = medianOf(values);
  const control = medianOf(runs.map(({ first, again }) => again / first));
  const seen = medianOf(runs.map(({ first }) => first)).median;
  const base = cell.base ? medianOf(runs.map((run) => run.base)).median : undefined;
  return { id: cell.id, seen, base, figure, control, values, runs, verdict: agrees(figure, control, TOLERANCE) };
}

function print(rows, chosen) {
  const texts = rows.map(({ seen, base, figure, control, id, verdict }, n) => {
    const { shown } = chosen[n];
    const unshaped = base === undefined ? '' : shown(base);
    return [id, shown(seen), unshaped, estimate(figure, 4), estimate(control, 4), verdict];
  });
  const columns = ['what', 'median', 'unshaped', 'part of theory [95 % CI]', 'A/A control', 'verdict'];
  table(`Shaped cables: each figure is what theory says within ${TOLERANCE * 100} %`, columns, texts);
  for (const { id, values, verdict } of rows) {
    if (verdict === verdicts.met) continue;
    say(`\nBy round, ${id}: ${values.map((value) => value.toFixed(4)).join('  ')}`);
  }
  const all = rows.map(({ verdict }) => verdict);
  say(`\n${counts(all, Object.values(verdicts))}`);
  return exitCode(all);
}

function main(args) {
  const options = optionsOf(args);
  checkMachine();
  if (options.json) writeFileSync(options.json, ''); // a file that can't be written is found out before, not after
  const measured = measureAll(options);
  const rows = options.chosen.map((cell, n) => judgeCell(cell, measured[n]));
  const machine = { node: process.version, cpu: cpus()[0]?.model, date: new Date().toISOString() };
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine, rounds: options.rounds, rows })}\n`);
  return print(rows, options.chosen);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

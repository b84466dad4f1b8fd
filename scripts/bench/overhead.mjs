#!/usr/bin/env node
/**
 * What TypeScript kernels cost above plain C. Usage:
 *   node scripts/bench/overhead.mjs [--quick] [--only PATTERN] [--launches N] [--pairs N] [--json FILE]
 * `--only` takes a regular expression over the first column; `--quick` is for development: it says nothing reliable.
 * Exit code: 1 when a bound is missed, 3 when that can't be told, 2 when it can't measure (wrong use, a job that fails),
 * else 0.
 *
 * How it is measured, and why so:
 * - A machine may change its speed within seconds, so absolute times mean little. All contestants of a cell are alive at
 *   once and take turns at runs of some 10 ms; those of one turn are a pair, and only ratios and differences within a
 *   pair are used. Whoever is not asked blocks on a socket and takes nothing from whoever is.
 * - The C program runs as two jobs. The second against the first is the A/A control: what this method sees where there
 *   is no difference. Where it sees more than the bound allows, the verdict is "too noisy to tell".
 * - Pairs of one launch are not independent: they share where code, stacks and MPI's memory came to lie. So the interval
 *   is not formed over pairs, which would make it too narrow, but over launches: each gives the median of its pairs'
 *   values, and the interval is that of the median of those, from order statistics (95 %, whatever the distribution).
 *   Launches of the lanes take turns, so that an hour's drift does not fall upon one of them.
 * - The ratio is missed when its interval lies above the bound, met when it lies below. One that holds the bound is
 *   printed as undecided and does not fail: it is no evidence of a miss.
 * - Beside the times it looks at what a rank costs before it measures, and whether jobs of far more ranks than cores
 *   finish.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { missing } from './launch.mjs';
import { crowdRuns, files, memoryUse, startUps } from './limits.mjs';
import { print } from './report.mjs';
import { exitCode } from './statistics.mjs';
import { judgeCell, measureCells, samplingOf } from './times.mjs';

const PMLS = ['ucx', 'ob1'];
/** 12 launches leave out the two extremes on either side of the interval; the median of 5 pairs stands two bad ones. */
const FULL = { launches: 12, pairs: 5, starts: 21 };
const QUICK = { launches: 6, pairs: 1, starts: 6 };

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      launches: { type: 'string' },
      pairs: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const defaults = values.quick ? QUICK : FULL;
  const count = (name) => {
    const n = Number(values[name] ?? defaults[name]);
    if (!Number.isInteger(n) || n < 1) throw new Error(`--${name} takes a positive integer, not ${values[name]}`);
    return n;
  };
  return {
    pattern: new RegExp(values.only),
    launches: count('launches'),
    pairs: count('pairs'),
    starts: defaults.starts,
    json: values.json,
  };
}

async function measureAll({ pattern, launches, pairs, starts }) {
  const wanted = (id) => pattern.test(id);
  const cells = await measureCells(wanted, { launches, pairs });
  return {
    cells,
    times: cells.map(judgeCell),
    sampling: cells.filter(({ contestants }) => contestants.around).map(samplingOf),
    startUps: await startUps(wanted, PMLS, starts),
    files: await files(wanted, PMLS),
    memory: await memoryUse(wanted, PMLS),
    crowds: await crowdRuns(wanted, PMLS),
  };
}

async function main(args) {
  const options = optionsOf(args);
  const absent = missing();
  if (absent) throw new Error(absent);
  if (options.json) writeFileSync(options.json, ''); // a file that can't be written is found out before, not after
  const results = await measureAll(options);
  const machine = { node: process.version, cpu: cpus()[0]?.model, date: new Date().toISOString() };
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine, options, ...results })}\n`);
  const { times, startUps: started, files: opened, memory, crowds } = results;
  const all = [times, started, opened, memory, crowds].flat();
  if (all.length === 0) throw new Error(`Nothing that the bench measures matches ${options.pattern}.`);
  print(results);
  return exitCode(all.map(({ verdict }) => verdict));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

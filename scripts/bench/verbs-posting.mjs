#!/usr/bin/env node
/**
 * What the engine's loop of a stream of verbs costs above a plain C loop, per work request. Usage:
 *   node scripts/bench/verbs-posting.mjs [--launches N] [--pairs N] [--requests N] [--json FILE]
 * Both post to a queue pair that does next to nothing (test/native/verbs-mock/fast.cc), with the same chains, signaling and
 * polls; needs `npm run build` and `node scripts/build-native.mjs --tests verbs`. Exit code: 1 when the bound is missed, 3
 * when that can't be told, 2 when it can't measure, else 0.
 *
 * The contestants take turns in one process: the C loop twice, of which the second against the first is the A/A control,
 * and the executor. Where code and memory came to lie is a process's luck, so that processes are what is counted: each
 * gives the median of its pairs' differences, and the interval is that of the median of those.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { inProject } from '../lib/project.mjs';
import { exitCode, judge, medianOfGroups, verdicts } from './statistics.mjs';
import { counts, estimate, progress, say, table } from './text.mjs';

/** Nanoseconds per work request. */
const BOUND = 5;

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      launches: { type: 'string', default: '12' },
      pairs: { type: 'string', default: '11' },
      requests: { type: 'string', default: '1000000' },
      json: { type: 'string' },
    },
  });
  const count = (name) => {
    const n = Number(values[name]);
    if (Number.isInteger(n) && n > 0) return n;
    throw new Error(`--${name} takes a positive integer, not ${values[name]}`);
  };
  return { launches: count('launches'), pairs: count('pairs'), requests: count('requests'), json: values.json };
}

/** One process: per cell, by its id, the seconds of each contestant in each pair. */
function launch({ pairs, requests }, offset) {
  const worker = inProject('scripts/bench/verbs/posting-worker.mjs');
  const args = [worker, String(pairs), String(requests), String(offset)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the measuring process ended with code ${status}: ${stderr.trim()}`);
  return JSON.parse(stdout);
}

function judgeCell(id, launches, requests) {
  const nanoseconds = (name, base) =>
    launches.map((cells) => cells[id].map((pair) => ((pair[name] - pair[base]) / requests) * 1e9));
  const figure = medianOfGroups(nanoseconds('ours', 'c'));
  const control = medianOfGroups(nanoseconds('again', 'c'));
  const base = medianOfGroups(launches.map((cells) => cells[id].map(({ c }) => (c / requests) * 1e9)));
  return { id, base, figure, control, verdict: judge(figure, control, BOUND, 0) };
}

function main(args) {
  const options = optionsOf(args);
  const launches = Array.from({ length: options.launches }, (_, n) => {
    progress(`launch ${n + 1} of ${options.launches}`);
    return launch(options, n * options.pairs);
  });
  const rows = Object.keys(launches[0]).map((id) => judgeCell(id, launches, options.requests));
  const machine = { node: process.version, cpu: cpus()[0]?.model, date: new Date().toISOString() };
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine, options, rows, launches })}\n`);
  table(
    `The posting loop above a plain C loop, ns per work request: at most ${BOUND}`,
    ['what', 'C loop', 'median [95 % CI]', 'A/A control', 'verdict'],
    rows.map(({ id, base, figure, control, verdict }) => [
      id,
      base.median.toFixed(2),
      estimate(figure, 2),
      estimate(control, 2),
      verdict,
    ]),
  );
  const all = rows.map(({ verdict }) => verdict);
  say(`\n${counts(all, Object.values(verdicts))}`);
  return exitCode(all);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

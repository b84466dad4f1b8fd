#!/usr/bin/env node
/**
 * What `--bind` adds to a rank's start, and how long `fabricbench info` and `fabricbench doctor` take. Usage:
 *   node scripts/bench/binding.mjs [--only PATTERN] [--pairs N] [--json FILE]
 * `--only` takes a regular expression over the first column. Exit code: as that of overhead.mjs.
 *
 * The figure of a start is osu_init's own: from the start of Node until MPI ran, of the slower of two ranks. The launcher
 * binds them to a core each in all cases, and `--bind` asks for the same cores, so that nothing differs but what `--bind`
 * does. With it, without it, and once more without it (the A/A control) take turns; each triple is launches of its own.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { parseArgs, promisify } from 'node:util';
import { inProject } from '../lib/project.mjs';
import { allowedProcessors, command, environment, missing } from './launch.mjs';
import { exitCode, judge, medianOf, verdicts } from './statistics.mjs';
import { estimate, progress, say, table } from './text.mjs';
import { inTurn } from './turns.mjs';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
/** Milliseconds. */
const MOST_ADDED = 20;
/** Seconds. */
const MOST_WALL = 1;

function optionsOf(args) {
  const options = {
    only: { type: 'string', default: '' },
    pairs: { type: 'string', default: '21' },
    json: { type: 'string' },
  };
  const { values } = parseArgs({ args, options });
  const pairs = Number(values.pairs);
  if (!Number.isInteger(pairs) || pairs < 1) throw new Error(`--pairs takes a positive integer, not ${values.pairs}`);
  return { pattern: new RegExp(values.only), pairs, json: values.json };
}

const networkCard = () => readdirSync('/sys/class/net').find((name) => existsSync(`/sys/class/net/${name}/device`));

/** Numbers of `0-1,4`. */
const numbersOf = (list) =>
  list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });

/** Where ranks are bound to; hwloc reads the machine where one of its variables is set, and sysfs's files do otherwise. */
function cells() {
  const [first, second] = numbersOf(allowedProcessors('self'));
  if (second === undefined) throw new Error('The bench needs two processors.');
  const card = networkCard();
  const places = [`${first},${second}`, 'spread', ...(card === undefined ? [] : [`near:${card}`])];
  return [
    ...places.map((place) => ({ id: `--bind ${place}`, place, env: {} })),
    { id: '--bind spread, read by hwloc', place: 'spread', env: { HWLOC_COMPONENTS: '' } },
  ];
}

async function startMilliseconds(place, env) {
  const program = [process.execPath, inProject('dist/osu_init.js'), ...(place === null ? [] : ['--bind', place])];
  const [file, ...args] = command('ob1', program);
  const { stdout } = await run(file, args, { env: { ...environment, ...env }, timeout: TIMEOUT_MS });
  const slower = /^# From the start of Node until MPI ran: .*max: ([\d.]+) ms/m.exec(stdout)?.[1];
  if (slower === undefined) throw new Error(`osu_init said nothing of its start:\n${stdout}`);
  return Number(slower);
}

async function startOf({ id, place, env }, pairs) {
  progress(`${id}: ${pairs} triples`);
  const contestants = { subject: place, base: null, control: null };
  const triples = [];
  for (let n = -1; n < pairs; ++n) {
    const triple = {};
    for (const name of inTurn(Object.keys(contestants), n + 1))
      triple[name] = await startMilliseconds(contestants[name], env);
    if (n >= 0) triples.push(triple); // the first round fills the page cache
  }
  const over = (name) => triples.map((triple) => triple[name] - triple.base);
  const [figure, control] = [medianOf(over('subject')), medianOf(over('control'))];
  const base = medianOf(triples.map((triple) => triple.base));
  return { id, unit: 'ms', base, figure, control, triples, verdict: judge(figure, control, MOST_ADDED, 0) };
}

async function wallSeconds(words) {
  const from = performance.now();
  // The doctor ends with 1 where something would spoil results.
  await run(process.execPath, [inProject('dist/fabricbench.js'), ...words], { timeout: TIMEOUT_MS }).catch((error) => {
    if (error.code !== 1) throw error;
  });
  return (performance.now() - from) / 1000;
}

function judgeWall({ interval }) {
  if (!interval) return verdicts.noisy;
  if (interval.low > MOST_WALL) return verdicts.missed;
  return interval.high <= MOST_WALL ? verdicts.met : verdicts.undecided;
}

async function commandOf(id, words, times) {
  progress(`${id}: ${times} times`);
  const walls = [];
  for (let n = -1; n < times; ++n) {
    const seconds = await wallSeconds(words);
    if (n >= 0) walls.push(seconds);
  }
  const figure = medianOf(walls);
  return { id, unit: 's', figure, walls, verdict: judgeWall(figure) };
}

async function measureAll({ pattern, pairs }) {
  const starts = [];
  const commands = [];
  for (const cell of cells().filter(({ id }) => pattern.test(id))) starts.push(await startOf(cell, pairs));
  for (const word of ['info', 'doctor'].filter((one) => pattern.test(`fabricbench ${one}`)))
    commands.push(await commandOf(`fabricbench ${word}`, [word], pairs));
  return { starts, commands };
}

function print({ starts, commands }) {
  table(
    `Start of a rank, ms: what --bind adds (bound ${MOST_ADDED})`,
    ['', 'without', 'added', 'A/A control', 'verdict'],
    starts.map(({ id, base, figure, control, verdict }) => [
      ...[id, base.median.toFixed(0), estimate(figure, 1), estimate(control, 1), verdict],
    ]),
  );
  table(
    `Wall time, s (bound ${MOST_WALL})`,
    ['', 'median', 'verdict'],
    commands.map(({ id, figure, verdict }) => [id, estimate(figure, 3), verdict]),
  );
}

async function main(args) {
  const options = optionsOf(args);
  const absent = missing();
  if (absent) throw new Error(absent);
  const results = await measureAll(options);
  const all = [...results.starts, ...results.commands];
  if (all.length === 0) throw new Error(`Nothing that the bench measures matches ${options.pattern}.`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ ...results, date: new Date().toISOString() })}\n`);
  print(results);
  say();
  return exitCode(all.map(({ verdict }) => verdict));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

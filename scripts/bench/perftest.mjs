#!/usr/bin/env node
/**
 * Our ib_* against stock perftest, on an RDMA device of this machine: each test between a server and a client. Usage:
 *   node scripts/bench/perftest.mjs [--only PATTERN] [--sizes N,N] [--pairs N] [--device NAME] [--cpus N,N]
 *     [--limit S] [--args "OPTIONS"] [--under "COMMAND"] [--self-test] [--json FILE]
 * Without a device: `npm run bench:softroce`, which runs it in the Soft-RoCE machine. `--args` are options for both,
 * and `--under` is a command that starts both: `chrt -f 1` in the Soft-RoCE machine, whose kernel threads carry READs and
 * would otherwise push either program off its processor for each of them (docs/softroce.md).
 * `--self-test` compares the peer with itself. Exit code: as overhead.mjs.
 *
 * Ours, the peer, and the peer once more (the A/A control) take turns, each time as processes of their own; only what
 * differs within a turn counts: the median of its ratios, with its interval of 95 %.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inProject, which } from '../lib/project.mjs';
import { cells, rowOf } from './perftest/cells.mjs';
import { exitCode, judgeEither, medianOf, verdicts } from './statistics.mjs';
import { counts, estimate, progress, say, table } from './text.mjs';
import { inTurn } from './turns.mjs';
import { endAll, freePort, runTwo } from './two-sides.mjs';

const NAMES = ['subject', 'base', 'control'];
/** What a turn may fail before a cell is given up: an emulated machine loses one now and then. */
const MOST_FAILURES = 3;
const FAILED = 'FAILED';

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      sizes: { type: 'string' },
      pairs: { type: 'string', default: '7' },
      device: { type: 'string' },
      cpus: { type: 'string', default: '0,1' },
      limit: { type: 'string', default: '60' },
      args: { type: 'string', default: '' },
      under: { type: 'string', default: '' },
      'self-test': { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const pairs = Number(values.pairs);
  if (!Number.isInteger(pairs) || pairs < 1) throw new Error(`--pairs takes a positive integer, not ${values.pairs}`);
  const cpus = values.cpus.split(',');
  if (cpus.length !== 2) throw new Error(`--cpus takes the server's and the client's processor, not ${values.cpus}`);
  const sizes = values.sizes?.split(',').map(Number);
  if (sizes?.some((size) => !(Number.isInteger(size) && size > 0)))
    throw new Error(`--sizes takes positive integers, not ${values.sizes}`);
  const more = [
    ...(values.device === undefined ? [] : ['-d', values.device]),
    ...values.args.split(' ').filter(Boolean),
  ];
  return {
    ...{ pattern: new RegExp(values.only), sizes, pairs, cpus, more, limit: Number(values.limit) },
    ...{ selfTest: values['self-test'], json: values.json, under: values.under.split(' ').filter(Boolean) },
  };
}

const commandOf = (name, { program }, { selfTest }) =>
  name === 'subject' && !selfTest ? [process.execPath, inProject(`dist/${program}.js`)] : [program, '-F'];

/** One run of one contestant: its row, or why there is none. */
async function measure(name, cell, options) {
  const port = freePort();
  const command = [...commandOf(name, cell, options), '-p', String(port), ...cell.args, ...options.more];
  const on = (cpu) => [...options.under, 'taskset', '-c', cpu];
  const [server, client] = options.cpus;
  const ended = await runTwo({
    server: [...on(server), ...command],
    client: [...on(client), ...command, '127.0.0.1'],
    port,
    environment: {},
    limit: options.limit,
  });
  const row = ended.code === 0 ? rowOf(ended.stdout, cell.kind, cell.size) : undefined;
  const why =
    ended.hung ?? `exit code ${ended.code}: ${(ended.stderr || ended.stdout || '').trim().split('\n').at(-1)}`;
  return row ? { row } : { why: `${name}: ${why}` };
}

async function measureCell(cell, options, stopped) {
  const turns = [];
  const failures = [];
  for (let n = 0; turns.length < options.pairs && failures.length < MOST_FAILURES && !stopped(); n++) {
    const rows = {};
    for (const name of inTurn(NAMES, n)) {
      const { row, why } = await measure(name, cell, options);
      if (row) rows[name] = row;
      else failures.push(why);
    }
    if (NAMES.every((name) => rows[name])) turns.push(rows);
  }
  return { cell, turns, failures };
}

function judged({ cell, turns, failures }) {
  if (turns.length === 0) return [{ id: cell.id, verdict: FAILED, why: failures.join('; ') }];
  return cell.figures.map((figure) => {
    const ratios = (name) => medianOf(turns.map((rows) => figure.of(rows[name], rows.base)));
    const [ours, control] = [ratios('subject'), ratios('control')];
    const median = (name) => medianOf(turns.map((rows) => rows[name][figure.field])).median;
    const verdict = judgeEither(ours, control, { ...figure, neutral: 1 });
    return {
      id: cell.id,
      figure,
      ours,
      control,
      values: [median('subject'), median('base')],
      n: turns.length,
      verdict,
    };
  });
}

function print(rows) {
  const columns = ['cell', 'figure', 'ours', 'theirs', 'ratio [95 % CI]', 'A/A control', 'bound', 'pairs', 'verdict'];
  const lines = rows
    .filter(({ figure }) => figure)
    .map(({ id, figure, ours, control, values, n, verdict }) => [
      ...[id, figure.name, ...values.map((value) => value.toFixed(3)), estimate(ours, 3), estimate(control, 3)],
      ...[`${figure.atLeast ? '>=' : '<='} ${figure.bound}`, String(n), verdict],
    ]);
  table('Ratios: times ours to theirs, bandwidths theirs to ours, rates ours to theirs', columns, lines);
  const failed = rows.filter(({ figure }) => !figure).map(({ id, why }) => [id, why]);
  table('Not measured', ['cell', 'why'], failed);
  say(
    `\n${counts(
      rows.map(({ verdict }) => verdict),
      [...Object.values(verdicts), FAILED],
    )}`,
  );
}

async function main(args) {
  const options = optionsOf(args);
  const wanted = cells(options.sizes).filter(({ id }) => options.pattern.test(id));
  if (wanted.length === 0) throw new Error(`No test matches ${options.pattern}.`);
  if (which('ib_send_lat') === undefined) throw new Error('ib_send_lat is missing: apt-get install perftest.');
  if (!existsSync(inProject('dist/ib_send_lat.js')))
    throw new Error('dist/ib_send_lat.js is missing: run npm run build first.');
  if (options.json) writeFileSync(options.json, '');
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      interrupted = true;
      endAll();
    });
  }
  const measured = [];
  for (const [index, cell] of wanted.entries()) {
    const one = await measureCell(cell, options, () => interrupted);
    if (interrupted) break;
    measured.push(one);
    progress(
      `${index + 1} of ${wanted.length}: ${cell.id}: ${judged(one)
        .map(({ verdict }) => verdict)
        .join(', ')}`,
    );
  }
  const rows = measured.flatMap(judged);
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ complete: !interrupted, measured })}\n`);
  print(rows);
  if (interrupted) return 130;
  return exitCode(rows.map(({ verdict }) => (verdict === FAILED ? verdicts.missed : verdict)));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

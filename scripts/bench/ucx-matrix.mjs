#!/usr/bin/env node
/**
 * Our ucx_perftest against UCX's own, over every test, transport and layout that one machine has. Usage:
 *   node scripts/bench/ucx-matrix.mjs [--only PATTERN] [--sizes N,N] [--pairs N] [--most N] [--seconds S] [--quick]
 *     [--limit S] [--cpus N,N] [--ours COMMAND] [--peer COMMAND] [--untouched] [--self-test] [--json FILE]
 * `--only` takes a regular expression over the first column (`^posix/memory short am_lat 8$`). `--quick` runs a pair of
 * each cell at 8 bytes: it shows what hangs, is missing or refused, and says nothing of speed. `--self-test` compares
 * the peer with itself, but for the cells in which it is known to hang. Ctrl-C ends it with what it has found so far. Exit code: as overhead.mjs.
 *
 * How it is measured, and why so:
 * - A machine may change its speed within seconds. A run is short (`--seconds`), and ours, the peer, and the peer once
 *   more (the A/A control) take turns at it; those of one turn are a pair, and only what differs within a pair counts.
 * - Each run is a server and a client that are started anew, so pairs are independent, and the interval is that of the
 *   median over pairs. 6 pairs are the fewest that have one of 95 %.
 * - A cell that can't be told goes on to twice as many pairs, up to `--most`. Verdicts may fall at each of these looks, so
 *   that an interval is a little narrower than 95 % would have it.
 * - Latencies are judged by p50, streams by the whole run; below 0.2 us p50 is too coarse, and below 20 ns the
 *   difference counts (verdict.mjs).
 * - The peer never writes to the memory that it sends from, so that it reads large messages from the kernel's one page of
 *   zeros, which is always in the cache: 1 MiB over self takes it 16 us instead of 40. Its buffers are written to once by a
 *   library that is preloaded (test/reference/preload); `--untouched` leaves it as it comes.
 * - What both refuse, they must refuse for the same reason. Larger sizes of a cell that both refuse are left out.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { cpus as processors } from 'node:os';
import { parseArgs } from 'node:util';
import { inProject, which } from '../lib/project.mjs';
import { exitCode } from './statistics.mjs';
import { progress } from './text.mjs';
import { endAll } from './two-sides.mjs';
import { matrix, SIZES } from './ucx/cells.mjs';
import { measureCell } from './ucx/measure.mjs';
import { brief, print } from './ucx/report.mjs';
import { runCell } from './ucx/run.mjs';
import { asBound, isTold, judgeMeasured } from './ucx/verdict.mjs';

const TOUCH = inProject('build/test/touch_buffers.node');
const OURS = [process.execPath, inProject('dist/ucx_perftest.js')];

function positive(name, text, integer = true) {
  const value = Number(text);
  if (value > 0 && (!integer || Number.isInteger(value))) return value;
  throw new Error(`--${name} takes a positive ${integer ? 'integer' : 'number'}, not ${text}`);
}

function sizesOf({ sizes, quick }) {
  if (sizes === undefined) return quick ? [8] : SIZES;
  return sizes
    .split(',')
    .map((size) => positive('sizes', size))
    .sort((a, b) => a - b);
}

function optionsOf(args) {
  const text = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    args,
    options: {
      ...{
        only: text(''),
        sizes: { type: 'string' },
        pairs: text('6'),
        most: { type: 'string' },
        seconds: text('0.2'),
      },
      ...{ limit: text('15'), cpus: text('0,1'), ours: { type: 'string' }, peer: text('ucx_perftest') },
      ...{ untouched: { type: 'boolean', default: false } },
      ...{ quick: { type: 'boolean', default: false }, 'self-test': { type: 'boolean', default: false } },
      json: { type: 'string' },
    },
  });
  const { quick } = values;
  const pairs = quick ? 1 : positive('pairs', values.pairs);
  const stock = values.peer.split(' ');
  const peer = values.untouched ? stock : ['env', `LD_PRELOAD=${TOUCH}`, ...stock];
  const ours = values['self-test'] ? peer : (values.ours?.split(' ') ?? OURS);
  const most = quick ? 1 : values.most === undefined ? pairs * 4 : positive('most', values.most);
  const cpus = values.cpus.split(',');
  if (cpus.length !== 2) throw new Error(`--cpus takes the server's and the client's processor, not ${values.cpus}`);
  return {
    ...{ pattern: new RegExp(values.only), sizes: sizesOf(values), quick, pairs, most: Math.max(pairs, most) },
    ...{ seconds: positive('seconds', values.seconds, false), limit: positive('limit', values.limit, false) },
    ...{
      cpus,
      programs: { subject: ours, base: peer, control: peer },
      stock,
      selfTest: values['self-test'],
      json: values.json,
    },
  };
}

function checkPrograms({ programs: { subject, base }, stock }) {
  if (which(stock[0]) === undefined) throw new Error(`${stock[0]} is missing: apt-get install ucx-utils.`);
  if (base !== stock && !existsSync(TOUCH))
    throw new Error(`${TOUCH} is missing: run node scripts/build-native.mjs --tests first.`);
  if (subject === OURS && !existsSync(OURS[1])) throw new Error(`${OURS[1]} is missing: run npm run build first.`);
}

/** What a run comes to that is not started any more. */
const NOTHING = { kind: 'failed', about: 'interrupted' };

const bothRefuse = ({ base, subject }) => base?.kind === 'refused' && subject.kind === 'refused';

/** Measures all rows of the matrix; `keep` gets what was measured of each cell and its verdicts. */
async function measureAll(matrixRows, options, stopped, keep) {
  const total = matrixRows.flat().length;
  let place = 0;
  for (const cells of matrixRows) {
    let refused = false;
    for (const cell of cells) {
      ++place;
      if (refused) continue;
      const run = (name, plan) => (stopped() ? NOTHING : runCell(options.programs[name], cell, plan, options));
      const measured = await measureCell(cell, run, options, (seen) => stopped() || isTold(judgeMeasured(seen)));
      if (stopped()) return;
      const rows = judgeMeasured(measured);
      keep(measured, rows);
      progress(`${place} of ${total}: ${cell.id}: ${brief(rows)}`);
      refused = bothRefuse(measured);
    }
  }
}

/** True once Ctrl-C was pressed (or SIGTERM came), which ends the run that is under way. */
function interruption() {
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      interrupted = true;
      endAll();
    });
  }
  return () => interrupted;
}

async function main(args) {
  const options = optionsOf(args);
  const { pattern, sizes, selfTest, json } = options;
  checkPrograms(options);
  const wanted = matrix(sizes, ({ id, peerHangs }) => pattern.test(id) && !(selfTest && peerHangs));
  if (wanted.length === 0) throw new Error(`No cell of the matrix matches ${pattern}.`);
  if (json) writeFileSync(json, ''); // a file that can't be written is found out before, not after
  const stopped = interruption();
  const cells = [];
  const rows = [];
  await measureAll(wanted, options, stopped, (measured, judged) => {
    cells.push(measured);
    rows.push(...judged);
  });
  const machine = { node: process.version, cpu: processors()[0]?.model, date: new Date().toISOString() };
  if (json) writeFileSync(json, `${JSON.stringify({ machine, options, complete: !stopped(), cells, rows })}\n`);
  print(rows);
  if (!stopped()) return exitCode(rows.map(({ verdict }) => asBound(verdict)));
  progress('Interrupted: the cells that follow are missing.');
  return 130;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

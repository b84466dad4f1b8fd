#!/usr/bin/env node
/**
 * What each layer adds to the latency of a message of 8 bytes between two processes of one node: memory that both see,
 * UCX's transport layer, its protocol layer, MPI over that. Usage:
 *   node scripts/bench/layers.mjs [--rounds N] [--tls TRANSPORT] [--layers LIST] [--iterations N]
 *     [--limit S] [--json FILE]
 * `--tls` is what lies below all layers of UCX (posix; sysv, tcp). `--layers` chooses some, from below to above:
 * `ucp,mpi`. Exit code: 1 when a layer fails, is carried by another transport, or is faster than the one below it beyond
 * what chance explains; 3 when that can't be told, 2 when it can't measure, else 0.
 *
 * Each round launches osu_latency once per layer, in another order each time. A machine may change its speed within
 * seconds, so that layers are compared within a round only: the median of those ratios, with its interval of 95 %.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from '../../build/ts/test/launch/mpirun.js';
import { inProject, which } from '../lib/project.mjs';
import { flawOf, latencyOf, transportsOf } from './layers/record.mjs';
import { asBound, compareNeighbours, words } from './layers/verdict.mjs';
import { exitCode, medianOf, verdicts } from './statistics.mjs';
import { counts, estimate, progress, say, table } from './text.mjs';
import { inTurn } from './turns.mjs';

const PROGRAM = inProject('dist/osu_latency.js');
/** Enough of them that a launch measures for some 10 ms and more. */
const ITERATIONS = { posix: '100000', sysv: '100000', tcp: '10000' };
const DEVICES = { posix: 'posix/memory', sysv: 'sysv/memory', tcp: 'tcp/lo' };

/** Per layer, by its short name: what `--layer` takes, which transport must carry it, and the environment that sees to it. */
function layersOver(tls) {
  const transport = DEVICES[tls];
  const env = { UCX_TLS: tls, ...(tls === 'tcp' ? { UCX_NET_DEVICES: 'lo' } : {}) };
  return {
    shm: { layer: 'shm', env: {} },
    uct: { layer: `uct:${transport}`, transport, env: {} },
    ucp: { layer: 'ucp', transport, env },
    mpi: { layer: 'mpi', transport, env, pml: 'ucx' },
  };
}

function positive(name, text) {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} takes a positive integer, not ${text}`);
}

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '11' },
      tls: { type: 'string', default: 'posix' },
      layers: { type: 'string', default: 'shm,uct,ucp,mpi' },
      iterations: { type: 'string' },
      limit: { type: 'string', default: '60' },
      json: { type: 'string' },
    },
  });
  if (!Object.hasOwn(DEVICES, values.tls)) {
    throw new Error(`--tls takes one of ${Object.keys(DEVICES).join(', ')}, not ${values.tls}`);
  }
  const rounds = positive('rounds', values.rounds);
  const iterations = positive('iterations', values.iterations ?? ITERATIONS[values.tls]);
  const limit = positive('limit', values.limit);
  const all = layersOver(values.tls);
  const names = values.layers.split(',');
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw new Error(`--layers takes some of ${Object.keys(all).join(', ')}, not ${unknown}`);
  const chosen = Object.entries(all).filter(([name]) => names.includes(name));
  return { rounds, iterations, limit, tls: values.tls, layers: Object.fromEntries(chosen), json: values.json };
}

/** One launch over a layer: seconds of a message, and what carried it. */
async function measure({ layer, env, transport, pml }, folder, { iterations, limit }) {
  const file = join(folder, 'record.json');
  rmSync(file, { force: true });
  const below = layer === 'mpi' ? [] : ['--layer', layer]; // MPI is what it measures anyway
  const args = ['-m', '8:8', '-i', String(iterations), ...below, '--json', file];
  const { code, hung, stderr } = await launch(PROGRAM, args, { pml: 'ucx', env, limit });
  if (hung) throw new Error(`did not end within ${limit} s`);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr.trimStart().split('\n')[0]}`);
  const record = JSON.parse(readFileSync(file, 'utf8'));
  const flaw = flawOf(record, { layer, transport, pml });
  if (flaw) throw new Error(flaw);
  return { seconds: latencyOf(record), transports: transportsOf(record) };
}

/** All rounds; a layer that fails once is not launched again. Returns rounds, transports and failures, by layer. */
async function measureRounds(options) {
  const { layers, rounds } = options;
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-layers-'));
  const found = { rounds: [], transports: {}, failures: {} };
  try {
    for (let n = 0; n < rounds; ++n) {
      progress(`round ${n + 1} of ${rounds}`);
      const round = {};
      for (const name of inTurn(Object.keys(layers), n).filter((layer) => !(layer in found.failures))) {
        try {
          const { seconds, transports } = await measure(layers[name], folder, options);
          round[name] = seconds;
          found.transports[name] = transports;
        } catch (error) {
          found.failures[name] = error.message;
          progress(`${name}: ${error.message}`);
        }
      }
      found.rounds.push(round);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const scaled = ({ median, interval }) => ({
  median: median * 1e6,
  interval: interval && { low: interval.low * 1e6, high: interval.high * 1e6 },
});

function print({ rounds, transports, failures }, names, comparisons) {
  const latencies = names.map((name) => [
    name,
    (transports[name] ?? []).join(', ') || 'no transport of UCX',
    estimate(scaled(medianOf(rounds.map((round) => round[name]))), 3),
  ]);
  table('Latency of 8 bytes (us)', ['layer', 'carried by', 'median [95 % CI]'], latencies);
  const ratios = comparisons.map(({ id, figure, values, verdict }) => [
    id,
    estimate(figure, 3),
    verdict,
    values.map((value) => value.toFixed(2)).join(' '),
  ]);
  table('Each layer over the one below it', ['layers', 'median ratio [95 % CI]', 'verdict', 'by round'], ratios);
  const failed = Object.entries(failures);
  table('Failed', ['layer', 'why'], failed);
  const all = [...comparisons.map(({ verdict }) => verdict), ...failed.map(() => words.failed)];
  say(`\n${counts(all, [...Object.values(words), verdicts.noisy])}`);
  return all;
}

async function main(args) {
  const options = optionsOf(args);
  if (!which('mpirun.openmpi') && !which('mpirun')) throw new Error('The bench needs Open MPI: no mpirun was found.');
  if (!existsSync(PROGRAM)) throw new Error(`The bench needs ${PROGRAM}: run npm run build first.`);
  if (options.json) writeFileSync(options.json, ''); // a file that can't be written is found out before, not after
  const found = await measureRounds(options);
  const names = Object.keys(options.layers).filter((name) => !(name in found.failures));
  const comparisons = compareNeighbours(names, found.rounds);
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ options, ...found, comparisons })}\n`);
  return exitCode(print(found, names, comparisons).map(asBound));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

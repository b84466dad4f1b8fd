#!/usr/bin/env node
/**
 * osu_bw's stream over MPI over UCX over a Soft-RoCE device, from Node and from the C reference, in turns on one launch of
 * each: whether UCX's registration cache works with the hook settings that Node needs. Runs in the machine:
 *   scripts/softroce run --timeout 1800 -- node scripts/bench/softroce-mpi.mjs [--pairs N] [--size BYTES]
 * Without the cache every message of this size would be registered anew. Figures of emulation: compare, and believe none
 * of them. Exit code 1 when Node's times are sure to be more than 5 % above C's, 2 when it can't measure.
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inProject } from '../lib/project.mjs';
import { medianOf } from './statistics.mjs';

const BOUND = 1.05;
const WINDOW = 64;

const say = (line) => process.stdout.write(`${line}\n`);

function positive(name, text) {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} takes a positive integer, not ${text}`);
}

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: { pairs: { type: 'string', default: '7' }, size: { type: 'string', default: String(1 << 20) } },
  });
  return { pairs: positive('pairs', values.pairs), size: positive('size', values.size) };
}

/** UCX over rxe: rc needs ud to connect, and ud's check of addresses doesn't know rxe. */
function chooseTransport() {
  const [device] = readdirSync('/sys/class/infiniband');
  if (device === undefined) throw new Error('there is no RDMA device here: run it by scripts/softroce run -- ...');
  Object.assign(process.env, {
    UCX_TLS: 'rc_v,self',
    UCX_NET_DEVICES: `${device}:1`,
    UCX_UD_VERBS_ETH_DGID_CHECK: 'n',
  });
  return device;
}

const percent = (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`;
const rate = (size, seconds) => `${((size * WINDOW) / seconds / 1e6).toFixed(1)} MB/s`;

function report({ iterations, pairs }, size, device) {
  const { median, interval } = medianOf(pairs.map(({ ours, base }) => ours / base));
  const hooked = medianOf(pairs.map((pair) => pair.hooked / pair.base));
  const best = (name) => Math.min(...pairs.map((pair) => pair[name])) / iterations;
  say(`osu_bw, ${size} bytes, windows of ${WINDOW}, MPI over UCX over rc_verbs/${device}:1, ${pairs.length} pairs`);
  say(`  C, at its best     ${rate(size, best('base'))}`);
  say(`  Node, at its best  ${rate(size, best('ours'))}`);
  const bounds = interval ? ` (95 %: ${percent(interval.low)} to ${percent(interval.high)})` : '';
  say(`  Node's time over C's: ${percent(median)}${bounds}`);
  say(`  of this by the hook settings, which C was given too: ${percent(hooked.median)}`);
  if (!interval) say('  too few pairs to tell: give 6 or more');
  return interval && interval.low > BOUND ? 1 : 0;
}

async function main() {
  const { pairs, size } = optionsOf(process.argv.slice(2));
  const device = chooseTransport();
  // They keep the environment as it is when they are loaded.
  const { missing } = await import('./launch.mjs');
  const { launchLane } = await import('./duel.mjs');
  const lack = missing();
  if (lack) throw new Error(lack);
  const reference = inProject('build/reference/window');
  const programs = [
    ['ours', [process.execPath, inProject('scripts/bench/ours.mjs'), 'osu_bw']],
    ['c', [reference]],
    ['hooked', ['env', 'UCX_MEM_MMAP_HOOK_MODE=reloc', 'UCX_MEM_MALLOC_RELOC=n', reference]],
  ];
  const contestants = {
    base: { job: 'c', variant: '', warmup: () => 1 },
    hooked: { job: 'hooked', variant: '', warmup: () => 1 },
    ours: { job: 'ours', variant: 'native', warmup: () => 1 },
  };
  const results = await launchLane(
    { pml: 'ucx', cells: [{ id: 'window', size, contestants }], jobs: programs },
    { pairs, offset: 0 },
  );
  return report(results.get('window'), size, device);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`softroce-mpi: ${error.message}\n`);
  process.exitCode = 2;
}

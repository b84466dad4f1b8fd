/**
 * Writes test/fixtures/perftest-4.5: what the stock ib_* programs of this machine print. Runs in the Soft-RoCE machine, by
 * `FABRICBENCH_LAB_OUT=test/fixtures/perftest-4.5 scripts/softroce run --timeout 1800 -- node scripts/lab/capture-perftest.mjs`.
 * Words after it are the cases to capture alone; without them those that are not there yet.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CASES } from './perftest-cases.mjs';

const out = process.env.FABRICBENCH_LAB_OUT ?? '.';
const index = join(out, 'index.json');
/** As /proc/net/tcp has it: state 0A listens. */
const PORT = `:${(18515).toString(16).toUpperCase()} 00000000:0000 0A`;
const NO_MHZ = '/run/cpuinfo-without-clock';

/** Runs a side on a processor of its own, its streams to files; resolves to its exit code or signal. */
function side(name, role, program, args, { seconds, noClock, interrupt }) {
  // A program that a signal ends loses what it has not written yet.
  const unbuffered = interrupt ? ['stdbuf', '-o0'] : [];
  const command = ['timeout', '-k', '2', String(seconds), ...unbuffered, program, ...args];
  const hidden = ['unshare', '-m', 'sh', '-c', `mount --bind ${NO_MHZ} /proc/cpuinfo && exec "$@"`, 'sh'];
  const whole = ['taskset', '-c', role === 'server' ? '0' : '1', ...(noClock ? hidden : []), ...command];
  const child = spawn(whole[0], whole.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/tmp' });
  const files = [];
  for (const [stream, ending] of [
    ['stdout', 'txt'],
    ['stderr', 'err.txt'],
  ]) {
    const file = join(out, `${name}.${role}.${ending}`);
    const pieces = [];
    child[stream].on('data', (piece) => pieces.push(piece));
    files.push({ file, pieces });
  }
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => {
      for (const { file, pieces } of files) keep(file, Buffer.concat(pieces));
      resolve(signal ?? code);
    });
  });
  return { child, ended };
}

/** Writes a file; an empty stderr leaves none. */
function keep(file, bytes) {
  if (bytes.length > 0 || !file.endsWith('.err.txt')) writeFileSync(file, bytes);
  else rmSync(file, { force: true });
}

const listens = (byCm) =>
  byCm
    ? / LISTEN .*:18515\b/.test(spawnSync('rdma', ['resource', 'show', 'cm_id'], { encoding: 'utf8' }).stdout)
    : readFileSync('/proc/net/tcp', 'latin1').includes(PORT);

async function listening(server, byCm) {
  let over = false;
  void server.ended.then(() => (over = true));
  for (let waited = 0; waited < 15_000 && !over && !listens(byCm); waited += 50) await sleep(50);
}

/** Ends perftest's own process by the signal: `timeout` passes SIGINT on. */
const interruptAfter = (child, seconds) => sleep(seconds * 1000).then(() => child.kill('SIGINT'));

async function pair({ name, test, server = [], client = [], host = 'localhost', interrupt, ...options }) {
  const settings = { seconds: 60, interrupt, ...options };
  const byCm = [...server, ...client].some((word) => word === '-R' || word === '-z');
  const there = side(name, 'server', test, server, settings);
  await listening(there, byCm);
  const here = side(name, 'client', test, [...client, byCm && host === 'localhost' ? 'rxe0' : host], settings);
  if (interrupt) void interruptAfter(here.child, interrupt);
  const clientCode = await here.ended;
  // A server that the failing client has left waiting will not end by itself.
  const soon = await Promise.race([there.ended.then(() => true), sleep(interrupt ? 1000 : 5000, false)]);
  if (!soon) there.child.kill('SIGTERM');
  return { server: [test, ...server], client: [test, ...client, host], serverCode: await there.ended, clientCode };
}

async function alone({ name, test, args, ...options }) {
  const { ended } = side(name, 'alone', test, args, { seconds: 4, ...options });
  return { alone: [test, ...args], code: await ended };
}

const bad = (record, name) =>
  !record.alone &&
  (record.clientCode !== 0 || /\b(inf|nan)\b/.test(readFileSync(join(out, `${name}.client.txt`), 'latin1')));

async function capture(one) {
  for (let attempt = 1; ; attempt++) {
    const record = await (one.args ? alone(one) : pair(one));
    if (one.wrong || attempt === 3 || !bad(record, one.name)) return record;
  }
}

const cpuinfo = readFileSync('/proc/cpuinfo', 'latin1');
writeFileSync(NO_MHZ, cpuinfo.replaceAll(/^(cpu MHz\s*:).*$/gm, '$1 0.000'));
const wanted = process.argv.slice(2);
const records = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')) : {};
for (const one of CASES) {
  if (wanted.length > 0 ? !wanted.includes(one.name) : one.name in records) continue;
  if (one.without) spawnSync('rdma', ['link', 'delete', 'rxe0']);
  records[one.name] = await capture(one);
  writeFileSync(index, `${JSON.stringify(records, null, 2)}\n`);
  process.stdout.write(`${one.name} ${JSON.stringify(records[one.name])}\n`);
}

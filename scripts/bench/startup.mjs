/** What it costs that a rank is a Node program: wall time until the result, files opened, memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inProject, root, which } from '../lib/project.mjs';
import { command, environment } from './launch.mjs';
import { inTurn } from './turns.mjs';

const node = process.execPath;
const ONE_ROW = ['-m', '1:1', '-i', '1', '-x', '0'];
const reference = (...args) => [inProject('build/reference/pingpong'), ...args];
const benchmark = (name, ...args) => [node, inProject('dist', `${name}.js`), ...args];

function start(pml, program) {
  const [file, ...args] = command(pml, program);
  const child = spawn(file, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (part) => (text[name] += part));
  const ended = once(child, 'close').then(([code]) => {
    if (code === 0 && /^\d+ +[\d.]+/m.test(text.stdout)) return;
    throw new Error(`${program.join(' ')} ended with code ${code} and these words:\n${text.stdout}${text.stderr}`);
  });
  return { pid: child.pid, ended };
}

async function wallSeconds(pml, program) {
  const from = performance.now();
  await start(pml, program).ended;
  return (performance.now() - from) / 1000;
}

/** What starts in turn, as in cells.mjs: the benchmark, the C program, the C program again. */
const STARTED = {
  subject: benchmark('osu_latency', ...ONE_ROW),
  base: reference('1', '1'),
  control: reference('1', '1'),
};

/** Triples of wall times in seconds, by contestant. */
export async function startUpTriples(pml, count) {
  const triples = [];
  for (let n = -1; n < count; ++n) {
    const triple = {};
    for (const name of inTurn(Object.keys(STARTED), n + 1)) triple[name] = await wallSeconds(pml, STARTED[name]);
    if (n >= 0) triples.push(triple); // the first round fills the page cache
  }
  return triples;
}

/** Paths of the project's files that a rank opened, from strace's logs of its threads. */
function openedFiles(logs) {
  const calls = logs.flatMap((log) => [...log.matchAll(/^open(?:at)?\((?:\w+, )?"([^"]+)".* = \d+$/gm)]);
  const paths = new Set(calls.map(([, path]) => path));
  return [...paths].filter((path) => path.startsWith(`${root}/`)).map((path) => relative(root, path));
}

/** The project's files (and folders) that each rank opens, by rank; undefined where there is no strace. */
export async function projectFiles(pml) {
  if (which('strace') === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-strace-'));
  try {
    const traced = 'exec strace -ff -qq -e trace=?open,openat -o "$0/$OMPI_COMM_WORLD_RANK" "$@"';
    await start(pml, ['sh', '-c', traced, folder, ...benchmark('osu_latency', ...ONE_ROW)]).ended;
    const logsOf = (rank) => readdirSync(folder).filter((name) => name.startsWith(`${rank}.`));
    const read = (name) => readFileSync(join(folder, name), 'utf8');
    const opened = [0, 1].map((rank) => openedFiles(logsOf(rank).map(read)));
    if (opened.every((paths) => paths.includes('dist/osu_latency.js'))) return opened;
    throw new Error('strace did not see a rank open dist/osu_latency.js: its log can not be trusted.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

const FIELDS = ['VmHWM', 'RssAnon', 'RssFile', 'RssShmem'];

/** Bytes by field of /proc/PID/status; undefined for a process that has no memory any more. */
function memoryOf(pid) {
  const status = statusOf(pid);
  const entries = FIELDS.map((field) => [
    field,
    Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024,
  ]);
  return entries.every(([, bytes]) => bytes >= 0) ? Object.fromEntries(entries) : undefined;
}

const POLL_MILLISECONDS = 5;

/**
 * The memory of each rank of a whole run: VmHWM, the kernel's own high-water mark, as last seen before the rank ended, and
 * what the resident memory consisted of then. Shared mappings count: the mark knows no difference.
 */
async function memory(pml, program) {
  const { pid, ended } = start(pml, program);
  let running = true;
  const done = ended.finally(() => (running = false));
  done.catch(() => undefined); // awaited below
  const ranks = new Map();
  while (running) {
    for (const child of childrenOf(pid)) {
      const seen = memoryOf(child);
      if (seen && seen.VmHWM >= (ranks.get(child)?.VmHWM ?? 0)) ranks.set(child, seen);
    }
    await sleep(POLL_MILLISECONDS);
  }
  await done;
  if (ranks.size !== 2) throw new Error(`${program.join(' ')}: the memory of ${ranks.size} ranks was seen, not of 2.`);
  return [...ranks.values()];
}

/** Programs whose memory is asked for, at their default sizes, and for comparison the C program at the largest of them. */
const MEMORY_PROGRAMS = [
  ...['osu_latency', 'osu_bw', 'osu_bibw', 'osu_mbw_mr'].map((name) => ({
    name,
    program: benchmark(name),
    bounded: true,
  })),
  { name: 'C ping-pong, 4 MiB', program: reference(String(4 << 20), '1000'), bounded: false },
];

/** Per program its name, whether the bound holds for it, and its ranks' memory in bytes. */
export async function memories(pml) {
  const all = [];
  for (const { program, ...rest } of MEMORY_PROGRAMS) all.push({ ...rest, ranks: await memory(pml, program) });
  return all;
}

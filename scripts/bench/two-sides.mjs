/** Runs of programs that measure between a server and a client, or alone, with a limit that really ends them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ports below those that the kernel gives away, each used once: a used one may be blocked for a minute. */
const PORTS = { first: 20011, count: 12000 };
const POLL_MILLISECONDS = 2;
/** Within so many seconds after its client a server must have ended. */
const SERVER_SECONDS = 3;
/** A program that repeats an error for ever would fill the memory. */
const MOST_TEXT = 1 << 16;

let nextPort = process.pid % PORTS.count;

/** Local ports in the kernel's table of sockets, in hexadecimal; `state` is 0A for those that listen. */
function portsInUse(state = '..') {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return ''; // no IPv6 here
    }
  });
  const entry = new RegExp(`^ *\\d+: \\w+:(\\w{4}) \\w+:\\w{4} ${state} `, 'gm');
  return new Set([...tables.join('\n').matchAll(entry)].map(([, port]) => parseInt(port, 16)));
}

/** A port that nobody has had lately. */
export function freePort() {
  const used = portsInUse();
  for (;;) {
    const port = PORTS.first + (nextPort++ % PORTS.count);
    if (!used.has(port)) return port;
  }
}

const running = new Set();

/** Ends what is running, at once: for an interrupt. */
export function endAll() {
  for (const process of running) process.end();
}

/** A started program with what it has printed. It leads a group of its own, so that its children end with it. */
class Started {
  stdout = '';
  stderr = '';

  constructor([file, ...args], environment) {
    const { UCX_TLS, ...env } = process.env; // a choice of the caller's would change what a cell is about
    void UCX_TLS;
    const options = { env: { ...env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
    this.child = spawn(file, args, options);
    running.add(this);
    for (const name of ['stdout', 'stderr']) {
      const keep = (part) => (this[name] = (this[name] + part).slice(0, MOST_TEXT));
      this.child[name].setEncoding('utf8').on('data', keep);
    }
    this.ended = once(this.child, 'close')
      .then(([code, signal]) => ({ code, signal }))
      .finally(() => running.delete(this));
    this.ended.catch(() => undefined); // whoever waits for it is told
  }
  get alive() {
    return running.has(this);
  }
  end() {
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
  /** Its end, or undefined where that doesn't come by `deadline` (of `performance.now()`). */
  async endBy(deadline) {
    const timer = new AbortController();
    const late = sleep(Math.max(0, deadline - performance.now()), undefined, { signal: timer.signal });
    late.catch(() => undefined); // not late
    try {
      return await Promise.race([this.ended, late]);
    } finally {
      timer.abort();
    }
  }
}

async function listens(server, port, deadline) {
  while (server.alive && performance.now() < deadline) {
    if (portsInUse('0A').has(port)) return true;
    await sleep(POLL_MILLISECONDS);
  }
  return false;
}

async function finish(printing, deadline, limit, who) {
  const end = await printing.endBy(deadline);
  const { stdout, stderr } = printing;
  return end ? { ...end, stdout, stderr } : { hung: `${who} did not end within ${limit} s` };
}

/**
 * Runs two command lines, the client's once the server listens on the port. `limit` is in seconds, after which both are
 * ended. Returns `{ code, signal, stdout, stderr }` of the client (or of a server that never listened), with `serverHung`
 * where the server outlives a client that has ended; or `{ hung }`, a sentence.
 */
export async function runTwo({ server, client, port, environment, limit }) {
  const deadline = performance.now() + limit * 1000;
  const serving = new Started(server, environment);
  let asking;
  try {
    if (!(await listens(serving, port, deadline))) {
      if (serving.alive) return { hung: `the server did not listen within ${limit} s` };
      const { stdout, stderr } = serving;
      return { ...(await serving.ended), stdout, stderr };
    }
    asking = new Started(client, environment);
    const ended = await finish(asking, deadline, limit, 'the client');
    if (ended.hung) return ended;
    const serverEnd = await serving.endBy(performance.now() + SERVER_SECONDS * 1000);
    return serverEnd
      ? ended
      : { ...ended, serverHung: `the server did not end within ${SERVER_SECONDS} s after its client` };
  } finally {
    serving.end();
    asking?.end();
  }
}

/** Runs one command line; returns as `runTwo` does. */
export async function runOne(command, { environment, limit }) {
  const alone = new Started(command, environment);
  try {
    return await finish(alone, performance.now() + limit * 1000, limit, 'the process');
  } finally {
    alone.end();
  }
}

/** Starts dist/ucx_perftest.js for tests: alone, or a server and its clients. */
import { assert } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../unit/project.js';

export const PERFTEST = join(projectRoot, 'dist', 'ucx_perftest.js');
/** Exit codes of the program. */
export const EXIT = { done: 0, failed: 1, notPossibleHere: 77, wrongOption: 129, refused: 255 } as const;
/** Seconds after which a process counts as hung: far more than anything here takes on a busy machine. */
const LIMIT = 60;

export interface RunOptions {
  /** What to run (default the program). */
  readonly script?: string;
  /** What it takes before the options of the program. */
  readonly before?: readonly string[];
  /** Variables; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Seconds (default 60). */
  readonly limit?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly hung: boolean;
  /** When it had ended, as performance.now() tells it. */
  readonly at: number;
  /** All that helps to understand a failure. */
  readonly report: string;
}

/** A process under way. */
export class Run {
  readonly ended: Promise<Ended>;
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  #over = false;

  constructor(args: readonly string[], { script = PERFTEST, before = [], env = {}, limit = LIMIT }: RunOptions = {}) {
    this.child = spawn(process.execPath, [script, ...before, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = this.#watch(args, limit);
  }

  /** Waits until stdout or stderr has it. Throws where the process ends before. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout) && !pattern.test(this.stderr)) {
      if (this.#over) throw new Error(`ended without ${String(pattern)}: ${(await this.ended).report}`);
      await sleep(10);
    }
  }

  /** Sends it a signal; returns when. */
  kill(signal: NodeJS.Signals): number {
    this.child.kill(signal);
    return performance.now();
  }

  async #watch(args: readonly string[], limit: number): Promise<Ended> {
    let hung = false;
    let at = NaN;
    const timer = setTimeout(() => {
      hung = true;
      this.child.kill('SIGKILL');
    }, limit * 1000);
    this.child.once('exit', () => (at = performance.now()));
    const [code, signal] = (await once(this.child, 'close')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    this.#over = true;
    const { stdout, stderr } = this;
    const end = hung ? `ended after ${limit} s` : `exit code ${code}, signal ${signal}`;
    const report = `ucx_perftest ${args.join(' ')}: ${end}\n${stderr}\n${stdout}`;
    return { code, signal, stdout, stderr, hung, at, report };
  }
}

/** A port that nobody has. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return address.port;
}

export interface Server {
  readonly run: Run;
  readonly port: number;
}

/** Starts a server, and waits until clients can come. Give it no -v, which would keep it silent. */
export async function startServer(args: readonly string[] = [], options: RunOptions = {}): Promise<Server> {
  const port = await freePort();
  const run = new Run(['-p', String(port), ...args], options);
  await run.until(/^Waiting for connection\.\.\.$/m);
  return { run, port };
}

export function startClient({ port }: { readonly port: number }, args: readonly string[], options?: RunOptions): Run {
  return new Run(['127.0.0.1', '-p', String(port), ...args], options);
}

/** A server and one client, both of which must end. */
export async function both(
  args: readonly string[],
  { server = [], ...options }: RunOptions & { readonly server?: readonly string[] } = {},
): Promise<{ client: Ended; server: Ended }> {
  const started = await startServer(server, options);
  const client = await startClient(started, args, options).ended;
  const served = await started.run.ended;
  assert.isFalse(client.hung, client.report);
  assert.isFalse(served.hung, `${served.report}\n${client.report}`);
  return { client, server: served };
}

/** One process that talks to itself. */
export async function alone(args: readonly string[], options?: RunOptions): Promise<Ended> {
  const ended = await new Run(['-l', ...args], options).ended;
  assert.isFalse(ended.hung, ended.report);
  return ended;
}

/** What the program said, without its name: lines of launchers are left out. */
export function sentences(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => (line.startsWith('ucx_perftest: ') ? [line.slice(14)] : []));
}

/** Rows of CSV by their heading, as numbers where they are. */
export function csvRows(stdout: string): Record<string, string>[] {
  const lines = stdout.split('\n').filter((line) => line.includes(','));
  const names = lines[0]?.split(',') ?? [];
  return lines.slice(1).map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? '').trim()]));
  });
}

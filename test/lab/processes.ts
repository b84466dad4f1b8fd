/** Processes of the lab's tests: each ends within its time, for a test that failed must not keep the machine from the next. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunOptions {
  /** Seconds until the process is ended (default 60). */
  readonly limit?: number;
  /** The machine's processor to run on: of two that poll one each, or they wait for the scheduler. */
  readonly cpu?: number;
  /** Variables; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** A user's number to run as, without groups and capabilities (default root). */
  readonly user?: number;
  /** Limit of locked memory in KiB, for a process that is not root's. */
  readonly lockable?: number;
}

export interface Ended {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether its time was up. */
  readonly hung: boolean;
  /** All that helps to understand a failure. */
  readonly report: string;
}

/** A process under way; `ended` resolves once it is over and all that it printed is there. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has printed so far, both streams. */
  printed(): string;
}

function wrapped(command: readonly string[], { cpu, user, lockable }: RunOptions): string[] {
  const place = cpu === undefined ? [] : ['taskset', '-c', String(cpu)];
  const limit = lockable === undefined ? [] : ['prlimit', `--memlock=${lockable * 1024}:${lockable * 1024}`];
  const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  return [...place, ...limit, ...as, ...command];
}

/** Starts a command. */
export function begin(command: readonly string[], options: RunOptions = {}): Running {
  const { limit = 60, env = {}, cwd } = options;
  const [program = '', ...args] = wrapped(command, options);
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    // The whole group: mpirun's ranks, and what a wrapper has started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limit * 1000);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      const end = hung ? `ended after ${limit} s` : `ended with ${signal ?? code}`;
      const report = `${command.join(' ')}: ${end}\n${output.stderr}\n${output.stdout}`;
      resolve({ code, signal, ...output, hung, report });
    });
  }).finally(() => clearTimeout(timer));
  return { child, ended, printed: () => output.stdout + output.stderr };
}

/** Runs a command to its end. */
export const run = (command: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  begin(command, options).ended;

/** How a server is reached. */
export type Way = 'tcp' | 'rdma_cm';

const LISTENS = '0A';

function portsOfTcp(): string[] {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'latin1').split('\n'));
  const cells = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === LISTENS);
  return cells.map(([, local = '']) => String(parseInt(local.split(':')[1] ?? '', 16)));
}

function portsOfRdmaCm(): string[] {
  const { stdout } = spawnSync('rdma', ['-j', 'resource', 'show', 'cm_id'], { encoding: 'utf8' });
  const ids = JSON.parse(stdout || '[]') as { readonly state?: string; readonly 'src-addr'?: string }[];
  return ids.filter(({ state }) => state === 'LISTEN').map((id) => id['src-addr']?.split(':').at(-1) ?? '');
}

/** Whether a process of this machine listens at a port, of IPv4 or IPv6. */
export function isListening(port: number, way: Way = 'tcp'): boolean {
  return (way === 'tcp' ? portsOfTcp() : portsOfRdmaCm()).includes(String(port));
}

/** Waits until a server listens at a port. Throws its report where it ends before. */
export async function listening(server: Running, port: number, way: Way = 'tcp'): Promise<void> {
  let over: Ended | undefined;
  void server.ended.then((ended) => (over = ended));
  while (!isListening(port, way)) {
    if (over) throw new Error(`the server ended too early: ${over.report}`);
    await sleep(50);
  }
}

export interface Pair {
  readonly server: Ended;
  readonly client: Ended;
  readonly report: string;
}

export interface PairOptions extends RunOptions {
  /** Where the server listens (default perftest's 18515). */
  readonly port?: number;
  /** By what the client reaches it (default TCP); perftest's `-R` and `-z` are by rdma_cm. */
  readonly way?: Way;
}

/** Runs a server and, once it listens, its client, each on a processor of its own. */
export async function runPair(
  server: readonly string[],
  client: readonly string[],
  options: PairOptions = {},
): Promise<Pair> {
  const { port = 18515, way } = options;
  const there = begin(server, { cpu: 0, ...options });
  await listening(there, port, way);
  const ends = await Promise.all([there.ended, run(client, { cpu: 1, ...options })]);
  return { server: ends[0], client: ends[1], report: ends.map(({ report }) => report).join('\n--\n') };
}

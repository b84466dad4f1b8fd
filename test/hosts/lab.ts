/** Several hosts on this machine, for tests: scripts/hosts, up while the tests of one `describe` run. See docs/hosts.md. */
import { assert } from 'chai';
import { spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hookSettings, type MpiFamily } from '../../src/engine/load.js';
import { projectRoot } from '../unit/project.js';

/** What a host sends is shaped so; see `scripts/hosts --help`. */
export interface Shape {
  /** As `100mbit`, or `none`. */
  readonly rate?: string;
  /** As `5ms`. */
  readonly delay?: string;
  /** As `1%`. */
  readonly loss?: string;
}

export interface OnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Seconds after which all processes on all hosts are ended (default 60). */
  readonly limit?: number;
  /** Sees the output as it grows. */
  readonly seen?: (output: { readonly stdout: string; readonly stderr: string }) => void;
}

export interface MpirunOptions extends OnOptions {
  /** Whose launcher (default Open MPI's). */
  readonly mpi?: MpiFamily;
  /** Open MPI's component (default ucx, with leave to use tcp). */
  readonly pml?: 'ob1' | 'ucx';
  /** Hosts in the order of their ranks (default: all). */
  readonly hosts?: readonly string[];
  /** Ranks of each host (default 1). */
  readonly each?: number;
  /** Further options of the launcher. */
  readonly options?: readonly string[];
}

export interface Done {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the limit had to end it. */
  readonly hung: boolean;
  /** All that helps to understand a failure. */
  readonly report: string;
}

export interface CommandDone {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const hostsScript = join(projectRoot, 'scripts', 'hosts');
const IMPOSSIBLE = 77;
const UP_SECONDS = 60;
const GONE_SECONDS = 10;

/** A set of hosts. */
export class Hosts {
  /** Folder of the set, for `--state` and FABRICBENCH_HOSTS. */
  readonly state: string;
  readonly names: readonly string[];

  constructor(state: string, count: number) {
    this.state = state;
    this.names = Array.from({ length: count }, (_, index) => `node${index + 1}`);
  }

  /** A command of scripts/hosts, to its end. */
  command(...words: readonly string[]): CommandDone {
    return this.commandWith({}, ...words);
  }

  /** The same with other settings of the process. */
  commandWith(settings: SpawnSyncOptions, ...words: readonly string[]): CommandDone {
    const args = ['--state', this.state, ...words];
    const options = { timeout: UP_SECONDS * 1000, ...settings, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(hostsScript, args, options);
    return { code: status, stdout, stderr };
  }

  /** Runs a command on a host. The promise's process is that of the command itself, so that signals reach it. */
  on(node: string, argv: readonly string[], options: OnOptions = {}): Running {
    return new Running(this, ['run', '--on', node, '--', ...argv], options);
  }

  /** Ranks of a program of Node on the hosts, started on the first of them. */
  mpirun(argv: readonly string[], options: MpirunOptions = {}): Running {
    return this.on(options.hosts?.[0] ?? this.names[0] ?? '', this.launchLine(argv, options), options);
  }

  /** What `mpirun` runs. */
  launchLine(argv: readonly string[], options: MpirunOptions = {}): string[] {
    const { mpi = 'openmpi', pml = 'ucx', hosts = this.names, each = 1, options: more = [] } = options;
    const command = [...more, process.execPath, ...argv];
    const ranks = String(hosts.length * each);
    if (mpi === 'mpich')
      return ['mpiexec.mpich', '-hosts', hosts.join(','), '-ppn', String(each), '-n', ranks, ...command];
    const places = ['--host', hosts.map((name) => `${name}:${each}`).join(','), '--map-by', `ppr:${each}:node`];
    const anyTransport = ['--mca', 'pml_ucx_tls', 'any', '--mca', 'pml_ucx_devices', 'any'];
    const carrier = ['--mca', 'pml', pml, ...(pml === 'ucx' ? anyTransport : []), '--mca', 'mpi_yield_when_idle', '1'];
    return ['mpirun.openmpi', '-np', ranks, ...places, '--bind-to', 'none', ...carrier, ...command];
  }

  /** Pulls a host's cable out, or plugs it in. */
  link(node: string, state: 'up' | 'down'): void {
    this.#must('link', node, state);
  }

  /** Changes what these hosts send, or all of them. */
  shape(shape: Shape, ...nodes: readonly string[]): void {
    this.#must('shape', ...nodes, ...wordsOf(shape));
  }

  #must(...words: readonly string[]): void {
    const { code, stderr } = this.command(...words);
    assert.equal(code, 0, stderr);
  }

  /** Numbers of the processes on a host, or on all of them; not what keeps the hosts up. */
  processes(...nodes: readonly string[]): number[] {
    const keepers = readdirSync(join(this.state, 'pids')).map((name) => this.#pidOf(name));
    const spaces = (nodes.length > 0 ? nodes : this.names).map((name) => networkOf(this.#pidOf(name)));
    const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
    return pids.map(Number).filter((pid) => !keepers.includes(pid) && spaces.includes(networkOf(pid) ?? 'none'));
  }

  /** Waits until no process is left on any host; those that are by then are returned, and killed. */
  async strays(seconds = GONE_SECONDS): Promise<string[]> {
    const until = performance.now() + seconds * 1000;
    while (this.processes().length > 0 && performance.now() < until) await sleep(20);
    const left = this.processes();
    const told = left.map((pid) => `${pid} ${commandLine(pid)}`);
    left.forEach(kill);
    return told;
  }

  /** Ends all processes on all hosts at once. */
  kill(): void {
    this.processes().forEach(kill);
  }

  #pidOf(name: string): number {
    return Number(readFileSync(join(this.state, 'pids', name), 'utf8').split(' ')[0]);
  }
}

/** A command on a host, under way. */
export class Running {
  readonly ended: Promise<Done>;
  readonly pid: number;
  stdout = '';
  stderr = '';
  #isOver = false;

  constructor(hosts: Hosts, words: readonly string[], { env, limit = 60, seen }: OnOptions) {
    const child = spawn(hostsScript, ['--state', hosts.state, ...words], {
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.pid = child.pid ?? -1;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      seen?.(this);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      seen?.(this);
    });
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      hosts.kill();
    }, limit * 1000);
    this.ended = new Promise<Done>((resolve, reject) => {
      child.once('error', reject).once('close', (code, signal) => {
        const { stdout, stderr } = this;
        const report = `${hung ? `ended after ${limit} s, ` : ''}exit code ${code}, signal ${signal}\n${stderr}\n${stdout}`;
        resolve({ code, signal, stdout, stderr, hung, report });
      });
    }).finally(() => {
      this.#isOver = true;
      clearTimeout(timer);
    });
  }

  get runs(): boolean {
    return !this.#isOver;
  }

  /** Waits until `ready` gives something, and returns it. Throws where the command ends before. */
  async until<T>(ready: () => T | undefined): Promise<T> {
    for (;;) {
      const value = ready();
      if (value !== undefined) return value;
      if (this.#isOver) throw new Error(`it ended too early: ${(await this.ended).report}`);
      await sleep(20);
    }
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }
}

/**
 * Call it inside `describe`: so many hosts are up while its tests run. Where that can't be had the tests are skipped with
 * the reason, which CI counts as failures.
 */
export function withHosts(count: number, shape: Shape = {}): Hosts {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-hosts-'));
  const hosts = new Hosts(join(folder, 'set'), count);
  before(function () {
    const { code, stderr } = hosts.command('up', String(count), ...wordsOf(shape));
    if (code === IMPOSSIBLE) skip(this, stderr.trim());
    assert.equal(code, 0, stderr);
  });
  after(() => {
    const { code, stderr } = hosts.command('down');
    rmSync(folder, { recursive: true, force: true });
    assert.equal(code, 0, stderr);
  });
  return hosts;
}

function skip(context: Mocha.Context, reason: string): never {
  process.stdout.write(`      skipped: ${reason}\n`);
  return context.skip();
}

const wordsOf = (shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, value]: [string, string]) => [`--${name}`, value]);

/** Without what loading an addon has set in this process. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const set = Object.entries(hookSettings()).flatMap(([name, { setBy }]) => (setBy === 'fabricbench' ? [name] : []));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !set.includes(name)));
}

/** The network namespace of a process; undefined where it has ended. */
function networkOf(pid: number): string | undefined {
  try {
    return basename(readlinkSync(`/proc/${pid}/ns/net`));
  } catch {
    return undefined;
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // it has ended meanwhile
  }
}

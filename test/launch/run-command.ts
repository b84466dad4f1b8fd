/** Starts `fabricbench run` for tests, as a user does, and sees what it leaves behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MpiFamily } from '../../src/engine/load.js';
import { program } from './output.js';
import { commandOf, mapsOf, variableOf, withVariable } from './processes.js';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Of fabricbench (default `run`). */
  readonly command?: string;
  /** What runs it, such as a shell that pipes its output. */
  readonly wrap?: readonly string[];
  /** Whether stdout is read (default true); otherwise its pipe fills up. */
  readonly reads?: boolean;
  /** Seconds after which all of it is ended (default 60). */
  readonly limit?: number;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly hung: boolean;
  /** Processes that outlived it. */
  readonly strays: number;
  /** Files of shared memory that its ranks were seen to use, and that are still there. */
  readonly segments: readonly string[];
  /** Folders of its own in the temporary folder. */
  readonly folders: readonly string[];
  readonly report: string;
}

/** Marks all that one run starts. Settings of fabricbench would be handed on by name, so this is none. */
const MARK = 'TEST_RUN_OF_FABRICBENCH';
const RANK: Readonly<Record<MpiFamily, string>> = { openmpi: 'OMPI_COMM_WORLD_RANK', mpich: 'PMI_RANK' };
const SHARED_FILE = /\/dev\/shm\/[^\s/]+$/gm;
const LOOK_EVERY_MILLISECONDS = 200;

/** One `fabricbench run ...` under way. */
export class Run {
  readonly ended: Promise<Ran>;
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  /** Temporary folder of the run: what is left there is its own. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'fabricbench-run-'));
  readonly #segments = new Set<string>();
  #isOver = false;

  constructor(args: readonly string[], options: RunOptions = {}) {
    const { env = {}, wrap = [], reads = true, limit = 60, command = 'run' } = options;
    const [first = '', ...rest] = [...wrap, process.execPath, program('fabricbench'), command, ...args];
    this.#child = spawn(first, rest, {
      env: { ...process.env, TMPDIR: this.#folder, ...env, [MARK]: this.#folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    if (reads) this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.ended = this.#watch(limit, reads);
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Whether it is still running. */
  get runs(): boolean {
    return !this.#isOver;
  }

  processes(): number[] {
    return withVariable(MARK, this.#folder);
  }

  /** Process numbers of ranks that run Node. */
  rank(rank: number, mpi: MpiFamily): number | undefined {
    const nodes = this.processes().filter((pid) => commandOf(pid)[0]?.endsWith('node') === true);
    return nodes.find((pid) => variableOf(pid, RANK[mpi]) === String(rank));
  }

  /** The launcher itself. */
  launcher(): number | undefined {
    return this.processes().find((pid) => /\/(mpirun|mpiexec)[.\w]*$/.test(commandOf(pid)[0] ?? ''));
  }

  /** Waits until `ready` gives something, and returns it. Throws where the run ends before. */
  async until<T>(ready: () => T | undefined): Promise<T> {
    for (;;) {
      const value = ready();
      if (value !== undefined) return value;
      if (this.#isOver) throw new Error(`the run ended too early: ${(await this.ended).report}`);
      await sleep(20);
    }
  }

  /** A signal to it alone. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async #watch(limit: number, reads: boolean): Promise<Ran> {
    let hung = false;
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const timer = setTimeout(() => {
      hung = true;
      for (const pid of this.processes()) kill(pid);
    }, limit * 1000);
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MILLISECONDS);
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      this.#child.once('error', reject).once('exit', (...how) => resolve(how));
    }).finally(() => [timer, looking].forEach(clearInterval));
    this.#isOver = true;
    const strays = this.processes();
    const segments = [...this.#segments].filter((path) => existsSync(path));
    strays.forEach(kill);
    if (reads) await closed;
    else this.#child.stdout?.destroy();
    const folders = readdirSync(this.#folder, { recursive: true })
      .map(String)
      .filter((name) => name.includes('launch'));
    rmSync(this.#folder, { recursive: true, force: true });
    const report = `${hung ? 'hung, ' : ''}exit code ${code}, signal ${signal}\n${this.stderr}\n${this.stdout}`;
    const { stdout, stderr } = this;
    return { code, signal, stdout, stderr, hung, strays: strays.length, segments, folders, report };
  }

  /** Notes what shared memory its processes use. */
  #look(): void {
    for (const [path] of this.processes().flatMap((pid) => [...mapsOf(pid).matchAll(SHARED_FILE)])) {
      this.#segments.add(path);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // it has ended meanwhile
  }
}

/** Runs it to its end. */
export function runCommand(args: readonly string[], options?: RunOptions): Promise<Ran> {
  return new Run(args, options).ended;
}

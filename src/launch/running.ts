/** One job under way: its output passed on, its end, and that nothing of it outlives that. */
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants, hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as passed } from 'node:timers/promises';
import { sentence, type Streams } from '../report/say.js';
import type { Sink } from '../report/types.js';
import { agentFails } from './agents.js';
import { Causes, NOT_REACHED } from './cause.js';
import { StderrFilter, StdoutFilter, type NoiseFilter, type Sorted } from './launcher-noise.js';
import { put } from './output.js';
import { endElsewhere } from './elsewhere.js';
import { MARK, processesOf, removeShared, sharedFilesOf, signalAll, type SharedFile } from './processes.js';
import type { LaunchCommand } from './types.js';

/** Why a job was ended before its time, and the exit code for that. */
export interface Ending {
  readonly reason: string;
  readonly code: number;
  /** No other launch is to follow. */
  readonly isFinal: boolean;
}

export interface Ended {
  readonly code: number;
  /** Undefined where it ended by itself. */
  readonly ending?: Ending;
  readonly seconds: number;
  /** Why it failed, as far as ranks or launcher have said so. */
  readonly cause?: string;
  /** The same, where no rank has said it. */
  readonly untold?: string;
  /** What it printed is still held up by a reader that takes nothing. */
  readonly stuck: boolean;
}

/** Open MPI's mpirun takes 2 s for its own TERM and KILL to the ranks, and only it can reach other hosts. */
const TERM_GRACE = 4;
/** A launcher takes that long to end a job in which a rank has given up, unless it waits for a host that it can't reach. */
const STUCK_GRACE = 15;
/** Ranks outlive their launcher by some milliseconds. */
const STRAY_GRACE = 2;
const KILL_GRACE = 5;
const OUTPUT_GRACE = 2;
const LOOK_AGAIN_MILLISECONDS = 20;
const SIGNAL_BASE = 128;

export interface RunningOptions {
  /** Seconds after which it is ended; undefined = none. */
  readonly timeout?: number | undefined;
  /** How it ends then. */
  readonly ending?: Ending;
  /** Hosts that have ranks; empty = this one alone. */
  readonly hosts: readonly string[];
  /** What reaches them when the launcher doesn't. */
  readonly agent: readonly string[];
}

export class RunningJob {
  /** Rejected where the launcher can't be started. */
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #options: RunningOptions;
  readonly #over = new AbortController();
  /** Aborted when ranks have begun to print, or nothing is left to begin. */
  readonly #begun = new AbortController();
  #ending: Ending | undefined;
  #elsewhere: Promise<void> | undefined;
  #shared: readonly SharedFile[] = [];

  /** @param command has a mark in its environment (`markEnvironment`) */
  constructor({ argv, environment }: LaunchCommand, streams: Streams, options: RunningOptions) {
    const [program = '', ...args] = argv;
    const { timeout, ending } = options;
    this.#options = options;
    this.#mark = environment[MARK] ?? '';
    // Loaded here: with sockets and streams it takes a start 1 ms.
    this.#child = process.getBuiltinModule('node:child_process').spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own: what a terminal sends to us is for us to hand on.
      detached: true,
    });
    this.ended = this.#watch(streams);
    if (timeout !== undefined && ending !== undefined) void this.#endAfter(timeout, ending);
  }

  /** Ends it: TERM to the launcher, which ends all ranks, then KILL to what is left. A second call kills at once. */
  end(ending: Ending): void {
    if (this.#ending) {
      this.#kill();
      return;
    }
    this.#ending = ending;
    this.#shared = sharedFilesOf(processesOf(this.#mark));
    this.#child.kill('SIGTERM');
    void this.#passes(TERM_GRACE).then(async (isLate) => {
      if (!isLate) return;
      // First: the launcher's daemons over there are known by the ranks below them.
      await this.#endElsewhere();
      this.#kill();
    });
  }

  /** Ends ranks on other hosts, once: the launcher doesn't, where it hangs or has been killed. */
  #endElsewhere(): Promise<void> {
    this.#elsewhere ??= endElsewhere(this.#mark, this.#options);
    return this.#elsewhere;
  }

  async #watch(streams: Streams): Promise<Ended> {
    const started = performance.now();
    const { stdout, stderr } = this.#child;
    const unread = (reason: string): void => {
      this.end({ reason, code: 1, isFinal: true });
    };
    const wasEnded = (): boolean => this.#ending !== undefined;
    // That nobody is left to read stderr must not keep a job from its end.
    const ignored = (): void => undefined;
    const causes = new Causes(() => void this.#endStuck(causes));
    const filters = { stdout: new StdoutFilter(wasEnded, causes), stderr: new StderrFilter(causes) };
    const begun = (): void => this.#begun.abort();
    // Where the record takes stdout.
    const table = (text: string): void => {
      if (/^# /m.test(text)) begun();
    };
    if (this.#options.hosts.length > 0) void this.#endUnreached();
    const pumps = [
      pump(stdout, streams.stdout, { filter: filters.stdout, stderr: streams.stderr, failed: unread, seen: begun }),
      pump(stderr, streams.stderr, { filter: filters.stderr, stderr: streams.stderr, failed: ignored, seen: table }),
    ];
    const { code: own, signal } = await this.#exit();
    this.#over.abort();
    this.#begun.abort();
    await Promise.all([this.#sweep(), signal !== null && this.#endElsewhere()]);
    const late = passed(OUTPUT_GRACE * 1000, false, { ref: false });
    const wasRead = await Promise.race([Promise.all(pumps).then(() => true), late]);
    // Without anyone in a hurry a slow reader is waited for.
    if (!wasRead && !this.#ending) await Promise.all(pumps);
    const seconds = (performance.now() - started) / 1000;
    const ending = this.#ending;
    const { first: cause, untold } = causes;
    const why = { ...(ending && { ending }), ...(cause && { cause }), ...(untold && { untold }) };
    return { code: ending?.code ?? own, seconds, stuck: !wasRead && ending !== undefined, ...why };
  }

  async #endStuck({ first = '' }: Causes): Promise<void> {
    if (await this.#passes(STUCK_GRACE)) this.end({ reason: first, code: 1, isFinal: false });
  }

  /** A daemon that is killed later, while ranks are at work, is the launcher's affair: some go on to a good end. */
  async #endUnreached(): Promise<void> {
    const failed = await agentFails(this.#child.pid ?? -1, this.#begun.signal);
    if (failed) this.end({ reason: NOT_REACHED, code: 1, isFinal: false });
  }

  /** The launcher's exit code, as a shell has it, and the signal that ended it. */
  #exit(): Promise<{ readonly code: number; readonly signal: NodeJS.Signals | null }> {
    return new Promise((resolve, reject) => {
      this.#child.once('error', (error) => {
        reject(new Error(`${this.#child.spawnfile} can't be started: ${error.message}`, { cause: error }));
      });
      this.#child.once('exit', (code, signal) => {
        resolve({ code: code ?? SIGNAL_BASE + (signal === null ? 0 : constants.signals[signal]), signal });
      });
    });
  }

  async #endAfter(seconds: number, ending: Ending): Promise<void> {
    if (await this.#passes(seconds)) this.end(ending);
  }

  /** Whether so many seconds pass before the launcher ends. */
  #passes(seconds: number): Promise<boolean> {
    return passed(seconds * 1000, true, { signal: this.#over.signal }).catch(() => false);
  }

  #kill(): void {
    const pids = processesOf(this.#mark);
    this.#shared = [...this.#shared, ...sharedFilesOf(pids)];
    signalAll(pids, 'SIGKILL');
    this.#child.kill('SIGKILL');
  }

  /** Waits for what ends by itself, and ends the rest. */
  async #sweep(): Promise<void> {
    if (!(await this.#gone(STRAY_GRACE))) {
      this.#kill();
      await this.#gone(KILL_GRACE);
    }
    if (!this.#ending) return;
    removeShared(this.#shared);
    removeSession(this.#child.pid ?? -1);
  }

  async #gone(seconds: number): Promise<boolean> {
    const until = performance.now() + seconds * 1000;
    while (processesOf(this.#mark).length > 0) {
      if (performance.now() > until) return false;
      await passed(LOOK_AGAIN_MILLISECONDS);
    }
    return true;
  }
}

interface PumpOptions {
  readonly filter: NoiseFilter;
  /** Takes what doesn't belong into the stream. */
  readonly stderr: Sink;
  readonly failed: (reason: string) => void;
  readonly seen: (text: string) => void;
}

/** Passes on what comes; once it can't be written any more, what else comes is dropped. */
async function pump(from: Readable | null, to: Sink, { filter, stderr, failed, seen }: PumpOptions): Promise<void> {
  if (!from) return;
  from.setEncoding('utf8');
  const pass = async ({ stays, leaves }: Sorted): Promise<void> => {
    await put(to, stays);
    await put(stderr, leaves).catch(() => undefined);
  };
  try {
    const texts = from.iterator({ destroyOnReturn: false }) as AsyncIterable<string>;
    for await (const text of texts) {
      seen(text);
      await pass(filter.take(text));
    }
    await pass(filter.rest());
  } catch (error) {
    failed(sentence(error).replace(/\.$/, ''));
    from.resume();
  }
}

/** The folder of a job of Open MPI 4, which a launcher that was killed leaves behind. */
function removeSession(pid: number): void {
  const base = process.env['OMPI_MCA_orte_tmpdir_base'] ?? tmpdir();
  const folder = join(base, `ompi.${hostname().split('.')[0]}.${userInfo().uid}`, `pid.${pid}`);
  rmSync(folder, { recursive: true, force: true });
}

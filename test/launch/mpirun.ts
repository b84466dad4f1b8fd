/** Starts ranks under mpirun for tests, with a time limit that really ends them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builtAddons, hookSettings, type MpiFamily } from '../../src/engine/load.js';
import { projectRoot } from '../unit/project.js';
import { commandOf, variableOf, withVariable } from './processes.js';

export interface LaunchOptions {
  /** Ranks (default 2). */
  readonly np?: number;
  /** Whose launcher to use (default Open MPI's). */
  readonly mpi?: MpiFamily;
  /** Open MPI's component; `ucx` (the default) with settings that let it run anywhere. MPICH has no such choice. */
  readonly pml?: 'ob1' | 'ucx';
  /** Options of mpirun in place of those that bind two ranks to a core each and let more of them run anywhere, for either MPI. */
  readonly place?: readonly string[];
  /** What runs mpirun, such as a shell that pipes its output. */
  readonly wrap?: readonly string[];
  /** What runs Node on each rank, such as strace. */
  readonly wrapRank?: readonly string[];
  /** Variables for mpirun and the ranks; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Seconds after which all processes of the launch are ended (default 60). */
  readonly limit?: number;
}

export interface Launched {
  /** Exit code of mpirun; null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the time limit had to end it. */
  readonly hung: boolean;
  /** Processes that outlived mpirun, and that were ended then. */
  readonly strays: number;
  /** All that helps to understand a failure. */
  readonly report: string;
}

const folder = dirname(fileURLToPath(import.meta.url));

/** Path of a compiled file of test/launch/cases. */
export function caseFile(name: string): string {
  return join(folder, 'cases', `${name}.js`);
}

/** What differs between the MPIs. Both take options with two dashes. */
interface Family {
  /** Names of its launcher, those first that no other MPI's has: where several are installed, mpirun may be another one's. */
  readonly launchers: readonly string[];
  /** Lets ranks run anywhere, and more of them than there are cores. */
  readonly unbound: readonly string[];
  readonly rankVariable: string;
  readonly options: (options: LaunchOptions) => readonly string[];
  readonly environment: (options: LaunchOptions, session: string) => Readonly<Record<string, string>>;
}

const asRoot = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
const anyTransport = { OMPI_MCA_pml_ucx_tls: 'any', OMPI_MCA_pml_ucx_devices: 'any' };
/** mpirun's pause between its signals to the ranks of a job that failed: tests need not wait, and what matters is said. */
const noPause = { OMPI_MCA_odls_base_sigkill_timeout: '0' };
const TERM_GRACE = 5;
const STRAY_GRACE = 5;
/** What makes ranks of MPICH bearable where they share cores: see test/launch/preload. */
const giveWay = join(projectRoot, 'build', 'test', 'give_way.node');
/** Marks all processes of a launch: MPICH gives every rank a session of its own. */
const MARK = 'FABRICBENCH_TEST_LAUNCH';

const families: Readonly<Record<MpiFamily, Family>> = {
  openmpi: {
    launchers: ['mpirun.openmpi', 'mpirun'],
    unbound: ['--oversubscribe', '--bind-to', 'none'],
    rankVariable: 'OMPI_COMM_WORLD_RANK',
    options: ({ pml = 'ucx' }) => ['--mca', 'pml', pml],
    environment: ({ pml = 'ucx' }, session) => ({
      ...asRoot,
      ...noPause,
      ...(pml === 'ucx' ? anyTransport : {}),
      // Launches that end and start at once would share a folder, and race for it.
      OMPI_MCA_orte_tmpdir_base: session,
    }),
  },
  mpich: {
    launchers: ['mpiexec.mpich', 'mpiexec.hydra', 'mpiexec'],
    unbound: ['--bind-to', 'none'],
    rankVariable: 'PMI_RANK',
    options: () => [],
    environment: ({ np = 2 }): Readonly<Record<string, string>> => (np > 2 ? { LD_PRELOAD: giveWay } : {}),
  },
};

/** The first of an MPI's launchers that PATH has. */
function launcherOf({ launchers }: Family): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return launchers.find((name) => folders.some((path) => existsSync(join(path, name))));
}

/** `describe` for tests that need this MPI's launcher and addon: they are skipped where it isn't, which CI counts as failed. */
export function describeUnder(mpi: MpiFamily): Mocha.SuiteFunction | Mocha.PendingSuiteFunction {
  const isThere = launcherOf(families[mpi]) !== undefined && builtAddons().includes(`mpi-${mpi}`);
  return isThere ? describe : describe.skip;
}

/** The environment of a launch, without what loading an addon has set in this process. */
function environment(options: LaunchOptions, session: string): NodeJS.ProcessEnv {
  const own = Object.entries(hookSettings()).flatMap(([name, { setBy }]) => (setBy === 'fabricbench' ? [name] : []));
  const all = { ...process.env, ...families[options.mpi ?? 'openmpi'].environment(options, session) };
  const inherited = Object.fromEntries(Object.entries(all).filter(([name]) => !own.includes(name)));
  return { ...inherited, ...options.env, [MARK]: session };
}

/** Options that let ranks run anywhere, for `place`. */
export function unbound({ mpi = 'openmpi' }: LaunchOptions): readonly string[] {
  return families[mpi].unbound;
}

function commandLine(script: string, args: readonly string[], options: LaunchOptions): string[] {
  const { np = 2, mpi = 'openmpi', wrap = [], wrapRank = [] } = options;
  const family = families[mpi];
  const place = options.place ?? (np === 2 ? ['--bind-to', 'core'] : family.unbound);
  const ranks = [
    launcherOf(family) ?? family.launchers[0] ?? '',
    '-np',
    String(np),
    ...place,
    ...family.options(options),
  ];
  return [...wrap, ...ranks, ...wrapRank, process.execPath, script, ...args];
}

/** A launch under way. */
export class Launch {
  readonly ended: Promise<Launched>;
  readonly #child: ChildProcess;
  readonly #script: string;
  readonly #session = mkdtempSync(join(tmpdir(), 'fabricbench-mpirun-'));
  readonly #rankVariable: string;
  #hung = false;

  constructor(script: string, args: readonly string[], options: LaunchOptions) {
    const [command = '', ...rest] = commandLine(script, args, options);
    this.#script = script;
    this.#rankVariable = families[options.mpi ?? 'openmpi'].rankVariable;
    this.#child = spawn(command, rest, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: environment(options, this.#session),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.ended = this.#watch(options.limit ?? 60).finally(() => {
      rmSync(this.#session, { recursive: true, force: true });
    });
  }

  /** Process numbers by rank, of ranks that run. */
  ranks(): Map<number, number> {
    const ours = this.#processes().filter((pid) => commandOf(pid).includes(this.#script));
    return new Map(
      ours.flatMap((pid) => {
        const rank = variableOf(pid, this.#rankVariable);
        return rank === undefined ? [] : [[Number(rank), pid] as const];
      }),
    );
  }

  /** Waits until `ready` gives something, and returns it. Throws where the launch ends before. */
  async until<T>(ready: () => T | undefined): Promise<T> {
    let over: Launched | undefined;
    void this.ended.then((launched) => (over = launched));
    for (;;) {
      const value = ready();
      if (value !== undefined) return value;
      if (over) throw new Error(`the launch ended too early: ${over.report}`);
      await sleep(20);
    }
  }

  get #leader(): number {
    return this.#child.pid ?? -1;
  }

  #processes(): number[] {
    return withVariable(MARK, this.#session);
  }

  async #watch(limit: number): Promise<Launched> {
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      this.#child[name]?.setEncoding('utf8').on('data', (text: string) => (output[name] += text));
    }
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const over = new AbortController();
    const killing = this.#endAfter(limit, over.signal);
    const [code] = await new Promise<[number | null]>((resolve, reject) => {
      this.#child.once('error', reject).once('exit', (status) => resolve([status]));
    }).finally(() => over.abort());
    await killing;
    const strays = await this.#sweep();
    await closed;
    const { stdout, stderr } = output;
    const end = this.#hung ? `ended after ${limit} s` : `exit code ${code}`;
    return { code, stdout, stderr, hung: this.#hung, strays, report: `${end}\n${stderr}\n${stdout}` };
  }

  /** Ends mpirun, which ends the ranks, and where that doesn't help every process of the launch. */
  async #endAfter(seconds: number, over: AbortSignal): Promise<void> {
    const passed = (limit: number): Promise<boolean> => sleep(limit * 1000, true, { signal: over }).catch(() => false);
    if (!(await passed(seconds))) return;
    this.#hung = true;
    process.kill(this.#leader, 'SIGTERM');
    if (await passed(TERM_GRACE)) killAll(this.#processes());
  }

  async #sweep(): Promise<number> {
    for (let waited = 0; waited < STRAY_GRACE && this.#processes().length > 0; waited += 0.05) await sleep(50);
    const strays = this.#processes();
    killAll(strays);
    return strays.length;
  }
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue; // it has ended meanwhile
    }
  }
}

/** Starts a script on some ranks. */
export function start(script: string, args: readonly string[] = [], options: LaunchOptions = {}): Launch {
  return new Launch(script, args, options);
}

/**
 * Starts a script on some ranks and waits for the end. Where Open MPI's mpirun itself crashed while it put its own
 * things away, which 4.1.4 does once in thousands of jobs, the job's exit code is lost, and it is launched once more.
 */
export async function launch(
  script: string,
  args: readonly string[] = [],
  options: LaunchOptions = {},
): Promise<Launched> {
  const launched = await start(script, args, options).ended;
  const launcherCrashed = launched.code === null && !launched.hung && launched.stderr.includes('(orte_finalize+');
  return launcherCrashed ? start(script, args, options).ended : launched;
}

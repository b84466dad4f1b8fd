/** A Slurm on this machine, for tests: scripts/slurm-lab, up while the tests of one `describe` run. See docs/slurm.md. */
import { assert } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hookSettings } from '../../src/engine/load.js';
import type { ResultRecord } from '../../src/results/types.js';
import type { Hosts } from '../hosts/lab.js';
import { commandOf, withVariable } from '../launch/processes.js';
import { projectRoot } from '../unit/project.js';
import { strictSchemaErrors } from '../unit/schema.js';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** All that helps to understand a failure. */
  readonly report: string;
}

/** A job that has ended. */
export interface Job {
  readonly id: string;
  /** As Slurm calls it: COMPLETED, FAILED, CANCELLED, TIMEOUT. */
  readonly state: string;
  readonly exitCode: number;
  readonly output: string;
  readonly report: string;
}

const slurmScript = join(projectRoot, 'scripts', 'slurm-lab');
const IMPOSSIBLE = 77;
const UP_SECONDS = 60;
const LOOK_EVERY_MILLISECONDS = 100;
const UNDER_WAY = /^(PENDING|CONFIGURING|RUNNING|COMPLETING|REQUEUED|SUSPENDED)/;

export class Slurm {
  /** Folder of its state. */
  readonly state: string;
  /** Where jobs are submitted, and put their output and results. */
  readonly folder: string;

  constructor(folder: string) {
    this.state = join(folder, 'slurm');
    this.folder = join(folder, 'jobs');
  }

  /** A command of scripts/slurm-lab, to its end. */
  lab(...words: readonly string[]): Done {
    return labCommand([...words.slice(0, 1), '--state', this.state, ...words.slice(1)]);
  }

  /** Runs a command with this Slurm. Its process is killed after `limit` seconds. */
  async run(argv: readonly string[], env: Env = {}, limit = 60): Promise<Done> {
    const child = spawn(slurmScript, ['run', '--state', this.state, '--', ...argv], {
      cwd: this.folder,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const timer = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
    const code = await new Promise<number | null>((done, failed) => {
      child.once('error', failed).once('close', done);
    }).finally(() => clearTimeout(timer));
    return { code, stdout, stderr, report: `${argv.join(' ')}: exit code ${code}\n${stderr}\n${stdout}` };
  }

  /** Submits a job, and returns its number. */
  async submit(words: readonly string[], env: Env = {}): Promise<string> {
    const { code, stdout, report } = await this.run(['sbatch', '--parsable', ...words], env);
    assert.equal(code, 0, report);
    return stdout.trim();
  }

  /** Waits until a job has ended; of an array give each task, as `7_0`. */
  async ended(id: string, seconds = 90): Promise<Job> {
    const until = performance.now() + seconds * 1000;
    for (;;) {
      const told = await this.told(id);
      const state = told['JobState'] ?? '';
      if (!UNDER_WAY.test(state)) return this.#job(id, state, told);
      if (performance.now() > until) {
        await this.run(['scancel', id]);
        assert.fail(`job ${id} has not ended within ${seconds} s: ${JSON.stringify(told)}\n${this.outputs()}`);
      }
      await sleep(LOOK_EVERY_MILLISECONDS);
    }
  }

  #job(id: string, state: string, told: Env): Job {
    const file = told['StdOut'] ?? '';
    const output = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const [code, signal] = (told['ExitCode'] ?? '').split(':').map(Number);
    const exitCode = signal === 0 ? (code ?? -1) : 128 + (signal ?? 0);
    return { id, state, exitCode, output, report: `job ${id}: ${state}, exit code ${exitCode}\n${output}` };
  }

  /** What `scontrol show job` says of it. */
  async told(id: string): Promise<Env> {
    const { stdout, report } = await this.run(['scontrol', '--oneliner', 'show', 'job', id]);
    assert.include(stdout, 'JobState=', report);
    const pairs = [...stdout.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value] as const);
    return Object.fromEntries(pairs);
  }

  /** Waits for something that a job does. */
  async until<T>(what: string, look: () => T | undefined | Promise<T | undefined>, seconds = 60): Promise<T> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (performance.now() > end) assert.fail(`${what} did not come within ${seconds} s\n${this.outputs()}`);
      await sleep(LOOK_EVERY_MILLISECONDS);
    }
  }

  /** A record below the folder of jobs, which must be as the schema says. */
  record(...path: readonly string[]): ResultRecord {
    const record = JSON.parse(readFileSync(join(this.folder, ...path), 'utf8')) as ResultRecord;
    assert.deepEqual(strictSchemaErrors(record), []);
    return record;
  }

  /** The same; undefined as long as there is none. */
  recordIfThere(...path: readonly string[]): ResultRecord | undefined {
    return existsSync(join(this.folder, ...path)) ? this.record(...path) : undefined;
  }

  /** Everything that jobs have printed. */
  outputs(): string {
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.out'));
    return names.map((name) => `${name}:\n${readFileSync(join(this.folder, name), 'utf8')}`).join('\n');
  }

  /** Waits until nothing of a job runs any more; numbers of processes that do so by then are returned. */
  async strays(id: string, seconds = 10): Promise<number[]> {
    const until = performance.now() + seconds * 1000;
    while (this.processes(id).length > 0 && performance.now() < until) await sleep(LOOK_EVERY_MILLISECONDS);
    return this.processes(id);
  }

  /** Processes of a job that run a program of dist/ as ranks; srun, which has its name too, is none. */
  ranks(id: string, name: string): number[] {
    const isRank = ([command = '', script = '']: readonly string[]): boolean =>
      command.endsWith('node') && script.endsWith(`/${name}.js`);
    return this.processes(id).filter((pid) => isRank(commandOf(pid)));
  }

  /** Processes of a job. */
  processes(id: string): number[] {
    const ours = new Set(withVariable('SLURM_CONF', join(this.state, 'slurm.conf')));
    return withVariable('SLURM_JOB_ID', id).filter((pid) => ours.has(pid));
  }
}

/** scripts/slurm-lab with other variables than this process has. */
export function labCommand(words: readonly string[], env: Env = {}): Done {
  const options = { encoding: 'utf8', timeout: UP_SECONDS * 1000, env: environment(env) } as const;
  const { status, stdout, stderr } = spawnSync(slurmScript, words, options);
  return { code: status, stdout, stderr, report: `slurm-lab ${words.join(' ')}: ${status}\n${stderr}\n${stdout}` };
}

/** Nodes share this machine's cores: nobody must be bound to them, or hold one while it waits. Open MPI asks whether root may. */
const FOR_JOBS = {
  ...{ FABRICBENCH_HOME: projectRoot, FABRICBENCH_CPU_BIND: 'none', FABRICBENCH_SIZES: '8:32' },
  ...{
    FABRICBENCH_ITERATIONS: '5',
    OMPI_MCA_mpi_yield_when_idle: '1',
    OMPI_ALLOW_RUN_AS_ROOT: '1',
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
  },
} as const;

/** Without what loading an addon has set in this process. */
function environment(env: Env): NodeJS.ProcessEnv {
  const set = Object.entries(hookSettings()).flatMap(([name, { setBy }]) => (setBy === 'fabricbench' ? [name] : []));
  const own = Object.entries(process.env).filter(([name]) => !set.includes(name));
  return { ...Object.fromEntries(own), ...FOR_JOBS, ...env };
}

/**
 * Call it inside `describe`: a Slurm of so many virtual nodes, or of hosts, is up while its tests run. Where that can't be
 * had the tests are skipped with the reason, which CI counts as failures.
 */
export function withSlurm(nodes: number | Hosts, ...options: readonly string[]): Slurm {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-slurm-'));
  const slurm = new Slurm(folder);
  before(function () {
    const where = typeof nodes === 'number' ? [String(nodes)] : ['--hosts', nodes.state];
    const { code, stderr } = slurm.lab('up', ...where, ...options);
    if (code === IMPOSSIBLE) skip(this, stderr.trim());
    assert.equal(code, 0, stderr);
    mkdirSync(slurm.folder);
  });
  after(() => {
    const { code, report } = slurm.lab('down');
    rmSync(folder, { recursive: true, force: true });
    assert.equal(code, 0, report);
  });
  return slurm;
}

function skip(context: Mocha.Context, reason: string): never {
  process.stdout.write(`      skipped: ${reason}\n`);
  return context.skip();
}

/** One of the batch scripts that are shipped. */
export const batchScript = (name: string): string => join(projectRoot, 'scripts', 'slurm', `${name}.sbatch`);

/** What Slurm says of the job that this process belongs to: in its environment, and when asked for the time that is left. */
import type { JobRecord } from '../results/types.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The nodes of a job, and how many ranks they are for. */
export interface Allocation {
  readonly id: string;
  readonly nodes: number;
  /** What `--ntasks` or `--ntasks-per-node` has asked for; undefined where neither was given. */
  readonly tasks: number | undefined;
  /** Processors of the node that has the fewest; undefined where that isn't told. */
  readonly cpusPerNode: number | undefined;
  /** Whether this process is of a step itself (`srun --pty bash`), whose processors another step has to share. */
  readonly inStep: boolean;
  /** Tasks of that step; 1 where there is none. */
  readonly stepTasks: number;
}

/** The allocation that this environment tells of; undefined outside of one. */
export function readAllocation(env: Env = process.env): Allocation | undefined {
  const id = env['SLURM_JOB_ID'];
  if (id === undefined || id === '') return undefined;
  return {
    id,
    nodes: whole(env['SLURM_JOB_NUM_NODES'] ?? env['SLURM_NNODES']) ?? 1,
    tasks: whole(env['SLURM_NTASKS']),
    cpusPerNode: fewest(env['SLURM_JOB_CPUS_PER_NODE']),
    inStep: env['SLURM_STEP_ID'] !== undefined,
    stepTasks: whole(env['SLURM_STEP_NUM_TASKS']) ?? 1,
  };
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

/** The lowest number of Slurm's short form: of `64(x3),32` it is 32. */
function fewest(text: string | undefined): number | undefined {
  const numbers = (text ?? '').split(',').map((part) => Number(/^(\d+)(?:\(x\d+\))?$/.exec(part)?.[1] ?? NaN));
  return numbers.some(Number.isNaN) ? undefined : Math.min(...numbers);
}

/** What a record keeps of the job; undefined outside of one. */
export function readJob(env: Env = process.env): JobRecord | undefined {
  const id = env['SLURM_JOB_ID'];
  if (id === undefined || id === '') return undefined;
  const array = env['SLURM_ARRAY_JOB_ID'];
  const task = env['SLURM_ARRAY_TASK_ID'];
  return {
    ...{ manager: 'slurm', id, name: env['SLURM_JOB_NAME'] ?? null },
    ...(array !== undefined && task !== undefined ? { array: { id: array, task } } : {}),
    ...{ nodes: env['SLURM_JOB_NODELIST'] ?? '', partition: env['SLURM_JOB_PARTITION'] ?? null },
    restarts: whole(env['SLURM_RESTART_COUNT']) ?? 0,
  };
}

/** Answers with what `squeue` prints; tests have their own. */
export type Ask = (id: string) => string;

const ASK_SECONDS = 10;

/**
 * Seconds until the job's time limit; undefined where it has none, or where that can't be found out. Newer Slurms tell the
 * end in the environment, the others when they are asked.
 *
 * @param now seconds since 1970
 */
export function secondsLeft(env: Env, now = Date.now() / 1000, ask: Ask = askSqueue): number | undefined {
  const allocation = readAllocation(env);
  if (allocation === undefined) return undefined;
  const end = whole(env['SLURM_JOB_END_TIME']);
  if (end !== undefined) return Math.max(end - now, 0);
  return secondsOf(ask(allocation.id));
}

function askSqueue(id: string): string {
  // Loaded here: with sockets and streams it takes a start 1 ms.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    const args = ['--noheader', '--job', id, '--format=%L'];
    return execFileSync('squeue', args, {
      encoding: 'utf8',
      timeout: ASK_SECONDS * 1000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return ''; // no squeue, or a controller that doesn't answer: then nobody knows
  }
}

const DAY = 86400;
const MINUTE = 60;

/** Seconds of Slurm's `[D-][[H:]M:]S`; undefined for `UNLIMITED`, `INVALID` and the like. */
export function secondsOf(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(\d+(?::\d+){0,2})$/.exec(text.trim());
  if (match === null) return undefined;
  const clock = (match[2] ?? '').split(':').reduce((sum, part) => sum * MINUTE + Number(part), 0);
  return Number(match[1] ?? 0) * DAY + clock;
}

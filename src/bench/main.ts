/** What every launcher in dist/ calls: options, binding, MPI, one run, its exit code. */
import { readFileSync } from 'node:fs';
import type { OsuOptions } from '../cli/options.js';
import { parseOsu } from '../cli/osu.js';
import { setAffinity } from '../engine/affinity.js';
import { LoadError } from '../engine/errors.js';
import type { Executor } from '../engine/types.js';
import { jsExecutor } from '../engine/js-executor.js';
import { nativeExecutor } from '../engine/native-executor.js';
import { startWatchdog, type Watchdog } from '../engine/watchdog.js';
import { readLauncher, type Launcher } from '../rendezvous/launcher.js';
import type { Rendezvous } from '../rendezvous/types.js';
import {
  checkWritable,
  FdSink,
  JsonReporter,
  OsuTextReporter,
  osuTable,
  recordTarget,
  SinkError,
  sleep,
} from '../report/index.js';
import type { Reporter, RunHead } from '../report/types.js';
import type { EnvironmentRecord, StatusRecord } from '../results/types.js';
import { bindingReport, bindingWarnings } from './binding.js';
import { gatherHead, mpiFacts } from './facts.js';
import { meet, startJob, type Job } from './job.js';
import { NOT_POSSIBLE_HERE, planRun, Refusal, WRONG_USE, type Plan } from './plan.js';
import type { Bench } from './row.js';
import { runBenchmark, type RunOutcome } from './run.js';
import { programs } from './suites/index.js';
import type { OsuRow } from './suites/osu.js';
import { wrongBytesLog } from './wrong-bytes-log.js';

/** What tests may add to a run. */
export interface LaunchHooks {
  readonly tamper?: NonNullable<Bench['tamper']>;
  /** Takes the executor's place. */
  readonly executor?: (executor: Executor) => Executor;
}

const EXIT = { done: 0, failed: 1 } as const;
/**
 * Seconds that ranks wait before they say why MPI can't start: normally all find the same, rank 0 says it, and the
 * launcher ends the others.
 */
const GRACE_OF_OTHERS = 2;
const stdout = new FdSink(1);
const stderr = new FdSink(2);

function say(text: string): void {
  try {
    stderr.write(text.endsWith('\n') ? text : `${text}\n`);
  } catch {
    return; // nobody is left to tell, which must not keep a run from its end
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs a program of a suite and ends the process with its exit code.
 *
 * @param name one of `programNames`
 * @param argv options, without interpreter and script
 */
export function launch(name: string, argv: readonly string[] = process.argv.slice(2), hooks: LaunchHooks = {}): void {
  const row = programs.get(name);
  if (!row) throw new Error(`there is no program named ${name}`);
  const launcher = readLauncher(process.env);
  const speaks = (launcher.rank ?? 0) === 0;
  const parsed = parseOsu(argv, row);
  if (parsed.kind !== 'run') {
    const [out, err, code] =
      parsed.kind === 'refuse' ? [parsed.help ?? '', parsed.stderr, parsed.exitCode] : [parsed.text, '', EXIT.done];
    if (speaks && err !== '') say(err);
    if (speaks && out !== '') answer(out);
    // Launchers end the job at the first rank that fails, maybe before rank 0 has spoken: the code is rank 0's to give.
    process.exit(speaks ? code : EXIT.done);
  }
  if (launcher.launcher === null) {
    const script = process.argv[1] ?? `dist/${name}.js`;
    say(`${name}: this program runs as ranks of an MPI job: start it with mpirun -np 2 node ${script}`);
    process.exit(EXIT.failed);
  }
  for (const note of speaks ? parsed.notes : []) say(note);
  process.exit(runAsRank(row, parsed.options, launcher, hooks));
}

/** Writes help or version. A reader that has gone wants no more of it; other failures are told. */
function answer(text: string): void {
  try {
    stdout.write(text);
  } catch (error) {
    if (error instanceof SinkError && error.code === 'EPIPE') return;
    say(sentence(error));
    process.exit(EXIT.failed);
  }
}

/** What has to be done before MPI starts. Returns why this rank can't go on, for all ranks to hear of; null = it can. */
function prepare({ json, bind }: OsuOptions, { rank, localRank }: Launcher): string | null {
  const unwritable = json !== undefined && rank === 0 ? checkWritable(json) : undefined;
  if (unwritable !== undefined) return unwritable;
  if (!bind) return null;
  const core = bind[localRank ?? 0];
  if (core === undefined) {
    const names = `${bind.length} core${bind.length === 1 ? '' : 's'}`;
    return `--bind names ${names}, and this host has a local rank ${localRank}: name one for each rank of a host`;
  }
  try {
    setAffinity([core]);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `--bind can't have its way on rank ${rank}: ${error.message}`;
  }
}

/** Refuses together what one rank can't do: whoever started the ranks, none of them waits for another that is gone. */
function refuseTogether(rendezvous: Rendezvous, problem: string | null): void {
  const first = rendezvous.allgather(problem).find((one) => one !== null);
  if (first !== undefined && first !== null) throw new Refusal(first, WRONG_USE);
}

function runAsRank(row: OsuRow, options: OsuOptions, launcher: Launcher, hooks: LaunchHooks): number {
  const started = new Date();
  const rank = launcher.rank ?? 0;
  const reporters: Reporter[] = [];
  let rendezvous: Rendezvous | undefined;
  const fail = (error: unknown): never => {
    say(`${row.name}: rank ${rank}: ${sentence(error)}`);
    endAll(reporters, { state: 'failed', message: sentence(error) });
    return rendezvous ? rendezvous.abort(EXIT.failed) : process.exit(EXIT.failed);
  };
  process.on('uncaughtException', fail);
  try {
    const problem = prepare(options, launcher);
    const watchdog = startWatchdog({ seconds: options.watchdog, rank });
    watchdog.context(`${row.name}, starting MPI`);
    rendezvous = meet(launcher);
    refuseTogether(rendezvous, problem);
    const job = startJob(rendezvous, launcher);
    const code = measure({ row, options, launcher, job, hooks, watchdog, started, reporters });
    watchdog.context(`${row.name}, ending MPI`);
    rendezvous.close();
    watchdog.stop();
    return code;
  } catch (error) {
    if (rendezvous && !(error instanceof Refusal)) return fail(error);
    if (!rendezvous && rank !== 0) sleep(GRACE_OF_OTHERS * 1000);
    if (!rendezvous || rank === 0) say(`${row.name}: ${sentence(error)}`);
    rendezvous?.close();
    if (error instanceof Refusal) return error.exitCode;
    return error instanceof LoadError ? NOT_POSSIBLE_HERE : EXIT.failed;
  }
}

/** Reporters end as well as they can: one that can't write must not keep another from it. */
function endAll(reporters: readonly Reporter[], status: StatusRecord): void {
  for (const reporter of reporters) {
    try {
      reporter.end(status);
    } catch (error) {
      if (sentence(error) !== status.message) say(sentence(error)); // what ended the run has been told
    }
  }
}

interface Measuring {
  readonly row: OsuRow;
  readonly options: OsuOptions;
  readonly launcher: Launcher;
  readonly job: Job;
  readonly hooks: LaunchHooks;
  readonly watchdog: Watchdog;
  readonly started: Date;
  /** Filled on rank 0. */
  readonly reporters: Reporter[];
}

function makeReporters({ row, options }: Measuring, plan: Plan): Reporter[] {
  const toStdout = options.json === '-';
  const table = new OsuTextReporter(osuTable(row, options, plan), toStdout ? stderr : stdout);
  if (options.json === undefined) return [table];
  return [table, new JsonReporter(recordTarget(options.json, stdout), { samples: options.samples })];
}

/** What a file holds, as rank 0 reads it: other ranks may not see it, and all must agree. Throws on all of them. */
function readTogether(rendezvous: Rendezvous, file: string): string {
  const read = (): { text?: string; problem?: string } => {
    try {
      return { text: readFileSync(file, 'utf8') };
    } catch (error) {
      return { problem: sentence(error) };
    }
  };
  const { text, problem } = rendezvous.broadcast(rendezvous.rank === 0 ? read() : {});
  if (text === undefined) throw new Error(problem);
  return text;
}

function measure(context: Measuring): number {
  const { row, options, launcher, job, hooks, watchdog, started, reporters } = context;
  const { rendezvous, transport } = job;
  const chosen = options.engine === 'js' ? jsExecutor : nativeExecutor;
  const executor = hooks.executor?.(chosen) ?? chosen;
  const plan = planRun(row, options, rendezvous.size, transport.datatypes, (file) => readTogether(rendezvous, file));
  const head = gatherHead({ name: row.name, options, engine: executor.name, launcher, job, started });
  if (head) {
    reporters.push(...makeReporters(context, plan));
    const warnings = [...plan.warnings, ...bindingWarnings(head.ranks), ...job.warnings];
    begin(reporters, head, warnings, options.reportBinding);
  }
  const outcome = runBenchmark({
    ...{ row, options, plan, reporters },
    bench: {
      ...{ rendezvous, transport, executor, now: () => performance.now() / 1000 },
      ...(hooks.tamper ? { tamper: hooks.tamper } : {}),
    },
    announce: (what) => {
      watchdog.context(what);
    },
    logWrong: wrongBytesLog(options.validation, rendezvous.rank),
  });
  if (head) conclude(reporters, { ...head.environment, ...mpiFacts(job) }, outcome);
  return outcome.wrongAtSize === undefined ? EXIT.done : EXIT.failed;
}

function begin(
  reporters: readonly Reporter[],
  head: RunHead,
  warnings: readonly string[],
  reportBinding: boolean,
): void {
  for (const line of reportBinding ? bindingReport(head.ranks) : []) say(line);
  for (const warning of warnings) warn(reporters, warning);
  for (const reporter of reporters) reporter.begin(head);
}

function warn(reporters: readonly Reporter[], warning: string): void {
  say(`warning: ${warning}`);
  for (const reporter of reporters) reporter.warning?.(warning);
}

function conclude(reporters: readonly Reporter[], environment: EnvironmentRecord, outcome: RunOutcome): void {
  const { wrongAtSize, leftOut } = outcome;
  if (leftOut > 0)
    warn(reporters, `the time limit left out ${leftOut} row${leftOut > 1 ? 's' : ''}: give more with --time-limit`);
  const status: StatusRecord =
    wrongAtSize === undefined
      ? { state: 'done' }
      : { state: 'failed', message: `data of size ${wrongAtSize} arrived wrong` };
  for (const reporter of reporters) {
    reporter.amend?.({ environment });
    reporter.end(status);
  }
}

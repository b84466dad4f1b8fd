/** What every launcher in dist/ calls: options, MPI's start, one program, MPI's end, the process's exit code. */
import { hostname } from 'node:os';
import type { OsuOptions } from '../cli/options.js';
import { parseOsu } from '../cli/osu.js';
import { startWatchdog } from '../engine/watchdog.js';
import { mpi } from '../mpi/mpi.js';
import { repairPersistentCollectives } from '../mpi/repairs.js';
import { endJob, endsJobs } from '../rendezvous/end-job.js';
import { readLauncher, type Launcher } from '../rendezvous/launcher.js';
import { mpiRendezvous, type MpiRendezvous } from '../rendezvous/mpi.js';
import { FdSink, sleep } from '../report/index.js';
import type { Reporter } from '../report/types.js';
import type { StatusRecord } from '../results/types.js';
import { asksDryRun, tellDryRun } from './dry-run.js';
import { startFailure, startJob } from './job.js';
import { say, sentence, type Streams } from '../report/say.js';
import { prepare } from './prepare.js';
import { answer, EXIT, runProgram, type LaunchHooks } from './program.js';
import { programs } from './suites/index.js';
import type { OsuRow } from './suites/osu.js';

/**
 * Seconds that ranks wait before they end, or say why MPI can't start: normally rank 0 finds the same and says it, and
 * launchers that end a job at its first failure must not end it before.
 */
const GRACE_OF_OTHERS = 2;
/** Seconds after which a rank takes it that rank 0, which should have seen the same, is waiting in MPI's start. */
const GRACE_OF_ONE = 5;
/** A launcher that hears of an abort may end the job before it has read what the rank said (seen with MPICH 4.0). */
const LAST_WORDS_MILLISECONDS = 100;
const streams: Streams = { stdout: new FdSink(1), stderr: new FdSink(2) };

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
  // Launchers end the job at the first rank that fails, maybe before rank 0 has spoken: the code is rank 0's to give.
  if (parsed.kind !== 'run') process.exit(speaks ? answer(parsed, streams) : EXIT.done);
  const { options } = parsed;
  if (asksDryRun(options)) process.exit(tellDryRun({ name, options, launcher, streams }));
  if (launcher.launcher === null) {
    const script = process.argv[1] ?? `dist/${name}.js`;
    say(streams.stderr, `${name}: this program runs as ranks of an MPI job: start it with mpirun -np 2 node ${script}`);
    process.exit(EXIT.failed);
  }
  for (const note of speaks ? parsed.notes : []) say(streams.stderr, note);
  process.exit(runAsRank(row, options, launcher, hooks));
}

function runAsRank(row: OsuRow, options: OsuOptions, launcher: Launcher, hooks: LaunchHooks): number {
  const started = new Date();
  const rank = launcher.rank ?? 0;
  const reporters: Reporter[] = [];
  let rendezvous: MpiRendezvous | undefined;
  const fail = (error: unknown): never => {
    say(streams.stderr, `${row.name}: rank ${rank}: ${sentence(error)}`);
    endAll(reporters, { state: 'failed', message: sentence(error) });
    if (!rendezvous) return process.exit(EXIT.failed);
    sleep(LAST_WORDS_MILLISECONDS);
    return rendezvous.abort(EXIT.failed);
  };
  process.on('uncaughtException', fail);
  try {
    const prepared = prepare(row.name, options, launcher);
    const watchdog = startWatchdog({ seconds: options.watchdog, rank });
    watchdog.context(`${row.name}, starting MPI`);
    // For these alone: non-blocking collectives would be measured with the same algorithms.
    if (row.family === 'persistent') repairPersistentCollectives(mpi());
    rendezvous = mpiRendezvous({ launcher, session: options.session, threadMultiple: row.threads === true });
    const job = startJob(rendezvous, launcher);
    const code = runProgram({ row, options, launcher, job, hooks, watchdog, started, streams, prepared, reporters });
    watchdog.context(`${row.name}, ending MPI`);
    rendezvous.close();
    watchdog.stop();
    return code;
  } catch (error) {
    return rendezvous ? fail(error) : giveUp(row, launcher, error);
  }
}

/** Says why MPI doesn't run, once for all who see the same. Returns the exit code. */
export function giveUp({ name }: Pick<OsuRow, 'name'>, launcher: Launcher, error: unknown): number {
  const { seenBy, exitCode } = startFailure(error);
  const rank = launcher.rank ?? 0;
  const speaker = seenBy === 'this rank' || (seenBy === 'its host' && (launcher.localRank ?? 0) === 0);
  // Whoever still runs then is the only one to see it.
  const alone = !speaker && endsJobs(launcher);
  if (rank !== 0) sleep((alone ? GRACE_OF_ONE : GRACE_OF_OTHERS) * 1000);
  const where = rank === 0 ? '' : `rank ${rank} on ${hostname()}: `;
  if (rank === 0 || speaker || alone) say(streams.stderr, `${name}: ${where}${sentence(error)}`);
  sleep(LAST_WORDS_MILLISECONDS);
  endJob(launcher, exitCode);
  return exitCode;
}

/** Reporters end as well as they can: one that can't write must not keep another from it. */
function endAll(reporters: readonly Reporter[], status: StatusRecord): void {
  for (const reporter of reporters) {
    try {
      reporter.end(status);
    } catch (error) {
      if (sentence(error) !== status.message) say(streams.stderr, sentence(error)); // what ended the run has been told
    }
  }
}

/** `fabricbench run`: plans a launch, prints or runs it, and puts together what several of them have left. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { done, type Answer, type Given } from '../cli/commands/command.js';
import { builtAddons } from '../engine/load.js';
import { checkWritable } from '../report/record-target.js';
import { say, type Streams } from '../report/say.js';
import type { ResultRecord } from '../results/types.js';
import { secondsLeft } from '../slurm/allocation.js';
import { findBenchmark, type Benchmark } from './benchmark.js';
import { agentOf } from './elsewhere.js';
import { findLauncher, componentsOf, pluginsOf, versionOf } from './find.js';
import { readHere } from './here.js';
import { repeat, reasonOf, type Launched, type Repeated } from './launches.js';
import { limitOf, refuseTooLate, usableOf } from './limit.js';
import { launchers } from './launchers.js';
import { readOptions, type RunOptions } from './options.js';
import { tell } from './output.js';
import { planJob, type Plan } from './plan.js';
import { markEnvironment } from './processes.js';
import { asFailed, readLaunchRecord, RecordList, writeRecord } from './records.js';
import { RunningJob, type Ended } from './running.js';
import { shellLine } from './shell.js';
import { attending, type Attend } from './signals.js';
import { summaryText } from './summary.js';
import type { LaunchCommand, LauncherName } from './types.js';

const LAST_WORDS_MILLISECONDS = 500;

/** What `run` answers; `streams` take what the ranks print meanwhile. */
export async function runBenchmark(given: Given, streams: Streams): Promise<Answer> {
  const options = readOptions(given);
  return launchBenchmark(options, findBenchmark(options.benchmark), streams);
}

export async function launchBenchmark(options: RunOptions, benchmark: Benchmark, streams: Streams): Promise<Answer> {
  const session = planned(options, benchmark);
  for (const note of session.plan.notes) say(streams.stderr, `note: ${note}`);
  if (options.dryRun) return done(`${shellLine(session.command(recordOf(options), {}))}\n`);
  const unwritable = options.json === undefined ? undefined : checkWritable(options.json);
  if (unwritable !== undefined) throw new Error(unwritable);
  return repeats(options) ? runMany(session, streams) : runOnce(session, streams);
}

interface Session {
  readonly options: RunOptions;
  readonly benchmark: Benchmark;
  readonly plan: Plan;
  /** Seconds until the job around it is ended; undefined where there is none, or no limit. */
  readonly left: () => number | undefined;
  /** Of a launch whose record goes to this file, with a mark on its ranks. */
  readonly command: (json: string | undefined, mark: Readonly<Record<string, string>>) => LaunchCommand;
}

function planned(options: RunOptions, benchmark: Benchmark): Session {
  const here = readHere();
  const path = process.env['PATH'] ?? '';
  const asked = process.env['FABRICBENCH_MPI'];
  const inJob = here.allocation !== undefined && options.hosts.length === 0;
  const surroundings = { path, built: builtAddons(), asked, version: versionOf, inJob, plugins: pluginsOf };
  const found = findLauncher(options.mpi, surroundings);
  let known: ReadonlySet<string> | undefined;
  const components = (): ReadonlySet<string> => (known ??= componentsOf(found, path));
  const plan = planJob({ options, benchmark, found, here, components, node: process.execPath });
  const left = (): number | undefined => secondsLeft(here.environment);
  if (here.allocation !== undefined && !options.dryRun) refuseTooLate(here.allocation, left());
  return { options, benchmark, plan, left, command: (json, mark) => commandOf(plan, found.launcher, json, mark) };
}

function commandOf(
  { job }: Plan,
  launcher: LauncherName,
  json: string | undefined,
  mark: Readonly<Record<string, string>>,
): LaunchCommand {
  const record = json === undefined ? [] : ['--json', json];
  const environment = { ...job.environment, ...mark };
  return launchers[launcher]({ ...job, environment, command: [...job.command, ...record] });
}

/** A launch about to run. */
function started({ options, command, left }: Session, json: string | undefined, streams: Streams): RunningJob {
  const { hosts, timeout } = options;
  const limit = limitOf(timeout, left());
  return new RunningJob(command(json, markEnvironment()), streams, { ...limit, hosts, agent: agentOf(process.env) });
}

const repeats = ({ launches, targetCi }: RunOptions): boolean => launches !== undefined || targetCi !== undefined;

/** Where a single launch writes its record by itself. */
const recordOf = (options: RunOptions): string | undefined => (repeats(options) ? undefined : options.json);

async function runOnce(session: Session, streams: Streams): Promise<Answer> {
  const { options, benchmark } = session;
  const { json } = options;
  const began = new Date().toISOString();
  const ended = await attending((attend) => attend(started(session, json, streams)));
  if (ended.code !== 0 && json !== undefined && json !== '-') conclude(json, began, ended, streams);
  return leave({ exitCode: ended.code, stdout: '', stderr: wordsOf(benchmark, ended) }, ended, streams);
}

/** Has the record say why it has no end, unless it is an older one. */
function conclude(json: string, began: string, ended: Ended, streams: Streams): void {
  const record = readLaunchRecord(json);
  if (record?.status.state !== 'running' || record.run.started < began) return;
  writeRecord(asFailed(record, reasonOf(ended)), json, streams.stdout);
}

/** What nobody else has said of its end. */
function wordsOf({ name }: Benchmark, { code, ending, cause, untold }: Ended): string {
  const why = ending && ending.reason !== cause ? ending.reason : untold;
  return why === undefined || code === 0 ? '' : `fabricbench: ${name}: ${why}\n`;
}

/** The ranks' own tables show how it goes, and are no result: that is the one over all launches. */
async function runMany(session: Session, streams: Streams): Promise<Answer> {
  const { options, benchmark } = session;
  const { json, launches, targetCi, timeLimit } = options;
  const list = json === undefined ? undefined : new RecordList(json, streams.stdout);
  const folder = mkdtempSync(join(folderOf(options), 'fabricbench-launches-'));
  const usable = usableOf(session.left());
  const rules = { launches, targetCi, timeLimit: least(timeLimit, usable) };
  const keep = (record: ResultRecord): void => list?.add(record);
  const now = (): number => performance.now() / 1000;
  try {
    const repeated = await attending((attend) =>
      repeat(rules, { launch: (index) => launchInto(session, streams, { folder, index, attend }), keep, now }),
    );
    list?.end();
    const { exitCode, last } = repeated;
    const table = repeated.rows.length === 0 ? '' : tableOf(benchmark, repeated);
    const [stdout, stderr] = json === '-' ? ['', table] : [table, ''];
    return await leave({ exitCode, stdout, stderr: stderr + wordsOf(benchmark, last) }, last, streams);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const least = (...values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

function tableOf({ name, megabyte }: Benchmark, { rows, count, remarks }: Repeated): string {
  return summaryText({ name, rows, megabyte, launches: count, remarks });
}

/** Rank 0 writes there: on another host it sees what both share, which a temporary folder is not. */
function folderOf({ hosts, json }: RunOptions): string {
  if (hosts.length === 0) return tmpdir();
  return json === undefined || json === '-' ? process.cwd() : dirname(json);
}

interface Place {
  readonly folder: string;
  readonly index: number;
  readonly attend: Attend;
}

async function launchInto(session: Session, streams: Streams, { folder, index, attend }: Place): Promise<Launched> {
  const { options } = session;
  const among = options.launches === undefined ? '' : ` of ${options.launches}`;
  await tell(streams.stderr, `\nlaunch ${index}${among}`);
  const file = join(folder, `launch-${index}.json`);
  const toStderr = { stdout: streams.stderr, stderr: streams.stderr };
  const ended = await attend(started(session, file, toStderr));
  const record = readLaunchRecord(file);
  rmSync(file, { force: true });
  return { ended, record };
}

/**
 * The answer, unless a reader holds up what the ranks have printed and takes nothing: Node would wait for that write for
 * ever, and only a signal ends it.
 */
async function leave(answer: Answer, { stuck }: Ended, { stderr }: Streams): Promise<Answer> {
  if (!stuck) return answer;
  await Promise.race([tell(stderr, answer.stderr.trimEnd()), passed(LAST_WORDS_MILLISECONDS)]);
  process.kill(process.pid, 'SIGKILL');
  return answer;
}

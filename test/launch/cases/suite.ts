/**
 * Runs programs of the suites on one MPI, one after the other, each as its launcher runs it between MPI's start and end:
 *
 *     suite.js '[{"name":"osu_bw","argv":["-m","1:64","-c"]},...]'
 *
 * Rank 0 prints a line for each when it has ended: a marker and a `SuiteResult` as JSON. A failure that would end a
 * program's job ends this one. What programs do to their process stays done, as --bind does.
 */
import { startJob, type Job } from '../../../src/bench/job.js';
import { answer, EXIT, prepare, runProgram, sentence, type Streams } from '../../../src/bench/program.js';
import { programs } from '../../../src/bench/suites/index.js';
import { parseOsu } from '../../../src/cli/osu.js';
import { startWatchdog } from '../../../src/engine/watchdog.js';
import { readLauncher } from '../../../src/rendezvous/launcher.js';
import { mpiRendezvous } from '../../../src/rendezvous/mpi.js';
import { FdSink, MemorySink } from '../../../src/report/index.js';
import { resultLine, type SuiteProgram, type SuiteResult } from '../suite-line.js';
import { hooksFor } from './tampering.js';

const launcher = readLauncher();

/** Runs one program on this rank, and returns its exit code. */
function run({ name, argv, tampering }: SuiteProgram, job: Job, streams: Streams): number {
  const row = programs.get(name);
  if (!row) throw new Error(`there is no program named ${name}`);
  const { rank } = job.rendezvous;
  const parsed = parseOsu(argv, row);
  if (parsed.kind !== 'run') return rank === 0 ? answer(parsed, streams) : EXIT.done;
  for (const note of rank === 0 ? parsed.notes : []) streams.stderr.write(`${note}\n`);
  const { options } = parsed;
  const watchdog = startWatchdog({ seconds: options.watchdog, rank });
  try {
    const hooks = tampering ? hooksFor(tampering) : {};
    const problem = prepare(options, launcher);
    const started = new Date();
    return runProgram({ row, options, launcher, job, hooks, watchdog, started, streams, problem, reporters: [] });
  } finally {
    watchdog.stop();
  }
}

/** Runs one program on all ranks, and tells rank 0 of it. */
function runTogether(program: SuiteProgram, job: Job): SuiteResult | undefined {
  const streams = { stdout: new MemorySink(), stderr: new MemorySink() };
  const code = run(program, job, streams);
  const all = job.rendezvous.gather({ code, stdout: streams.stdout.text, stderr: streams.stderr.text });
  if (job.rendezvous.rank !== 0) return undefined;
  const joined = (stream: 'stdout' | 'stderr'): string => all.map((one) => one[stream]).join('');
  const highest = Math.max(...all.map((one) => one.code));
  return { name: program.name, code: highest, stdout: joined('stdout'), stderr: joined('stderr') };
}

const list = JSON.parse(process.argv[2] ?? '[]') as SuiteProgram[];
const rendezvous = mpiRendezvous({ launcher });
const job = startJob(rendezvous, launcher);
const output = new FdSink(1);
for (const program of list) {
  try {
    const result = runTogether(program, job);
    if (result) output.write(resultLine(result));
  } catch (error) {
    new FdSink(2).write(`${program.name}: rank ${rendezvous.rank}: ${sentence(error)}\n`);
    rendezvous.abort(EXIT.failed);
  }
}
rendezvous.close();

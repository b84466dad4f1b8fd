/**
 * Runs many programs of a suite in one job, which starts MPI once:
 *
 *     suite.js FILE [multiple | session]
 *
 * FILE holds a JSON list of `Part`s; persistent collectives are to have a job of their own, as what is set for them before
 * MPI starts holds for the others too. Rank 0 prints a line for each as it ends: `MARK`, then a `Ran` as JSON.
 */
import { readFileSync, writeSync } from 'node:fs';
import { startJob, type Job } from '../../../src/bench/job.js';
import { answer, EXIT, runProgram } from '../../../src/bench/program.js';
import { prepare } from '../../../src/bench/prepare.js';
import { sentence } from '../../../src/report/say.js';
import { programs } from '../../../src/bench/suites/index.js';
import { parseOsu } from '../../../src/cli/osu.js';
import { startWatchdog, type Watchdog } from '../../../src/engine/watchdog.js';
import { readLauncher, type Launcher } from '../../../src/rendezvous/launcher.js';
import { mpi } from '../../../src/mpi/mpi.js';
import { repairPersistentCollectives } from '../../../src/mpi/repairs.js';
import { mpiRendezvous } from '../../../src/rendezvous/mpi.js';
import { MemorySink } from '../../../src/report/index.js';
import { MARK, type Part, type Ran } from './parts.js';
import { tamperingHooks } from './tampering.js';

/** Seconds without progress: far above what a part takes on a machine that is busy otherwise. */
const WATCHDOG = 45;

interface World {
  readonly launcher: Launcher;
  readonly job: Job;
  readonly watchdog: Watchdog;
}

interface Streams {
  readonly stdout: MemorySink;
  readonly stderr: MemorySink;
}

function runPart({ name, argv, tampering }: Part, { launcher, job, watchdog }: World, streams: Streams): number {
  const row = programs.get(name);
  if (!row) throw new Error(`there is no program named ${name}`);
  const parsed = parseOsu(argv, row);
  const first = job.rendezvous.rank === 0;
  if (parsed.kind !== 'run') return first ? answer(parsed, streams) : EXIT.done;
  const { options, notes } = parsed;
  if (first) for (const note of notes) streams.stderr.write(`${note}\n`);
  const prepared = prepare(name, options, launcher);
  const hooks = tampering ? tamperingHooks(tampering) : {};
  const world = { launcher, job, watchdog, started: new Date(), streams, prepared, hooks, reporters: [] };
  return runProgram({ row, options, ...world });
}

function runAll(parts: readonly Part[], world: World): void {
  const { rendezvous } = world.job;
  for (const part of parts) {
    world.watchdog.context(`${part.name} ${part.argv.join(' ')}`);
    const streams = { stdout: new MemorySink(), stderr: new MemorySink() };
    const code = runPart(part, world, streams);
    const ends = rendezvous.allgather({ code, stderr: streams.stderr.text });
    if (rendezvous.rank !== 0) continue;
    const stderr = ends.map((end) => end.stderr).join('');
    const ran: Ran = { name: part.name, argv: part.argv, code, stdout: streams.stdout.text, stderr };
    writeSync(1, `${MARK}${JSON.stringify(ran)}\n`);
  }
}

function main(file: string, how: string | undefined): void {
  const launcher = readLauncher(process.env);
  const watchdog = startWatchdog({ seconds: WATCHDOG, rank: launcher.rank ?? 0 });
  const parts = JSON.parse(readFileSync(file, 'utf8')) as readonly Part[];
  if (parts.some(({ name }) => programs.get(name)?.family === 'persistent')) repairPersistentCollectives(mpi());
  const rendezvous = mpiRendezvous({ launcher, session: how === 'session', threadMultiple: how === 'multiple' });
  try {
    runAll(parts, { launcher, job: startJob(rendezvous, launcher), watchdog });
  } catch (error) {
    writeSync(2, `rank ${rendezvous.rank}: ${error instanceof Error ? (error.stack ?? '') : sentence(error)}\n`);
    rendezvous.abort(EXIT.failed);
  }
  rendezvous.close();
  watchdog.stop();
}

const [file, how] = process.argv.slice(2);
if (file !== undefined) main(file, how);

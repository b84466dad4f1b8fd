/** A study as ranks of a job: MPI's start and end, the record, and one sentence for whatever goes wrong. */
import { recheckRanks } from '../bench/binding-after.js';
import { bindingReport, bindingWarnings } from '../bench/binding.js';
import { carriers, nicsInUse } from '../bench/carriers.js';
import { gatherHead, gatherPlaces, mpiFacts, type OwnPlace } from '../bench/facts.js';
import { startJob, type Job } from '../bench/job.js';
import { giveUp } from '../bench/main.js';
import { Refusal, WRONG_USE } from '../bench/plan.js';
import { ownMake } from '../bench/make.js';
import { meetAlike, prepare, type Prepared } from '../bench/prepare.js';
import { EXIT, Impossible, WrongUse } from '../cli/commands/command.js';
import { nativeExecutor } from '../engine/native-executor.js';
import { startWatchdog, type Watchdog } from '../engine/watchdog.js';
import type { Launcher } from '../rendezvous/launcher.js';
import { mpiRendezvous, type MpiRendezvous } from '../rendezvous/mpi.js';
import { say, sentence, type Streams } from '../report/say.js';
import { sleep } from '../report/sink.js';
import type { RunHead } from '../report/types.js';
import type { CommonOptions } from './options.js';
import type { StudyProgram } from './program.js';
import { onRanks } from './ranks.js';
import { StudyRecorder } from './recorder.js';

/** A launcher that hears of an abort may end the job before it has read what the rank said. */
const LAST_WORDS_MILLISECONDS = 100;
/** Times the watchdog's limit: so long may others be at work while a rank waits. */
const PATIENCE = 10;

export interface StudyRequest<Options> {
  readonly program: StudyProgram<Options>;
  readonly options: Options;
  readonly common: CommonOptions;
  readonly launcher: Launcher;
  readonly streams: Streams;
}

/** Runs a study on this rank; every rank calls it. Returns the exit code, which is rank 0's to give. */
export function runStudy<Options>(request: StudyRequest<Options>): number {
  const { program, common, launcher, streams } = request;
  const rank = launcher.rank ?? 0;
  const recorder = new StudyRecorder(common.json, streams.stdout);
  let rendezvous: MpiRendezvous | undefined;
  const fail = (error: unknown): never => {
    say(streams.stderr, `fabricbench: ${program.name}: rank ${rank}: ${sentence(error)}`);
    endQuietly(recorder, sentence(error));
    sleep(LAST_WORDS_MILLISECONDS);
    return rendezvous ? rendezvous.abort(EXIT.failed) : process.exit(EXIT.failed);
  };
  process.on('uncaughtException', fail);
  try {
    const { overlap, bind, membind, json } = common;
    const files = { graphs: [], datatypes: [], papi: undefined, csvFile: undefined, markdown: undefined, json };
    const prepared = prepare(program.name, { ...files, overlap, bind, membind }, launcher);
    const watchdog = startWatchdog({ seconds: common.watchdog, rank });
    watchdog.context(`fabricbench ${program.name}, starting MPI`);
    rendezvous = mpiRendezvous({ launcher });
    const code = new StudyJob(request, { rendezvous, watchdog, prepared, recorder }).run();
    watchdog.context(`fabricbench ${program.name}, ending MPI`);
    rendezvous.close();
    watchdog.stop();
    return code;
  } catch (error) {
    if (rendezvous) return fail(error);
    const given = giveUp({ name: 'fabricbench' }, launcher, error);
    return given === WRONG_USE ? EXIT.wrongUse : given;
  } finally {
    process.off('uncaughtException', fail);
  }
}

/** A record that can't be written must not hide why it ends. */
function endQuietly(recorder: StudyRecorder, message: string): void {
  try {
    recorder.end({ state: 'failed', message });
  } catch {
    return;
  }
}

interface Started {
  readonly rendezvous: MpiRendezvous;
  readonly watchdog: Watchdog;
  readonly prepared: Prepared;
  readonly recorder: StudyRecorder;
}

/** MPI runs. */
class StudyJob<Options> {
  readonly #request: StudyRequest<Options>;
  readonly #started: Started;
  readonly #job: Job;
  readonly #begun = new Date();
  /** Between what ranks run, where that may be meant. */
  #differences: readonly string[] = [];

  constructor(request: StudyRequest<Options>, started: Started) {
    this.#request = request;
    this.#started = started;
    this.#job = startJob(started.rendezvous, request.launcher);
  }

  /** Throws what goes wrong while ranks measure; whatever is known on all of them, or between two steps, ends in order. */
  run(): number {
    const { rendezvous, prepared } = this.#started;
    try {
      const make = ownMake(this.#job.selected());
      this.#differences = meetAlike(rendezvous, { make, problem: prepared.problem });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return this.#refuse(error.message, error.exitCode === WRONG_USE ? EXIT.wrongUse : error.exitCode);
    }
    const { program, options } = this.#request;
    const head = gatherHead({
      ...{ name: program.name, options, engine: 'native', layer: program.layer?.(options) ?? 'mpi' },
      ...{ ...this.#place(), stacks: mpiFacts(this.#job), started: this.#begun },
    });
    return this.#measure(head);
  }

  #measure(head: RunHead | null): number {
    const { rendezvous, watchdog } = this.#started;
    const { transport } = this.#job;
    const { watchdog: seconds } = this.#request.common;
    const patience = seconds === 0 ? Infinity : PATIENCE * seconds;
    const world = { rendezvous, transport, watchdog, patience, executor: nativeExecutor };
    let refusal: { code: number; message: string } | undefined;
    const code = onRanks(world, (field) => {
      try {
        if (head) this.#begin(head);
        return this.#lead(field);
      } catch (error) {
        const refused = codeOf(error);
        if (refused === undefined) throw error;
        refusal = { code: refused, message: sentence(error) };
        return refused;
      }
    });
    this.#conclude(head, refusal?.message);
    return refusal ? this.#refuse(refusal.message, refusal.code) : (code ?? EXIT.done);
  }

  #lead(field: Parameters<Parameters<typeof onRanks<number>>[1]>[0]): number {
    const { program, options, common, streams } = this.#request;
    const { recorder } = this.#started;
    const table = common.json === '-' ? streams.stderr : streams.stdout;
    return program.lead({
      ...{ options, field, table, record: recorder },
      warn: (text) => {
        this.#warn(text);
      },
    });
  }

  #warn(text: string): void {
    say(this.#request.streams.stderr, `warning: ${text}`);
    this.#started.recorder.warning(text);
  }

  #refuse(message: string, code: number): number {
    if (this.#started.rendezvous.rank === 0) say(this.#request.streams.stderr, `fabricbench: ${message}`);
    return code;
  }

  #begin(head: RunHead): void {
    const { common, streams } = this.#request;
    for (const line of common.reportBinding ? bindingReport(head.ranks) : []) say(streams.stderr, line);
    this.#started.recorder.begin(head);
    const warnings = [...bindingWarnings(head.ranks), ...this.#job.warnings, ...this.#differences];
    for (const warning of warnings) this.#warn(warning);
  }

  /** Every rank calls it together. */
  #conclude(head: RunHead | null, failure: string | undefined): void {
    const places = gatherPlaces(this.#place());
    if (!head || !places) return;
    const { ranks, warnings } = recheckRanks(head.ranks, places);
    for (const warning of warnings) this.#warn(warning);
    const { recorder } = this.#started;
    recorder.amend({ environment: { ...head.environment, ...carriers(this.#job, {}) }, ranks });
    recorder.end(failure === undefined ? { state: 'done' } : { state: 'failed', message: failure });
  }

  #place(): OwnPlace {
    const { rendezvous, prepared } = this.#started;
    return { launcher: this.#request.launcher, rendezvous, bound: prepared.bound, nics: nicsInUse(this.#job, {}) };
  }
}

function codeOf(error: unknown): number | undefined {
  if (error instanceof WrongUse) return EXIT.wrongUse;
  return error instanceof Impossible ? EXIT.impossible : undefined;
}

/** One program of a suite, on all ranks of an MPI that runs: checks, one run, its reports, its exit code. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { layerName } from '../cli/layer.js';
import type { OsuOptions, ParsedOsu } from '../cli/options.js';
import { takesStdout } from '../cli/outputs.js';
import { jsExecutor } from '../engine/js-executor.js';
import { nativeExecutor } from '../engine/native-executor.js';
import type { Executor } from '../engine/types.js';
import type { Watchdog } from '../engine/watchdog.js';
import { mpi } from '../mpi/mpi.js';
import { mpi4Refusal } from '../mpi/mpi4.js';
import { noiseReport, noiseWarnings } from '../noise/report.js';
import type { Counters } from '../papi/index.js';
import type { Launcher } from '../rendezvous/launcher.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { CountersReporter, OsuTextReporter, osuTable, outputReporters } from '../report/index.js';
import { say, sentence, tell, type Streams } from '../report/say.js';
import { plotReporter } from '../report/plot/load.js';
import type { OsuTablePlan } from '../report/osu-tables.js';
import type { Reporter, RunHead, Sink } from '../report/types.js';
import type { StatusRecord } from '../results/types.js';
import { layerTransport } from '../transport/layers.js';
import { LayerRefusal } from '../transport/messages.js';
import { bindingReport, bindingWarnings } from './binding.js';
import { recheckRanks } from './binding-after.js';
import { carriers, nicsInUse, type Carrier } from './carriers.js';
import { gatherHead, gatherPlaces, mpiFacts, type OwnPlace } from './facts.js';
import type { Job } from './job.js';
import { commonClock } from './common-clock.js';
import { startChildren } from './children.js';
import { firstRanks, inTopology, type Ground } from './grounds.js';
import { openTogether } from './counters.js';
import { partnerOf } from './families/pairs.js';
import { ownMake, type Make } from './make.js';
import { refuseCrash } from './defects.js';
import { nodesOf } from './nodes.js';
import { NOT_POSSIBLE_HERE, planRun, Refusal, WRONG_USE, type Plan } from './plan.js';
import { meetAlike, type Prepared } from './prepare.js';
import type { Bench } from './row.js';
import { runBenchmark, type RunOutcome } from './run.js';
import { areCrowded, SlowRanks, togetherIn } from './slow-ranks.js';
import { reportStartUp } from './start-up.js';
import type { MeasuringRow, OsuRow, StartUpRow } from './suites/osu.js';
import { wrongBytesLog } from './wrong-bytes-log.js';

export const EXIT = { done: 0, failed: 1 } as const;

/** What tests may add to a run. */
export interface LaunchHooks {
  readonly tamper?: NonNullable<Bench['tamper']>;
  /** What this rank says that it runs. */
  readonly make?: (own: Make) => Make;
  /** Ranks are compared even where they share hardware threads. */
  readonly comparesCrowded?: boolean;
  /** Takes the executor's place. */
  readonly executor?: (executor: Executor) => Executor;
}

/** The same on every rank, but for what it says of a rank itself. */
export interface ProgramRequest {
  readonly row: OsuRow;
  readonly options: OsuOptions;
  readonly launcher: Launcher;
  readonly job: Job;
  readonly hooks: LaunchHooks;
  readonly watchdog: Watchdog;
  readonly started: Date;
  readonly streams: Streams;
  readonly prepared: Prepared;
  /** Filled on rank 0, so that whoever catches a failure can end them. */
  readonly reporters: Reporter[];
}

/**
 * Says what options ask for that start no run: help, version, what is wrong with them. A reader that has gone wants no
 * more of it; other failures to write are told. Returns the exit code.
 */
export function answer(parsed: Exclude<ParsedOsu, { kind: 'run' }>, streams: Streams): number {
  const refused = parsed.kind === 'refuse';
  const text = refused ? parsed.help : parsed.text;
  if (refused) say(streams.stderr, parsed.stderr);
  if (text !== undefined && !tell(streams, text)) return EXIT.failed;
  return refused ? parsed.exitCode : EXIT.done;
}

/**
 * Runs a program; every rank calls it together. What can't be run is refused in one sentence, on rank 0.
 *
 * @returns the exit code, the same on every rank
 * @throws what fails while it runs
 */
export function runProgram(request: ProgramRequest): number {
  const { row, job, prepared, streams, hooks } = request;
  try {
    const own = ownMake(job.selected());
    const differences = meetAlike(job.rendezvous, { make: hooks.make?.(own) ?? own, problem: prepared.problem });
    const warned = { ...request, job: { ...job, warnings: [...job.warnings, ...differences] } };
    return 'startUp' in row ? tellStart(warned, row) : measure(warned, row);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (job.rendezvous.rank === 0) say(streams.stderr, `${row.name}: ${error.message}`);
    return error.exitCode;
  }
}

function tableSink({ options, streams }: ProgramRequest): Sink {
  return takesStdout(options) ? streams.stderr : streams.stdout;
}

function makeReporters(request: ProgramRequest, row: MeasuringRow, plan: OsuTablePlan): Reporter[] {
  const { options, streams } = request;
  const { graphs, papi, datatypes } = options;
  const sink = tableSink(request);
  const table = osuTable(row, options, plan);
  return [
    new OsuTextReporter(table, sink),
    ...(papi ? [new CountersReporter({ file: papi.file, sink })] : []),
    ...(graphs.length > 0 ? [plotReporter({ graphs, name: row.name, datatypes, table, sink })] : []),
    ...outputReporters(options, streams.stdout),
  ];
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

/** What a run measures on: all ranks, or in turn the first so many of them. */
interface Stage {
  readonly ranks: number;
  readonly plan: Plan;
  /** Every rank calls it together; null on ranks that take no part. */
  enter(): Ground | null;
}

/** Checks everything that can be checked before it starts; the same on every rank. */
function stagesOf({ row, options, job }: ProgramRequest, whole: Ground, readText: (file: string) => string): Stage[] {
  const { rendezvous, transport, comm } = job;
  const nodes = row.ranks === 'nodes' ? nodesOf(rendezvous.allgather(hostname()), options.nodesBy) : [];
  const plan = (ranks: number): Plan =>
    planRun(row, options, { ranks, nodes, datatypes: transport.datatypes, largest: whole.transport.largest, readText });
  const { size } = rendezvous;
  if (options.commSizes === undefined) return [{ ranks: size, plan: plan(size), enter: () => whole }];
  return options.commSizes.map((ranks) => {
    if (ranks > size)
      throw new Refusal(`--comm-size ${ranks} needs as many ranks, and this run has ${size}`, WRONG_USE);
    if (row.ranks === 'many' && ranks < 2)
      throw new Refusal(
        `--comm-size ${ranks} is too few, as this program needs at least two ranks: give 2 or more`,
        WRONG_USE,
      );
    return { ranks, plan: plan(ranks), enter: () => firstRanks(comm, ranks) };
  });
}

function wholeGround({ row, options, job }: ProgramRequest, readText: (file: string) => string): Ground {
  if (row.accepts.includes('nhbr')) return inTopology(options.neighbours, job.comm, readText);
  const { rendezvous, comm } = job;
  const { layer } = options;
  if (layer.kind === 'mpi') return { rendezvous, comm, transport: job.transport, close: () => undefined };
  const transport = refusing(layer, () => layerTransport(layer, rendezvous, job.transport));
  return {
    ...{ rendezvous, comm, transport },
    reach: (peer) => {
      refusing(layer, () => {
        transport.reach(peer);
      });
    },
    environment: () => transport.environment(),
    close: () => {
      transport.close();
    },
  };
}

/** Names the layer in what it refuses. */
function refusing<T>(layer: OsuOptions['layer'], action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof LayerRefusal)
      throw new Refusal(`--layer ${layerName(layer)}: ${error.message}`, NOT_POSSIBLE_HERE);
    throw error;
  }
}

function measure(request: ProgramRequest, row: MeasuringRow): number {
  const { options, job, hooks, reporters } = request;
  const { rendezvous } = job;
  refuseOldMpi(row);
  const readText = (file: string): string => readTogether(rendezvous, file);
  const whole = wholeGround(request, readText);
  const stages = stagesOf(request, whole, readText);
  refuseCrash(row, options, job);
  whole.reach?.(partnerOf(rendezvous.rank, stages[0]?.plan.pairs ?? 0));
  const chosen = options.engine === 'js' ? jsExecutor : nativeExecutor;
  const executor = hooks.executor?.(chosen) ?? chosen;
  const counters = options.papi && openTogether(rendezvous, options.papi.events);
  const head = headOf(request, executor.name, whole);
  const [first] = stages;
  if (head && first) {
    reporters.push(...makeReporters(request, row, { ...first.plan, preamble: whole.preamble ?? [] }));
    const warnings = [...new Set(stages.flatMap(({ plan }) => plan.warnings))];
    const workersOf = (rank: number): number => (row.threads ? workersHere(options, rank) : 1);
    begin(request, head, [...warnings, ...bindingWarnings(head.ranks, workersOf), ...job.warnings]);
  }
  const children = row.children ? startChildren(workersHere(options, rendezvous.rank)) : undefined;
  try {
    const slow = head && first ? slowRanksOf(request, row, first.plan, head) : undefined;
    const outcome = runStages({ request, row, executor, counters, slow }, stages);
    for (const sentence of slow?.sentences() ?? []) warn(request, sentence);
    conclude(request, head, { outcome, ground: whole });
    whole.close();
    return outcome.wrongAtSize === undefined ? EXIT.done : EXIT.failed;
  } finally {
    children?.stop();
    counters?.close();
  }
}

/** Undefined where ranks can't be compared. */
function slowRanksOf(
  { options, hooks }: ProgramRequest,
  row: MeasuringRow,
  { pairs }: Plan,
  head: RunHead,
): SlowRanks | undefined {
  const together = togetherIn(row, pairs, options.root);
  if (!together || options.commSizes !== undefined) return undefined;
  if (areCrowded(head) && !hooks.comparesCrowded) return undefined;
  return new SlowRanks(
    together,
    head.ranks.map(({ host }) => host),
  );
}

function placeOf({ launcher, job, prepared }: ProgramRequest, ground: Carrier) {
  const { rendezvous } = job;
  return { launcher, rendezvous, bound: prepared.bound, nics: nicsInUse(job, ground) } satisfies OwnPlace;
}

/** Every rank calls it together; rank 0 gets the head. */
function headOf(request: ProgramRequest, engine: string, ground: Carrier): RunHead | null {
  const { row, options, job, started } = request;
  const { layer } = ground.transport ?? job.transport;
  const place = placeOf(request, ground);
  const { noise } = options;
  return gatherHead({ name: row.name, options, engine, layer, ...place, stacks: mpiFacts(job), started, noise });
}

function tellStart(request: ProgramRequest, { title, startUp }: StartUpRow): number {
  const { options, job, reporters, streams } = request;
  const { rendezvous } = job;
  const head = headOf(request, 'native', {});
  if (head) {
    reporters.push(...outputReporters({ ...options, samples: false }, streams.stdout));
    begin(request, head, job.warnings);
  }
  reportStartUp({ startUp, title, rendezvous, reporters, text: tableSink(request) });
  conclude(request, head, { outcome: NOTHING_RUN, ground: {} });
  return EXIT.done;
}

/** What needs MPI-4 is refused before anything is printed. */
function refuseOldMpi({ needs, title }: MeasuringRow): void {
  const refusal = needs?.includes('MPI-4') ? mpi4Refusal(mpi(), `the ${title.replace(/^OSU /, '')}`) : null;
  if (refusal !== null) throw new Refusal(refusal, NOT_POSSIBLE_HERE);
}

function workersHere({ workers }: OsuOptions, rank: number): number {
  return rank === 0 ? workers.send : workers.receive;
}

const NOTHING_RUN: RunOutcome = { leftOut: 0, unsure: 0 };

/** What stages have in common. */
interface Running {
  readonly request: ProgramRequest;
  readonly row: MeasuringRow;
  readonly executor: Executor;
  readonly counters: Counters | undefined;
  /** On rank 0. */
  readonly slow: SlowRanks | undefined;
}

function runStages(running: Running, stages: readonly Stage[]): RunOutcome {
  let [leftOut, unsure] = [0, 0];
  for (const stage of stages) {
    const outcome = runStage(running, stage);
    leftOut += outcome.leftOut;
    unsure += outcome.unsure;
    if (outcome.wrongAtSize !== undefined) return { ...outcome, leftOut, unsure };
  }
  return { leftOut, unsure };
}

/** Runs the stage on the ranks that take part; the others wait for its outcome, for as long as that takes. */
function runStage(running: Running, stage: Stage): RunOutcome {
  const { options, job, watchdog } = running.request;
  const ground = stage.enter();
  const outcome = ground && runOn(running, stage, ground);
  if (options.commSizes === undefined) return outcome ?? NOTHING_RUN;
  if (!ground) watchdog.disarm();
  const agreed = job.rendezvous.broadcast(outcome ?? NOTHING_RUN);
  if (!ground) watchdog.arm();
  ground?.close();
  return agreed;
}

function runOn(
  { request, row, executor, counters, slow }: Running,
  { ranks, plan }: Stage,
  ground: Ground,
): RunOutcome {
  const { options, job, hooks, watchdog, reporters } = request;
  const { rendezvous, transport, neighbours } = ground;
  const { nodes } = plan;
  return runBenchmark({
    ...{ row, options, plan, reporters },
    ...(options.commSizes ? { ranks } : {}),
    bench: {
      ...{ rendezvous, transport, executor, nodes, now: () => performance.now() / 1000 },
      ...(neighbours ? { neighbours } : {}),
      ...(counters ? { counters } : {}),
      ...(options.perRepetition ? commonClock(rendezvous.allgather(hostname()), ground.comm, rendezvous) : {}),
      ...(hooks.tamper ? { tamper: hooks.tamper } : {}),
    },
    announce: (what) => {
      watchdog.context(what);
    },
    ...(slow
      ? {
          ranksTook: (times) => {
            slow.add(times);
          },
        }
      : {}),
    logWrong: wrongBytesLog(options.validation, job.rendezvous.rank),
  });
}

function begin(request: ProgramRequest, head: RunHead, warnings: readonly string[]): void {
  const { options, streams } = request;
  for (const line of options.reportBinding ? bindingReport(head.ranks) : []) say(streams.stderr, line);
  for (const line of noiseReport(head.ranks)) say(streams.stderr, line);
  for (const warning of [...warnings, ...noiseWarnings(head.ranks)]) warn(request, warning);
  for (const reporter of request.reporters) reporter.begin(head);
}

function warn({ reporters, streams }: ProgramRequest, warning: string): void {
  say(streams.stderr, `warning: ${warning}`);
  for (const reporter of reporters) reporter.warning?.(warning);
}

/** What a run came to, and what it went over. */
interface Conclusion {
  readonly outcome: RunOutcome;
  readonly ground: Carrier;
}

/** Every rank calls it together; `head` is rank 0's. */
function conclude(request: ProgramRequest, head: RunHead | null, { outcome, ground }: Conclusion): void {
  const places = gatherPlaces(placeOf(request, ground));
  if (!head || !places) return;
  const { ranks, warnings } = recheckRanks(head.ranks, places);
  for (const warning of warnings) warn(request, warning);
  const environment = { ...head.environment, ...carriers(request.job, ground) };
  const { wrongAtSize, leftOut, unsure } = outcome;
  if (leftOut > 0)
    warn(request, `the time limit left out ${leftOut} row${leftOut > 1 ? 's' : ''}: give more with --time-limit`);
  if (unsure > 0)
    warn(
      request,
      `${unsure === 1 ? 'a row is' : `${unsure} rows are`} less sure than --target-ci asks: give more iterations with -i, or more time`,
    );
  const status: StatusRecord =
    wrongAtSize === undefined
      ? { state: 'done' }
      : { state: 'failed', message: `data of size ${wrongAtSize} arrived wrong` };
  for (const reporter of request.reporters) {
    reporter.amend?.({ environment, ranks });
    reporter.end(status);
  }
}

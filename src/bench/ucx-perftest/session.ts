/** What two sides do together once they have met: run tests one after the other, tell what came of them. */
import { findTestProblem } from '../../cli/ucx-perftest-checks.js';
import type { UcxPerftestRun, UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import { releaseOperations } from '../../engine/operations.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import type { UcxFigures } from '../../report/ucx-perftest-types.js';
import { agree, attempt, Refusal } from '../meeting/refusal.js';
import { ucxTest, type UcxTest } from '../suites/ucx-perftest.js';
import { measure, type Measurement } from './measure.js';
import type { Party } from './party.js';
import { SETUP_FAILED, TestRefusal, type Card, type OpenedTest, type TestRequest } from './side.js';
import { UcpTest } from './ucp-side.js';
import { UctTest } from './uct-side.js';

/** Of what the two sides say to each other. Raised whenever that changes. */
export const PROTOCOL = 3;
/** Exit code where data arrived wrong. */
const DATA_WRONG = 1;

/** What a client asks for. */
type Request =
  { readonly kind: 'test'; readonly options: UcxTestOptions; readonly extraInfo: boolean } | { readonly kind: 'end' };

/** What came of a test, on the client. */
export interface Outcome {
  readonly measurement: Measurement;
  /** Of each client's whole run, by pair. */
  readonly clients: readonly ClientFigures[];
  readonly transports: readonly string[];
  readonly info: string | null;
  /** Of both sides; null without `-V`. */
  readonly wrongBytes: number | null;
}

export interface ClientFigures {
  readonly seconds: number;
  readonly iterations: number;
  readonly threads: number;
  readonly latency: number;
  readonly bandwidth: number;
  readonly rate: number;
}

/** Takes what is to be shown. */
export interface Watcher {
  /** A test begins, on this side. */
  begin?(test: UcxTest, options: UcxTestOptions): void;
  progress?(figures: UcxFigures): void;
  samples?(thread: number, seconds: Float64Array): void;
  /** Over which transports and devices messages go, on this side. */
  carried?(transports: readonly string[]): void;
}

function open(party: Party, request: TestRequest): OpenedTest {
  const { value: opened, refusal } = attempt(
    () =>
      request.test.api === 'uct'
        ? new UctTest(request as ConstructorParameters<typeof UctTest>[0])
        : new UcpTest(request),
    () => SETUP_FAILED,
  );
  try {
    agree(party.world, refusal);
  } catch (error) {
    opened?.close();
    throw error;
  }
  if (!opened) throw new Error('a test was opened without result');
  return opened;
}

function connect(party: Party, opened: OpenedTest): void {
  const { pair, world } = party;
  const cards = pair.allgather<Card>(opened.card);
  const card = cards[pair.size - 1 - pair.rank] ?? opened.card;
  const { refusal } = attempt(
    () => {
      opened.connect(card);
    },
    () => SETUP_FAILED,
  );
  try {
    agree(world, refusal);
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** What the clients say of their measurements, in the order of pairs. */
function tellClients(world: Rendezvous, measurement: Measurement | null, threads: number): ClientFigures[] {
  const own = measurement && {
    seconds: measurement.seconds,
    iterations: measurement.iterations,
    threads,
    latency: measurement.figures.latency.overall,
    bandwidth: measurement.figures.bandwidth.overall,
    rate: measurement.figures.rate.overall,
  };
  return world.allgather<ClientFigures | null>(own).filter((one) => one !== null);
}

/** Runs one test; all processes call it together. The outcome is null on servers. */
function runTest(
  party: Party,
  { options, extraInfo }: Extract<Request, { kind: 'test' }>,
  watcher: Watcher,
): { readonly outcome: Outcome | null; readonly wrongBytes: number | null } {
  const test = ucxTest(options.test);
  if (!test) throw new TestRefusal(`there is no test named ${options.test}`);
  const { role, pair, world } = party;
  const problem = findTestProblem(options, test);
  if (problem !== undefined) throw new TestRefusal(problem);
  watcher.begin?.(test, options);
  const opened = open(party, { test, options, role, extraInfo, rendezvous: pair, tamper: party.tamper });
  connect(party, opened);
  const side = opened.build();
  if (!pair.progressBarrier) throw new Error(`the rendezvous ${pair.kind} has no barrier with progress`);
  const barrier = pair.progressBarrier(side.progress);
  const measurement = measure({ test, options, role, pair, world, side, barrier, ...watcher });
  watcher.carried?.(opened.transports());
  const executed = pair.broadcast(measurement ? measurement.warmup + measurement.iterations : 0);
  const wrong = world.allgather(options.validate ? opened.wrongBytes(executed) : 0);
  const wrongBytes = options.validate ? wrong.reduce((sum, bytes) => sum + bytes, 0) : null;
  const clients = tellClients(world, measurement, options.threads);
  const outcome = measurement && {
    measurement,
    clients,
    transports: opened.transports(),
    info: extraInfo ? opened.info() : null,
    wrongBytes,
  };
  releaseOperations([...side.operations, barrier]);
  opened.close();
  return { outcome, wrongBytes };
}

/** What `-V` has found, in a sentence. */
export function wrongData(bytes: number): string {
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'} arrived wrong`;
}

/** A client's part of a test. */
export function askFor(party: Party, run: UcxPerftestRun, extraInfo: boolean, watcher: Watcher): Outcome | null {
  return runTest(party, tell(party, { kind: 'test', options: run.options, extraInfo }), watcher).outcome;
}

/** A client tells its server that nothing more will come. */
export function askForNoMore({ pair }: Party): void {
  pair.broadcast<Request>({ kind: 'end' });
}

function tell<T extends Request>({ pair }: Party, request: T): T {
  return pair.broadcast(request);
}

/**
 * A server's part: runs what its client asks for, until that has no more. What can't be done or went wrong goes to
 * `refused`, and the next one comes.
 *
 * @returns the exit code of the first that failed, or 0
 */
export function serveAll(party: Party, watcher: Watcher, refused: (refusal: Refusal) => void): number {
  let exitCode = 0;
  for (;;) {
    const request = party.pair.broadcast<Request>({ kind: 'end' });
    if (request.kind === 'end') return exitCode;
    try {
      const { wrongBytes } = runTest(party, request, watcher);
      if (wrongBytes) throw new TestRefusal(wrongData(wrongBytes), DATA_WRONG);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused(error);
      exitCode ||= error.exitCode;
    }
  }
}

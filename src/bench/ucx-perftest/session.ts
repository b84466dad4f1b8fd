/** What two sides do together once they have met: greet, run tests one after the other, tell what came of them. */
import { findTestProblem } from '../../cli/ucx-perftest-checks.js';
import type { UcxPerftestRun, UcxTestOptions } from '../../cli/ucx-perftest-options.js';
import type { Connection } from '../../engine/control.js';
import { releaseOperations } from '../../engine/operations.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import type { UcxFigures } from '../../report/ucx-perftest-types.js';
import { ucxTest, type UcxTest } from '../suites/ucx-perftest.js';
import { VERSION } from '../version.js';
import { measure, type Measurement } from './measure.js';
import type { Party } from './party.js';
import { SETUP_FAILED, TestRefusal, type Card, type OpenedTest, type TestRequest } from './side.js';
import { UcpTest } from './ucp-side.js';
import { UctTest } from './uct-side.js';

/** Of what the two sides say to each other. Raised whenever that changes. */
export const PROTOCOL = 2;
/** Exit code where data arrived wrong. */
const DATA_WRONG = 1;
/** Seconds in which a client must have said what it is. */
const GREETING_SECONDS = 10;

interface Greeting {
  readonly program: string;
  readonly protocol: number;
  readonly version: string;
}

/** What a client asks for. */
type Request =
  { readonly kind: 'test'; readonly options: UcxTestOptions; readonly extraInfo: boolean } | { readonly kind: 'end' };

/** What one process says about a step that all take together. */
interface Verdict {
  readonly problem: string | null;
  readonly exitCode: number;
}

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
}

/**
 * Sees to it that both sides are of one make, before anything else crosses. A server waits for the greeting no longer than
 * a few seconds, since whatever finds its port may never say a word; a client waits for a server that serves others.
 *
 * @throws TestRefusal on both sides where they differ; ControlError
 */
export function greet(connection: Connection, role: 'client' | 'server'): void {
  const own: Greeting = { program: 'ucx_perftest', protocol: PROTOCOL, version: VERSION };
  connection.send(JSON.stringify(own));
  const other = greetingIn(connection.receive(role === 'server' ? { timeoutSeconds: GREETING_SECONDS } : {}));
  if (other?.program === own.program && other.protocol === own.protocol) return;
  const found = other
    ? `${other.program} of fabricbench ${other.version} with protocol ${other.protocol}`
    : 'another program';
  throw new TestRefusal(
    `the other side is ${found}, and this is ${own.program} of ${own.version} with protocol ${own.protocol}: run the same version on both`,
    SETUP_FAILED,
  );
}

/** What the other side says of itself; null where it can't be understood. */
function greetingIn(text: string): Greeting | null {
  try {
    const { program, protocol, version } = JSON.parse(text) as Partial<Greeting>;
    if (program === undefined || protocol === undefined || version === undefined) return null;
    return { program, protocol, version };
  } catch {
    return null;
  }
}

/** Every process says how a step went. Throws the TestRefusal of the first that failed, on all of them. */
function agree(world: Rendezvous, own: TestRefusal | null): void {
  const verdicts = world.allgather<Verdict>({ problem: own?.message ?? null, exitCode: own?.exitCode ?? 0 });
  if (own) throw own;
  const first = verdicts.find(({ problem }) => problem !== null);
  if (typeof first?.problem === 'string') throw new TestRefusal(first.problem, first.exitCode);
}

/** What an attempt gives, or why it could not be: failures of UCX are told to the other side like refusals. */
function attempt<T>(action: () => T): { value?: T; refusal: TestRefusal | null } {
  try {
    return { value: action(), refusal: null };
  } catch (error) {
    if (error instanceof TestRefusal) return { refusal: error };
    if (!(error instanceof Error)) throw error;
    return { refusal: new TestRefusal(error.message) };
  }
}

function open(party: Party, request: TestRequest): OpenedTest {
  const { value: opened, refusal } = attempt(() =>
    request.test.api === 'uct'
      ? new UctTest(request as ConstructorParameters<typeof UctTest>[0])
      : new UcpTest(request),
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
  const { refusal } = attempt(() => {
    opened.connect(card);
  });
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
export function serveAll(party: Party, watcher: Watcher, refused: (refusal: TestRefusal) => void): number {
  let exitCode = 0;
  for (;;) {
    const request = party.pair.broadcast<Request>({ kind: 'end' });
    if (request.kind === 'end') return exitCode;
    try {
      const { wrongBytes } = runTest(party, request, watcher);
      if (wrongBytes) throw new TestRefusal(wrongData(wrongBytes), DATA_WRONG);
    } catch (error) {
      if (!(error instanceof TestRefusal)) throw error;
      refused(error);
      exitCode ||= error.exitCode;
    }
  }
}

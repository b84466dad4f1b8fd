/** What the ib_* programs call: options, how the two sides meet, the test, the exit code. */
import { keptBy } from '../../binding/apply.js';
import type { Bound } from '../../binding/types.js';
import type { PerftestName, PerftestOptions } from '../../cli/perftest-options.js';
import { parsePerftest } from '../../cli/perftest.js';
import { clockInfo } from '../../engine/clock.js';
import { connect, listen, type Connection, type Listener } from '../../engine/control.js';
import { LoadError } from '../../engine/errors.js';
import { startWatchdog, type Watchdog } from '../../engine/watchdog.js';
import { LauncherError, readLauncher, type Launcher } from '../../rendezvous/launcher.js';
import { FdSink } from '../../report/index.js';
import { perftestText } from '../../report/perftest-text.js';
import type { PerftestText } from '../../report/perftest-types.js';
import { say, sentence, tell, type Streams } from '../../report/say.js';
import { rdmaCm } from '../../verbs/cm.js';
import { verbs } from '../../verbs/verbs.js';
import { asksDryRun, tellDryRun } from '../dry-run.js';
import { converse, serveClients, type Parted } from '../meeting/dialogue.js';
import { greet } from '../meeting/greeting.js';
import type { PairRole, Party } from '../meeting/party.js';
import { prepare } from '../meeting/prepare.js';
import { Refusal } from '../meeting/refusal.js';
import { requireDevice } from './abilities.js';
import { Book } from './book.js';
import { exitCodeOf } from './steps.js';
import { measure } from './measure.js';
import { metByConnection, metByLauncher } from './meet.js';
import { open } from './open.js';
import { runSession, type Parts } from './session.js';
import { acceptStock, connectStock, runStock } from './stock-session.js';
import { PerftestRefusal } from './types.js';

/** Of what the two sides say to each other. Raised whenever that changes. */
const PROTOCOL = 2;
/** All eight programs speak it, so that the sentence on a wrong one names it. */
const SPOKEN = 'ib_perftest';
const EXIT = { done: 0, failed: 1 } as const;
/** Seconds that a client tries to reach its server, and then waits for its first words. */
const CONNECT_SECONDS = 10;
const PATIENCE_SECONDS = 30;

/** What tests put in the place of verbs. */
export type LaunchHooks = Partial<Parts>;

interface Process {
  readonly name: PerftestName;
  readonly options: PerftestOptions;
  readonly launcher: Launcher;
  readonly streams: Streams;
  readonly started: Date;
  readonly watchdog: Watchdog;
  readonly text: PerftestText;
  readonly parts: Parts;
  /** How this process came to its cores, once it is bound. */
  bound: Bound;
}

/** Runs an ib_* program and ends the process with its exit code. */
export function launch(
  name: PerftestName,
  argv: readonly string[] = process.argv.slice(2),
  hooks: LaunchHooks = {},
): void {
  const streams: Streams = { stdout: new FdSink(1), stderr: new FdSink(2) };
  const launcher = readLauncher(process.env);
  const speaks = (launcher.rank ?? 0) === 0;
  const parsed = parsePerftest(name, argv, { underLauncher: launcher.launcher !== null });
  if (parsed.kind === 'refuse') {
    if (speaks) say(streams.stderr, parsed.stderr.startsWith(name) ? parsed.stderr : `${name}: ${parsed.stderr}`);
    process.exit(speaks ? parsed.exitCode : EXIT.done);
  }
  if (parsed.kind !== 'run') {
    process.exit(!speaks || tell(streams, parsed.text) ? EXIT.done : EXIT.failed);
  }
  const { options, notes } = parsed;
  for (const note of speaks ? notes : []) say(streams.stderr, note);
  if (asksDryRun(options)) process.exit(tellDryRun({ name, options, launcher, streams }));
  const watchdog = startWatchdog({ seconds: options.watchdog, rank: launcher.rank ?? 0 });
  const text = perftestText(options, { cyclesPerSecond: clockInfo().frequency });
  const bound = keptBy(launcher);
  const common = { name, bound, options, launcher, streams, started: new Date(), watchdog, text };
  process.exit(run({ ...common, parts: { open, measure, ...hooks } }));
}

function complain({ streams, name }: Process, text: string): void {
  say(streams.stderr, `${name}: ${text}`);
}

/** The exit code of what went wrong, told on stderr. */
function failed(process_: Process, error: unknown): number {
  // A launcher kills all ranks at the first that fails, maybe before that one has spoken.
  if (error instanceof Refusal && error.leftToOthers) return EXIT.done;
  // What is missing, or started wrongly, is so for all ranks: one of them says it.
  const common = error instanceof LoadError || error instanceof LauncherError;
  if (!common || (process_.launcher.rank ?? 0) === 0) complain(process_, sentence(error));
  if (error instanceof Refusal) return error.exitCode;
  return error instanceof Error ? exitCodeOf(error) : EXIT.failed;
}

function run(process_: Process): number {
  const { options, launcher } = process_;
  try {
    process_.bound = prepare(options, launcher, (text) => new PerftestRefusal(text));
    if (launcher.launcher !== null) return runLaunched(process_);
    if (process_.parts.open === open) requireDevice(verbs(), options);
    const { server, stockPeer } = options.meeting;
    if (stockPeer) return runWithStock(process_, server);
    return server === undefined ? serve(process_) : runConnected(process_, server);
  } catch (error) {
    return failed(process_, error);
  }
}

/** One side's test. What all sides know to be impossible ends it in good order. */
function session(process_: Process, party: Party, host?: string): number {
  // Who only lets the other side work may see nothing move for as long as it takes.
  if (party.role === 'server') process_.watchdog.disarm();
  const book = new Book({ ...process_, party });
  try {
    return runSession({ ...process_, party, host, book });
  } catch (error) {
    if (!(error instanceof Refusal && error.told)) throw error;
    if (book.prints) complain(process_, error.message);
    return error.exitCode;
  }
}

/** Ranks of a launcher. A failure after MPI has started ends all of them. */
function runLaunched(process_: Process): number {
  const { launcher, options, watchdog, name } = process_;
  watchdog.context(`${name}, starting MPI`);
  let party: Party;
  try {
    party = metByLauncher(launcher, { reversed: options.reversed, incast: options.meeting.incast });
  } catch (error) {
    // All ranks see the same. One of them says it, and alone ends with its code, on which a launcher kills the others.
    if (error instanceof Refusal && launcher.rank !== 0) return EXIT.done;
    throw error;
  }
  try {
    const code = session(process_, party);
    watchdog.context(`${name}, ending MPI`);
    party.close();
    watchdog.stop();
    return code;
  } catch (error) {
    return party.world.abort(failed(process_, error) || EXIT.failed);
  }
}

function runConnected(process_: Process, host: string): number {
  return withConnection(process_, connectTo(process_.options, host), 'client').code;
}

/** The other side is a stock perftest. */
function runWithStock(process_: Process, host: string | undefined): number {
  const { options, streams, text, watchdog, parts } = process_;
  watchdog.disarm();
  if (host === undefined) streams.stdout.write(text.waiting());
  const connection = host === undefined ? acceptStock(options) : connectStock(options, host);
  const role = host === undefined ? 'server' : 'client';
  if (role === 'client') watchdog.arm();
  return runStock({ options, connection, role, parts, bookFor: (party) => new Book({ ...process_, party }) });
}

function connectTo({ meeting }: PerftestOptions, host: string): Connection {
  const { port, ipv6Socket: ipv6, rdmaCmExchange, source } = meeting;
  const timeout = CONNECT_SECONDS;
  const address = { host, port, ipv6, ...(source === undefined ? {} : { source }) };
  return rdmaCmExchange ? rdmaCm().connectTexts(address, { timeout }) : connect({ ...address, timeout });
}

function listenAt({ meeting }: PerftestOptions): Listener {
  const { port, ipv6Socket: ipv6, rdmaCmExchange } = meeting;
  return rdmaCmExchange ? rdmaCm().listenTexts({ port, ipv6 }) : listen({ port, ipv6 });
}

interface Served extends Parted {
  /** Whether it was a client of our own make. */
  readonly greeted: boolean;
}

/** Runs a side of a connection; the other side hears of what goes wrong. */
function withConnection(process_: Process, connection: Connection, role: PairRole): Served {
  const { options, watchdog } = process_;
  let greeted = false;
  const parted = converse(connection, role, {
    run: () => {
      watchdog.arm();
      greet(connection, role, {
        program: SPOKEN,
        protocol: PROTOCOL,
        exitCode: EXIT.failed,
        patience: PATIENCE_SECONDS,
      });
      greeted = true;
      const kind = options.meeting.rdmaCmExchange ? 'rdma_cm' : 'tcp';
      const party = metByConnection(connection, role, { reversed: options.reversed, kind });
      const code = session(process_, party, options.meeting.server);
      party.close();
      return code;
    },
    failed: (error) => failed(process_, stranger(error, greeted)),
  });
  return { ...parted, greeted };
}

/** What speaks another protocol may be a perftest, which can be spoken to. */
function stranger(error: unknown, greeted: boolean): unknown {
  if (greeted || !(error instanceof Error) || !/protocol|another program/.test(error.message)) return error;
  const text = `${error.message} (to talk to a stock perftest give --peer perftest)`;
  return error instanceof Refusal ? new PerftestRefusal(text, error.exitCode) : new Error(text);
}

/** Waits for a client: the first of our own make is the last, unless `--serve` goes on. */
function serve(process_: Process): number {
  const { options, streams, text, watchdog } = process_;
  const outputs = { '--json': options.json, '--csv': options.csvFile, '--markdown': options.markdown };
  const idle = Object.entries(outputs).flatMap(([name, file]) => (file === undefined ? [] : [name]));
  if (idle.length > 0) complain(process_, `ignored: ${idle.join(', ')}, because the client keeps the results`);
  const listener = listenAt(options);
  let greeted = false;
  return serveClients(listener, {
    waiting: () => {
      watchdog.disarm();
      streams.stdout.write(text.waiting());
    },
    serve: (connection) => {
      const served = withConnection(process_, connection, 'server');
      greeted = served.greeted;
      return served;
    },
    isLast: () => greeted && !options.meeting.serve,
  });
}

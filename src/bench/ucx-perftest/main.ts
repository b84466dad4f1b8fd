/** What dist/ucx_perftest.js calls: options, how the two sides meet, the tests, the exit code. */
import { parseUcxPerftest } from '../../cli/ucx-perftest.js';
import { readBatchText } from '../../cli/ucx-perftest-files.js';
import type { UcxPerftestOptions } from '../../cli/ucx-perftest-options.js';
import { setAffinity } from '../../engine/affinity.js';
import { connect, listen, ControlError, type Connection } from '../../engine/control.js';
import { LoadError } from '../../engine/errors.js';
import { clearCancel } from '../../engine/operations.js';
import { startWatchdog, type Watchdog } from '../../engine/watchdog.js';
import { readLauncher, type Launcher } from '../../rendezvous/launcher.js';
import { checkWritable, FdSink } from '../../report/index.js';
import { ucxPerftestText } from '../../report/ucx-perftest-text.js';
import type { UcxPerftestText } from '../../report/ucx-perftest-types.js';
import { say, sentence, type Streams } from '../../report/say.js';
import { ucxVersion } from '../../ucx/index.js';
import { ucxTests } from '../suites/ucx-perftest.js';
import { Book, describe } from './book.js';
import { alone, connected, launched, type Party } from './party.js';
import { askFor, askForNoMore, greet, serveAll, wrongData, type Outcome } from './session.js';
import { SETUP_FAILED, TestRefusal } from './side.js';

const NAME = 'ucx_perftest';
const EXIT = { done: 0, failed: 1, notPossibleHere: 77 } as const;
/** Seconds that a client tries to reach its server. */
const CONNECT_SECONDS = 10;

/** What tests may add to a run. */
export type LaunchHooks = Pick<Party, 'tamper'>;

interface Process {
  readonly options: UcxPerftestOptions;
  readonly launcher: Launcher;
  readonly streams: Streams;
  readonly started: Date;
  readonly watchdog: Watchdog;
  readonly hooks: LaunchHooks;
}

/** Runs ucx_perftest and ends the process with its exit code. */
export function launch(argv: readonly string[] = process.argv.slice(2), hooks: LaunchHooks = {}): void {
  const streams: Streams = { stdout: new FdSink(1), stderr: new FdSink(2) };
  const launcher = readLauncher(process.env);
  const speaks = (launcher.rank ?? 0) === 0;
  const parsed = parseUcxPerftest(argv, {
    tests: ucxTests,
    readFile: (name) => readBatchText(name),
    underLauncher: launcher.launcher !== null,
  });
  if (parsed.kind === 'help') {
    if (speaks) streams.stdout.write(parsed.text);
    process.exit(EXIT.done);
  }
  if (parsed.kind === 'refuse') {
    if (speaks) say(streams.stderr, parsed.stderr.startsWith(NAME) ? parsed.stderr : `${NAME}: ${parsed.stderr}`);
    if (speaks && parsed.help !== undefined) streams.stdout.write(parsed.help);
    process.exit(speaks ? parsed.exitCode : EXIT.done);
  }
  const { options, notes } = parsed;
  for (const note of speaks ? notes : []) say(streams.stderr, note);
  const watchdog = startWatch(options, launcher);
  process.exit(run({ options, launcher, streams, started: new Date(), watchdog, hooks }));
}

/** A server waits for as long as its client takes; whoever measures watches itself. */
function startWatch({ watchdog: seconds, server, runs }: UcxPerftestOptions, { launcher, rank }: Launcher): Watchdog {
  const serves = launcher === null && server === undefined && runs[0]?.options.loopback !== true;
  return startWatchdog({ seconds: serves ? 0 : seconds, rank: rank ?? 0 });
}

function complain({ streams }: Process, text: string): void {
  say(streams.stderr, `${NAME}: ${text}`);
}

/** The exit code of what went wrong, told on stderr. */
function failed(process_: Process, error: unknown): number {
  // What is missing is so for all ranks: one of them says it.
  if (!(error instanceof LoadError) || (process_.launcher.rank ?? 0) === 0) complain(process_, sentence(error));
  if (error instanceof TestRefusal) return error.exitCode;
  if (error instanceof LoadError) return EXIT.notPossibleHere;
  if (error instanceof ControlError) return SETUP_FAILED;
  return EXIT.failed;
}

function run(process_: Process): number {
  const { options, launcher } = process_;
  try {
    ucxVersion(); // where UCX is missing nobody needs to meet
    if (options.server !== undefined) return runConnected(process_, options.server);
    prepare(options, launcher);
    if (launcher.launcher !== null) return runLaunched(process_);
    if (options.runs[0]?.options.loopback === true) return runClient(process_, { ...alone(), ...process_.hooks });
    return serve(process_);
  } catch (error) {
    return failed(process_, error);
  }
}

/** Binds, and looks whether the record can be written. Throws TestRefusal. */
function prepare({ cpus, bind, json }: UcxPerftestOptions, { localRank, rank }: Launcher): void {
  const unwritable = json === undefined || (rank ?? 0) !== 0 ? undefined : checkWritable(json);
  if (unwritable !== undefined) throw new TestRefusal(unwritable);
  const core = bind?.[localRank ?? 0];
  if (bind && core === undefined)
    throw new TestRefusal(`--bind names ${bind.length} cores, and this host has a local rank ${localRank ?? 0}`);
  const wanted = core === undefined ? cpus : [core];
  if (!wanted) return;
  try {
    setAffinity(wanted);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TestRefusal(error.message);
  }
}

function textOf({ options }: Process): UcxPerftestText {
  const percentile = options.runs[0]?.options.percentile ?? 50;
  return ucxPerftestText({ ...options, percentile });
}

/** Ranks of a launcher. A failure after MPI has started ends all of them. */
function runLaunched(process_: Process): number {
  const { launcher, options } = process_;
  const loopback = options.runs[0]?.options.loopback === true;
  process_.watchdog.context(`${NAME}, starting MPI`);
  let party: Party;
  try {
    party = { ...launched(launcher, loopback), ...process_.hooks };
  } catch (error) {
    // All ranks see the same: one of them says it.
    if (error instanceof TestRefusal && launcher.rank !== 0) return error.exitCode;
    throw error;
  }
  try {
    const code = party.role === 'server' ? runServer(process_, party, false) : runClient(process_, party);
    process_.watchdog.context(`${NAME}, ending MPI`);
    party.close();
    process_.watchdog.stop();
    return code;
  } catch (error) {
    return party.world.abort(failed(process_, error) || EXIT.failed);
  }
}

function runConnected(process_: Process, host: string): number {
  const { port, ipv6 } = process_.options;
  const connection = connect({ host, port, ipv6, timeout: CONNECT_SECONDS });
  return withConnection(process_, connection, 'client').code;
}

interface Parted {
  readonly code: number;
  /** Whether both sides came to the end, whatever became of the tests. */
  readonly inGoodOrder: boolean;
}

/** Runs a side of a connection; the other side hears of what goes wrong. */
function withConnection(process_: Process, connection: Connection, role: 'client' | 'server'): Parted {
  try {
    // A client that can't go on tells its server, which would wait for it.
    if (role === 'client') prepare(process_.options, process_.launcher);
    const party = { ...connected(connection, role), ...process_.hooks };
    greet(connection, role);
    const code = role === 'client' ? runClient(process_, party) : runServer(process_, party, true);
    party.close();
    return { code, inGoodOrder: true };
  } catch (error) {
    const lost = error instanceof TestRefusal ? connection.lost : endOf(connection);
    if (lost === null) connection.abort(`the ${role} failed: ${sentence(error)}`);
    const code = failed(process_, lost === null ? error : new Error(lost));
    connection.close();
    return { code: error instanceof TestRefusal ? code : EXIT.failed, inGoodOrder: false };
  }
}

/** Why a connection is no more. UCX may hear of the peer's death first, and its words say less: the connection has a moment. */
function endOf(connection: Connection): string | null {
  try {
    if (connection.lost === null) connection.receive({ timeoutSeconds: 0.5 });
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
  }
  return connection.lost;
}

/** Waits for clients: one that comes to its end is the last, one that dies or can't be understood isn't. */
function serve(process_: Process): number {
  const { options, streams } = process_;
  const text = textOf(process_);
  const listener = listen({ port: options.port, ipv6: options.ipv6 });
  for (;;) {
    if (!options.csv) streams.stdout.write(text.waiting());
    const connection = listener.accept();
    if (!connection) continue;
    // A client that died has cancelled all runs of this process.
    clearCancel();
    if (!options.csv) streams.stdout.write(text.accepted(connection.peer));
    const { code, inGoodOrder } = withConnection(process_, connection, 'server');
    if (inGoodOrder || options.once) {
      listener.close();
      return code;
    }
  }
}

function runServer(process_: Process, party: Party, shows: boolean): number {
  const text = textOf(process_);
  let begun = false;
  describe({ ...process_, party });
  return serveAll(
    party,
    {
      begin: (test, options) => {
        // In a batch it is a mere rule, and one is enough.
        if (shows && !(begun && process_.options.batchFiles.length > 0))
          process_.streams.stdout.write(text.parameters(test, options));
        begun = true;
      },
    },
    (refusal) => {
      if (shows) complain(process_, refusal.message);
    },
  );
}

/** Runs all tests of the command line. A test that can't be done is told, and the next one comes. */
function runClient(process_: Process, party: Party): number {
  const { options, watchdog } = process_;
  const prints = party.world.rank === 0;
  const book = new Book({ ...process_, party, text: textOf(process_), prints });
  let exitCode: number = EXIT.done;
  try {
    book.begin();
    for (const one of options.runs) {
      watchdog.context(`${NAME}, ${one.options.test}, size ${one.options.sizes.join(',')}`);
      try {
        const outcome = askFor(party, one, options.extraInfo, book.watcher(one));
        const code = outcome ? finish(process_, book, one.labels, outcome) : EXIT.done;
        exitCode ||= code;
      } catch (error) {
        if (!(error instanceof TestRefusal)) throw error;
        if (prints) complain(process_, error.message);
        exitCode ||= error.exitCode;
      }
    }
    askForNoMore(party);
    book.end(exitCode === EXIT.done ? { state: 'done' } : { state: 'failed', message: 'a test could not be run' });
    return exitCode;
  } catch (error) {
    book.end({ state: 'failed', message: sentence(error) });
    throw error;
  }
}

function finish(process_: Process, book: Book, labels: readonly string[], outcome: Outcome): number {
  book.finish(labels, outcome);
  if (!outcome.wrongBytes) return EXIT.done;
  if (book.prints) complain(process_, wrongData(outcome.wrongBytes));
  return EXIT.failed;
}

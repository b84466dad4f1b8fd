/** What dist/ucx_perftest.js calls: options, how the two sides meet, the tests, the exit code. */
import { keptBy } from '../../binding/apply.js';
import type { Bound } from '../../binding/types.js';
import { parseUcxPerftest } from '../../cli/ucx-perftest.js';
import { readBatchText } from '../../cli/ucx-perftest-files.js';
import type { UcxPerftestOptions } from '../../cli/ucx-perftest-options.js';
import { connect, listen, ControlError, type Connection } from '../../engine/control.js';
import { LoadError } from '../../engine/errors.js';
import { startWatchdog, type Watchdog } from '../../engine/watchdog.js';
import { readLauncher, type Launcher } from '../../rendezvous/launcher.js';
import { FdSink } from '../../report/index.js';
import { ucxPerftestText } from '../../report/ucx-perftest-text.js';
import type { UcxPerftestText } from '../../report/ucx-perftest-types.js';
import { say, sentence, tell, type Streams } from '../../report/say.js';
import { ucxVersion } from '../../ucx/index.js';
import { asksDryRun, tellDryRun } from '../dry-run.js';
import { converse, serveClients, type Parted } from '../meeting/dialogue.js';
import { greet } from '../meeting/greeting.js';
import { prepare } from '../meeting/prepare.js';
import { Refusal } from '../meeting/refusal.js';
import { ucxTests } from '../suites/ucx-perftest.js';
import { Book, describe, places } from './book.js';
import { alone, connected, launched, type Party } from './party.js';
import { askFor, askForNoMore, PROTOCOL, serveAll, wrongData, type Outcome } from './session.js';
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
  /** How this process came to its cores, once it is bound. */
  bound: Bound;
  /** Over what messages of this process have gone. */
  readonly transports: Set<string>;
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
    process.exit(!speaks || tell(streams, parsed.text) ? EXIT.done : EXIT.failed);
  }
  if (parsed.kind === 'refuse') {
    if (speaks) say(streams.stderr, parsed.stderr.startsWith(NAME) ? parsed.stderr : `${NAME}: ${parsed.stderr}`);
    if (speaks && parsed.help !== undefined) tell(streams, parsed.help);
    process.exit(speaks ? parsed.exitCode : EXIT.done);
  }
  const { options, notes } = parsed;
  for (const note of speaks ? notes : []) say(streams.stderr, note);
  if (asksDryRun(options)) process.exit(tellDryRun({ name: NAME, options, launcher, streams }));
  const watchdog = startWatch(options, launcher);
  process.exit(
    run({
      options,
      launcher,
      streams,
      started: new Date(),
      watchdog,
      hooks,
      bound: keptBy(launcher),
      transports: new Set(),
    }),
  );
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
  // A launcher kills all ranks at the first that fails, maybe before that one has spoken.
  if (error instanceof Refusal && error.leftToOthers) return EXIT.done;
  // What is missing is so for all ranks: one of them says it.
  if (!(error instanceof LoadError) || (process_.launcher.rank ?? 0) === 0) complain(process_, sentence(error));
  if (error instanceof Refusal) return error.exitCode;
  if (error instanceof LoadError) return EXIT.notPossibleHere;
  if (error instanceof ControlError) return SETUP_FAILED;
  return EXIT.failed;
}

function run(process_: Process): number {
  const { options, launcher } = process_;
  try {
    ucxVersion(); // where UCX is missing nobody needs to meet
    if (options.server !== undefined) return runConnected(process_, options.server);
    prepareFor(process_);
    if (launcher.launcher !== null) return runLaunched(process_);
    if (options.runs[0]?.options.loopback === true) return runClient(process_, { ...alone(), ...process_.hooks });
    return serve(process_);
  } catch (error) {
    return failed(process_, error);
  }
}

function prepareFor(process_: Process): void {
  process_.bound = prepare(process_.options, process_.launcher, (text) => new TestRefusal(text));
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
    // All ranks see the same. One of them says it, and alone ends with its code, on which a launcher kills the others.
    if (error instanceof Refusal && launcher.rank !== 0) return EXIT.done;
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

/** Runs a side of a connection; the other side hears of what goes wrong. */
function withConnection(process_: Process, connection: Connection, role: 'client' | 'server'): Parted {
  return converse(connection, role, {
    run: () => {
      // A client that can't go on tells its server, which would wait for it.
      if (role === 'client') prepareFor(process_);
      const party = { ...connected(connection, role), ...process_.hooks };
      greet(connection, role, { program: NAME, protocol: PROTOCOL, exitCode: SETUP_FAILED });
      const code = role === 'client' ? runClient(process_, party) : runServer(process_, party, true);
      party.close();
      return code;
    },
    failed: (error) => failed(process_, error),
  });
}

/** Waits for clients: one that comes to its end is the last, one that dies or can't be understood isn't. */
function serve(process_: Process): number {
  const { options, streams } = process_;
  const text = textOf(process_);
  return serveClients(listen({ port: options.port, ipv6: options.ipv6 }), {
    waiting: () => {
      if (!options.csv) streams.stdout.write(text.waiting());
    },
    serve: (connection) => {
      if (!options.csv) streams.stdout.write(text.accepted(connection.peer));
      return withConnection(process_, connection, 'server');
    },
    isLast: ({ inGoodOrder }) => inGoodOrder || options.once,
  });
}

function runServer(process_: Process, party: Party, shows: boolean): number {
  const text = textOf(process_);
  let begun = false;
  describe({ ...process_, party });
  const code = serveAll(
    party,
    {
      carried: (transports) => {
        for (const name of transports) process_.transports.add(name);
      },
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
  places({ ...process_, party });
  return code;
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
        if (!(error instanceof Refusal)) throw error;
        if (prints) complain(process_, error.message);
        exitCode ||= error.exitCode;
      }
    }
    askForNoMore(party);
    book.recheck();
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

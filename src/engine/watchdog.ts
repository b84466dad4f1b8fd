import { engine } from './native.js';

/** The longest time that a watchdog waits, in seconds: a day, more than any message takes. */
export const WATCHDOG_LIMIT = 86_400;

export interface WatchdogOptions {
  /** How long nothing may move, in seconds, at most `WATCHDOG_LIMIT`; 0 = no watchdog. */
  readonly seconds: number;
  /** This process's rank, for the message. */
  readonly rank: number;
  /** Seconds that ranks other than 0 wait longer, so that normally one rank speaks (default 2). */
  readonly graceOfOthers?: number;
}

/**
 * Ends the process, with one sentence on stderr and exit code 1, when neither an iteration of a program nor a kick has
 * come for too long. It is a native thread: it works while a native call blocks, and uses neither JavaScript nor a stack.
 */
export interface Watchdog {
  /** What the process is doing, for the message, e.g. `osu_latency, size 8`. Counts as progress. */
  context(text: string): void;
  /** Tells of progress made outside of programs. */
  kick(): void;
  /** Begins to watch again after `disarm`, with the full time. */
  arm(): void;
  /** Stops watching for a while: for waiting in the event loop. */
  disarm(): void;
  /** Ends the watchdog. */
  stop(): void;
}

const nothing = (): void => undefined;
const inert: Watchdog = { context: nothing, kick: nothing, arm: nothing, disarm: nothing, stop: nothing };

let current: Watchdog | undefined;

function requireSeconds(value: number, what: string): number {
  if (Number.isFinite(value) && value >= 0 && value <= WATCHDOG_LIMIT) return value;
  throw new RangeError(`${what} must be a number of seconds from 0 to ${WATCHDOG_LIMIT}, not ${String(value)}`);
}

/** Starts the process's watchdog, armed. Throws where one is running already, or for a limit that is no time, and where the system gives no thread. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const seconds = requireSeconds(options.seconds, 'the watchdog limit');
  const grace = requireSeconds(options.graceOfOthers ?? 2, 'the grace of other ranks');
  if (current !== undefined) throw new Error('the watchdog is running already: stop it first');
  if (seconds === 0) return inert;
  const native = engine();
  native.watchdogStart(seconds + (options.rank === 0 ? 0 : grace), String(seconds), options.rank);
  const started: Watchdog = {
    context: (text) => {
      native.watchdogContext(text);
    },
    kick: () => {
      native.watchdogKick();
    },
    arm: () => {
      native.watchdogArm(true);
    },
    disarm: () => {
      native.watchdogArm(false);
    },
    stop: () => {
      if (current !== started) return;
      current = undefined;
      native.watchdogStop();
    },
  };
  current = started;
  return started;
}

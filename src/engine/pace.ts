import { wholeNumber } from './arguments.js';
import { engine } from './native.js';
import type { Operation } from './types.js';

/** Longest time between two bursts: more would overflow the clock's ticks. */
const MOST_SECONDS = 1e6;

/**
 * An operation that holds back what follows it: the first of each `every` executions waits until `seconds` have passed since
 * the last one of these went on. What comes late is not made up for. It polls `cancelled`. Throws RangeError for what is
 * no time.
 */
export function pace(seconds: number, every = 1): Operation {
  if (seconds >= 0 && seconds <= MOST_SECONDS) return engine().pace(seconds, wholeNumber(every, 'every', 1));
  throw new RangeError(`the seconds between bursts must be a number from 0 to ${MOST_SECONDS}, not ${String(seconds)}`);
}

/** What is noted of all that has been collected. */
export interface Collecting {
  /** Runs the test until it is pending; it never waits. For what is done meanwhile: `until`, barriers with progress. */
  readonly operation: Operation;
  /** How often the test was done. */
  count(): number;
  /** Those that came within the window. */
  counted(): number;
  /** Seconds from the first to the last of these. */
  seconds(): number;
}

export interface CollectOptions {
  /** The window, in seconds after the first that was done (default: from 0, without an end). */
  readonly from?: number;
  readonly to?: number;
}

const NOTES = { count: 0, counted: 1, firstCounted: 2, lastCounted: 3 } as const;

/** Collects what a test for `until` finds, such as messages that arrive, until none is left; and times it. */
export function collect(test: Operation, { from = 0, to = Infinity }: CollectOptions = {}): Collecting {
  const notes = new Float64Array(Object.keys(NOTES).length);
  const note = (which: keyof typeof NOTES): number => notes[NOTES[which]] ?? 0;
  return {
    operation: engine().collect([test], notes, from, to),
    count: () => note('count'),
    counted: () => note('counted'),
    seconds: () => note('lastCounted') - note('firstCounted'),
  };
}

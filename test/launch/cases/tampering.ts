/** What tests do to the data of one rank, in rows of one size. */
import type { LaunchHooks } from '../../../src/bench/program.js';
import type { TamperPlace } from '../../../src/bench/row.js';
import type { Executor, Operation } from '../../../src/engine/types.js';
import { testOperations, type TestOperations } from '../../native/test-addon.js';

export interface Tampering {
  /** With `nothing` all ranks leave out every timed part: no measured message moves. */
  readonly what: 'corrupt' | 'stale' | 'fail' | 'sleep' | 'throw' | 'nothing';
  readonly rank: number;
  /** Bytes that arrive at the rank in a repetition: those of a message, or of all of a collective's. */
  readonly size: number;
  /** Which byte to corrupt (default the first). */
  readonly place?: 'first' | 'middle' | 'last';
  /** Which buffer of several (default the first). */
  readonly slot?: number;
  /** In which iteration (default in each). */
  readonly iteration?: number;
}

const FAILURE_CODE = 42;
const FOR_EVER = 10 * 60_000;

function offsetOf(place: Tampering['place'], size: number): number {
  if (place === 'last') return size - 1;
  return place === 'middle' ? Math.floor(size / 2) : 0;
}

function operationsOf(
  { what, place, slot = 0, iteration }: Tampering,
  { receive, size }: TamperPlace,
  operations: TestOperations,
): readonly Operation[] {
  const buffer = receive[slot];
  switch (what) {
    case 'nothing':
      return [];
    case 'corrupt':
      return [operations.corrupt(buffer, offsetOf(place, size), iteration)];
    case 'stale':
      return [operations.stale(buffer, size)];
    case 'fail':
      return [operations.failAt(iteration, FAILURE_CODE)];
    case 'sleep':
      return [operations.sleepAt(iteration, FOR_EVER)];
    case 'throw':
      throw new Error('thrown by a test');
  }
}

/** An executor that leaves out every timed part. */
const withoutTimed = (inner: Executor): Executor => ({
  ...inner,
  start: (program) => inner.start({ ...program, timed: [] }),
});

/**
 * Hooks that do it after each timed part and before the data is checked, on ranks that receive, with -c.
 *
 * @throws LoadError where the addon of the tests isn't built
 */
export function tamperingHooks(tampering: Tampering): LaunchHooks {
  const operations = testOperations();
  return {
    tamper: (at) =>
      at.rank === tampering.rank && at.size === tampering.size ? operationsOf(tampering, at, operations) : [],
    ...(tampering.what === 'nothing' ? { executor: withoutTimed } : {}),
  };
}

/** What tests do to one rank in rows of one size: after each timed part, before the data is checked, where -c is given. */
import type { LaunchHooks } from '../../../src/bench/program.js';
import type { TamperPlace } from '../../../src/bench/row.js';
import type { Executor, Operation } from '../../../src/engine/types.js';
import { testOperations } from '../../native/test-addon.js';

export interface Tampering {
  /** With `nothing` all ranks leave out every timed part: no measured message moves. */
  readonly what: 'corrupt' | 'stale' | 'fail' | 'sleep' | 'throw' | 'nothing';
  readonly rank: number;
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
): readonly Operation[] {
  const operations = testOperations();
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

/** What makes a program do that. */
export function hooksFor(tampering: Tampering): LaunchHooks {
  return {
    tamper: (at) => (at.rank === tampering.rank && at.size === tampering.size ? operationsOf(tampering, at) : []),
    ...(tampering.what === 'nothing' ? { executor: withoutTimed } : {}),
  };
}

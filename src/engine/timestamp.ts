import { clockInfo } from './clock.js';
import { engine } from './native.js';
import type { ClockInfo, Operation } from './types.js';

/**
 * A moment that times are counted from, and the ticks per second that they are counted with. Plain JSON: what one process
 * sends to the others of its node makes their times comparable to the nanosecond, since the processors of a node share
 * the clock's ticks. Each with a frequency of its own would move away from the others by microseconds per second.
 */
export interface ClockBase {
  readonly source: ClockInfo['source'];
  /** The clock at the moment. */
  readonly ticks: number;
  /** Ticks per second. */
  readonly frequency: number;
}

let own: ClockBase | undefined;

/** The base of this process: the moment of the first call. */
export function clockBase(): ClockBase {
  if (own === undefined) {
    const { source, frequency } = clockInfo();
    own = { source, frequency, ticks: engine().clockTicks() };
  }
  return own;
}

/**
 * An operation that writes the time, in seconds since `base`, to
 * `array[(iteration - iteration of the first execution since the reset) % array.length]`. Touch the array's memory before
 * anything is timed. Throws where the array has no place, and for a base on another clock than this process reads.
 */
export function timestamp(array: Float64Array, base: ClockBase = clockBase()): Operation {
  if (!(array instanceof Float64Array)) throw new TypeError('the array of timestamps must be a Float64Array');
  if (array.length === 0) throw new RangeError('the array of timestamps has no place for one');
  const { source } = clockBase();
  if (base.source !== source) {
    throw new Error(
      `times on the clock ${base.source} can't be compared with this process's, which reads ${source}: ` +
        'set FABRICBENCH_CLOCK alike for all processes',
    );
  }
  if (!(base.frequency > 0 && base.ticks >= 0 && Number.isInteger(base.ticks))) {
    throw new RangeError(`${JSON.stringify(base)} is no base of a clock`);
  }
  return engine().timestamp(array, base.ticks, base.frequency);
}

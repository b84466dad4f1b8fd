import { engine } from './native.js';
import type { ClockInfo } from './types.js';

/**
 * How time is measured here. Calibrates the clock if that hasn't happened yet, and measures resolution and read cost:
 * takes up to some 10 ms.
 */
export function clockInfo(): ClockInfo {
  return engine().clockInfo();
}

/** A clock of seconds since some moment of the past: the engine's own, read from JavaScript without allocation. */
export function engineClock(): () => number {
  const native = engine();
  native.calibrateClock();
  const { stamp } = native;
  const stamped = new Float64Array(native.stamped);
  return () => {
    stamp();
    return stamped[0] as number;
  };
}

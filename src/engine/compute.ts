import { wholeNumber } from './arguments.js';
import { engine } from './native.js';
import type { Operation } from './types.js';

/** How fast this process computes. */
export interface ComputeRate {
  /** Units of work per second; a unit is a multiplication and an addition, some 4 cycles. */
  readonly unitsPerSecond: number;
}

/**
 * Measures, once per process, how fast it computes: the fastest of 200 runs of some 20 us, which nothing has disturbed
 * even on a machine that is busy. Takes some 5 ms, and the clock's calibration before it.
 */
export function calibrateCompute(): ComputeRate {
  return { unitsPerSecond: engine().calibrateCompute() };
}

/** Units of work that take so many seconds where nothing disturbs them. Throws RangeError for what is no time. */
export function computeUnits(seconds: number): number {
  const units = Math.round(seconds * calibrateCompute().unitsPerSecond);
  if (seconds >= 0 && Number.isSafeInteger(units)) return units;
  throw new RangeError(`the seconds to compute must be a number of at least 0, not ${String(seconds)}`);
}

/**
 * An operation that computes: a fixed amount of work, which takes `seconds` where nothing disturbs it and longer where
 * something does. Amounts are whole units of some 1 to 2 ns.
 */
export function compute(seconds: number): Operation {
  return engine().compute(computeUnits(seconds));
}

/**
 * The same amount of work cut into `pieces` operations, equal but for one unit, so that others can run between them.
 * Pieces of one amount are one operation.
 */
export function computePieces(seconds: number, pieces: number): Operation[] {
  const units = cutUnits(computeUnits(seconds), wholeNumber(pieces, 'pieces', 1));
  const made = new Map([...new Set(units)].map((amount) => [amount, engine().compute(amount)]));
  return units.flatMap((amount) => made.get(amount) ?? []);
}

/** Whole numbers that add up to `units` and differ by one at most, the larger ones spread over all. */
export function cutUnits(units: number, pieces: number): number[] {
  const rest = units % pieces;
  const least = (units - rest) / pieces;
  const larger = (piece: number): number => Math.floor((piece * rest) / pieces);
  return Array.from({ length: pieces }, (_, piece) => least + larger(piece + 1) - larger(piece));
}

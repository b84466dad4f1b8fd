/** Axes: where a value stands between 0 and 1, and which values are labelled. */
import { formatBytes } from '../../cli/values.js';
import { decimal, exponentOf, unitFor, shortNumber } from './numbers.js';

export interface Tick {
  /** 0 to 1. */
  readonly at: number;
  readonly label: string;
}

export interface Scale {
  /** 0 to 1; what lies beyond an end is put at that end. */
  position(value: number): number;
  readonly ticks: readonly Tick[];
  /** Positions of values that are marked and not labelled. */
  readonly minor: readonly number[];
}

/** Values whose relative difference is smaller are one value to a linear axis. */
const SAME = 1e-6;
/** What a quotient may miss a whole number by that it should be. */
const ROUNDING = 1e-9;
const STEPS: readonly number[] = [1, 2, 5];

/** The largest of 1, 2, 5, 10, 20, ... (and 0.5, ...) that is not above `value`. */
function stepBelow(value: number): number {
  const exponent = exponentOf(value);
  const digit = STEPS.findLast((step) => decimal(step, exponent) <= value) ?? 1;
  return decimal(digit, exponent);
}

function stepAbove(value: number): number {
  const exponent = exponentOf(value);
  const digit = STEPS.find((step) => decimal(step, exponent) >= value);
  return digit === undefined ? decimal(1, exponent + 1) : decimal(digit, exponent);
}

/** Multiples, by `digits`, of all powers of ten between two values. */
function multiples(low: number, high: number, digits: readonly number[]): number[] {
  const values: number[] = [];
  for (let exponent = exponentOf(low); exponent <= exponentOf(high); ++exponent)
    values.push(...digits.map((digit) => decimal(digit, exponent)));
  return values.filter((value) => value >= low && value <= high);
}

/** Every n-th of the values, so that at most `most` are left. */
function thinned<T>(values: readonly T[], most: number): T[] {
  const every = Math.max(1, Math.ceil(values.length / most));
  return values.filter((_, index) => index % every === 0);
}

/** Logarithmic, for values from `low` to `high`, both above 0. The ends are the next of 1, 2, 5 and their powers. */
export function logScale(low: number, high: number, mostTicks = 8): Scale {
  const top = stepAbove(high);
  const bottom = Math.min(stepBelow(low), stepBelow(top * 0.75));
  const span = Math.log(top / bottom);
  const position = (value: number): number => (value > 0 ? clamp(Math.log(value / bottom) / span) : 0);
  const steps = multiples(bottom, top, STEPS);
  const powers = thinned(multiples(bottom, top, [1]), mostTicks);
  const labelled = steps.length <= mostTicks || powers.length < 2 ? thinned(steps, mostTicks) : powers;
  const fine = top / bottom <= 1e4 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1];
  const minor = multiples(bottom, top, fine).filter((value) => !labelled.includes(value));
  return {
    position,
    ticks: labelled.map((value) => ({ at: position(value), label: shortNumber(value) })),
    minor: minor.map(position),
  };
}

/** Linear, with ends at the next round values. */
export function linearScale(low: number, high: number, mostTicks = 6): Scale {
  const [from, to] = linearEnds(low, high);
  const step = stepAbove((to - from) / Math.max(1, mostTicks - 2));
  const first = Math.floor(from / step + ROUNDING);
  const last = Math.ceil(to / step - ROUNDING);
  const position = (value: number): number => clamp((value / step - first) / (last - first));
  const { unit, letter } = unitFor(Math.max(Math.abs(first), Math.abs(last)) * step);
  const decimals = Math.max(0, -exponentOf(step / unit));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => {
    const value = (first + index) * step;
    return { at: index / (last - first), label: `${(value / unit).toFixed(decimals)}${letter}` };
  });
  return { position, ticks, minor: [] };
}

/** Values that don't differ stand in the middle between 0 and their double. */
function linearEnds(low: number, high: number): readonly [from: number, to: number] {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > largest * SAME) return [low, high];
  return largest === 0 ? [0, 1] : [Math.min(0, 2 * low), Math.max(0, 2 * high)];
}

/** Message sizes: the logarithm to base 2, with a place of its own left of them for 0. Takes two sizes or more. */
export function sizeScale(sizes: readonly number[], mostTicks = 12): Scale {
  const sorted = [...new Set(sizes)].sort((a, b) => a - b);
  const positive = sorted.filter((size) => size > 0);
  const low = Math.log2(positive[0] ?? 1);
  const high = Math.log2(positive.at(-1) ?? 1);
  const zero = sorted[0] === 0 ? 1 : 0;
  const length = high - low + zero;
  const position = (size: number): number => (size > 0 ? clamp((Math.log2(size) - low + zero) / length) : 0);
  const powers = wholeNumbers(low, high).map((exponent) => 2 ** exponent);
  const room = mostTicks - zero;
  const labelled = powers.length >= 2 ? alignedPowers(powers, room) : thinned(positive, room);
  const shown = zero === 1 ? [0, ...labelled] : labelled;
  return {
    position,
    ticks: shown.map((size) => ({ at: position(size), label: formatBytes(size) })),
    minor: sorted.filter((size) => !shown.includes(size)).map(position),
  };
}

function wholeNumbers(low: number, high: number): number[] {
  const first = Math.ceil(low);
  return Array.from({ length: Math.max(0, Math.floor(high) - first + 1) }, (_, index) => first + index);
}

/** Every power of two, or of four, eight, ..., as there is room. */
function alignedPowers(powers: readonly number[], most: number): number[] {
  for (let every = 1; ; ++every) {
    const aligned = powers.filter((power) => Math.log2(power) % every === 0);
    if (aligned.length <= most) return aligned.length > 0 ? aligned : powers.slice(0, 1);
  }
}

function clamp(position: number): number {
  return Math.min(1, Math.max(0, position));
}

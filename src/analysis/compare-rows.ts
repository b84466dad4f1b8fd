/** One row of two sides: by how much they differ, how sure that is, and what to call it. */
import { evidenceOf, type Basis, type Evidence, type FigureOf, type Known, type Valued } from './evidence.js';
import type { Better } from './figures.js';
import { leastP, mannWhitney, type RankTest } from './mann-whitney.js';
import type { SeriesRow } from './series.js';
import { shiftOf } from './shift.js';

/**
 * `no change`: nothing that the test could tell from chance. `within noise`: a difference, yet not surely beyond the
 * threshold. `changed`: beyond it, in a figure of which nobody can say what is better. `unknown`: there is no ratio.
 */
export type Verdict = 'improved' | 'regressed' | 'changed' | 'within noise' | 'no change' | 'unknown';

export interface RowComparison {
  /** Bytes; null where the test has no size. */
  readonly size: number | null;
  /** In the figure's unit. */
  readonly a: Known;
  readonly b: Known;
  /** b / a; null where one of them is no positive number. */
  readonly ratio: number | null;
  /** Of the ratio, at 95 %. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly p: number | null;
  readonly test: RankTest['method'] | null;
  readonly basis: Basis;
  /** Whether the verdict is from the ratio and the threshold alone. */
  readonly ratioOnly: boolean;
  readonly verdict: Verdict;
}

export interface Rules {
  /** What counts as noise: 0.03 = 3 %. */
  readonly threshold: number;
}

/** A difference that chance brings less often than this is one. */
export const SIGNIFICANCE = 0.05;

type Found = Omit<RowComparison, 'size' | 'a' | 'b' | 'basis' | 'verdict'>;

export function compareRows(
  a: SeriesRow,
  b: SeriesRow,
  figure: FigureOf & { readonly better: Better | undefined },
  rules: Rules,
): RowComparison {
  const evidence = evidenceOf(a, b, figure);
  const found = findOf(evidence);
  return {
    size: a.size,
    a: known(evidence.a),
    b: known(evidence.b),
    basis: evidence.basis,
    ...found,
    verdict: verdictOf(found, figure.better, rules),
  };
}

const known = ({ value, n }: Known): Known => ({ value, n });

function findOf(evidence: Evidence): Found {
  const { a, b, basis } = evidence;
  const ratio = a.value > 0 && b.value > 0 ? b.value / a.value : null;
  const alone: Found = { ratio, interval: null, p: null, test: null, ratioOnly: true };
  if (basis === 'figures' || ratio === null) return alone;
  if (basis === 'medians') return { ...alone, interval: intervalOfMedians(evidence.a, evidence.b) };
  return tested(evidence.a, evidence.b, alone);
}

/** So few values that no order of them would be a proof leave the ratio alone. */
function tested(a: Valued, b: Valued, alone: Found): Found {
  if (!((a.values[0] ?? 0) > 0 && (b.values[0] ?? 0) > 0)) return alone;
  const { estimate, interval } = shiftOf(a.values.map(Math.log), b.values.map(Math.log));
  const { p, method } = mannWhitney(a.values, b.values);
  return {
    ratio: Math.exp(estimate),
    interval: interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) },
    p,
    test: method,
    ratioOnly: leastP(a.n, b.n) >= SIGNIFICANCE,
  };
}

/** From the intervals of both medians (Zou and Donner's MOVER, on logarithms). */
function intervalOfMedians(
  a: Extract<Evidence, { basis: 'medians' }>['a'],
  b: Extract<Evidence, { basis: 'medians' }>['b'],
): Found['interval'] {
  const ends = [a.interval.low, a.interval.high, b.interval.low, b.interval.high];
  if (ends.some((end) => !(end > 0))) return null;
  const distance = (x: number, y: number): number => Math.log(x / y);
  const down = Math.hypot(distance(b.value, b.interval.low), distance(a.interval.high, a.value));
  const up = Math.hypot(distance(b.interval.high, b.value), distance(a.value, a.interval.low));
  return { low: (b.value / a.value) * Math.exp(-down), high: (b.value / a.value) * Math.exp(up) };
}

/** -1, 0, 1: below, within and above the threshold, which is a factor both ways. */
export function beyond(ratio: number, { threshold }: Rules): -1 | 0 | 1 {
  const distance = Math.log(ratio);
  if (Math.abs(distance) <= Math.log1p(threshold)) return 0;
  return distance < 0 ? -1 : 1;
}

function verdictOf(found: Found, better: Better | undefined, rules: Rules): Verdict {
  const { ratio, ratioOnly, p } = found;
  if (ratio === null) return 'unknown';
  if (ratioOnly ? ratio === 1 : (p ?? 1) >= SIGNIFICANCE) return 'no change';
  const side = ratioOnly ? beyond(ratio, rules) : surely(found, rules);
  if (side === 0) return 'within noise';
  if (!better) return 'changed';
  return side > 0 === (better === 'higher') ? 'improved' : 'regressed';
}

/** Where the whole interval is beyond the threshold on one side. */
function surely({ interval }: Found, rules: Rules): -1 | 0 | 1 {
  if (!interval) return 0;
  const [low, high] = [beyond(interval.low, rules), beyond(interval.high, rules)];
  return low === high ? low : 0;
}

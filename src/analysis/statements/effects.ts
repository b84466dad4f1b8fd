/** What one series says of two sides: small messages, large ones, and whether an offset or a factor explains it all. */
import { median } from '../../bench/measure/robust.js';
import type { SeriesComparison } from '../compare.js';
import type { RowComparison, Rules } from '../compare-rows.js';
import type { CurveKind } from '../curve-types.js';
import { timesOf } from '../curve.js';
import { regimesOf } from '../regimes.js';
import { pointsOf } from '../series.js';

export type Quantity =
  'latency' | 'large-message time' | 'small-message rate' | 'large-message bandwidth' | 'bandwidth' | 'rate';

export interface Effect {
  readonly quantity: Quantity;
  /** Ascending; empty where the test has no size. */
  readonly sizes: readonly number[];
  /** Median of the ratios of these sizes. */
  readonly ratio: number;
  /** Median of the differences in seconds; null of rates. */
  readonly difference: number | null;
  /** What explains the differences of all sizes. */
  readonly trend: Trend | null;
  /** Whether tests were made and none of them could tell a difference from chance. */
  readonly chance: boolean;
}

export type Trend = 'offset' | 'factor';

interface Row extends RowComparison {
  readonly ratio: number;
}

/** Relative to the difference itself: closer than this, the differences of two sizes count as equal. */
const EQUAL = 0.25;
/** Fewer sizes show no trend. */
const LEAST_SIZES = 4;

/** Nothing of figures that are no times and no rates. */
export function effectsOf({ a, b, rows }: SeriesComparison, rules: Rules): Effect[] {
  const { kind } = a.series;
  const known = rows.filter((row): row is Row => row.ratio !== null);
  if (!kind || known.length === 0) return [];
  const { small, large } = regimesOf(timesOf(pointsOf(a.series), kind), timesOf(pointsOf(b.series), kind));
  const effect = (quantity: Quantity, sizes: readonly number[]): Effect[] => {
    const chosen = among(known, sizes);
    return chosen.length === 0 ? [] : [effectOf(quantity, chosen, kind)];
  };
  if (kind === 'latency') {
    const first = effectOf('latency', small.length > 0 ? among(known, small) : known, kind);
    const rest = small.length > 0 ? effect('large-message time', large) : [];
    return [{ ...first, trend: trendOf(known, first, rules) }, ...rest];
  }
  const found = [...effect('small-message rate', small), ...effect('large-message bandwidth', large)];
  return found.length > 0 ? found : [effectOf(kind, known, kind)];
}

function among(rows: readonly Row[], sizes: readonly number[]): Row[] {
  return rows.filter(({ size }) => size !== null && sizes.includes(size));
}

function effectOf(quantity: Quantity, rows: readonly Row[], kind: CurveKind): Effect {
  return {
    quantity,
    sizes: rows.flatMap(({ size }) => (size === null ? [] : [size])),
    ratio: Math.exp(median(rows.map(({ ratio }) => Math.log(ratio)))),
    difference: kind === 'latency' ? median(rows.map(differenceOf)) : null,
    trend: null,
    chance: rows.every(({ ratioOnly, verdict }) => !ratioOnly && verdict === 'no change'),
  };
}

/** By the ratio, so that both say the same where it is an estimate of its own. */
function differenceOf({ a, ratio }: Row): number {
  return a.value * (ratio - 1);
}

/** Whether one difference of times, or one factor, holds for all sizes within noise, and not the other too. */
function trendOf(rows: readonly Row[], { ratio, difference }: Effect, rules: Rules): Trend | null {
  const noise = Math.log1p(rules.threshold);
  if (rows.length < LEAST_SIZES || difference === null || Math.abs(Math.log(ratio)) <= noise) return null;
  const near = (value: number, wanted: number, least: number): boolean =>
    Math.abs(value - wanted) <= Math.max(EQUAL * Math.abs(wanted), least);
  const offset = rows.every((row) => near(differenceOf(row), difference, row.a.value * rules.threshold));
  const factor = rows.every((row) => near(Math.log(row.ratio), Math.log(ratio), noise));
  if (offset === factor) return null;
  return offset ? 'offset' : 'factor';
}

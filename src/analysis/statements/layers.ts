/** One operation through two layers of one side: what the upper layer costs. */
import { median } from '../../bench/measure/robust.js';
import { beyond, type Rules } from '../compare-rows.js';
import { timesOf } from '../curve.js';
import { regimesOf } from '../regimes.js';
import type { TimedSize } from '../segments.js';
import { pointsOf } from '../series.js';
import { LAYERS, layerName, levelOf } from '../tests.js';
import { bytes, change, microseconds, sizeRange } from '../units.js';
import type { Entry, View } from '../views.js';
import { capital, ofSides, type Statement } from './types.js';

/** Latencies of small messages may be compared between sizes that are at most so many times each other. */
const NEAR_SIZES = 8;

interface Effect {
  readonly quantity: 'latency' | 'small-message rate' | 'peak bandwidth';
  /** Upper by lower. */
  readonly ratio: number;
  /** Seconds; null of rates. */
  readonly difference: number | null;
  readonly where: string;
}

interface Found {
  readonly label: string;
  readonly upper: Entry;
  readonly lower: Entry;
  readonly effect: Effect;
}

export function layerStatements(views: readonly View[], rules: Rules): Statement[] {
  const found = views
    .flatMap(foundIn)
    .sort((x, y) => levelOf(x.upper.series.test.layer) - levelOf(y.upper.series.test.layer));
  const keys = [...new Set(found.map(keyOf))];
  return keys.map((key) => {
    const own = found.filter((one) => keyOf(one) === key);
    return { kind: 'layers', text: textOf(own, views.length, rules), items: own.map(itemOf) };
  });
}

function keyOf({ upper, lower, effect: { quantity } }: Found): string {
  const [test, other] = [upper.series.test, lower.series.test];
  return JSON.stringify([test.layer, other.layer, test.operation, quantity]);
}

function foundIn({ side: { label }, entries }: View): Found[] {
  return entries.flatMap((upper) => {
    const lowers = belowOf(upper, entries);
    const effects = lowers.flatMap((lower) =>
      effectsOf(upper, lower).map((effect) => ({ label, upper, lower, effect })),
    );
    const quantities = [...new Set(effects.map(({ effect }) => effect.quantity))];
    return quantities.map((quantity) => hardest(effects.filter(({ effect }) => effect.quantity === quantity)));
  });
}

/** Tests of the same operation and kind in the next lower layer that has any. */
function belowOf({ series: { test, unit } }: Entry, entries: readonly Entry[]): Entry[] {
  const same = entries.filter(({ series }) => series.test.operation === test.operation && series.unit === unit);
  const below = LAYERS.slice(0, Math.max(0, LAYERS.indexOf(test.layer))).toReversed();
  const layer = below.find((one) => same.some(({ series }) => series.test.layer === one));
  return same.filter(({ series }) => series.test.layer === layer);
}

/** Where the lower layer has several tests, its best one is the measure. */
function hardest(found: readonly Found[]): Found {
  return found.reduce((best, one) => {
    const worse =
      one.effect.difference === null ? one.effect.ratio < best.effect.ratio : one.effect.ratio > best.effect.ratio;
    return worse ? one : best;
  });
}

function effectsOf(upper: Entry, lower: Entry): Effect[] {
  const { kind } = upper.series;
  if (!kind) return [];
  const [above, below] = [upper, lower].map(({ series }) => timesOf(pointsOf(series), kind));
  if (!above || !below) return [];
  return kind === 'latency' ? latencyEffect(above, below) : rateEffects(upper, lower, [above, below]);
}

function latencyEffect(above: readonly TimedSize[], below: readonly TimedSize[]): Effect[] {
  const { small } = regimesOf(above, below);
  const pairs =
    small.length > 0 ? small.map((size) => [at(above, size), at(below, size)] as const) : nearest(above, below);
  const known = pairs.flatMap(([one, other]) => (one && other ? [[one, other] as const] : []));
  const [first] = known;
  if (!first) return [];
  const sizes = known.map(([{ size }]) => size);
  const where = known.length > 1 ? sizeRange(sizes) : twoSizes(first[0].size, first[1].size);
  return [
    {
      quantity: 'latency',
      ratio: Math.exp(median(known.map(([one, other]) => Math.log(one.seconds / other.seconds)))),
      difference: median(known.map(([one, other]) => one.seconds - other.seconds)),
      where,
    },
  ];
}

function twoSizes(upper: number, lower: number): string {
  return upper === lower ? bytes(upper) : `${bytes(upper)} against ${bytes(lower)}`;
}

function at(times: readonly TimedSize[], size: number): TimedSize | undefined {
  return times.find((time) => time.size === size);
}

/** The two sizes that are least apart, the smallest of such. */
function nearest(above: readonly TimedSize[], below: readonly TimedSize[]): (readonly [TimedSize, TimedSize])[] {
  const pairs = above
    .flatMap((one) => below.map((other) => [one, other] as const))
    .filter(([one, other]) => one.size > 0 && other.size > 0);
  const apart = ([one, other]: readonly [TimedSize, TimedSize]): number => Math.abs(Math.log(one.size / other.size));
  const best = pairs.toSorted((x, y) => apart(x) - apart(y) || x[0].size - y[0].size)[0];
  return best && apart(best) <= Math.log(NEAR_SIZES) ? [best] : [];
}

function rateEffects(upper: Entry, lower: Entry, [above, below]: readonly (readonly TimedSize[])[]): Effect[] {
  const { small } = regimesOf(above ?? [], below ?? []);
  const ratios = small.map((size) =>
    Math.log((at(below ?? [], size)?.seconds ?? NaN) / (at(above ?? [], size)?.seconds ?? NaN)),
  );
  const rate: Effect = {
    quantity: 'small-message rate',
    ratio: Math.exp(median(ratios)),
    difference: null,
    where: sizeRange(small),
  };
  const [top, bottom] = [upper.shape, lower.shape];
  if (!top?.saturated || !bottom?.saturated || !top.peak || !bottom.peak) return small.length > 0 ? [rate] : [];
  const where = twoSizes(top.peak.size, bottom.peak.size);
  const peak: Effect = {
    quantity: 'peak bandwidth',
    ratio: top.peak.value / bottom.peak.value,
    difference: null,
    where,
  };
  return small.length > 0 ? [rate, peak] : [peak];
}

function textOf(own: readonly Found[], sides: number, rules: Rules): string {
  const [first] = own;
  if (!first) return '';
  const { upper, lower, effect } = first;
  const lead = `${layerName(upper.series.test.layer)} against ${layerName(lower.series.test.layer)}`;
  const tests = [...new Set(own.map((one) => one.upper.title))].map((title) => {
    const parts = own.filter((one) => one.upper.title === title);
    const each = parts.map(({ label, effect: one }) => ({ label, text: effectText(one, rules) }));
    const bases = [...new Set(parts.map((one) => one.lower.title))].join(' / ');
    return `${ofSides(each, sides)} (${title} against ${bases})`;
  });
  return capital(`${lead}, ${upper.series.test.operation}: ${effect.quantity} ${tests.join('; ')}`);
}

function effectText({ ratio, difference, where }: Effect, rules: Rules): string {
  const much = difference === null ? change(ratio) : `${microseconds(difference)}, ${change(ratio)}`;
  const text = beyond(ratio, rules) === 0 ? `equal (${much})` : much;
  return `${text} at ${where}`;
}

function itemOf({ label, upper, lower, effect }: Found): Statement['items'][number] {
  const { quantity, ratio, difference } = effect;
  return {
    ...{ side: label, operation: upper.series.test.operation, quantity, ratio, difference },
    ...{ upper: upper.title, upperLayer: upper.series.test.layer },
    ...{ lower: lower.title, lowerLayer: lower.series.test.layer },
  };
}

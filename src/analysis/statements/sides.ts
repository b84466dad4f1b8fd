/** How a side differs from another: one sentence for each operation and quantity, with a part for each test. */
import type { JsonObject } from '../../results/types.js';
import type { Comparison, SeriesComparison } from '../compare.js';
import { beyond, type RowComparison, type Rules } from '../compare-rows.js';
import { layerName, levelOf } from '../tests.js';
import { change, microseconds, sizeRange } from '../units.js';
import { effectsOf, type Effect, type Quantity } from './effects.js';
import { capital, type Statement } from './types.js';

interface Found {
  readonly comparison: SeriesComparison;
  readonly effect: Effect;
}

const ORDER: readonly Quantity[] = [
  ...(['latency', 'large-message time', 'small-message rate'] as const),
  ...(['large-message bandwidth', 'bandwidth', 'rate'] as const),
];

/** One sentence for each operation and quantity, and one for each test that is better at some sizes and worse at others. */
export function sideStatements(comparison: Comparison, rules: Rules): Statement[] {
  return [...quantityStatements(comparison, rules), ...comparison.series.flatMap(crossings)];
}

function quantityStatements(comparison: Comparison, rules: Rules): Statement[] {
  const found = comparison.series.flatMap((series) =>
    effectsOf(series, rules).map((effect) => ({ comparison: series, effect })),
  );
  return ORDER.flatMap((quantity) => {
    const own = found.filter(({ effect }) => effect.quantity === quantity);
    const operations = [...new Set(own.map(operationOf))];
    return operations.map((operation) => {
      const parts = own.filter((one) => operationOf(one) === operation).sort(byLayer);
      return statementOf(`${operation} ${quantity}`, parts, comparison, rules);
    });
  });
}

function crossings({ title, rows }: SeriesComparison): Statement[] {
  const words = (['improved', 'regressed'] as const).flatMap((verdict) => {
    const ranges = rangesOf(rows, verdict);
    return ranges.length === 0 ? [] : [{ verdict, ranges }];
  });
  if (words.length < 2) return [];
  const text = words.map(
    ({ verdict, ranges }) => `${verdict} at ${ranges.map((range) => sizeRange(range)).join(', ')}`,
  );
  const items = words.map(({ verdict, ranges }) => ({ test: title, verdict, ranges }));
  return [{ kind: 'sides', text: `${title} ${text.join('; ')}`, items }];
}

/** First and last size of each run of rows with a verdict. */
function rangesOf(rows: readonly RowComparison[], verdict: RowComparison['verdict']): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const [index, row] of rows.entries()) {
    if (row.verdict !== verdict || row.size === null) continue;
    const last = ranges.at(-1);
    if (last && rows[index - 1]?.verdict === verdict) last[1] = row.size;
    else ranges.push([row.size, row.size]);
  }
  return ranges;
}

function byLayer(x: Found, y: Found): number {
  return levelOf(x.comparison.a.series.test.layer) - levelOf(y.comparison.a.series.test.layer);
}

function operationOf({ comparison }: Found): string {
  return comparison.a.series.test.operation;
}

function statementOf(subject: string, parts: readonly Found[], { a, b }: Comparison, rules: Rules): Statement {
  const words = parts.map((part) => partText(part, rules));
  return {
    kind: 'sides',
    text: `${capital(subject)} ${words.join('; ')}`,
    items: parts.map((part) => itemOf(part, [a.label, b.label])),
  };
}

function partText({ comparison: { title, a }, effect }: Found, rules: Rules): string {
  const { layer, operation, name } = a.series.test;
  const of = operation === name ? (title === name ? '' : ` (${title})`) : ` (${layerName(layer)} ${title})`;
  const where = effect.sizes.length > 0 ? ` at ${sizeRange(effect.sizes)}` : '';
  return `${howMuch(effect, rules)}${where}${trendText(effect)}${of}`;
}

function howMuch({ ratio, difference, chance }: Effect, rules: Rules): string {
  if (chance) return `no change that can be told from chance (${change(ratio)})`;
  if (beyond(ratio, rules) === 0) return `unchanged (${change(ratio)})`;
  return difference === null ? change(ratio) : `${microseconds(difference)} (${change(ratio)})`;
}

function trendText({ trend }: Effect): string {
  if (trend === null) return '';
  return trend === 'offset' ? ', a constant offset at all sizes' : ', a constant factor at all sizes';
}

function itemOf({ comparison: { title, a }, effect }: Found, sides: readonly string[]): JsonObject {
  const { operation, layer } = a.series.test;
  return { sides, test: title, operation, layer, ...effect };
}

/** Which series of one side belongs to which of the other. */
import type { Series } from './series.js';
import type { Entry } from './views.js';

export interface Matched {
  readonly a: Entry;
  readonly b: Entry;
}

export interface Matches {
  /** In the order of the first side. */
  readonly pairs: readonly Matched[];
  /** What the other side doesn't have. */
  readonly onlyA: readonly Entry[];
  readonly onlyB: readonly Entry[];
}

/**
 * First those that agree in all of their options; then, of the same test and unit, those that agree in most of them.
 * In what they don't is told as a difference.
 */
export function matchEntries(a: readonly Entry[], b: readonly Entry[]): Matches {
  const partner = new Map<Entry, Entry>();
  const taken = new Set<Entry>();
  for (const { one, other } of ranked(a, b)) {
    if (partner.has(one) || taken.has(other)) continue;
    partner.set(one, other);
    taken.add(other);
  }
  const pairs = a.flatMap((one) => {
    const other = partner.get(one);
    return other ? [{ a: one, b: other }] : [];
  });
  return { pairs, onlyA: a.filter((one) => !partner.has(one)), onlyB: b.filter((other) => !taken.has(other)) };
}

/** All pairs that can be compared, those that differ least first. */
function ranked(a: readonly Entry[], b: readonly Entry[]): { one: Entry; other: Entry; distance: number }[] {
  const pairs = a.flatMap((one) =>
    b
      .filter((other) => comparable(one.series, other.series))
      .map((other) => ({ one, other, distance: distance(one.series, other.series) })),
  );
  return pairs.sort((x, y) => x.distance - y.distance);
}

/** One name, one unit, and at least one size that both have. */
function comparable(a: Series, b: Series): boolean {
  const sizes = new Set(a.rows.map(({ size }) => size));
  return a.test.name === b.test.name && a.unit === b.unit && b.rows.some(({ size }) => sizes.has(size));
}

function distance(a: Series, b: Series): number {
  const names = new Set([...Object.keys(a.parameters), ...Object.keys(b.parameters)]);
  const text = ({ parameters }: Series, name: string): string => JSON.stringify(parameters[name] ?? null);
  const others = [...names].filter((name) => text(a, name) !== text(b, name)).length;
  return others + (a.test.layer === b.test.layer ? 0 : 1) + (a.figure === b.figure ? 0 : 1);
}

/** Where nodes are: their order in pictures, and how far two are apart, as far as Slurm or their names tell. */
import type { LevelOf } from './model.js';

export interface Place {
  readonly host: string;
  /** From the top of the network down to the switch that the host hangs on; none where nobody tells. */
  readonly switches: readonly string[];
}

function compared(names: Intl.Collator, one: readonly string[], other: readonly string[]): number {
  for (const [index, name] of one.entries()) {
    const order = names.compare(name, other[index] ?? '');
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

const pathOf = ({ switches, host }: Place): string[] => [...switches, host];

/** Indexes of places so that neighbours in the network stand side by side, else by name; those of one host keep their order. */
export function orderOf(places: readonly Place[]): number[] {
  // As people order names with numbers: node2 before node10. Made here: it loads tables of ICU, for 5 ms.
  const names = new Intl.Collator('en', { numeric: true });
  return [...places.keys()].sort((one, other) => {
    const [a, b] = [places[one], places[other]];
    return a && b ? compared(names, pathOf(a), pathOf(b)) || one - other : 0;
  });
}

/** What nodes are called: their hosts, and where several share one its number among them too. */
export function namesOf(places: readonly Place[]): string[] {
  const counts = new Map<string, number>();
  for (const { host } of places) counts.set(host, (counts.get(host) ?? 0) + 1);
  const seen = new Map<string, number>();
  return places.map(({ host }) => {
    const number = seen.get(host) ?? 0;
    seen.set(host, number + 1);
    return (counts.get(host) ?? 0) > 1 ? `${host}:${number}` : host;
  });
}

export interface Levels {
  readonly levelOf: LevelOf;
  readonly count: number;
}

/**
 * How far apart: 0 on one host, 1 on one switch, and one more for each further switch on the way up. Levels are told apart
 * so that a link over the top of the network is not compared with one within a rack.
 */
export function levelsOf(places: readonly Place[]): Levels {
  const paths = places.map(pathOf);
  const depth = Math.max(0, ...paths.map(({ length }) => length));
  const ids = Array.from({ length: depth }, (_, level) =>
    idsOf(paths.map((path) => path.slice(0, path.length - level))),
  );
  if (new Set(ids[0]).size === places.length && new Set(ids[1]).size <= 1) return { levelOf: () => 0, count: 1 };
  const levelOf = (from: number, to: number): number => {
    for (let level = 0; level < depth; level++) {
      const own = ids[level];
      if (own?.[from] === own?.[to]) return level;
    }
    return depth;
  };
  return { levelOf, count: depth + 1 };
}

function idsOf(paths: readonly (readonly string[])[]): Int32Array {
  const known = new Map<string, number>();
  return Int32Array.from(paths, (path) => {
    const name = path.join('\n');
    const id = known.get(name) ?? known.size;
    known.set(name, id);
    return id;
  });
}

/** Where a new switch begins in an ordered list of places: lines of a picture. */
export function bordersOf(places: readonly Place[]): number[] {
  const above = places.map(({ switches, host }) => (switches.length > 0 ? switches.join('\n') : host));
  const counts = new Set(above).size;
  return counts < 2 || counts === places.length
    ? []
    : [...above.keys()].filter((at) => at > 0 && above[at] !== above[at - 1]);
}

/** A grid as squares of a picture: as it is, or where there are too many nodes, several of them to a square. */
import type { FigureKind, FigureName } from './figures.js';
import type { PairGrid } from './grid.js';
import type { Finding } from './verdict.js';

export interface Tiles {
  /** Rows, and columns. */
  readonly count: number;
  /** Nodes of a row. */
  readonly nodes: number;
  /** By row (sender) and column (receiver): the mean of logarithms, as a figure again; NaN where nothing was measured. */
  readonly values: Float64Array;
  /** 1 where a finding lies. */
  readonly marked: Uint8Array;
}

/** A square of a pair's, by sender and receiver. */
export type Mark = readonly [from: number, to: number];

/** Where what is found of a figure lies: links in their directions, hosts on the diagonal. */
export function marksOf(findings: readonly Finding[], figure: FigureName): Mark[] {
  const found = findings.flatMap(({ kind, nodes: [first = 0, second = 0], evidence }) =>
    evidence.filter((one) => one.figure === figure).map(({ way }) => ({ kind, first, second, way })),
  );
  return found.flatMap(({ kind, first, second, way }): Mark[] => {
    if (kind === 'host') return [[first, first]];
    const there: Mark = [first, second];
    const back: Mark = [second, first];
    if (way === 'both') return [there, back];
    return way === 'out' ? [there] : [back];
  });
}

export function tilesOf(grid: PairGrid, most: number, marks: readonly Mark[] = []): Tiles {
  const nodes = Math.max(1, Math.ceil(grid.nodes / most));
  const count = Math.ceil(grid.nodes / nodes);
  const sums = new Float64Array(count * count);
  const counts = new Float64Array(count * count);
  const add = (from: number, to: number, value: number): void => {
    const at = Math.floor(from / nodes) * count + Math.floor(to / nodes);
    sums[at] = (sums[at] ?? 0) + Math.log(value);
    counts[at] = (counts[at] ?? 0) + 1;
  };
  grid.forEach((value, from, to) => {
    add(from, to, value);
    if (grid.symmetric) add(to, from, value);
  });
  const marked = new Uint8Array(count * count);
  for (const [from, to] of marks) marked[Math.floor(from / nodes) * count + Math.floor(to / nodes)] = 1;
  return { count, nodes, values: sums.map((sum, at) => Math.exp(sum / (counts[at] ?? 0))), marked };
}

/** What the ends of the colours stand for. */
export interface Range {
  readonly best: number;
  readonly worst: number;
}

/** Of the squares, so many lie beyond each end: one that is far off does not take all colours for itself. */
const OUTSIDE = 0.02;
/** A third worse at least: what differs less shall not look as if it mattered. */
const LEAST_SPAN = 4 / 3;

export function rangeOf({ values }: Tiles, { worse }: FigureKind): Range {
  const sorted = values.filter((value) => value > 0 && Number.isFinite(value)).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
  const [low, high] = [at(OUTSIDE), at(1 - OUTSIDE)];
  return worse > 0
    ? { best: low, worst: Math.max(high, low * LEAST_SPAN) }
    : { best: high, worst: Math.min(low, high / LEAST_SPAN) };
}

/** Where a figure lies from the best (0) to the worst (1), by its logarithm; what lies beyond an end is put there. */
export function shadeOf(value: number, { best, worst }: Range): number {
  return Math.min(1, Math.max(0, Math.log(value / best) / Math.log(worst / best)));
}

/** A grid as squares of a picture: as it is, or where there are too many nodes, several of them to a square. */
import type { FigureKind } from './figures.js';
import type { PairGrid } from './grid.js';

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

/** What findings say of links, for the marks: pairs of sender and receiver. */
export type Mark = readonly [from: number, to: number];

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

/** What colours stand for: from the best to the worst that all but a few tiles are. */
export interface Range {
  readonly best: number;
  readonly worst: number;
}

const OUTSIDE = 0.02;

/** Without the extremes on either side, so that one square does not take all colours for itself. */
export function rangeOf({ values }: Tiles, { worse }: FigureKind): Range {
  const sorted = values.filter((value) => value > 0 && Number.isFinite(value)).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
  const [low, high] = [at(OUTSIDE), at(1 - OUTSIDE)];
  return worse > 0 ? { best: low, worst: high } : { best: high, worst: low };
}

/** A third and more apart: closer figures would look far apart for nothing. */
const LEAST_SPAN = Math.log(4 / 3);

/** Where a figure lies from the best (0) to the worst (1), by its logarithm; beyond them at their places. */
export function shadeOf(value: number, { best, worst }: Range): number {
  const span = Math.log(worst / best);
  const wide = Math.sign(span || 1) * Math.max(Math.abs(span), LEAST_SPAN);
  return Math.min(1, Math.max(0, Math.log(value / best) / wide));
}

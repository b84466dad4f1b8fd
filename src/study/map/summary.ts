/** A figure over all links, and of each host: what a record and a table hold of a map, however many pairs there are. */
import type { FigureName } from './figures.js';
import { KINDS } from './figures.js';
import type { PairGrid } from './grid.js';
import { Sketch } from './sketch.js';
import { hostMedian, type Grids } from './verdict.js';

export interface FigureSummary {
  readonly figure: FigureName;
  /** That were measured; of a figure with directions each of them. */
  readonly links: number;
  readonly best: number;
  readonly median: number;
  /** That 10 % and 1 % of the links are worse than. */
  readonly worst10: number;
  readonly worst1: number;
  readonly worst: number;
  /** Sender and receiver of the best and of the worst. */
  readonly bestLink: readonly [number, number];
  readonly worstLink: readonly [number, number];
}

export function summaryOf(figure: FigureName, grid: PairGrid): FigureSummary {
  const { worse } = KINDS[figure];
  const sketch = new Sketch();
  let [best, worst] = [Infinity, -Infinity];
  let [bestLink, worstLink]: (readonly [number, number])[] = [
    [-1, -1],
    [-1, -1],
  ];
  grid.forEach((value, from, to) => {
    const badness = worse * Math.log(value);
    sketch.add(badness);
    if (badness < best) [best, bestLink] = [badness, [from, to]];
    if (badness > worst) [worst, worstLink] = [badness, [from, to]];
  });
  const at = (share: number): number => Math.exp(worse * sketch.quantile(share));
  return {
    ...{ figure, links: sketch.n, median: at(0.5), worst10: at(0.9), worst1: at(0.99) },
    ...{ best: Math.exp(worse * best), worst: Math.exp(worse * worst) },
    ...{ bestLink: bestLink ?? [-1, -1], worstLink: worstLink ?? [-1, -1] },
  };
}

/** In the order in which they are shown. */
export const SHOWN: readonly FigureName[] = ['latency', 'jitter', 'bandwidth'];

export function summariesOf(grids: Grids): FigureSummary[] {
  return SHOWN.flatMap((figure) => {
    const grid = grids[figure];
    return grid ? [summaryOf(figure, grid)] : [];
  });
}

/** Medians over the links of each node: as sender, and where directions differ, as receiver. */
export function hostMedians(grids: Grids, figure: FigureName): { readonly out: number[]; readonly into?: number[] } {
  const grid = grids[figure];
  const nodes = Array.from({ length: grid?.nodes ?? 0 }, (_, node) => node);
  const out = nodes.map((node) => hostMedian(grid, node, 'out'));
  return KINDS[figure].symmetric ? { out } : { out, into: nodes.map((node) => hostMedian(grid, node, 'into')) };
}

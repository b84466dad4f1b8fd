/** Measures links by the ranks of a field: one rank of each node. */
import { measurePairs } from '../pairs.js';
import type { Field, Pair, PairResult } from '../types.js';
import type { Effort } from './budget.js';
import { FIGURES_PER_LINK, type Meter } from './meter.js';
import { linksOf, type Round } from './schedule.js';

/** @param ranks of each node the one that takes part */
export function studyMeter(field: Field, ranks: readonly number[]): Meter {
  return {
    nodes: ranks.length,
    now: () => field.now(),
    measure: (rounds, effort) => {
      const all = rounds.map((round) => measureRound(field, ranks, round, effort));
      const figures = new Float64Array(all.reduce((sum, { length }) => sum + length, 0));
      let next = 0;
      for (const own of all) {
        figures.set(own, next);
        next += own.length;
      }
      return figures;
    },
  };
}

function measureRound(field: Field, ranks: readonly number[], round: Round, effort: Effort): Float64Array {
  const links = linksOf(round, ranks.length);
  const figures = new Float64Array((links.length / 2) * FIGURES_PER_LINK).fill(NaN);
  const put = (at: number, values: ArrayLike<number>, link: number): void => {
    figures.set(values, link * FIGURES_PER_LINK + at);
  };
  if (round.kind === 'shift') {
    for (const [link, rate] of shiftRates(field, ranks, round.by, effort).entries()) put(2, [rate], link);
    return figures;
  }
  const rankOf = (at: number): number => ranks[links[at] ?? NaN] ?? NaN;
  const pairs = Array.from({ length: links.length / 2 }, (_, link): Pair => [rankOf(2 * link), rankOf(2 * link + 1)]);
  if (effort.latencyIterations > 0)
    for (const [link, result] of latencies(field, pairs, effort).entries())
      put(0, [result.median, result.value / result.median], link);
  if (effort.windows > 0) {
    const back = pairs.map(([first, second]): Pair => [second, first]);
    for (const [link, { median }] of streams(field, pairs, effort).entries()) put(2, [median], link);
    for (const [link, { median }] of streams(field, back, effort).entries()) put(3, [median], link);
  }
  return figures;
}

function latencies(field: Field, pairs: readonly Pair[], effort: Effort): PairResult[] {
  const { latencySize: size, latencyIterations: iterations, latencyWarmup: warmup } = effort;
  return measurePairs(field, { program: 'osu_latency', pairs, size, window: 1, iterations, warmup });
}

function streams(field: Field, pairs: readonly Pair[], effort: Effort): PairResult[] {
  const { size, window, windows: iterations, windowWarmup: warmup } = effort;
  return measurePairs(field, { program: 'osu_bw', pairs, size, window, iterations, warmup });
}

/** Bytes per second from each node, in their order, to the one `by` places on, which keeps the time. */
function shiftRates(field: Field, ranks: readonly number[], by: number, effort: Effort): number[] {
  const { size, window, windows: iterations, windowWarmup: warmup } = effort;
  const { summaries } = field.run({ kind: 'shift', ranks, by, size, window, iterations, warmup });
  const seconds = new Map(summaries.map(({ rank, spread }) => [rank, spread.median]));
  return ranks.map((_, node) => (size * window) / (seconds.get(ranks[(node + by) % ranks.length] ?? NaN) ?? NaN));
}

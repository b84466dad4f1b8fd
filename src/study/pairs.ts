/** Small measurements between pairs of ranks. */
import { figuresOf, mainFigure } from './programs.js';
import type { Field, Pair, PairResult, PairStep, Summary } from './types.js';

/**
 * Has all pairs measure at the same time, and gives what each has found, in their order. Ranks outside keep still.
 *
 * @throws RangeError for a rank that is in two pairs, or not in the field
 */
export function measurePairs(field: Field, step: Omit<PairStep, 'kind'>): PairResult[] {
  requireDisjoint(step.pairs, field.size);
  const { summaries } = field.run({ kind: 'pairs', ...step });
  const byRank = new Map(summaries.map((summary) => [summary.rank, summary]));
  return step.pairs.map((pair) => {
    const summary = byRank.get(pair[0]);
    if (!summary) throw new Error(`rank ${pair[0]} has said nothing of what it measured`);
    return resultOf(step, pair, summary);
  });
}

function requireDisjoint(pairs: readonly Pair[], size: number): void {
  const ranks = pairs.flat();
  const outside = ranks.find((rank) => !Number.isInteger(rank) || rank < 0 || rank >= size);
  if (outside !== undefined) throw new RangeError(`there is no rank ${outside} among ${size}`);
  if (new Set(ranks).size < ranks.length) throw new RangeError('a rank is in two pairs at once');
}

function resultOf(step: Omit<PairStep, 'kind'>, pair: Pair, { iterations, seconds, spread }: Summary): PairResult {
  const one = (sample: number): number => mainFigure(step, 1, { seconds: [sample], iterations: 1 });
  const all = { seconds: [seconds], iterations };
  return {
    ...{ pair, iterations, seconds, figures: figuresOf(step, 1, all), value: mainFigure(step, 1, all) },
    ...{ best: one(spread.min), median: one(spread.median) },
    ...{ p90: one(spread.p90), p99: one(spread.p99), worst: one(spread.max) },
  };
}

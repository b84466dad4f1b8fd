/** Percentiles and the interval of the median. Both are sample values, chosen by rank. */

/**
 * Nearest rank (definition 1 of Hyndman and Fan, 1996): the smallest sample that `percent` % of all samples do not
 * exceed, which is the one of rank ceil(n · percent / 100); percent 0 is the smallest sample. Valid for any n >= 1.
 */
export function nearestRank(n: number, percent: number): number {
  const exact = (n * percent) / 100;
  const whole = Math.round(exact);
  const rank = Math.abs(exact - whole) <= 1e-12 * Math.max(1, exact) ? whole : Math.ceil(exact);
  return Math.min(Math.max(rank, 1), n);
}

/** Up to here the binomial distribution is summed; 2^-n must stay a normal number. */
const EXACT_LIMIT = 1000;
const NORMAL_QUANTILE_975 = 1.959963984540054;

export const INTERVAL_LEVEL = 0.95;

/**
 * Ranks of the samples that enclose the median with at least 95 % confidence, whatever the distribution: the largest l
 * with P(B <= l - 1) <= 2.5 % for B ~ Binomial(n, 1/2), and n + 1 - l. Null below 6 samples, where no two samples do.
 * Above 1000 samples the normal approximation with continuity correction stands for the binomial distribution.
 */
export function medianIntervalRanks(n: number): { readonly low: number; readonly high: number } | null {
  const low = n <= EXACT_LIMIT ? exactLowRank(n) : Math.floor((n + 1 - NORMAL_QUANTILE_975 * Math.sqrt(n)) / 2);
  return low < 1 ? null : { low, high: n + 1 - low };
}

function exactLowRank(n: number): number {
  const tail = (1 - INTERVAL_LEVEL) / 2;
  let probability = 2 ** -n;
  let cumulative = probability;
  let rank = 0;
  while (cumulative <= tail) {
    rank += 1;
    probability *= (n + 1 - rank) / rank;
    cumulative += probability;
  }
  return rank;
}

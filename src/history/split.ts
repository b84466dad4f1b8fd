/**
 * Where a history changes most, seen in all of its rows at once.
 *
 * A row is one size over time. Its values are replaced by their ranks, so that outliers count no more than any other value and
 * any unit will do. For a border between two stretches the statistic is the squared difference of their mean ranks, in the unit of its
 * variance if the order were chance; of all rows, borders and ends of the later stretch the largest one counts. The later
 * stretch may end before the history does, so that a change which is taken back later shows as well.
 */

/** Ranks of one row over time; NaN where the row is missing. */
export type Ranks = Float64Array;

export interface Split {
  /** The first place after the border. */
  readonly at: number;
  /** Where the later stretch ends. */
  readonly end: number;
  readonly statistic: number;
}

/** Places on either side of a border. */
export const LEAST_STRETCH = 4;
/** Ends of the later stretch that are tried; more of them cost time and find little more. */
const MOST_ENDS = 24;

/** Mean ranks (those of equal values are shared), from 1. */
export function ranksOf(values: readonly number[]): Ranks {
  const known = values.map((value, index) => ({ value, index })).filter(({ value }) => Number.isFinite(value));
  known.sort((a, b) => a.value - b.value);
  const ranks = new Float64Array(values.length).fill(NaN);
  for (let from = 0; from < known.length;) {
    let to = from + 1;
    while (to < known.length && known[to]?.value === known[from]?.value) ++to;
    for (let place = from; place < to; ++place) ranks[known[place]?.index ?? 0] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** The sums of one row along an order of its places, from which any stretch is told at once. */
class Sums {
  readonly #sums: Float64Array;
  readonly #counts: Int32Array;
  #variance = 0;

  constructor(length: number) {
    this.#sums = new Float64Array(length + 1);
    this.#counts = new Int32Array(length + 1);
  }

  fill(ranks: Ranks, order: Int32Array): void {
    let squares = 0;
    for (let place = 0; place < order.length; ++place) {
      const rank = ranks[order[place] ?? 0] ?? NaN;
      const known = rank === rank;
      this.#sums[place + 1] = (this.#sums[place] ?? 0) + (known ? rank : 0);
      this.#counts[place + 1] = (this.#counts[place] ?? 0) + (known ? 1 : 0);
      if (known) squares += rank * rank;
    }
    const [sum, n] = [this.#sums[order.length] ?? 0, this.#counts[order.length] ?? 0];
    this.#variance = n > 1 ? (squares - (sum * sum) / n) / (n - 1) : 0;
  }

  /** Of the border `at`, with stretches from the start and up to `end`. */
  statistic(at: number, end: number): number {
    const [before, both] = [this.#counts[at] ?? 0, this.#counts[end] ?? 0];
    const after = both - before;
    if (before < LEAST_STRETCH || after < LEAST_STRETCH || this.#variance <= 0) return 0;
    const first = this.#sums[at] ?? 0;
    const difference = first / before - ((this.#sums[end] ?? 0) - first) / after;
    return (difference * difference * before * after) / ((before + after) * this.#variance);
  }
}

/** Finds the best border of rows, in the order of time or any other. */
export class Splitter {
  readonly #rows: readonly Ranks[];
  readonly #sums: readonly Sums[];
  readonly #step: number;

  constructor(rows: readonly Ranks[], length: number) {
    this.#rows = rows;
    this.#sums = rows.map(() => new Sums(length));
    this.#step = Math.max(1, Math.ceil(length / MOST_ENDS));
  }

  /** `order`: indices of the places, as many as there are. */
  best(order: Int32Array): Split {
    for (const [index, sums] of this.#sums.entries()) sums.fill(this.#rows[index] ?? new Float64Array(), order);
    let best: Split = { at: 0, end: 0, statistic: 0 };
    for (let border = LEAST_STRETCH; border <= order.length - LEAST_STRETCH; ++border)
      best = this.#bestEnd(border, order.length, best);
    return best;
  }

  /** Of one row, at a border of the order that `best` was asked about last. */
  statisticOf(row: number, { at, end }: Split): number {
    return this.#sums[row]?.statistic(at, end) ?? 0;
  }

  #bestEnd(at: number, length: number, before: Split): Split {
    let best = before;
    for (const sums of this.#sums)
      for (let end = length; end >= at + LEAST_STRETCH; end -= this.#step) {
        const statistic = sums.statistic(at, end);
        if (statistic > best.statistic) best = { at, end, statistic };
      }
    return best;
  }
}

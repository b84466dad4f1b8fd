/** Values in ascending order, each once or with a count: what quantiles are read from. */
export class Ordered {
  readonly n: number;
  readonly #values: Float64Array;
  /** How many samples there are up to and including each value; undefined = each value is one sample. */
  readonly #upTo: Float64Array | undefined;

  private constructor(values: Float64Array, upTo?: Float64Array) {
    this.#values = values;
    this.#upTo = upTo;
    this.n = upTo ? (upTo.at(-1) ?? 0) : values.length;
  }

  static fromSamples(samples: ArrayLike<number>): Ordered {
    return new Ordered(new Float64Array(samples).sort());
  }

  /** Values that are in ascending order already; they are not copied. */
  static fromSorted(samples: Float64Array): Ordered {
    return new Ordered(samples);
  }

  static fromCounts(entries: readonly { readonly value: number; readonly count: number }[]): Ordered {
    const sorted = [...entries].sort((a, b) => a.value - b.value);
    let total = 0;
    const upTo = Float64Array.from(sorted, ({ count }) => (total += count));
    return new Ordered(
      Float64Array.from(sorted, ({ value }) => value),
      upTo,
    );
  }

  /** The `rank`-th smallest sample, 1 to n. */
  at(rank: number): number {
    const value = this.#values[this.#upTo ? firstReaching(this.#upTo, rank) : rank - 1];
    if (value === undefined) throw new RangeError(`no sample of rank ${rank} among ${this.n}`);
    return value;
  }

  /** The middle sample, or the mean of the two middle ones. */
  median(): number {
    const low = this.at(Math.ceil(this.n / 2));
    const high = this.at(Math.floor(this.n / 2) + 1);
    return low === high ? low : low + (high - low) / 2;
  }

  /** How far the samples are from `centre`. Both sides of it are in order already: they are merged. */
  deviations(centre: number): Ordered {
    const count = this.#values.length;
    const distances = new Float64Array(count);
    const counts = this.#upTo && new Float64Array(count);
    let above = this.#indexAbove(centre);
    let below = above - 1;
    for (let index = 0; index < count; index++) {
      const up = above < count ? (this.#values[above] ?? NaN) - centre : Infinity;
      const down = below >= 0 ? centre - (this.#values[below] ?? NaN) : Infinity;
      const from = below < 0 || (above < count && up < down) ? above++ : below--;
      distances[index] = Math.min(up, down);
      if (counts) counts[index] = (counts[index - 1] ?? 0) + this.#countAt(from);
    }
    return new Ordered(distances, counts);
  }

  /** How many samples are above `limit`. */
  countAbove(limit: number): number {
    const index = this.#indexAbove(limit);
    return this.n - (this.#upTo ? (this.#upTo[index - 1] ?? 0) : index);
  }

  /** Of the first value above `limit`. */
  #indexAbove(limit: number): number {
    let low = 0;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] ?? Infinity) > limit) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  mean(): number {
    let mean = 0;
    for (const [index, value] of this.#values.entries()) mean += (value * this.#countAt(index)) / this.n;
    return mean;
  }

  #countAt(index: number): number {
    return this.#upTo ? (this.#upTo[index] ?? 0) - (this.#upTo[index - 1] ?? 0) : 1;
  }
}

/** Index of the first entry that is not below `rank`. */
function firstReaching(upTo: Float64Array, rank: number): number {
  let low = 0;
  let high = upTo.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((upTo[middle] ?? Infinity) >= rank) high = middle;
    else low = middle + 1;
  }
  return low;
}

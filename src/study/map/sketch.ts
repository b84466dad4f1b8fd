/** Quantiles of any number of values in fixed room: counts in bins of equal width. */

/** Of logarithms: a value is told to within 0.05 %. */
const WIDTH = 0.001;
/** Logarithms from here on share the last bin; every time and rate there is lies far below. */
const REACH = 40;
const BINS = (2 * REACH) / WIDTH;

export class Sketch {
  readonly #counts = new Float64Array(BINS);
  #n = 0;
  #low = BINS;
  #high = 0;

  get n(): number {
    return this.#n;
  }

  add(value: number): void {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor((value + REACH) / WIDTH)));
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
    this.#n += 1;
    if (bin < this.#low) this.#low = bin;
    if (bin > this.#high) this.#high = bin;
  }

  /** The value that a share of all don't exceed, from 0 to 1; NaN of nothing. */
  quantile(share: number): number {
    if (this.#n === 0) return NaN;
    const rank = Math.max(1, Math.ceil(share * this.#n));
    let seen = 0;
    for (let bin = this.#low; bin <= this.#high; bin++) {
      seen += this.#counts[bin] ?? 0;
      if (seen >= rank) return (bin + 0.5) * WIDTH - REACH;
    }
    return NaN;
  }

  median(): number {
    return this.quantile(0.5);
  }
}

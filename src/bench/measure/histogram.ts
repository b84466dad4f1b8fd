/** Counts of values in bins of constant ratio, for more samples than are kept. */

/** Every value is told with at most this relative error. */
export const HISTOGRAM_ERROR = 0.01;

/** Bounds of neighbouring bins; the value 2·low·high/(low+high) is then within HISTOGRAM_ERROR of both bounds. */
const RATIO = (1 + HISTOGRAM_ERROR) / (1 - HISTOGRAM_ERROR);
const LOG_RATIO = Math.log(RATIO);
const CENTRE = (2 * RATIO) / (1 + RATIO);

export class Histogram {
  readonly #bins = new Map<number, number>();
  #zeros = 0;
  #infinite = 0;

  /** `value` is not negative and not NaN. */
  add(value: number): void {
    if (value === 0) {
      this.#zeros += 1;
    } else if (value === Infinity) {
      this.#infinite += 1;
    } else {
      const bin = Math.floor(Math.log(value) / LOG_RATIO);
      this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
    }
  }

  /** Ascending values with how often they occurred. */
  entries(): { readonly value: number; readonly count: number }[] {
    const bins = [...this.#bins].sort(([a], [b]) => a - b);
    return [
      { value: 0, count: this.#zeros },
      ...bins.map(([bin, count]) => ({ value: Math.exp(bin * LOG_RATIO) * CENTRE, count })),
      { value: Infinity, count: this.#infinite },
    ].filter(({ count }) => count > 0);
  }
}

import type { Counters, CounterValue } from './counters.js';

/** Sums of counters over several spans, such as the chunks of a row. Without counters it only does the work. */
export class CounterTotals {
  readonly #counters: Counters | undefined;
  readonly #sums = new Map<string, number>();

  constructor(counters: Counters | undefined) {
    this.#counters = counters;
  }

  /** Does the work and counts meanwhile. What the work throws passes through. */
  during<T>(work: () => T): T {
    const counters = this.#counters;
    if (!counters) return work();
    counters.start();
    const result = work();
    for (const { name, value } of counters.stop()) this.#sums.set(name, (this.#sums.get(name) ?? 0) + value);
    return result;
  }

  /** All spans together; undefined where nothing is counted. */
  get values(): readonly CounterValue[] | undefined {
    return this.#counters && [...this.#sums].map(([name, value]) => ({ name, value }));
  }
}

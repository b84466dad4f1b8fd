/** One figure of every pair of nodes, in four bytes each; NaN where it wasn't measured. */
export class PairGrid {
  readonly #values: Float32Array;

  /** @param symmetric whether there is one figure for both directions, which then takes half the room */
  constructor(
    readonly nodes: number,
    readonly symmetric: boolean,
  ) {
    this.#values = new Float32Array(symmetric ? (nodes * (nodes - 1)) / 2 : nodes * nodes).fill(NaN);
  }

  get byteLength(): number {
    return this.#values.byteLength;
  }

  /** How many figures there can be. */
  get links(): number {
    return (this.nodes * (this.nodes - 1)) / (this.symmetric ? 2 : 1);
  }

  at(from: number, to: number): number {
    return from === to ? NaN : (this.#values[this.#index(from, to)] ?? NaN);
  }

  set(from: number, to: number, value: number): void {
    if (from !== to) this.#values[this.#index(from, to)] = value;
  }

  /** Every figure that was measured, once: with both directions in one grid, those from lower to higher nodes. */
  forEach(take: (value: number, from: number, to: number) => void): void {
    for (let from = 0; from < this.nodes; from++) {
      for (let to = this.symmetric ? from + 1 : 0; to < this.nodes; to++) {
        const value = this.at(from, to);
        if (!Number.isNaN(value)) take(value, from, to);
      }
    }
  }

  #index(from: number, to: number): number {
    if (!this.symmetric) return from * this.nodes + to;
    const [low, high] = from < to ? [from, to] : [to, from];
    return (high * (high - 1)) / 2 + low;
  }
}

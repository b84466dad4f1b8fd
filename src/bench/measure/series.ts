/**
 * Samples in the order in which they were measured, each source (a rank, a thread) a series of its own: levels differ
 * between sources, and one after the other they would look like a change over time.
 */

/** Which of the samples that came one after the other are whose. */
export class Segments {
  readonly #all: { readonly source: number; count: number }[] = [];

  /** One more sample. */
  add(source: number): void {
    const last = this.#all.at(-1);
    if (last?.source === source) last.count++;
    else this.#all.push({ source, count: 1 });
  }

  /** Calls `visit` for each sample in the order in which they came. */
  forEach(visit: (index: number, source: number) => void): void {
    let index = 0;
    for (const { source, count } of this.#all) for (let left = count; left > 0; left--) visit(index++, source);
  }

  /** The same values, by source. */
  split(values: Float64Array): Float64Array[] {
    const sources = [...new Set(this.#all.map(({ source }) => source))];
    return sources.length === 1 ? [values] : sources.map((source) => this.#of(source, values));
  }

  #of(wanted: number, values: Float64Array): Float64Array {
    const own = this.#all.filter(({ source }) => source === wanted);
    const series = new Float64Array(own.reduce((sum, { count }) => sum + count, 0));
    let from = 0;
    let to = 0;
    for (const { source, count } of this.#all) {
      if (source === wanted) {
        series.set(values.subarray(from, from + count), to);
        to += count;
      }
      from += count;
    }
    return series;
  }
}

/** Of one source with more samples than are kept: every k-th, k doubling whenever the room is full. */
export class Trace {
  readonly #room: Float64Array;
  #count = 0;
  #stride = 1;
  #seen = 0;

  /** `room` is an even number. */
  constructor(room: number) {
    this.#room = new Float64Array(room);
  }

  get isEmpty(): boolean {
    return this.#seen === 0;
  }

  add(value: number): void {
    if (this.#seen++ % this.#stride !== 0) return;
    if (this.#count === this.#room.length) this.#thin();
    // After thinning the next to keep may be a later one.
    if ((this.#seen - 1) % this.#stride === 0) this.#room[this.#count++] = value;
  }

  values(): Float64Array {
    return this.#room.slice(0, this.#count);
  }

  #thin(): void {
    this.#count /= 2;
    this.#stride *= 2;
    for (let index = 0; index < this.#count; index++) this.#room[index] = this.#room[2 * index] ?? NaN;
  }
}

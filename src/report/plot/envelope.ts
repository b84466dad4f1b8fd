/** Times of a row's iterations in bounded memory: extremes and mean of neighbouring ones, however many there are. */

/** Iterations that share a place: their extremes are exact. */
export interface Bucket {
  /** Index of the first iteration, from 0. */
  readonly first: number;
  /** Iterations that the bucket spans. */
  readonly iterations: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

/** Buckets kept; a power of two, since full ones are merged in pairs. */
const CAPACITY = 1024;

/** Samples of several ranks meet by iteration: each rank counts its own. */
export class Envelope {
  readonly #capacity: number;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #count: Float64Array;
  readonly #seen = new Map<number, number>();
  #width = 1;
  #used = 0;

  /** `capacity`: a power of two. */
  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
    this.#min = new Float64Array(capacity).fill(Infinity);
    this.#max = new Float64Array(capacity).fill(-Infinity);
    this.#sum = new Float64Array(capacity);
    this.#count = new Float64Array(capacity);
  }

  /** Adds the next samples of one rank, in seconds. */
  add(rank: number, seconds: ArrayLike<number>): void {
    let index = this.#seen.get(rank) ?? 0;
    for (let at = 0; at < seconds.length; ++at, ++index) {
      while (index >= this.#width * this.#capacity) this.#mergePairs();
      this.#put(Math.floor(index / this.#width), seconds[at] ?? NaN);
    }
    this.#seen.set(rank, index);
  }

  /** Samples of the rank that has most. */
  get iterations(): number {
    return Math.max(0, ...this.#seen.values());
  }

  get ranks(): number {
    return this.#seen.size;
  }

  /** Extremes and mean of all samples; undefined where there are none. */
  get total(): Bucket | undefined {
    return this.#used === 0 ? undefined : this.#bucket(0, this.#used);
  }

  /** All iterations, in order, in at most `most` buckets of nearly equal span. */
  buckets(most = this.#capacity): Bucket[] {
    const count = Math.min(most, this.#used);
    const starts = Array.from({ length: count + 1 }, (_, index) => Math.floor((index * this.#used) / count));
    return starts.slice(0, -1).map((start, index) => this.#bucket(start, starts[index + 1] ?? this.#used));
  }

  #put(bucket: number, value: number): void {
    this.#min[bucket] = Math.min(this.#min[bucket] ?? Infinity, value);
    this.#max[bucket] = Math.max(this.#max[bucket] ?? -Infinity, value);
    this.#sum[bucket] = (this.#sum[bucket] ?? 0) + value;
    this.#count[bucket] = (this.#count[bucket] ?? 0) + 1;
    this.#used = Math.max(this.#used, bucket + 1);
  }

  #mergePairs(): void {
    const half = this.#capacity / 2;
    const merge = (values: Float64Array, join: (a: number, b: number) => number, nothing: number): void => {
      for (let index = 0; index < half; ++index)
        values[index] = join(values[2 * index] ?? nothing, values[2 * index + 1] ?? nothing);
      values.fill(nothing, half);
    };
    const add = (a: number, b: number): number => a + b;
    merge(this.#min, Math.min, Infinity);
    merge(this.#max, Math.max, -Infinity);
    merge(this.#sum, add, 0);
    merge(this.#count, add, 0);
    this.#width *= 2;
    this.#used = Math.ceil(this.#used / 2);
  }

  #bucket(from: number, to: number): Bucket {
    let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
    for (let index = from; index < to; ++index) {
      min = Math.min(min, this.#min[index] ?? Infinity);
      max = Math.max(max, this.#max[index] ?? -Infinity);
      sum += this.#sum[index] ?? 0;
      count += this.#count[index] ?? 0;
    }
    const first = from * this.#width;
    return { first, iterations: Math.min(to * this.#width, this.iterations) - first, min, max, mean: sum / count };
  }
}

/** The peak of a stream: the best window between the posting of one message and the completion of a later one. */

export interface Posted {
  /** Seconds, by posting; `at[k]` is when the messages from k * `step` on were posted. Ascending. */
  readonly at: ArrayLike<number>;
  /** Messages of one posting (`-l`). */
  readonly step: number;
}

export interface Completed {
  /** Messages completed in all, at each completion that was seen; ascending, of all queue pairs together. */
  readonly count: ArrayLike<number>;
  /** Seconds, likewise. */
  readonly at: ArrayLike<number>;
}

/**
 * Seconds per message of the best window: the least (completion of message j - posting of message i) / (j - i + 1) over
 * all postings i and completions j >= i. Null where there is no window, or one of no time at all, which no rate can be
 * told from.
 *
 * In a plane of messages and time that is the flattest line from a posting to a later completion. Only corners of the
 * upper hull of the postings so far can begin it, and from left to right its slope falls and then rises, so that n
 * messages take n log n steps, where trying all pairs takes n^2.
 */
export function bestWindow(posted: Posted, completed: Completed): number | null {
  const hull = new UpperHull();
  let next = 0;
  let best = Infinity;
  for (let index = 0; index < completed.count.length; ++index) {
    const count = completed.count[index] ?? 0;
    for (; next < posted.at.length && next * posted.step < count; ++next)
      hull.add(next * posted.step, at(posted, next));
    if (hull.size > 0) best = Math.min(best, hull.leastSlopeTo(count, at(completed, index)));
  }
  return best > 0 && best < Infinity ? best : null;
}

function at({ at: times }: { readonly at: ArrayLike<number> }, index: number): number {
  return times[index] ?? NaN;
}

/** The corners above which no point lies, from left to right. */
class UpperHull {
  readonly #x: number[] = [];
  readonly #y: number[] = [];

  get size(): number {
    return this.#x.length;
  }

  /** Adds a point to the right of all others. */
  add(x: number, y: number): void {
    while (
      this.size > 1 &&
      this.#slope(this.size - 2, this.#xAt(-1), this.#yAt(-1)) <= this.#slope(this.size - 1, x, y)
    ) {
      this.#x.pop();
      this.#y.pop();
    }
    this.#x.push(x);
    this.#y.push(y);
  }

  /** The least slope of a line from a corner to this point, which is to the right of all. */
  leastSlopeTo(x: number, y: number): number {
    let low = 0;
    let high = this.size - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#slope(middle + 1, x, y) < this.#slope(middle, x, y)) low = middle + 1;
      else high = middle;
    }
    return this.#slope(low, x, y);
  }

  #slope(corner: number, x: number, y: number): number {
    return (y - (this.#y[corner] ?? NaN)) / (x - (this.#x[corner] ?? NaN));
  }

  #xAt(index: number): number {
    return this.#x.at(index) ?? NaN;
  }

  #yAt(index: number): number {
    return this.#y.at(index) ?? NaN;
  }
}

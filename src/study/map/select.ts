/** The median of a row, without sorting it: a map of thousands of nodes takes tens of thousands of them. */

/** The middle of the first `count` values, or the mean of the two middle ones; NaN of none. It changes their order. */
export function medianInPlace(values: Float64Array, count: number): number {
  if (count === 0) return NaN;
  const upper = count >> 1;
  const high = smallest(values, count, upper);
  if (count % 2 === 1) return high;
  // All below the place of the upper one are no larger: the largest of them is its neighbour.
  let low = -Infinity;
  for (let at = 0; at < upper; at++) low = Math.max(low, values[at] ?? -Infinity);
  return (low + high) / 2;
}

/** Hoare's selection: the value that would stand at `rank` (from 0) among the first `count` if they were sorted. */
function smallest(values: Float64Array, count: number, rank: number): number {
  let [left, right] = [0, count - 1];
  while (left < right) {
    const pivot = values[(left + right) >> 1] ?? 0;
    let [low, high] = [left, right];
    while (low <= high) {
      while ((values[low] ?? pivot) < pivot) low++;
      while ((values[high] ?? pivot) > pivot) high--;
      if (low <= high) swap(values, low++, high--);
    }
    if (rank <= high) right = high;
    else if (rank >= low) left = low;
    else break;
  }
  return values[rank] ?? NaN;
}

function swap(values: Float64Array, one: number, other: number): void {
  const moved = values[one] ?? 0;
  values[one] = values[other] ?? 0;
  values[other] = moved;
}

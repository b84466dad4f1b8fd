/** Which points a place or a span of a drawing means. */
import type { Spot } from '../html-report/chart.js';

/** The point of the nearest size, and of these the nearest one. */
export function nearest(spots: readonly Spot[], x: number, y: number): Spot | undefined {
  let best: Spot | undefined;
  let least = Infinity;
  for (const spot of spots) {
    const distance = Math.abs(spot.x - x) * 1e4 + Math.abs(spot.y - y);
    if (distance < least) [best, least] = [spot, distance];
  }
  return best;
}

/** The sizes between two places; undefined where there are not two of them. */
export function zoomed(
  spots: readonly Spot[],
  from: number,
  to: number,
): readonly [from: number, to: number] | undefined {
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  const sizes = spots.flatMap(({ x, size }) => (x >= left && x <= right ? [size] : []));
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  return high > low ? [low, high] : undefined;
}

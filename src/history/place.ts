/**
 * The place of a change that is known to be there. Ranks tell well whether there is one, but not where: they know nothing of how
 * far values are apart, so that a neighbour which is high by chance counts as much as one beyond the step.
 *
 * Here the border is the one that leaves the smallest deviations from the medians of both sides (least absolute
 * deviations; Bai, Least absolute deviation estimation of a shift, Econometric Theory 11, 1995), in logarithms, of all rows that changed, each in the
 * unit of its deviations without a border.
 */
import { LEAST_STRETCH } from './split.js';

/** Places on either side of the first guess that are tried. */
const reach = (length: number): number => 10 + Math.ceil(length / 10);

/**
 * The border near a first guess, as the first place after it.
 *
 * @param rows values over time up to the end of the later stretch; NaN where one is missing
 */
export function placeOf(rows: readonly (readonly number[])[], guess: number): number {
  const length = rows[0]?.length ?? 0;
  const known = rows.map(logarithms);
  const whole = known.map(deviations);
  const first = Math.max(LEAST_STRETCH, guess - reach(length));
  const last = Math.min(length - LEAST_STRETCH, guess + reach(length));
  let best = { at: guess, left: Infinity };
  for (let at = first; at <= last; ++at) {
    const parts = known.map((row, index) => {
      const all = whole[index] ?? 0;
      return all === 0 ? 0 : (deviations(row.slice(0, at)) + deviations(row.slice(at))) / all;
    });
    const left = parts.reduce((sum, part) => sum + part, 0);
    if (left < best.left) best = { at, left };
  }
  return best.at;
}

/** Values that are not all above 0 have none, and stay. */
function logarithms(row: readonly number[]): readonly number[] {
  return row.some((value) => value <= 0) ? row : row.map(Math.log);
}

/** The sum of absolute deviations from the median. */
function deviations(row: readonly number[]): number {
  const known = row.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = known[Math.floor(known.length / 2)] ?? 0;
  return known.reduce((sum, value) => sum + Math.abs(value - middle), 0);
}

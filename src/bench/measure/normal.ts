/** The normal distribution as tests need it. */

/** From here on the continued fraction is the shorter way. */
const SERIES_END = 3;
const FRACTION_TERMS = 60;

/**
 * How likely a standard normal value lies farther from 0 than `z`, on either side: the p-value of a two-sided test. By the
 * series of the distribution function near 0 and Laplace's continued fraction beyond (Abramowitz and Stegun 26.2.11 and
 * 26.2.14), so that small values keep their digits.
 */
export function twoSidedP(z: number): number {
  const distance = Math.abs(z);
  if (Number.isNaN(distance)) return NaN;
  return distance < SERIES_END ? Math.max(0, 1 - 2 * upToBySeries(distance)) : 2 * beyondByFraction(distance);
}

const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** How likely a value lies between 0 and z. */
function upToBySeries(z: number): number {
  let term = z;
  let sum = z;
  for (let odd = 3; term > sum * Number.EPSILON; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return density(z) * sum;
}

/** How likely a value lies above z. */
function beyondByFraction(z: number): number {
  let fraction = z;
  for (let term = FRACTION_TERMS; term > 0; term--) fraction = z + term / fraction;
  return density(z) / fraction;
}

/** `--noise[=SECONDS]` of all programs. */
import { good, orBad, parseDecimal, type Checked } from './values.js';

/** Seconds, where none are given. */
export const DEFAULT_NOISE = 0.2;
const LEAST = 0.01;
const MOST = 10;

export const NOISE_HELP = `before the run: measure for S seconds (default ${DEFAULT_NOISE}) how much of its time each core gives to its process`;

/** Reasons say what would be right. */
export function parseNoise(text: string): Checked<number> {
  if (text === '') return good(DEFAULT_NOISE);
  return orBad(parseDecimal(text, LEAST, MOST), `give seconds from ${LEAST} to ${MOST}, as in --noise=0.5`);
}

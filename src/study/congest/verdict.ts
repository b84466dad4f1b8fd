/** Whether traffic slows a victim down, or whether it only seems so. */
import type { Compared, Factor } from './measure.js';

/** `noisy`: too much else changes to tell. `unsure`: too few rounds for an interval. */
export type Verdict = 'slower' | 'no change' | 'faster' | 'noisy' | 'unsure';

/** From the lower to the higher end of an interval: what is wider says nothing of what changes by less. */
const WIDE = 1.5;

const isWide = ({ low, high }: NonNullable<Factor['interval']>): boolean => !(high <= WIDE * low);

/**
 * By 95 % intervals over the rounds: it is slower where the interval of its factor lies above 1 and above that of the control,
 * which compares measurements without traffic with each other. That nothing changes is said of narrow intervals alone.
 */
export function verdictOf({ factor, control }: Pick<Compared, 'factor' | 'control'>): Verdict {
  const [own, other] = [factor.interval, control.interval];
  if (!own || !other) return 'unsure';
  if (own.low > Math.max(1, other.high)) return 'slower';
  if (own.high < Math.min(1, other.low)) return 'faster';
  return isWide(own) || isWide(other) ? 'noisy' : 'no change';
}

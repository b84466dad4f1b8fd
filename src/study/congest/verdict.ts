/** Whether traffic slows a victim down, or whether it only seems so. */
import type { Compared } from './measure.js';

/** `unsure`: too few rounds for an interval. */
export type Verdict = 'slower' | 'no change' | 'faster' | 'unsure';

/**
 * By 95 % intervals over the rounds: it is slower where the interval of its factor lies above 1 and above that of the control,
 * which compares measurements without traffic with each other.
 */
export function verdictOf({ factor, control }: Pick<Compared, 'factor' | 'control'>): Verdict {
  const [own, other] = [factor.interval, control.interval];
  if (!own || !other) return 'unsure';
  if (own.low > Math.max(1, other.high)) return 'slower';
  return own.high < Math.min(1, other.low) ? 'faster' : 'no change';
}

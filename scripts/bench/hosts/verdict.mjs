/** Whether a figure agrees with theory. Pure. */
import { verdicts } from '../statistics.mjs';

/**
 * A ratio to what theory says must be 1 within `tolerance`, its whole interval. The A/A control, ratios of a launch to the one
 * before it, tells what launches differ by themselves: where that is more, nothing is told.
 */
export function agrees({ interval }, { interval: control }, tolerance) {
  if (!interval || !control) return verdicts.noisy;
  if (interval.low > 1 + tolerance || interval.high < 1 - tolerance) return verdicts.missed;
  if (Math.max(control.high - 1, 1 - control.low) > tolerance) return verdicts.noisy;
  return interval.low >= 1 - tolerance && interval.high <= 1 + tolerance ? verdicts.met : verdicts.undecided;
}

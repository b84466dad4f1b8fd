/** What pairs say: the median with its 95 % interval, and the verdict over a bound. */
import { Ordered } from '../../build/ts/src/bench/measure/ordered.js';
import { medianIntervalRanks } from '../../build/ts/src/bench/measure/quantiles.js';

/** The median of independent values and its 95 % interval from order statistics; the interval is null below 6 values. */
export function medianOf(values) {
  const ordered = Ordered.fromSamples(values);
  const ranks = medianIntervalRanks(values.length);
  const interval = ranks && { low: ordered.at(ranks.low), high: ordered.at(ranks.high) };
  return { median: ordered.median(), interval, n: values.length };
}

/**
 * The same of values that belong together in groups: the median of the groups' medians. Values of one launch share its
 * luck and are not independent, launches are; so the launches are what is counted.
 */
export function medianOfGroups(groups) {
  return medianOf(groups.map((values) => medianOf(values).median));
}

/** What can be said of a figure. `met` and `missed` are sure, `undecided` and `noisy` are not. */
export const verdicts = {
  met: 'met',
  missed: 'MISSED',
  undecided: 'undecided: the interval holds the bound',
  noisy: 'TOO NOISY TO TELL',
  reported: 'reported, without a bound',
};

/**
 * Compares a figure with its bound. `neutral` is what the figure is where there is no difference (1 for a ratio, 0 for a
 * difference): the A/A control must lie no farther from it than the bound does, and be no wider than that.
 */
export function judge(figure, control, bound, neutral) {
  const allowed = bound - neutral;
  if (!figure.interval || !control.interval) return verdicts.noisy;
  if (figure.interval.low > bound) return verdicts.missed;
  const { low, high } = control.interval;
  if (Math.max(high - low, high - neutral, neutral - low) > allowed) return verdicts.noisy;
  return figure.interval.high <= bound ? verdicts.met : verdicts.undecided;
}

/** `judge`; with `atLeast` more is better. */
export function judgeEither(figure, control, { bound, neutral, atLeast }) {
  if (!atLeast) return judge(figure, control, bound, neutral);
  const turned = ({ median, interval }) => ({
    median: -median,
    interval: interval && { low: -interval.high, high: -interval.low },
  });
  return judge(turned(figure), turned(control), -bound, -neutral);
}

/** For what is counted or is the same every time. */
export const judgeExact = (value, bound) => (value <= bound ? verdicts.met : verdicts.missed);

/** The exit code of a bench: 1 when any bound was missed, 3 when one can't be told, else 0. */
export function exitCode(all) {
  if (all.includes(verdicts.missed)) return 1;
  return all.includes(verdicts.noisy) || all.includes(verdicts.undecided) ? 3 : 0;
}

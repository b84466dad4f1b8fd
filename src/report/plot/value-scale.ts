/** Which scale suits values: logarithmic, but for percentages and for times that hardly differ. */
import { linearScale, logScale, type Scale } from './scales.js';

/** Times that differ by less are told apart better on a linear axis. */
const LINEAR_BELOW = 5;

export interface ValueScale extends Scale {
  /** Whether the axis has a place for a value: a logarithmic one has none for 0. */
  shows(value: number): boolean;
}

/** For figures in `unit`. */
export function valueScale(unit: string, values: readonly number[], mostTicks?: number): ValueScale {
  const positive = values.filter((value) => value > 0);
  if (unit === '%' || positive.length === 0) {
    const scale = linearScale(Math.min(0, ...values), Math.max(unit === '%' ? 100 : 0, ...values), mostTicks);
    return { ...scale, shows: () => true };
  }
  const scale = logScale(Math.min(...positive), Math.max(...positive), mostTicks);
  return { ...scale, shows: (value) => value > 0 };
}

/** For the times of a row's iterations. A coarse clock may have measured 0. */
export function timesScale(low: number, high: number, mostTicks?: number): Scale {
  return low > 0 && high / low >= LINEAR_BELOW ? logScale(low, high, mostTicks) : linearScale(low, high, mostTicks);
}

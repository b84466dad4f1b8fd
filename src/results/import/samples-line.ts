/** The line that our `--stats` adds below a row: `Samples:  min 0.1, median 0.2, ..., n 1000 (usec)`. */
import { UNITS, cellOf, valueOf } from './cells.js';
import type { StatisticName } from './columns.js';

export interface SamplesLine {
  readonly statistics: Partial<Record<StatisticName, number | null>>;
  /** `s` or `cycles`. */
  readonly unit: string;
}

const NAMES = ['min', 'median', 'mean', 'sd', 'p90', 'p99', 'max'] as const;

/** Undefined where the line is none. */
export function samplesLine(text: string): SamplesLine | undefined {
  const [, body, shown] = /^Samples:\s+(.*)\s\((usec|cycles)\)$/.exec(text) ?? [];
  if (body === undefined) return undefined;
  const unit = shown === 'cycles' ? UNITS.cycles : UNITS.microseconds;
  const time = (word: string): number | null => {
    const cell = cellOf(word);
    return cell?.kind === 'number' ? valueOf(cell.text, unit) : null;
  };
  const statistics: Partial<Record<StatisticName, number | null>> = {};
  for (const part of body.split(/,\s*/)) {
    const [name = '', value = ''] = part.split(/\s+/);
    const known = NAMES.find((one) => one === name);
    if (known) statistics[known] = time(value);
    else if (name === 'n') statistics.samples = cellOf(value)?.kind === 'number' ? Number(value) : null;
    const [, low, high] = /^95% of the median (\S+) to (\S+)$/.exec(part) ?? [];
    if (low !== undefined && high !== undefined) Object.assign(statistics, { low: time(low), high: time(high) });
  }
  return { statistics, unit: unit.base };
}

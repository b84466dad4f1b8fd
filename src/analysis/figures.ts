/** What a figure's unit says: the kind of its curve, which way is better, and how people read it. */
import type { ResultRecord, RowRecord } from '../results/types.js';
import type { CurveKind } from './curve-types.js';
import type { Test } from './tests.js';

export type Better = 'lower' | 'higher';

const KINDS: Readonly<Record<string, CurveKind>> = { s: 'latency', 'B/s': 'bandwidth', '1/s': 'rate' };

export function kindOf(unit: string): CurveKind | undefined {
  return KINDS[unit];
}

/** Times: lower is better. Rates: higher is better, and so is the overlap of communication with computing. */
export function direction(unit: string, figure: string): Better | undefined {
  if (unit === 's') return 'lower';
  if (unit === 'B/s' || unit === '1/s') return 'higher';
  return unit === '%' && figure === 'overlap' ? 'higher' : undefined;
}

/** Of the statistics of a row, what can be compared like a figure. */
const STATISTICS = ['min', 'max', 'median', 'mean', 'sd', 'mad', 'p1', 'p5', 'p10', 'p25', 'p75', 'p90', 'p95', 'p99', 'p999'] as const; // prettier-ignore

/** A figure of a row, or of its statistics (`p99`); undefined where it has none of that name, or no value for it. */
export function figureOf(
  { figures, statistics }: RowRecord,
  name: string,
): { value: number; unit: string } | undefined {
  const figure = figures[name];
  if (typeof figure?.value === 'number') return { value: figure.value, unit: figure.unit };
  const statistic = STATISTICS.find((one) => one === name);
  const value = statistic && statistics?.[statistic];
  return typeof value === 'number' && statistics ? { value, unit: statistics.unit } : undefined;
}

/**
 * Statistics of samples that speak of a figure of their row. Those of imported text are left out: it has some of them, and
 * which of them differs from tool to tool. The mean of a latency and its samples are of one thing.
 */
export function ownStatistics(
  { run }: ResultRecord,
  { statistics }: RowRecord,
  { figure, unit }: { readonly figure: string; readonly unit: string },
): RowRecord['statistics'] {
  const same = statistics?.figure === figure || (figure === 'average' && statistics?.figure === 'latency');
  return same && statistics.unit === unit && !run.imported ? statistics : null;
}

/**
 * The figure by which a test is compared. Of latencies that is the mean where a row has it, because it is the one figure
 * that the tests of all layers give.
 */
export function mainFigure(test: Test, { figures, statistics }: RowRecord): string | undefined {
  const has = (name: string): boolean => typeof figures[name]?.value === 'number';
  const wanted = test.measures === 'bandwidth' ? ['bandwidth', 'rate'] : ['average', 'latency'];
  const first = test.measures === 'other' ? [] : wanted;
  return [...first, statistics?.figure ?? '', ...Object.keys(figures)].find(has);
}

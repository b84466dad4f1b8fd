/** What a figure's unit says: the kind of its curve, which way is better, and how people read it. */
import type { RowRecord } from '../results/types.js';
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

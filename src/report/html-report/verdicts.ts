/** Verdicts as marks in tables. */
import type { Verdict } from '../../bench/measure/types.js';
import { signed } from '../../analysis/units.js';
import { element, escaped } from '../plot/xml.js';
import type { PageGroup, PointStatistics } from './types.js';

/** Signs besides colours, for paper and for those who see no colours. */
export const SIGNS: Readonly<Record<Verdict, string>> = { steady: '✓', noisy: '≈', drifting: '↗' };

/** `✓ steady`, `↗ drifting, +3.1 %`; a dash where nobody can tell. */
export function verdictMark({ verdict, drift }: Pick<PointStatistics, 'verdict' | 'drift'>): string {
  if (verdict === null) return '–';
  const sign = drift !== null && drift < 0 ? '↘' : SIGNS[verdict];
  const change = drift === null ? '' : `, ${signed(drift * 100, 1)} %`;
  return element('span', { class: `verdict ${verdict}` }, escaped(`${sign} ${verdict}${change}`));
}

/** How many points of a series have which verdict: `21 steady, 2 noisy`. */
export function verdictCounts(groups: readonly PageGroup[], run: number): string {
  const counts = new Map<Verdict, number>();
  for (const { series } of groups)
    for (const { points } of series.filter((one) => one.run === run))
      for (const { statistics } of points) {
        const verdict = statistics?.verdict ?? null;
        if (verdict !== null) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      }
  const order: readonly Verdict[] = ['steady', 'noisy', 'drifting'];
  return order.flatMap((verdict) => (counts.has(verdict) ? [`${counts.get(verdict)} ${verdict}`] : [])).join(', ');
}

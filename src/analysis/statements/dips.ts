/** Bandwidths that fall although messages grow. */
import type { CurveDip } from '../curve-types.js';
import { bytes, scaled, scaleOf, sizeRange } from '../units.js';
import type { Entry, View } from '../views.js';
import { ofSides, type Statement } from './types.js';

export function dipStatements(views: readonly View[]): Statement[] {
  const titles = [...new Set(views.flatMap(({ entries }) => entries.map(({ title }) => title)))];
  return titles.flatMap((title) => {
    const dips = views.flatMap(({ side: { label }, entries }) =>
      entries
        .filter((entry) => entry.title === title)
        .flatMap((entry) => (entry.shape?.dips ?? []).map((dip) => ({ label, entry, dip }))),
    );
    if (dips.length === 0) return [];
    const parts = dips.map(({ label, entry, dip }) => ({ label, text: dipText(entry, dip) }));
    const items = dips.map(({ label, dip }) => ({ side: label, test: title, ...dip, lowest: { ...dip.lowest } }));
    return [{ kind: 'dip', text: `Dip of ${title}: ${ofSides(parts, views.length)}`, items }];
  });
}

function dipText({ series }: Entry, { before, at, from, lowest, drop, until }: CurveDip): string {
  const scale = scaleOf({ test: series.test, unit: 'B/s' });
  const values = `${scaled(from, scale)} to ${scaled(lowest.value, scale)} ${scale.unit}`;
  const lower = lowest.size === at ? '' : ` at ${bytes(lowest.size)}`;
  const end = until === null ? 'and stays low' : `back from ${bytes(until)}`;
  return `-${(drop * 100).toFixed(0)} % between ${sizeRange([before, at], 'and')} (${values}${lower}), ${end}`;
}

/** Units as a page shows them. */
import type { Series } from '../../analysis/series.js';
import { scaleOf } from '../../analysis/units.js';
import { unitText } from '../plot/svg-parts.js';

export interface PageScale {
  readonly unit: string;
  /** From base units. */
  readonly factor: number;
}

/** Times from here on are shown in milliseconds. */
const MILLISECONDS_FROM = 1e-3;
const BINARY_TESTS = new Set(['MiB/s']);

/** One scale for all series of a chart: that of their programs, or where these differ that of OSU. */
export function commonScale(all: readonly Series[], unit: string): PageScale {
  const scales = all.map(({ test }) => scaleOf({ unit, test }));
  const [first] = scales;
  if (!first) return { unit, factor: 1 };
  if (unit === 's' && all.every(isSlow)) return { unit: 'ms', factor: 1e3 };
  const mixed = scales.some((scale) => scale.unit !== first.unit);
  if (mixed && scales.some((scale) => BINARY_TESTS.has(scale.unit))) return { unit: 'MB/s', factor: 1e-6 };
  return { unit: unit === '1/s' ? 'messages/s' : unitText(first.unit), factor: first.factor };
}

function isSlow({ unit, rows }: Series): boolean {
  const values = rows.flatMap(({ launches }) => launches.map(({ value }) => value));
  return unit === 's' && values.every((value) => value >= MILLISECONDS_FROM);
}

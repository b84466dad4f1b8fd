/** The series of a side, each with its title and the shape of its curve. */
import type { CurveShape } from './curve-types.js';
import { curveShape, timesOf } from './curve.js';
import { pointsOf, seriesOf, titleOf, type Series } from './series.js';
import type { Side } from './sides.js';

export interface Entry {
  readonly title: string;
  readonly series: Series;
  /** Null where there are no sizes, or the figure is no time and no rate. */
  readonly shape: CurveShape | null;
}

export interface View {
  readonly side: Side;
  readonly entries: readonly Entry[];
}

/** `figure`: another than each test's own. */
export function viewOf(side: Side, figure?: string): View {
  const all = seriesOf(side.records, figure);
  return { side, entries: all.map((series) => ({ title: titleOf(series, all), series, shape: shapeOf(series) })) };
}

function shapeOf(series: Series): CurveShape | null {
  const points = pointsOf(series);
  return series.kind && timesOf(points, series.kind).length > 0 ? curveShape(points, series.kind) : null;
}

/** The shapes of a record's curves, as the record keeps them. */
import type { CurveRecord, ResultRecord } from '../results/types.js';
import { curveShape } from './curve.js';
import { pointsOf, seriesOf, titleOf } from './series.js';

/** Fewer points have no shape that is worth keeping. */
const LEAST_POINTS = 3;

/** Of each test and set of options that the rows have; nothing of figures that are no times and no rates. */
export function curvesOf(record: ResultRecord): CurveRecord[] {
  if (record.rows.length < LEAST_POINTS) return [];
  const all = seriesOf([record]);
  return all.flatMap((series) => {
    const { kind, figure, unit, parameters } = series;
    const points = pointsOf(series);
    if (!kind || points.length < LEAST_POINTS) return [];
    const shape = curveShape(points, kind);
    return shape.points < LEAST_POINTS ? [] : [{ title: titleOf(series, all), figure, unit, parameters, ...shape }];
  });
}

/** The record with the shapes of its curves. */
export function withCurves(record: ResultRecord): ResultRecord {
  const curves = curvesOf(record);
  return curves.length === 0 ? record : { ...record, analysis: { curves } };
}

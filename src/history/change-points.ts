/**
 * Where a series of figures over time changes its level. The test is Pettitt's ("A non-parametric approach to the
 * change-point problem", Applied Statistics 28, 1979), which knows ranks alone: no distribution is assumed, and single
 * outliers move nothing. A series with a change is cut there, and its parts are looked at again; one without is looked at in two parts that overlap.
 */
import { median } from '../bench/measure/robust.js';

export interface ChangePoint {
  /** Index of the first figure of the new level. */
  readonly at: number;
  /** Medians of the levels before and after. */
  readonly before: number;
  readonly after: number;
  /** Approximate, by Pettitt's formula. */
  readonly p: number;
}

/** Fewer figures say nothing of a change: by Pettitt's formula no p-value of theirs is below 0.01. */
export const LEAST_FIGURES = 10;
const LEVEL = 0.01;
/** Of a level; a single figure is an outlier. */
const LEAST_OF_LEVEL = 3;

/** In order of time. `threshold`: changes by less, as a part of the level before, are noise. */
export function changePoints(values: readonly number[], threshold: number): ChangePoint[] {
  const found = search({ values, threshold }, 0, values.length, LEVEL);
  const byPlace = new Map(found.map((point) => [point.at, point]));
  return [...byPlace.values()].sort((a, b) => a.at - b.at);
}

interface Search {
  readonly values: readonly number[];
  readonly threshold: number;
}

function search(request: Search, from: number, to: number, level: number): ChangePoint[] {
  const part = request.values.slice(from, to);
  if (part.length < LEAST_FIGURES) return [];
  const { at, p } = pettitt(part);
  if (p >= level) return searchWithin(request, from, to, level);
  if (at < LEAST_OF_LEVEL || part.length - at < LEAST_OF_LEVEL) return [];
  const [before, after] = [median(part.slice(0, at)), median(part.slice(at))];
  const cut = from + at;
  const inner = [...search(request, from, cut, level), ...search(request, cut, to, level)];
  return Math.abs(after / before - 1) < request.threshold ? inner : [...inner, { at: cut, before, after, p }];
}

/** A level that comes back hides both changes from the whole: each is looked for alone, and must be the surer for that. */
function searchWithin(request: Search, from: number, to: number, level: number): ChangePoint[] {
  const third = Math.floor((to - from) / 3);
  return [...search(request, from, to - third, level / 2), ...search(request, from + third, to, level / 2)];
}

/** The split at which both sides' ranks differ most, and how probable so large a difference is without a change. */
export function pettitt(values: readonly number[]): { at: number; p: number } {
  const n = values.length;
  let [u, most, at] = [0, 0, 0];
  for (let split = 1; split < n; split++) {
    // U(t) = U(t - 1) + the signs of x(t) against all others.
    const value = values[split - 1] ?? NaN;
    for (const other of values) u += Math.sign(value - other);
    if (Math.abs(u) > most) [most, at] = [Math.abs(u), split];
  }
  return { at, p: Math.min(1, 2 * Math.exp((-6 * most ** 2) / (n ** 3 + n ** 2))) };
}

/** The drawing of a group, by its form. */
import { barChart } from './bars.js';
import { lineChart, type Drawing } from './chart.js';
import type { PageGroup, View } from './types.js';

export function chartOf(group: PageGroup, view: View): Drawing {
  return group.form === 'lines' ? lineChart(group, view) : barChart(group, view);
}

/** What tells a row of numbers from others, and a place on the horizontal axis. */
export function keyOf({ size, name }: { readonly size: number | null; readonly name?: string }): string {
  return name ?? String(size);
}

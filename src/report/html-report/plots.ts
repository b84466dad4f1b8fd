/** Records as plots by themselves: plain characters for a terminal, or one drawing. */
import type { CurveKind } from '../../analysis/curve-types.js';
import { VERSION } from '../../bench/version.js';
import { label, MARGIN, PAGE_WIDTH, wrappedText, type Block } from '../plot/svg-parts.js';
import { panelBlock, svgPage } from '../plot/svg.js';
import { panelsText } from '../plot/tty.js';
import type { Panel, Point, Series } from '../plot/types.js';
import { bandOf, intervalOf } from './chart.js';
import { pageData } from './groups.js';
import { capital, measureOf, usualView, valueOf } from './measures.js';
import type { Run } from './runs.js';
import type { PageGroup, PagePoint, PageSeries, View } from './types.js';

export interface PlotChoice {
  /** Undefined: each test's own. */
  readonly figure?: CurveKind | undefined;
  readonly together?: boolean;
}

/** The panels of all runs; none where no run has the figure. */
export function panelsOfRuns(runs: readonly Run[], { figure, together = false }: PlotChoice): Panel[] {
  const { groups } = pageData(runs, { kind: figure, together, detail: { bins: 0, steps: 0 } });
  return groups.flatMap((group) => panelOf(group));
}

function panelOf(group: PageGroup): Panel[] {
  const view = usualView(group);
  const { name, unit } = measureOf(group, view.measure);
  const series = group.series.flatMap((one) => (group.form === 'lines' ? lineOf(one, group, view) : barsOf(one, group, view))); // prettier-ignore
  const known = series.filter(({ points }) => points.length > 0);
  if (known.length === 0) return [];
  const title = `${group.title}: ${capital(name)}`;
  return [{ title, unit, kind: group.form, series: known, ordinal: group.ordinal }];
}

function lineOf(series: PageSeries, group: PageGroup, view: View): Series[] {
  const points = series.points.flatMap((point) => pointOf(point, group, view));
  return [{ name: series.name, points: points.sort((a, b) => (a.size ?? 0) - (b.size ?? 0)) }];
}

function pointOf(point: PagePoint, group: PageGroup, view: View): Point[] {
  const value = valueOf(point, view.measure);
  if (value === null) return [];
  const range = view.spread ? bandOf(point, group, view) : null;
  const interval = view.spread ? intervalOf(point, view) : null;
  return [
    {
      ...{ size: point.size, value },
      ...(interval && { interval: { low: interval[0], high: interval[1] } }),
      ...(range && { spread: { low: range[0], high: range[1] } }),
    },
  ];
}

/** A bar is told by what it is and by its run. */
function barsOf({ name: run, points }: PageSeries, group: PageGroup, view: View): Series[] {
  return points.map((point) => {
    const value = valueOf(point, view.measure);
    const name = [point.name ?? '', group.series.length > 1 || !point.name ? run : ''].filter((text) => text !== '');
    return { name: name.join(', '), points: value === null ? [] : [{ size: null, value }] };
  });
}

/** For a terminal, 80 columns wide; every line with its newline. */
export function plotText(panels: readonly Panel[]): string {
  return panelsText(panels.map((panel) => ({ ...panel, unit: panel.unit.replace('µ', 'u') })));
}

/** A whole SVG file. */
export function plotSvg(runs: readonly Run[], panels: readonly Panel[]): string {
  const blocks = panels.map(panelBlock);
  const title = panels.map((panel) => panel.title).join('; ');
  return svgPage(title, [...blocks, sources(runs)]);
}

/** What it was drawn of. */
function sources(runs: readonly Run[]): Block {
  const files = runs.map(({ label: name, files: [first = '', ...others] }) => `${name}: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`); // prettier-ignore
  const text = `${files.join(' · ')} · fabricbench ${VERSION}`;
  const lines = wrappedText(text, PAGE_WIDTH - 2 * MARGIN, 12);
  const content = lines.map((line, index) => label(MARGIN, 14 + index * 16, line, { faint: true }));
  return { height: lines.length * 16 + MARGIN, content: content.join('') };
}

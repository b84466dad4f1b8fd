/** From runs to the charts of a page. */
import { curveShape, timesOf } from '../../analysis/curve.js';
import { pointsOf, type Series } from '../../analysis/series.js';
import { bytes, sizeRange } from '../../analysis/units.js';
import { groupsBy } from '../plot/panels.js';
import type { Detail } from './distribution.js';
import { figureNames, pointOf, type NamedScale } from './points.js';
import type { Run } from './runs.js';
import { commonScale } from './scale.js';
import { chartsOf, type Chart, type Choice, type Member } from './series-of-runs.js';
import { shapeCells, switchText } from './shapes.js';
import type { PageData, PageGroup, PagePoint, PageSeries, PageSwitch } from './types.js';

export interface GroupOptions extends Choice {
  readonly detail: Detail;
  /** What a program calls itself. */
  readonly titleOf?: (program: string) => string | undefined;
}

/** All of the runs, as a page draws it. */
export function pageData(runs: readonly Run[], options: GroupOptions): PageData {
  const charts = chartsOf(runs, options);
  const [lines, single] = [charts.filter(isCurve), charts.filter((chart) => !isCurve(chart))];
  const merged = [...groupsBy(single, programAndUnit).values()];
  const groups = [
    ...lines.map((chart) => lineGroup(chart, options)),
    ...merged.map((together) => barGroup(together, runs, options)),
  ];
  return {
    runs: runs.map(({ label }, colour) => ({ label, colour })),
    groups: groups.map((group, index) => ({ ...group, id: `g${index + 1}` })),
  };
}

function isCurve({ members }: Chart): boolean {
  const sizes = members.flatMap(({ series }) => series.rows.map(({ size }) => size));
  return !sizes.includes(null) && new Set(sizes).size > 1;
}

function programAndUnit({ members }: Chart): string {
  const [first] = members;
  return JSON.stringify([first?.series.test.program, first?.series.unit]);
}

type Draft = Omit<PageGroup, 'id'>;

function lineGroup({ title, members, ordinal }: Chart, options: GroupOptions): Draft {
  const all = members.map(({ series }) => series);
  const figures = scaledFigures(all);
  const series = members.map((member, index) => ({
    ...{ run: member.run, name: member.name, colour: ordinal ? index : colourOf(member, members) },
    points: member.series.rows.map((row) => pointOf(row, figures, options.detail)),
    switches: switchesOf(member.series),
    shape: shapeOf(member.series),
  }));
  return { ...headOf(title, all, options), form: 'lines', figures: shown(figures), series, ordinal };
}

/** A run has its colour in all charts, as long as no other line of the chart is the run's too. */
function colourOf(member: Member, members: readonly Member[]): number {
  const alone = new Set(members.map(({ run }) => run)).size === members.length;
  return alone ? member.run : members.indexOf(member);
}

const shown = (figures: readonly NamedScale[]) => figures.map(({ name, unit }) => ({ name, unit }));

function scaledFigures(all: readonly Series[]): NamedScale[] {
  const times = commonScale(all, 's');
  return figureNames(all).map(({ name, unit }) => ({ name, ...(unit === 's' ? times : commonScale(all, unit)) }));
}

function headOf(
  title: string,
  all: readonly Series[],
  { titleOf: programTitle }: GroupOptions,
): Pick<Draft, 'title' | 'subtitle' | 'kind' | 'better'> {
  const [first] = all;
  const programs = new Set(all.map(({ test }) => test.program));
  const [program] = programs;
  const subtitle = programs.size === 1 && program !== undefined ? programTitle?.(program) : undefined;
  return { title, subtitle: subtitle ?? '', kind: first?.kind ?? 'other', better: first?.better ?? null };
}

function switchesOf(series: Series): PageSwitch[] {
  return shape(series)?.switches.map((one) => ({ before: one.before, at: one.at, text: switchText(one) })) ?? [];
}

function shapeOf(series: Series): string[] {
  const known = shape(series);
  return known ? shapeCells(series, known) : [];
}

function shape(series: Series): ReturnType<typeof curveShape> | undefined {
  const { kind } = series;
  const points = pointsOf(series);
  return kind !== undefined && timesOf(points, kind).length > 0 ? curveShape(points, kind) : undefined;
}

/** Tests of one program that were measured at one size only, or have none: bars side by side. */
function barGroup(charts: readonly Chart[], runs: readonly Run[], options: GroupOptions): Draft {
  const all = charts.flatMap(({ members }) => members.map(({ series }) => series));
  const figures = scaledFigures(all);
  const byRun = groupsBy(
    charts.flatMap((chart) => chart.members.map((member) => ({ chart, member }))),
    ({ member }) => String(member.run),
  );
  const series = [...byRun.values()].map((members): PageSeries => {
    const run = members[0]?.member.run ?? 0;
    const points = members.flatMap(({ chart, member }) =>
      barPoints(chart, member, { figures, options, alone: charts.length === 1 }),
    );
    return { ...{ run, name: runs[run]?.label ?? '', colour: run, points }, switches: [], shape: [] };
  });
  const title = charts.length === 1 ? (charts[0]?.title ?? '') : titleOfSingles(all);
  return { ...headOf(title, all, options), form: 'bars', figures: shown(figures), series, ordinal: false };
}

function titleOfSingles(all: readonly Series[]): string {
  const sizes = all.flatMap(({ rows }) => rows.flatMap(({ size }) => size ?? [])).sort((a, b) => a - b);
  const program = all[0]?.test.program ?? '';
  return sizes.length === 0 ? program : `${program}, ${sizeRange(sizes)}`;
}

interface BarRequest {
  readonly figures: readonly NamedScale[];
  readonly options: GroupOptions;
  /** Whether the chart has one test. */
  readonly alone: boolean;
}

/** Extremes belong to another figure, and need no bar of their own. */
const EXTREME = /^(min|max)/i;

function barPoints({ title }: Chart, { series, name }: Member, request: BarRequest): PagePoint[] {
  const { figures, options, alone } = request;
  const points = series.rows.map((row) => pointOf(row, figures, options.detail));
  const [only] = points;
  if (points.length === 1 && only?.statistics === null && only.size === null) return figureBars(only, figures);
  return points.map((point) => ({ ...point, name: barName({ title, name, size: point.size, alone }) }));
}

/** A run that is no series of repeats, as a start: each of its times. */
function figureBars(point: PagePoint, figures: readonly NamedScale[]): PagePoint[] {
  const unit = figures[0]?.unit;
  return figures.flatMap(({ name, unit: own }, index) =>
    own !== unit || EXTREME.test(name) ? [] : [{ ...point, figures: [point.figures[index] ?? null], name }],
  );
}

function barName(bar: { title: string; name: string; size: number | null; alone: boolean }): string {
  const size = bar.size === null ? '' : bytes(bar.size);
  return [bar.alone && size !== '' ? '' : bar.title, size].filter((word) => word !== '').join(', ');
}

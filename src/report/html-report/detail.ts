/** What lies behind one point: how its samples are distributed, and how they went over the iterations. */
import { bytes, number } from '../../analysis/units.js';
import { FAINT_INK, INK, seriesColour } from '../plot/colours.js';
import { linearScale, logScale, type Scale } from '../plot/scales.js';
import { axes, label, MARGIN, PAGE_WIDTH, type Frame } from '../plot/svg-parts.js';
import { coordinate, element, escaped } from '../plot/xml.js';
import { axisTitle, svgOf } from './chart.js';
import { capital } from './measures.js';
import type { Course, Distribution, PageGroup, PagePoint, PointStatistics } from './types.js';
import { verdictMark } from './verdicts.js';

/** A point with the series that it belongs to. */
export interface Chosen {
  readonly series: number;
  readonly point: PagePoint;
}

const ROW = 58;
const TOP = 22;
const LEFT = MARGIN + 130;
const SPREAD_WIDTH = 470;
const COURSE_LEFT = LEFT + SPREAD_WIDTH + 64;
const COURSE_WIDTH = PAGE_WIDTH - MARGIN - COURSE_LEFT;
/** Values that reach farther are drawn on a logarithmic axis. */
const LINEAR_UP_TO = 8;
const MOST_OF_NAME = 20;

/** All points of a group at one size, or of one bar. */
export function chosenAt(group: PageGroup, at: PagePoint, hidden: readonly number[]): Chosen[] {
  return group.series.flatMap(({ points }, series) => {
    const point = points.find(({ size, name }) => size === at.size && name === at.name);
    return point && !hidden.includes(series) ? [{ series, point }] : [];
  });
}

/** A heading, the drawing and a table, as HTML; all text in it is escaped. */
export function detailHtml(group: PageGroup, chosen: readonly Chosen[]): string {
  const [first] = chosen;
  if (!first) return '';
  const { size, name } = first.point;
  const where = name ?? (size === null ? group.title : bytes(size));
  const known = chosen.filter(({ point: { statistics } }) => statistics !== null);
  const heading = element('h4', {}, escaped(`${capital(group.figures[0]?.name ?? '')} at ${where}`));
  if (known.length === 0) return heading + element('p', { class: 'hint' }, 'The records hold no samples of it and no statistics.'); // prettier-ignore
  const spread = known.filter(({ point: { statistics } }) => statistics && rangeOf(statistics).length > 1);
  return heading + (spread.length > 0 ? drawing(group, spread) : '') + statisticsTable(group, chosen);
}

function drawing(group: PageGroup, chosen: readonly Chosen[]): string {
  const scale = commonScale(chosen.flatMap(({ point: { statistics } }) => (statistics ? rangeOf(statistics) : [])));
  const bottom = TOP + chosen.length * ROW;
  const frame: Frame = { left: LEFT, top: TOP, width: SPREAD_WIDTH, height: chosen.length * ROW };
  const [own] = group.figures;
  const hasCourse = chosen.some(({ point }) => (point.statistics?.course?.mean.length ?? 0) > 1);
  const rows = chosen.map(({ series, point: { statistics } }, index) => {
    const colour = colourOf(group, series);
    const top = TOP + index * ROW;
    if (!statistics) return '';
    return [
      label(LEFT - 10, top + ROW / 2 + 4, shortened(group.series[series]?.name ?? ''), { anchor: 'end' }),
      spreadOf(statistics, { top, scale, colour }),
      statistics.course && !statistics.launches ? courseOf(statistics.course, { top, colour }) : '',
    ].join('');
  });
  const horizontal = { ...scale, minor: [] };
  const content = [
    label(LEFT, 12, 'How the samples are distributed', { size: 12, bold: true }),
    hasCourse ? label(COURSE_LEFT, 12, 'From the first to the last iteration', { size: 12, bold: true }) : '',
    axes(frame, { horizontal, vertical: { position: () => 0, ticks: [], minor: [] }, horizontalTitle: axisTitle(own?.name ?? '', own?.unit ?? '') }), // prettier-ignore
    ...rows,
  ];
  return svgOf(bottom + 48, content.join(''), 'Distribution of the samples');
}

export function colourOf({ series, ordinal }: PageGroup, index: number): string {
  return seriesColour(series[index]?.colour ?? index, series.length, ordinal);
}

function rangeOf({ distribution, min, max, p99, course, launches }: PointStatistics): number[] {
  if (distribution) return [distribution.low, distribution.high];
  if (launches) return [...(course?.mean ?? [])];
  const ends = [min, p99 ?? max, p99 === null ? max : null];
  return ends.flatMap((value) => value ?? []);
}

function commonScale(values: readonly number[]): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low > 0 && high / low > LINEAR_UP_TO ? logScale(low, high) : linearScale(low, high, 7);
}

interface SpreadPlace {
  readonly top: number;
  readonly scale: Scale;
  readonly colour: string;
}

function spreadOf(statistics: PointStatistics, place: SpreadPlace): string {
  const { distribution, launches, course, interval, median } = statistics;
  const x = xOf(place.scale);
  const base = place.top + ROW - 1;
  const body = distribution
    ? histogram(distribution, place)
    : launches
      ? (course?.mean ?? []).map((value) => element('circle', { cx: x(value), cy: base - 12, r: 3.5, fill: place.colour, 'fill-opacity': 0.6 })).join('') // prettier-ignore
      : box(statistics, place);
  const band = interval && element('rect', { x: x(interval[0]), y: base - ROW + 12, width: Math.max(1, x(interval[1]) - x(interval[0])), height: ROW - 12, fill: INK, 'fill-opacity': 0.25 }); // prettier-ignore
  const middle = median === null ? '' : element('path', { class: 'median', d: `M${coordinate(x(median))} ${base - ROW + 12}V${base}`, stroke: INK, 'stroke-width': 1.5 }); // prettier-ignore
  return body + (band ?? '') + middle;
}

const xOf =
  (scale: Scale) =>
  (value: number): number =>
    LEFT + scale.position(value) * SPREAD_WIDTH;

function histogram({ low, high, counts, below, above }: Distribution, { top, scale, colour }: SpreadPlace): string {
  const x = xOf(scale);
  const most = Math.max(1, ...counts);
  const base = top + ROW - 1;
  const width = (high - low) / counts.length;
  const steps = counts.map((count, index) => {
    const y = base - (count / most) * (ROW - 14);
    const [from, to] = [low + index * width, low + (index + 1) * width].map(x);
    return `L${coordinate(from ?? 0)} ${coordinate(y)}H${coordinate(Math.max(to ?? 0, (from ?? 0) + 1))}`;
  });
  const d = `M${coordinate(x(low))} ${base}${steps.join('')}V${base}Z`;
  const beyond = [...(below > 0 ? [`${below} below`] : []), ...(above > 0 ? [`${above} above`] : [])].join(', ');
  return (
    element('path', { class: 'histogram', d, fill: colour, 'fill-opacity': 0.75 }) +
    (beyond === '' ? '' : label(LEFT + SPREAD_WIDTH - 4, top + 14, beyond, { anchor: 'end', size: 11, faint: true }))
  );
}

/** Where only percentiles are known: from the least to the most, the middle half as a box. */
function box({ min, max, p99, quantiles }: PointStatistics, { top, scale, colour }: SpreadPlace): string {
  const x = xOf(scale);
  const middle = top + ROW / 2 + 6;
  const at = (wanted: number): number | undefined => quantiles.find(([percent]) => percent === wanted)?.[1];
  const [low, high] = [at(25), at(75)].toSorted((a, b) => (a ?? 0) - (b ?? 0));
  const ends = [min, max].flatMap((value) => value ?? []);
  const line = ends.length === 2 ? element('path', { d: `M${coordinate(x(ends[0] ?? 0))} ${middle}H${coordinate(x(ends[1] ?? 0))}`, stroke: colour, 'stroke-width': 2 }) : ''; // prettier-ignore
  const half = low !== undefined && high !== undefined ? element('rect', { x: x(low), y: middle - 10, width: Math.max(1, x(high) - x(low)), height: 20, fill: colour, 'fill-opacity': 0.5 }) : ''; // prettier-ignore
  const tail = p99 === null ? '' : element('path', { d: `M${coordinate(x(p99))} ${middle - 6}v12`, stroke: colour, 'stroke-width': 2 }); // prettier-ignore
  return line + half + tail;
}

function courseOf(course: Course, { top, colour }: Omit<SpreadPlace, 'scale'>): string {
  const { min, mean, max } = course;
  const scale = courseScale(course);
  const last = Math.max(1, mean.length - 1);
  const x = (index: number): number => COURSE_LEFT + (index / last) * COURSE_WIDTH;
  const y = (value: number): number => top + ROW - 6 - scale.position(value) * (ROW - 16);
  const ranges = mean.map((_, index) => `M${coordinate(x(index))} ${coordinate(y(min[index] ?? 0))}V${coordinate(y(max[index] ?? 0))}`); // prettier-ignore
  const line = mean.map((value, index) => `${index === 0 ? 'M' : 'L'}${coordinate(x(index))} ${coordinate(y(value))}`);
  return [
    element('path', { d: ranges.join(''), stroke: colour, 'stroke-opacity': 0.3, 'stroke-width': Math.max(1, COURSE_WIDTH / mean.length - 0.5), fill: 'none' }), // prettier-ignore
    element('path', { class: 'course', d: line.join(''), stroke: colour, 'stroke-width': 1.5, fill: 'none' }),
    element('path', { d: `M${COURSE_LEFT} ${top + ROW - 2}h${coordinate(COURSE_WIDTH)}`, stroke: FAINT_INK, 'stroke-opacity': 0.4 }), // prettier-ignore
  ].join('');
}

/** Room for what nearly all iterations took: one interruption would flatten all else. What lies beyond is cut. */
function courseScale({ min, mean, max }: Course): Scale {
  const low = quantileOf(min, 0.05);
  const high = Math.max(quantileOf(max, 0.7), quantileOf(mean, 0.9));
  return linearScale(low - (high - low) / 4, high);
}

function quantileOf(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0;
}

function shortened(text: string): string {
  return text.length <= MOST_OF_NAME ? text : `${text.slice(0, MOST_OF_NAME - 1)}…`;
}

interface Column {
  readonly head: string;
  text(statistics: PointStatistics): string;
}

const numberText = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : number(value)); // prettier-ignore
const quantile = (wanted: number): Column => ({
  head: `P${wanted}`,
  text: ({ quantiles }) => numberText(quantiles.find(([percent]) => percent === wanted)?.[1]),
});

/** Percentiles count from the good end; so do they here. */
const COLUMNS: readonly Column[] = [
  { head: 'Samples', text: ({ n, launches }) => `${n}${launches ? ' launches' : ''}` },
  { head: 'Min', text: ({ min }) => numberText(min) },
  ...[1, 25].map(quantile),
  { head: 'Median', text: ({ median }) => numberText(median) },
  { head: '95 % CI', text: ({ interval }) => (interval ? `${number(interval[0])} … ${number(interval[1])}` : '–') },
  ...[75, 90, 99, 99.9].map(quantile),
  { head: 'Max', text: ({ max }) => numberText(max) },
  { head: 'Outliers', text: ({ outliers }) => (outliers === null ? '–' : String(outliers)) },
];

function statisticsTable(group: PageGroup, chosen: readonly Chosen[]): string {
  const known = chosen.flatMap(({ series, point: { statistics } }) => (statistics ? [{ series, statistics }] : []));
  const columns = COLUMNS.filter(({ text }) => known.some(({ statistics }) => text(statistics) !== '–'));
  const heads = ['', ...columns.map(({ head }) => head), 'Verdict'];
  const rows = known.map(({ series, statistics }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, escaped(group.series[series]?.name ?? '')),
      ...columns.map(({ text }) => element('td', {}, escaped(text(statistics)))),
      element('td', {}, verdictMark(statistics)),
    ),
  );
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, escaped(text))));
  return element(
    'div',
    { class: 'scroll' },
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}

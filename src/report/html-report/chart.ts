/** A chart of lines over message sizes, and below it how far the other runs are from the first. Drawn here and in the browser. */
import { INK, seriesColour } from '../plot/colours.js';
import { linearScale, sizeScale, type Scale } from '../plot/scales.js';
import { markerPath, polyline } from '../plot/svg-figure.js';
import { axes, MARGIN, PAGE_WIDTH, xOf, yOf, type Frame } from '../plot/svg-parts.js';
import { valueScale, type ValueScale } from '../plot/value-scale.js';
import { coordinate, element } from '../plot/xml.js';
import { capital, isOfSamples, measureOf, valueOf } from './measures.js';
import { ratioPart, RATIO_HEIGHT } from './ratio.js';
import type { PageGroup, PagePoint, PageSeries, View } from './types.js';

/** Where a point stands in a drawing. */
export interface Spot {
  readonly series: number;
  readonly point: number;
  readonly size: number;
  readonly x: number;
  readonly y: number;
}

export interface Drawing {
  readonly svg: string;
  readonly spots: readonly Spot[];
  readonly height: number;
}

/** A series with its index in the group, and its points in order and in sight. */
export interface Shown {
  readonly index: number;
  readonly series: PageSeries;
  readonly colour: string;
  readonly points: readonly ShownPoint[];
}

export interface ShownPoint {
  readonly index: number;
  readonly point: PagePoint;
  readonly size: number;
  readonly value: number;
}

const FRAME: Frame = { left: MARGIN + 64, top: 14, width: PAGE_WIDTH - 2 * MARGIN - 64, height: 330 };
const BELOW = 52;

/** Whether a chart has the part that compares. */
export function isCompared(shown: readonly Shown[], { linear }: View, unit: string): boolean {
  return shown.length > 1 && unit !== '%' && !linear;
}

export function lineChart(group: PageGroup, view: View): Drawing {
  const shown = shownSeries(group, view);
  const { unit, name } = measureOf(group, view.measure);
  const points = shown.flatMap((one) => one.points);
  if (points.length === 0) return emptyChart();
  const horizontal = sizesScale(points.map(({ size }) => size));
  const values = extents(points, group, view);
  const vertical = view.linear ? { ...linearScale(Math.min(0, ...values), Math.max(...values)), shows: () => true } : valueScale(unit, values); // prettier-ignore
  const place: Place = { horizontal, vertical, frame: FRAME };
  const compared = isCompared(shown, view, unit);
  const content = [
    axes(FRAME, {
      horizontal,
      vertical,
      ...(!compared && { horizontalTitle: 'Message size (bytes)' }),
      verticalTitle: axisTitle(name, unit),
    }),
    ...shown.map((one) => drawnBand(one, group, view, place)),
    ...shown.map((one) => lineOf(one, view, place)),
    ...(view.switches ? shown.map((one) => switchesOf(one, place)) : []),
    ...(compared ? [ratioPart(shown, { group, horizontal, top: FRAME.top + FRAME.height + 44, frame: FRAME })] : []),
  ];
  const height = FRAME.top + FRAME.height + (compared ? 44 + RATIO_HEIGHT : 0) + BELOW;
  return { svg: svgOf(height, content.join(''), name), spots: spotsOf(shown, place), height };
}

interface Place {
  readonly horizontal: Scale;
  readonly vertical: ValueScale;
  readonly frame: Frame;
}

const xAt = ({ horizontal, frame }: Place, size: number): number => xOf(frame, horizontal.position(size));
const yAt = ({ vertical, frame }: Place, value: number): number => yOf(frame, vertical.position(value));

/** The whole drawing; what it shows is in the tables too, so that its name is enough for those who can't see it. */
export function svgOf(height: number, content: string, name: string): string {
  const attributes = {
    ...{ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${PAGE_WIDTH} ${Math.ceil(height)}`, role: 'img' },
    ...{ 'aria-label': name, 'font-size': 12, fill: INK },
  };
  return element('svg', attributes, content);
}

function emptyChart(): Drawing {
  const text = element('text', { x: PAGE_WIDTH / 2, y: 40, 'text-anchor': 'middle' }, 'Nothing is chosen to be shown.');
  return { svg: svgOf(80, text, 'nothing'), spots: [], height: 80 };
}

export function axisTitle(name: string, unit: string): string {
  return `${capital(name)} (${unit})`;
}

function shownSeries(group: PageGroup, view: View): Shown[] {
  return group.series.flatMap((series, index) => {
    if (view.hidden.includes(index)) return [];
    const points = series.points.flatMap((point, at) => shownPoint(point, at, view));
    const colour = seriesColour(series.colour, group.series.length, group.ordinal);
    return points.length === 0 ? [] : [{ index, series, colour, points: points.sort((a, b) => a.size - b.size) }];
  });
}

function shownPoint(point: PagePoint, index: number, { measure, zoom, linear }: View): ShownPoint[] {
  const value = valueOf(point, measure);
  const { size } = point;
  if (size === null || value === null || (value <= 0 && !linear && measureIsPositive(measure))) return [];
  return zoom && (size < zoom[0] || size > zoom[1]) ? [] : [{ index, point, size, value }];
}

/** Times and rates are; other figures (an overlap) may be 0. */
function measureIsPositive(measure: string): boolean {
  return !measure.startsWith('figure:') || measure === 'figure:0';
}

/** One size alone stands in the middle. */
function sizesScale(sizes: readonly number[]): Scale {
  const [first = 0] = sizes;
  if (sizes.some((size) => size !== first)) return sizeScale(sizes);
  return { position: () => 0.5, ticks: [{ at: 0.5, label: sizeScale([0, first || 1]).ticks.at(-1)?.label ?? '' }], minor: [] }; // prettier-ignore
}

/** How far beyond the lines a band may reach: interruptions may take a thousand times as long as messages. */
const MOST_OF_BAND = 3;

/** The values that must have room. */
function extents(points: readonly ShownPoint[], group: PageGroup, view: View): number[] {
  const values = points.flatMap(({ point, value }) => [value, ...(intervalOf(point, view) ?? [])]);
  const [low, high] = [Math.min(...values) / MOST_OF_BAND, Math.max(...values) * MOST_OF_BAND];
  const ranges = view.spread ? points.flatMap(({ point }) => bandOf(point, group, view) ?? []) : [];
  return [...values, ...ranges.map((value) => Math.min(high, Math.max(low, value)))];
}

/** From the best sample to what 99 % keep to. */
export function bandOf({ statistics }: PagePoint, group: PageGroup, view: View): readonly [number, number] | null {
  if (!statistics || !isOfSamples(view.measure)) return null;
  const { min, max, p99, launches } = statistics;
  if (min === null || max === null) return null;
  if (launches) return [min, max];
  if (p99 === null) return null;
  return group.better === 'higher' ? [p99, max] : [min, p99];
}

/** Of the median, where that is what is drawn. */
export function intervalOf({ statistics }: PagePoint, view: View): readonly [number, number] | null {
  return view.measure === 'median' ? (statistics?.interval ?? null) : null;
}

function drawnBand({ points, colour, index }: Shown, group: PageGroup, view: View, place: Place): string {
  if (!view.spread) return '';
  const known = points.flatMap(({ point, size }) => {
    const range = bandOf(point, group, view);
    return range ? [{ x: xAt(place, size), low: yAt(place, range[0]), high: yAt(place, range[1]) }] : [];
  });
  if (known.length === 0) return '';
  const there = known.map(({ x, high }) => [x, high] as const);
  const back = known.map(({ x, low }) => [x, low] as const).reverse();
  const d = `${polyline([...there, ...back])}Z`;
  return element('path', { class: 'band', 'data-series': index, d, fill: colour, 'fill-opacity': 0.13 });
}

function lineOf({ index, points, colour }: Shown, view: View, place: Place): string {
  const at = points.map(({ size, value }) => [xAt(place, size), yAt(place, value)] as const);
  return element(
    'g',
    { class: 'series', 'data-series': index },
    element('path', { class: 'line', d: polyline(at), stroke: colour, 'stroke-width': 2, fill: 'none', 'stroke-linejoin': 'round' }), // prettier-ignore
    ...points.map((point) => whiskers(point, view, place, colour)),
    ...points.map(({ index: number, size, value }) =>
      element('path', {
        ...{ class: 'point', 'data-point': number, d: markerPath(index), fill: colour },
        transform: `translate(${coordinate(xAt(place, size))} ${coordinate(yAt(place, value))})`,
      }),
    ),
  );
}

/** Shorter than the marker they would not be seen. */
const LEAST_WHISKERS = 3;

function whiskers({ point, size }: ShownPoint, view: View, place: Place, colour: string): string {
  const interval = intervalOf(point, view);
  if (!interval) return '';
  const [top, bottom] = [yAt(place, interval[1]), yAt(place, interval[0])];
  if (bottom - top < LEAST_WHISKERS) return '';
  const x = xAt(place, size);
  const d = `M${coordinate(x - 4)} ${coordinate(top)}h8m-4 0V${coordinate(bottom)}m-4 0h8`;
  return element('path', { class: 'interval', d, stroke: colour, 'stroke-width': 1.5, fill: 'none' });
}

const SWITCH_REACH = 16;

/** A dashed tick across the line, between the sizes before and after. */
function switchesOf({ index, series, points, colour }: Shown, place: Place): string {
  const marks = series.switches.flatMap(({ before, at, text }) => {
    const [left, right] = [before, at].map((wanted) => points.find(({ size }) => size === wanted));
    if (!left || !right) return [];
    const x = (xAt(place, left.size) + xAt(place, right.size)) / 2;
    const y = (yAt(place, left.value) + yAt(place, right.value)) / 2;
    const d = `M${coordinate(x)} ${coordinate(y - SWITCH_REACH)}v${2 * SWITCH_REACH}`;
    const stroke = { stroke: colour, 'stroke-width': 2, 'stroke-dasharray': '3 3' };
    return element('path', { class: 'switch', 'data-tip': `${series.name}: ${text}`, d, fill: 'none', ...stroke });
  });
  return element('g', { class: 'switches', 'data-series': index }, ...marks);
}

function spotsOf(shown: readonly Shown[], place: Place): Spot[] {
  return shown.flatMap(({ index, points }) =>
    points.map(({ index: point, size, value }) => ({
      ...{ series: index, point, size },
      x: xAt(place, size),
      y: yAt(place, value),
    })),
  );
}

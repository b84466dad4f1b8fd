/** A figure over the message size: lines with markers, the median's interval and the spread of the samples. */
import { shortNumber } from './numbers.js';
import { sizeText } from './panels.js';
import { sizeScale } from './scales.js';
import { seriesColour } from './colours.js';
import {
  axes,
  label,
  legend,
  MARGIN,
  PAGE_WIDTH,
  textWidth,
  unitText,
  xOf,
  yOf,
  type Block,
  type Frame,
  type LegendEntry,
} from './svg-parts.js';
import type { Interval, Panel, Point, Series } from './types.js';
import { valueScale, type ValueScale } from './value-scale.js';
import { coordinate, element, escaped } from './xml.js';

const LEFT = MARGIN + 72;
const HEIGHT = 320;
const BELOW = 64;
const TITLE_HEIGHT = 30;
const MARKER = 3.5;

/** Shapes as paths around the origin, so that series differ by more than colour. */
const MARKERS: readonly string[] = [
  `M${-MARKER} 0a${MARKER} ${MARKER} 0 1 0 ${2 * MARKER} 0a${MARKER} ${MARKER} 0 1 0 ${-2 * MARKER} 0Z`,
  'M-3.2-3.2h6.4v6.4h-6.4Z',
  'M0-4.4L4.2 3.2H-4.2Z',
  'M0-4.6L4.6 0L0 4.6L-4.6 0Z',
  'M0 4.4L4.2-3.2H-4.2Z',
];

/** From a point's size and a value to where they are drawn. */
interface Places {
  readonly vertical: ValueScale;
  x(point: Point): number;
  y(value: number): number;
}

export function figureBlock(panel: Panel): Block {
  const { title, unit, series, ordinal } = panel;
  const colours = series.map((_, index) => seriesColour(index, series.length, ordinal));
  const key = legend(LEFT, TITLE_HEIGHT, PAGE_WIDTH - LEFT - MARGIN, legendEntries(panel, colours));
  const frame: Frame = {
    left: LEFT,
    top: TITLE_HEIGHT + key.height + 10,
    width: PAGE_WIDTH - LEFT - MARGIN,
    height: HEIGHT,
  };
  const points = series.flatMap((one) => one.points);
  const horizontal = sizeScale(points.map(({ size }) => size ?? 0));
  const vertical = valueScale(
    unit,
    points.flatMap((point) => shownValues(point, ordinal)),
  );
  const places: Places = {
    vertical,
    x: ({ size }) => xOf(frame, horizontal.position(size ?? 0)),
    y: (value) => yOf(frame, vertical.position(value)),
  };
  const content = [
    label(MARGIN, 18, title, { size: 16, bold: true }),
    key.content,
    axes(frame, {
      horizontal,
      vertical,
      horizontalTitle: panel.over?.title ?? 'Message size (bytes)',
      verticalTitle: verticalTitleOf(panel),
    }),
    ...series.map((one, index) => (ordinal ? '' : bands(one, colours[index] ?? '', places))),
    ...series.map((one, index) =>
      line(one, index, { colour: colours[index] ?? '', unit, places, text: panel.over?.text ?? sizeText }),
    ),
  ];
  return { height: frame.top + HEIGHT + BELOW, content: content.join('') };
}

/** What doesn't fit along the axis stands above the panel in any case. */
function verticalTitleOf({ title, unit }: Panel): string {
  const whole = title === unit ? title : `${title} (${unitText(unit)})`;
  return textWidth(whole, 13) <= HEIGHT ? whole : unitText(unit);
}

function shownValues({ value, median, interval, spread }: Point, ordinal: boolean): number[] {
  if (ordinal) return [value];
  const ranges = [interval, spread].flatMap((range) => (range ? [range.low, range.high] : []));
  return [value, ...(median === undefined ? [] : [median]), ...ranges];
}

/** A lone series needs an entry only where bands must be told from its line. */
function legendEntries({ series, ordinal }: Panel, colours: readonly string[]): LegendEntry[] {
  const banded = ordinal ? -1 : series.findIndex(({ points }) => points.some(({ spread }) => spread !== undefined));
  if (series.length === 1 && banded < 0) return [];
  const own = series.map(({ name }, index) => ({ name, sign: lineSign(colours[index] ?? '', index) }));
  const colour = colours[banded];
  if (colour === undefined) return own;
  const of = series.length > 1 ? ` of ${series[banded]?.name}` : '';
  return [
    ...own,
    { name: `Median and its 95 % confidence interval${of}`, sign: bandSign(colour, 0.35) + medianSign(colour) },
    { name: `Best sample to P99${of}`, sign: bandSign(colour, 0.13) },
  ];
}

function lineSign(colour: string, index: number): string {
  return element('path', { d: 'M-14 0h28', stroke: colour, 'stroke-width': 2 }) + marker(0, 0, index, colour);
}

function bandSign(colour: string, opacity: number): string {
  return element('rect', { x: -14, y: -6, width: 28, height: 12, fill: colour, 'fill-opacity': opacity });
}

function medianSign(colour: string): string {
  return element('path', { d: 'M-14 0h28', stroke: colour, 'stroke-dasharray': '4 3' });
}

function marker(x: number, y: number, index: number, colour: string, tip?: string): string {
  const d = MARKERS[index % MARKERS.length] ?? '';
  const shape = element('path', { d, transform: `translate(${coordinate(x)} ${coordinate(y)})`, fill: colour });
  return tip === undefined ? shape : element('g', {}, element('title', {}, escaped(tip)), shape);
}

function line(
  { name, points }: Series,
  index: number,
  { colour, unit, places, text }: { colour: string; unit: string; places: Places; text: (size: number) => string },
): string {
  const shown = inOrder(points.filter(({ value }) => places.vertical.shows(value)));
  const at = shown.map((point) => [places.x(point), places.y(point.value)] as const);
  return [
    element('path', { d: polyline(at), stroke: colour, 'stroke-width': 2, fill: 'none', 'stroke-linejoin': 'round' }),
    ...shown.map((point) =>
      marker(places.x(point), places.y(point.value), index, colour, tipOf(name, point, unit, text)),
    ),
  ].join('');
}

function tipOf(name: string, { size, value, interval }: Point, unit: string, text: (size: number) => string): string {
  const range = interval
    ? `, 95 % CI of the median ${shortNumber(interval.low)} to ${shortNumber(interval.high)} ${unitText(unit)}`
    : '';
  return `${name}, ${text(size ?? 0)}: ${shortNumber(value)} ${unitText(unit)}${range}`;
}

function bands({ points }: Series, colour: string, places: Places): string {
  const medians = inOrder(points).flatMap((point) =>
    point.median === undefined ? [] : [[places.x(point), places.y(point.median)] as const],
  );
  return [
    band(points, ({ spread }) => spread, colour, 0.13, places),
    band(points, ({ interval }) => interval, colour, 0.35, places),
    medians.length === 0
      ? ''
      : element('path', { d: polyline(medians), stroke: colour, fill: 'none', 'stroke-dasharray': '4 3' }),
  ].join('');
}

function band(
  points: readonly Point[],
  rangeOf: (point: Point) => Interval | undefined,
  colour: string,
  opacity: number,
  { x, y }: Places,
): string {
  const known = inOrder(points).flatMap((point) => {
    const range = rangeOf(point);
    return range ? [{ x: x(point), low: y(range.low), high: y(range.high) }] : [];
  });
  if (known.length === 0) return '';
  const there = known.map((one) => [one.x, one.high] as const);
  const back = known.map((one) => [one.x, one.low] as const).reverse();
  return element('path', { d: `${polyline([...there, ...back])}Z`, fill: colour, 'fill-opacity': opacity });
}

function inOrder(points: readonly Point[]): Point[] {
  return [...points].sort((a, b) => (a.size ?? 0) - (b.size ?? 0));
}

function polyline(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${coordinate(x)} ${coordinate(y)}`).join('');
}

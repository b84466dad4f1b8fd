/** Tracks over time: a small plot of each size, with its changes. */
import { bytes, change as percent, scaled } from '../analysis/units.js';
import { DIFFERENT, INK } from '../report/plot/colours.js';
import { linearScale, logScale, type Scale } from '../report/plot/scales.js';
import { polyline } from '../report/plot/svg-figure.js';
import { axes, label, MARGIN, PAGE_WIDTH, stacked, wrappedText, xOf, yOf, type Block, type Frame } from '../report/plot/svg-parts.js'; // prettier-ignore
import { coordinate, element, escaped } from '../report/plot/xml.js';
import { median } from '../bench/measure/robust.js';
import type { FollowedTrack } from './changes.js';
import { timeScale } from './time-scale.js';
import { changeHead, changeTexts, dateText, quietText } from './words.js';

const PER_LINE = 3;
const GAP = 14;
const CELL_WIDTH = (PAGE_WIDTH - 2 * MARGIN - (PER_LINE - 1) * GAP) / PER_LINE;
const CELL_HEIGHT = 168;
const FRAME: Frame = { left: 50, top: 24, width: CELL_WIDTH - 62, height: 108 };
const [LINE = INK, CHANGED = INK] = DIFFERENT;
/** Values that reach farther are drawn on a logarithmic axis. */
const LINEAR_UP_TO = 5;

/** Heading and all sizes of a track. `headed` = false where a page has its own words. */
export function trackBlock(track: FollowedTrack, headed: boolean): Block {
  const heads = headed ? headBlock(track) : { height: 4, content: '' };
  const cells = track.sizes.map((_, row) => {
    const x = MARGIN + (row % PER_LINE) * (CELL_WIDTH + GAP);
    const y = Math.floor(row / PER_LINE) * CELL_HEIGHT;
    return element('g', { class: 'size', transform: `translate(${coordinate(x)} ${coordinate(y)})` }, cell(track, row));
  });
  const height = Math.ceil(track.sizes.length / PER_LINE) * CELL_HEIGHT;
  return stacked([heads, { height, content: cells.join('') }]);
}

function headBlock(track: FollowedTrack): Block {
  const { name, figure, scale, changes } = track;
  const lines = changes.length === 0 ? [quietText(track)] : changes.flatMap((change) => [changeHead(track, change), ...changeTexts(track, change)]); // prettier-ignore
  const wrapped = lines.flatMap((line) => wrappedText(line, PAGE_WIDTH - 2 * MARGIN, 12));
  return {
    height: 32 + wrapped.length * 16 + 10,
    content: [
      label(MARGIN, 20, `${name}: ${figure} (${scale.unit})`, { size: 16, bold: true }),
      ...wrapped.map((line, index) => label(MARGIN, 40 + index * 16, line, { faint: true })),
    ].join(''),
  };
}

function cell(track: FollowedTrack, row: number): string {
  const { moments, sizes, values, scale, changes } = track;
  const size = sizes[row] ?? null;
  const shown = (values[row] ?? []).map((value) => value * scale.factor);
  const known = shown.filter((value) => Number.isFinite(value));
  const mine = changes.filter((change) => change.sizes.some((one) => one.row === row));
  const horizontal = timeScale(moments.map(({ time }) => time));
  const vertical = verticalScale(known);
  const x = (index: number): number => xOf(FRAME, horizontal.position(moments[index]?.time ?? NaN));
  const y = (value: number): number => yOf(FRAME, vertical.position(value));
  return [
    label(FRAME.left, 14, size === null ? track.figure : bytes(size), { bold: true }),
    ...(mine.length > 0 ? [label(FRAME.left + FRAME.width, 14, ratioText(mine, row), { anchor: 'end', size: 11 })] : []), // prettier-ignore
    axes(FRAME, { horizontal, vertical, fontSize: 10 }),
    ...levels(shown, mine.map(({ at }) => at), x, y), // prettier-ignore
    ...mine.map((change) => border((x(change.at - 1) + x(change.at)) / 2, changeHead(track, change))),
    ...shown.map((value, index) => (Number.isFinite(value) ? dot(x(index), y(value), tipOf(track, row, index)) : '')),
  ].join('');
}

function ratioText(mine: FollowedTrack['changes'], row: number): string {
  const ratios = mine.flatMap(({ sizes }) => sizes.flatMap((one) => (one.row === row ? [percent(one.ratio)] : [])));
  return ratios.join(', then ');
}

function verticalScale(values: readonly number[]): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0) return linearScale(0, 1, 4);
  return low > 0 && high / low > LINEAR_UP_TO ? logScale(low, high, 4) : linearScale(low, high, 4);
}

/** Thick lines at the medians between changes; thin ones from point to point. */
function levels(
  values: readonly number[],
  borders: readonly number[],
  x: (index: number) => number,
  y: (value: number) => number,
): string[] {
  // prettier-ignore
  const line = values.flatMap((value, index) => (Number.isFinite(value) ? [[x(index), y(value)] as const] : []));
  const ends = [0, ...borders, values.length];
  const steps = ends.slice(0, -1).flatMap((from, index) => {
    const to = (ends[index + 1] ?? values.length) - 1;
    const known = values.slice(from, to + 1).filter((value) => Number.isFinite(value));
    return known.length === 0 || borders.length === 0 ? [] : [`M${coordinate(x(from))} ${coordinate(y(median(known)))}H${coordinate(x(to))}`]; // prettier-ignore
  });
  return [
    element('path', { d: polyline(line), stroke: LINE, 'stroke-width': 1, 'stroke-opacity': 0.6, fill: 'none' }),
    element('path', { class: 'level', d: steps.join(''), stroke: CHANGED, 'stroke-width': 2, fill: 'none' }),
  ];
}

function border(x: number, text: string): string {
  const line = element('path', { class: 'border', d: `M${coordinate(x)} ${FRAME.top}v${FRAME.height}`, stroke: CHANGED, 'stroke-width': 1.5, 'stroke-dasharray': '4 3', fill: 'none' }); // prettier-ignore
  return element('g', {}, element('title', {}, escaped(text)), line);
}

function dot(x: number, y: number, text: string): string {
  const circle = element('circle', { class: 'point', cx: x, cy: y, r: 2.6, fill: LINE });
  return element('g', {}, element('title', {}, escaped(text)), circle);
}

function tipOf({ moments, values, scale }: FollowedTrack, row: number, index: number): string {
  const moment = moments[index];
  const value = values[row]?.[index] ?? NaN;
  return `${dateText(moment?.time ?? NaN)}: ${scaled(value, scale)} ${scale.unit} (${moment?.file ?? ''})`;
}

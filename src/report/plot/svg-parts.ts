/** The parts that all drawings share: text, legends, axes. Lengths are in pixels, downwards from the top left. */
import { FAINT_GRID, FAINT_INK, GRID, INK } from './colours.js';
import type { Scale } from './scales.js';
import { coordinate, element, escaped, type Attributes } from './xml.js';

export const PAGE_WIDTH = 960;
export const MARGIN = 24;
/** Mean width of a character relative to the font's size, for what must fit beside each other. */
const CHARACTER_WIDTH = 0.56;
/** How far labels may reach beyond the right end of their axis. */
const OVERHANG = 12;

/** Something of the page's width that others follow below. */
export interface Block {
  readonly height: number;
  readonly content: string;
}

/** The area between the axes. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface TextStyle {
  readonly size?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly bold?: boolean;
  readonly faint?: boolean;
  readonly transform?: string;
}

/** One line of text; `y` is its base line. */
export function label(x: number, y: number, text: string, style: TextStyle = {}): string {
  const { size, anchor, bold = false, faint = false, transform } = style;
  const attributes: Attributes = {
    x,
    y,
    'font-size': size,
    'text-anchor': anchor,
    'font-weight': bold ? 'bold' : undefined,
    fill: faint ? FAINT_INK : undefined,
    transform,
  };
  return element('text', attributes, escaped(text));
}

export function textWidth(text: string, size: number): number {
  return text.length * size * CHARACTER_WIDTH;
}

/** Words in lines that fit in `width`; a word that is longer stands alone. */
export function wrappedText(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function xOf({ left, width }: Frame, at: number): number {
  return left + at * width;
}

export function yOf({ top, height }: Frame, at: number): number {
  return top + (1 - at) * height;
}

export interface Axes {
  readonly horizontal: Scale;
  readonly vertical: Scale;
  readonly horizontalTitle?: string;
  readonly verticalTitle?: string;
  readonly fontSize?: number;
}

/** Grid, axes, labels and titles. */
export function axes(
  frame: Frame,
  { horizontal, vertical, horizontalTitle, verticalTitle, fontSize = 12 }: Axes,
): string {
  const bottom = frame.top + frame.height;
  const middle = frame.left + frame.width / 2;
  const centre = frame.top + frame.height / 2;
  const titleX = frame.left - 56;
  return [
    gridLines(frame, horizontal.minor, vertical.minor, FAINT_GRID),
    gridLines(
      frame,
      horizontal.ticks.map(({ at }) => at),
      vertical.ticks.map(({ at }) => at),
      GRID,
    ),
    outline(frame),
    ...horizontal.ticks.map(({ at, label: text }) => {
      const furthest = frame.left + frame.width + OVERHANG - textWidth(text, fontSize) / 2;
      const x = Math.min(xOf(frame, at), furthest);
      return label(x, bottom + fontSize + 5, text, { anchor: 'middle', size: fontSize });
    }),
    ...vertical.ticks.map(({ at, label: text }) =>
      label(frame.left - 6, yOf(frame, at) + fontSize / 3, text, { anchor: 'end', size: fontSize }),
    ),
    ...(horizontalTitle === undefined
      ? []
      : [label(middle, bottom + 40, horizontalTitle, { anchor: 'middle', size: 13 })]),
    ...(verticalTitle === undefined
      ? []
      : [
          label(titleX, centre, verticalTitle, {
            anchor: 'middle',
            size: 13,
            transform: `rotate(-90 ${coordinate(titleX)} ${coordinate(centre)})`,
          }),
        ]),
  ].join('');
}

function gridLines(frame: Frame, across: readonly number[], up: readonly number[], colour: string): string {
  const right = frame.left + frame.width;
  const lines = [
    ...across.map((at) => `M${coordinate(xOf(frame, at))} ${coordinate(frame.top)}v${coordinate(frame.height)}`),
    ...up.map((at) => `M${coordinate(frame.left)} ${coordinate(yOf(frame, at))}H${coordinate(right)}`),
  ];
  return lines.length === 0 ? '' : element('path', { d: lines.join(''), stroke: colour, fill: 'none' });
}

function outline({ left, top, width, height }: Frame): string {
  const d = `M${coordinate(left)} ${coordinate(top)}v${coordinate(height)}h${coordinate(width)}`;
  return element('path', { d, stroke: INK, fill: 'none' });
}

export interface LegendEntry {
  readonly name: string;
  /** The sign for it, drawn around the origin and at most 28 wide. */
  readonly sign: string;
}

const LEGEND_FONT = 12;
const LEGEND_LINE = 20;
const SIGN_WIDTH = 36;
const LEGEND_GAP = 18;

/** Entries side by side from `left`, in as many lines as they need. */
export function legend(left: number, top: number, width: number, entries: readonly LegendEntry[]): Block {
  let [x, line] = [0, 0];
  const content = entries.map(({ name, sign }) => {
    const needed = SIGN_WIDTH + textWidth(name, LEGEND_FONT);
    if (x > 0 && x + needed > width) [x, line] = [0, line + 1];
    const [at, y] = [left + x, top + line * LEGEND_LINE + LEGEND_LINE / 2];
    x += needed + LEGEND_GAP;
    const drawn = element('g', { transform: `translate(${coordinate(at + 14)} ${coordinate(y)})` }, sign);
    return drawn + label(at + SIGN_WIDTH, y + LEGEND_FONT / 3, name, { size: LEGEND_FONT });
  });
  return { height: entries.length === 0 ? 0 : (line + 1) * LEGEND_LINE, content: content.join('') };
}

/** Blocks below each other. */
export function stacked(blocks: readonly Block[]): Block {
  let height = 0;
  const content = blocks.map((block) => {
    const moved = element('g', { transform: `translate(0 ${coordinate(height)})` }, block.content);
    height += block.height;
    return moved;
  });
  return { height, content: content.join('') };
}

/** `us` as people write it. */
export function unitText(unit: string): string {
  return unit === 'us' ? 'µs' : unit;
}

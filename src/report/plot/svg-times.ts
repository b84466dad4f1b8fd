/** The time of each iteration, one small plot for each row. However many iterations share a column, extremes show. */
import type { Bucket, Envelope } from './envelope.js';
import { shortNumber } from './numbers.js';
import { linearScale, type Scale } from './scales.js';
import { axes, label, MARGIN, PAGE_WIDTH, wrappedText, xOf, yOf, type Block, type Frame } from './svg-parts.js';
import type { TimesPanel } from './types.js';
import { timesScale } from './value-scale.js';
import { coordinate, element } from './xml.js';

const PER_LINE = 3;
const GAP = 12;
const CELL_WIDTH = (PAGE_WIDTH - 2 * MARGIN - (PER_LINE - 1) * GAP) / PER_LINE;
const CELL_HEIGHT = 184;
const FRAME: Frame = { left: 52, top: 40, width: CELL_WIDTH - 52 - 10, height: 108 };
/** Width of the columns that extremes are drawn in. */
const COLUMN = 2;
const RANGE_COLOUR = '#8fb9d6';
const MEAN_COLOUR = '#00507d';
const MICROSECONDS = 1e6;
const NOTE =
  'As measured on the ranks whose times make the figure: an iteration is all that the benchmark does between two reads of the clock. ' +
  'Light columns reach from the shortest to the longest of neighbouring iterations; the line is their mean over those ranks.';

export function timesBlock(panels: readonly TimesPanel[]): Block {
  const known = panels.flatMap(({ title, times }) => {
    const { total } = times;
    return total === undefined ? [] : [{ title, times, total }];
  });
  if (known.length === 0) return { height: 0, content: '' };
  const note = wrappedText(NOTE, PAGE_WIDTH - 2 * MARGIN, 12);
  const top = 30 + note.length * 16;
  const cells = known.map((panel, index) => {
    const x = MARGIN + (index % PER_LINE) * (CELL_WIDTH + GAP);
    const y = top + Math.floor(index / PER_LINE) * CELL_HEIGHT;
    return element('g', { transform: `translate(${coordinate(x)} ${coordinate(y)})` }, cell(panel));
  });
  const heading = label(MARGIN, 18, 'Time of each iteration (µs)', { size: 16, bold: true });
  const notes = note.map((line, index) => label(MARGIN, 38 + index * 16, line, { faint: true }));
  const height = top + Math.ceil(known.length / PER_LINE) * CELL_HEIGHT + 8;
  return { height, content: [heading, ...notes, ...cells].join('') };
}

function cell({ title, times, total }: TimesPanel & { readonly total: Bucket }): string {
  const [low, high, mean] = [total.min, total.max, total.mean].map((seconds) => shortNumber(seconds * MICROSECONDS));
  const vertical = timesScale(total.min * MICROSECONDS, total.max * MICROSECONDS, 5);
  const horizontal = iterationScale(times.iterations);
  return [
    label(FRAME.left, 14, title, { bold: true }),
    label(FRAME.left, 30, `${low} to ${high} µs, mean ${mean} µs`, { size: 11, faint: true }),
    axes(FRAME, { horizontal, vertical, fontSize: 10 }),
    drawing(times, vertical),
  ].join('');
}

/** Iterations from the first to the last, which are labelled. */
function iterationScale(iterations: number): Scale {
  const { position } = linearScale(1, iterations);
  const exact = (iteration: number): number => (iterations > 1 ? (iteration - 1) / (iterations - 1) : position(1));
  const ticks = [...new Set([1, iterations])].map((iteration) => ({ at: exact(iteration), label: String(iteration) }));
  return { position: exact, ticks, minor: [] };
}

function drawing(times: Envelope, vertical: Scale): string {
  const last = Math.max(1, times.iterations - 1);
  const y = (seconds: number): number => yOf(FRAME, vertical.position(seconds * MICROSECONDS));
  const columns = times.buckets(Math.floor(FRAME.width / COLUMN)).map(({ first, iterations, min, max, mean }) => ({
    x: coordinate(xOf(FRAME, (first + (iterations - 1) / 2) / last)),
    top: coordinate(y(max)),
    bottom: coordinate(y(min)),
    mean: coordinate(y(mean)),
  }));
  const ranges = columns.map(({ x, top, bottom }) => `M${x} ${bottom}V${top}`).join('');
  const means = columns.map(({ x, mean }, index) => `${index === 0 ? 'M' : 'L'}${x} ${mean}`).join('');
  return [
    element('path', {
      d: ranges,
      stroke: RANGE_COLOUR,
      'stroke-width': COLUMN,
      'stroke-linecap': 'square',
      fill: 'none',
    }),
    element('path', { d: means, stroke: MEAN_COLOUR, 'stroke-linecap': 'round', fill: 'none' }),
  ].join('');
}

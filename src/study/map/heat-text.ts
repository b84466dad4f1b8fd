/** A map in the terminal: a square of two characters for each pair, or for each tile of pairs. */
import { KINDS, type FigureName } from './figures.js';
import type { PairGrid } from './grid.js';
import { marksOf, rangeOf, shadeOf, tilesOf, type Tiles } from './tiles.js';
import type { Finding } from './verdict.js';
import { figureText } from './words.js';

const MOST = 32;
/** From the best to the worst. */
const SHADES = ['░░', '▒▒', '▓▓', '██'];
const NOTHING = '  ';
const OWN = ' ·';
const MARK = '!!';
/** Of the 256 that terminals have, from green over yellow to red. */
const COLOURS = [34, 76, 118, 154, 190, 226, 220, 214, 208, 202, 196];

export interface HeatTextOptions {
  readonly names: readonly string[];
  readonly findings: readonly Finding[];
  readonly colour: boolean;
}

function square(shade: number, marked: boolean, colour: boolean): string {
  if (!colour) return marked ? MARK : (SHADES[Math.min(SHADES.length - 1, Math.floor(shade * SHADES.length))] ?? MARK);
  const code = COLOURS[Math.round(shade * (COLOURS.length - 1))] ?? 0;
  return `\u001b[30;48;5;${code}m${marked ? MARK : NOTHING}\u001b[0m`;
}

function lineOf(tiles: Tiles, row: number, shades: (value: number) => number, colour: boolean): string {
  return Array.from({ length: tiles.count }, (_, column) => {
    const at = row * tiles.count + column;
    const value = tiles.values[at] ?? NaN;
    if (Number.isNaN(value)) return row !== column || tiles.nodes > 1 ? NOTHING : tiles.marked[at] === 1 ? MARK : OWN;
    return square(shades(value), tiles.marked[at] === 1, colour);
  }).join('');
}

/** Lines with what colours mean below them. */
export function heatText(name: FigureName, grid: PairGrid, { names, findings, colour }: HeatTextOptions): string {
  const marks = marksOf(findings, name);
  const kind = KINDS[name];
  const tiles = tilesOf(grid, MOST, marks);
  const range = rangeOf(tiles, kind);
  const rows = Array.from({ length: tiles.count }, (_, row) => labelOf(names, row, tiles.nodes));
  const width = Math.max(...rows.map(({ length }) => length));
  const shades = (value: number): number => shadeOf(value, range);
  const lines = rows.map((label, row) => `${label.padEnd(width)} ${lineOf(tiles, row, shades, colour)}`.trimEnd());
  const scale = [0, 1 / 3, 2 / 3, 1].map((shade) => square(shade, false, colour)).join('');
  const legend = `${figureText(name, range.best)} ${scale} ${figureText(name, range.worst)}`;
  const axes = kind.symmetric ? '' : ', senders down, receivers across';
  const tiled = tiles.nodes > 1 ? `, ${tiles.nodes} nodes to a square` : '';
  const marked = marks.length > 0 ? `, ${MARK} findings` : '';
  return `${kind.words}${axes}${tiled}: ${legend}${marked}\n${lines.join('\n')}\n`;
}

function labelOf(names: readonly string[], row: number, nodes: number): string {
  return names[row * nodes] ?? '';
}

/** A map as SVG: a square for each pair or tile of pairs, all squares of one shade in one path. */
import { INK } from '../../report/plot/colours.js';
import { label, MARGIN, PAGE_WIDTH, wrappedText } from '../../report/plot/svg-parts.js';
import { element } from '../../report/plot/xml.js';
import { KINDS, type FigureName } from './figures.js';
import type { PairGrid } from './grid.js';
import { marksOf, rangeOf, shadeOf, tilesOf, type Range, type Tiles } from './tiles.js';
import type { Finding } from './verdict.js';
import { figureText } from './words.js';

const MOST = 128;
const SHADES = 24;
const SIDE = 640;
const LEFT = 170;
const FONT = 11;
/** Rows with names below each other. */
const MOST_NAMES = 48;
const LEGEND_WIDTH = 18;
const MOST_LINES = 40;
const FONTS = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
/** From the best to the worst, darker and redder: light grey-blue, yellow, red, near black (any colour vision sees it darken). */
const STOPS: readonly (readonly [number, number, number])[] = [
  [233, 242, 250],
  [254, 217, 118],
  [227, 66, 32],
  [74, 8, 24],
];
const NOT_MEASURED = '#ffffff';

export interface HeatSvgOptions {
  readonly title: string;
  /** Lines below the title. */
  readonly facts: readonly string[];
  readonly names: readonly string[];
  readonly findings: readonly Finding[];
  /** Nodes at which a switch or host begins. */
  readonly borders: readonly number[];
}

function colourOf(shade: number): string {
  const place = shade * (STOPS.length - 1);
  const [from, to] = [STOPS[Math.floor(place)] ?? [0, 0, 0], STOPS[Math.ceil(place)] ?? [0, 0, 0]];
  const part = place - Math.floor(place);
  const mixed = from.map((channel, at) => Math.round(channel + ((to[at] ?? 0) - channel) * part));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Runs of squares of one shade in a row become one piece of a path. */
function squares({ count, values }: Tiles, range: Range): string {
  const paths = Array.from({ length: SHADES }, () => [] as string[]);
  const shadeAt = (row: number, column: number): number => {
    const value = values[row * count + column] ?? NaN;
    return Number.isNaN(value) ? -1 : Math.min(SHADES - 1, Math.floor(shadeOf(value, range) * SHADES));
  };
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < count;) {
      const shade = shadeAt(row, column);
      let end = column + 1;
      while (end < count && shadeAt(row, end) === shade) end++;
      paths[shade]?.push(`M${column} ${row}h${end - column}v1h-${end - column}z`);
      column = end;
    }
  }
  return paths
    .map((pieces, shade) =>
      pieces.length === 0 ? '' : element('path', { d: pieces.join(''), fill: colourOf(shade / (SHADES - 1)) }),
    )
    .join('');
}

function outlines({ count, marked }: Tiles): string {
  const pieces = [...marked.keys()].filter((at) => marked[at] === 1);
  const d = pieces.map((at) => `M${at % count} ${Math.floor(at / count)}h1v1h-1z`).join('');
  return d === '' ? '' : element('path', { d, fill: 'none', stroke: '#0050ff', 'stroke-width': '0.18' });
}

function bordersOf(borders: readonly number[], { count, nodes }: Tiles): string {
  const places = [...new Set(borders.map((node) => Math.round(node / nodes)))].filter((at) => at > 0 && at < count);
  const d = places.map((at) => `M${at} 0v${count}M0 ${at}h${count}`).join('');
  return d === '' ? '' : element('path', { d, fill: 'none', stroke: INK, 'stroke-width': '0.06' });
}

/** Names of rows left of them; of every n-th where they are many. */
function rowNames(names: readonly string[], { count, nodes }: Tiles, top: number): string {
  const every = Math.ceil(count / MOST_NAMES);
  const side = SIDE / count;
  return Array.from({ length: count }, (_, row) => row)
    .filter((row) => row % every === 0)
    .map((row) =>
      label(LEFT - 6, top + (row + 0.5) * side + FONT / 3, shortened(names[row * nodes] ?? ''), {
        anchor: 'end',
        size: FONT,
      }),
    )
    .join('');
}

const shortened = (name: string): string => (name.length > 24 ? `${name.slice(0, 23)}…` : name);

function legend(name: FigureName, range: Range, top: number): string {
  const x = LEFT + SIDE + 20;
  const height = SIDE / SHADES;
  const boxes = Array.from({ length: SHADES }, (_, shade) =>
    element('rect', {
      x,
      y: top + shade * height,
      width: LEGEND_WIDTH,
      height: height + 0.5,
      fill: colourOf(shade / (SHADES - 1)),
    }),
  );
  return [
    ...boxes,
    label(x + LEGEND_WIDTH + 6, top + FONT, figureText(name, range.best), { size: FONT }),
    label(x + LEGEND_WIDTH + 6, top + SIDE, figureText(name, range.worst), { size: FONT }),
  ].join('');
}

interface Panel {
  readonly height: number;
  readonly content: string;
}

function panelOf(name: FigureName, grid: PairGrid, options: HeatSvgOptions, top: number): Panel {
  const kind = KINDS[name];
  const tiles = tilesOf(grid, MOST, marksOf(options.findings, name));
  const range = rangeOf(tiles, kind);
  const axes = kind.symmetric ? '' : ': senders down, receivers across';
  const tiled = tiles.nodes > 1 ? `, ${tiles.nodes} x ${tiles.nodes} pairs to a square` : '';
  const body = top + 34;
  const scale = SIDE / tiles.count;
  const content = [
    label(LEFT, top + 22, `${kind.words}${axes}${tiled}`, { size: 14, bold: true }),
    element('rect', { x: LEFT, y: body, width: SIDE, height: SIDE, fill: NOT_MEASURED, stroke: INK }),
    element(
      'g',
      { transform: `translate(${LEFT} ${body}) scale(${scale})`, 'shape-rendering': 'crispEdges' },
      squares(tiles, range),
      bordersOf(options.borders, tiles),
      outlines(tiles),
    ),
    rowNames(options.names, tiles, body),
    legend(name, range, body),
  ].join('');
  return { height: SIDE + 34 + 16, content };
}

/** Lines that fit, those in front kept in front; of very many the first. */
function linesOf(facts: readonly string[]): string[] {
  const lines = facts
    .flatMap((fact) => fact.split('\n'))
    .flatMap((line) => {
      const indent = '\u00a0'.repeat(2 * (line.length - line.trimStart().length));
      return wrappedText(line.trim(), PAGE_WIDTH - 4 * MARGIN, 12).map((text) => `${indent}${text}`);
    });
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 1), '…'];
}

/** The picture as an element of a page. */
export function heatElement(grids: readonly (readonly [FigureName, PairGrid])[], options: HeatSvgOptions): string {
  const lines = linesOf(options.facts);
  let top = 44 + lines.length * 17;
  const head = [
    label(MARGIN, 30, options.title, { size: 20, bold: true }),
    ...lines.map((line, at) => label(MARGIN, 52 + at * 17, line, { size: 12, faint: true })),
  ];
  const panels = grids.map(([name, grid]) => {
    const panel = panelOf(name, grid, options, top);
    top += panel.height;
    return panel.content;
  });
  const height = top + MARGIN;
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      ...{ viewBox: `0 0 ${PAGE_WIDTH} ${Math.round(height)}`, width: PAGE_WIDTH, height: Math.round(height) },
      ...{ 'font-family': FONTS, fill: INK },
    },
    element('rect', { width: PAGE_WIDTH, height, fill: '#ffffff' }),
    ...head,
    ...panels,
  );
}

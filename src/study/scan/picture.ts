/** A scan as a picture: rate and bandwidth over pairs, in the terminal, as SVG and as a page. */
import { svgElementOfPanels, svgOfPanels } from '../../report/plot/svg.js';
import { panelsText } from '../../report/plot/tty.js';
import type { Panel, Point } from '../../report/plot/types.js';
import { element, escaped } from '../../report/plot/xml.js';
import { recordTarget } from '../../report/record-target.js';
import type { Sink } from '../../report/types.js';
import type { Cell } from './measure.js';
import type { ScanOptions } from './options.js';
import { settingText } from './text.js';

const TITLE = 'Message rate and bandwidth over pairs';
const PAIRS = { title: 'Pairs', text: (pairs: number) => `${pairs} pair${pairs === 1 ? '' : 's'}` };

interface Shown {
  readonly title: string;
  readonly unit: string;
  readonly point: (cell: Cell) => Omit<Point, 'size'>;
}

/** The interval is that of the repeats. */
const RATE: Shown = {
  title: 'Message rate',
  unit: 'messages/s',
  point: ({ rate, lowest, highest }) => ({ value: rate, spread: { low: lowest, high: highest } }),
};
const BANDWIDTH: Shown = {
  title: 'Bandwidth',
  unit: 'MB/s',
  point: ({ size, rate }) => ({ value: (rate * size) / 1e6 }),
};

function panelOf({ title, unit, point }: Shown, groups: readonly (readonly Cell[])[]): Panel {
  const series = groups.flatMap((cells) => {
    const [first] = cells;
    return first
      ? [{ name: settingText(first), points: cells.map((one) => ({ size: one.pairs, ...point(one) })) }]
      : [];
  });
  const kind = series.some(({ points }) => points.length > 1) ? 'lines' : 'bars';
  return { title, unit, kind, series, ordinal: true, over: PAIRS };
}

export function panelsOfScan(groups: readonly (readonly Cell[])[]): Panel[] {
  const carrying = groups.filter(([first]) => first !== undefined && first.size > 0);
  return [panelOf(RATE, groups), ...(carrying.length > 0 ? [panelOf(BANDWIDTH, carrying)] : [])];
}

/** The page may load nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

function pageOf(panels: readonly Panel[], text: string): string {
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    element('title', {}, escaped(TITLE)),
  );
  const body = element('body', {}, svgElementOfPanels(TITLE, panels), element('pre', {}, escaped(text)));
  return `<!DOCTYPE html>\n${element('html', { lang: 'en' }, head, body)}\n`;
}

/** Shows and writes what was asked for; throws a `RecordError` where a file can't be written. */
export function drawScan(
  { plot, svg, html }: Pick<ScanOptions, 'plot' | 'svg' | 'html'>,
  groups: readonly (readonly Cell[])[],
  { text, table }: { readonly text: string; readonly table: Sink },
): void {
  if (!plot && svg === undefined && html === undefined) return;
  const panels = panelsOfScan(groups);
  const write = (file: string, content: string): void => {
    recordTarget(file, table, 'picture').save([content], true);
  };
  if (plot) table.write(`\n${panelsText(panels)}`);
  if (svg !== undefined) write(svg, svgOfPanels(TITLE, panels));
  if (html !== undefined) write(html, pageOf(panels, text));
}

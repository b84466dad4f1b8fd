/** One section of a run as a drawing of its own. */
import { INK } from './colours.js';
import { shortFacts } from './facts.js';
import { panelsOf, sizeText, timesPanelsOf } from './panels.js';
import { shortNumber } from './numbers.js';
import { barsBlock } from './svg-bars.js';
import { figureBlock } from './svg-figure.js';
import { label, MARGIN, PAGE_WIDTH, stacked, unitText, wrappedText, type Block } from './svg-parts.js';
import { timesBlock } from './svg-times.js';
import type { Panel, PlotRun, PlotSection } from './types.js';
import { element, escaped } from './xml.js';

const FONTS = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/** A whole file. */
export function svgFile(run: PlotRun, section: PlotSection): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svgElement(run, section)}\n`;
}

/** The same as an element of a page. */
export function svgElement(run: PlotRun, section: PlotSection): string {
  const panels = panelsOf(
    run.table,
    section.rows.map(({ record }) => record),
  );
  const below = timesBlock(timesPanelsOf(section.rows));
  return drawing(titleOf(run, section), panels, headBlock(run, section), below);
}

/** A whole file of panels that are of no single run. */
export function svgOfPanels(title: string, panels: readonly Panel[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svgElementOfPanels(title, panels)}\n`;
}

/** The same as an element of a page. */
export function svgElementOfPanels(title: string, panels: readonly Panel[]): string {
  const head = { height: 60, content: label(MARGIN, 42, title, { size: 22, bold: true }) };
  return drawing(title, panels, head);
}

function drawing(title: string, panels: readonly Panel[], head: Block, ...below: readonly Block[]): string {
  const blocks = panels.map((panel) => (panel.kind === 'lines' ? figureBlock(panel) : barsBlock(panel)));
  const page = stacked([head, ...blocks, ...below]);
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width: PAGE_WIDTH,
    height: page.height,
    viewBox: `0 0 ${PAGE_WIDTH} ${Math.ceil(page.height)}`,
    role: 'img',
    'font-family': FONTS,
    'font-size': 12,
    fill: INK,
  };
  return element(
    'svg',
    attributes,
    element('title', {}, escaped(title)),
    element('desc', {}, escaped(panels.map(described).join(' '))),
    element('rect', { width: PAGE_WIDTH, height: page.height, fill: '#ffffff' }),
    page.content,
  );
}

/** Title of the table, with the section's datatype. */
export function titleOf({ table }: PlotRun, { datatype }: PlotSection): string {
  return datatype === undefined ? table.title : `${table.title}, ${datatype}`;
}

function headBlock(run: PlotRun, section: PlotSection): Block {
  const facts = wrappedText(shortFacts(run.head), PAGE_WIDTH - 2 * MARGIN, 12);
  const failed =
    run.status.state === 'failed'
      ? wrappedText(`This run failed: ${run.status.message ?? ''}`, PAGE_WIDTH - 2 * MARGIN, 12)
      : [];
  return {
    height: 56 + (facts.length + failed.length) * 16 + 12,
    content: [
      label(MARGIN, 42, titleOf(run, section), { size: 22, bold: true }),
      ...facts.map((line, index) => label(MARGIN, 64 + index * 16, line, { faint: true })),
      ...failed.map((line, index) => label(MARGIN, 64 + (facts.length + index) * 16, line, { bold: true })),
    ].join(''),
  };
}

/** A panel for those who can't see it. */
function described({ title, unit, series, over }: Panel): string {
  const text = over?.text ?? sizeText;
  const said = series.map(({ name, points }) => {
    const ends = [points[0], points.at(-1)].flatMap((point) => (point ? [point] : []));
    const texts = ends.map(
      ({ size, value }) => `${shortNumber(value)} ${unitText(unit)}${size === null ? '' : ` at ${text(size)}`}`,
    );
    return `${name}: ${[...new Set(texts)].join(' to ')}`;
  });
  return `${title}. ${said.join('; ')}.`;
}

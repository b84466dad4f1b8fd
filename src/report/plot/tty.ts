/** Plots as lines of plain characters, 80 columns wide, each a comment to whatever reads the table. */
import type { Envelope } from './envelope.js';
import { shortNumber } from './numbers.js';
import { panelsOf, sizeText, timesPanelsOf } from './panels.js';
import { sizeScale, type Scale, type Tick } from './scales.js';
import { Canvas } from './tty-canvas.js';
import { timesScale, valueScale } from './value-scale.js';
import type { Panel, PlotRun, PlotSection, Series, TimesPanel } from './types.js';

const LINE_WIDTH = 80;
const COMMENT = '# ';
/** Of the labels of the vertical axis. */
const LABEL_WIDTH = 8;
const PLOT_WIDTH = LINE_WIDTH - COMMENT.length - LABEL_WIDTH - 2;
const FIGURE_HEIGHT = 15;
const TIMES_HEIGHT = 7;
const BAR_WIDTH = 40;
const MOST_OF_NAME = 46;
const CUT = '...';
const GLYPHS = '*o+x@%&=abcdefghijklmn';
const RANGE = ':';
const MEAN = '*';
const MICROSECONDS = 1e6;

/** All plots of a run, every line with its newline. */
export function ttyText(run: PlotRun): string {
  const lines = run.sections.filter(({ rows }) => rows.length > 0).flatMap((section) => sectionLines(run, section));
  return lines.map((line) => `${COMMENT}${shortened(line.trimEnd(), LINE_WIDTH - COMMENT.length)}\n`).join('');
}

/** Panels alone, as lines without marks of a comment, 78 columns wide. */
export function panelsText(panels: readonly Panel[]): string {
  return panels
    .flatMap(panelLines)
    .map((line) => `${shortened(line.trimEnd(), LINE_WIDTH - COMMENT.length)}\n`)
    .join('');
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - CUT.length)}${CUT}`;
}

function sectionLines({ head, table }: PlotRun, { datatype, rows }: PlotSection): string[] {
  const records = rows.map(({ record }) => record);
  return [
    `== ${head.run.name}${datatype === undefined ? '' : `, ${datatype}`}`,
    ...panelsOf(table, records).flatMap(panelLines),
    ...timesPanelsOf(rows).flatMap(timesLines),
  ];
}

function panelLines(panel: Panel): string[] {
  return panel.kind === 'lines' ? figureLines(panel) : barLines(panel);
}

function figureLines({ title, unit, series, over }: Panel): string[] {
  const points = series.flatMap((one) => one.points);
  const horizontal = sizeScale(points.map(({ size }) => size ?? 0));
  const vertical = valueScale(
    unit,
    points.map(({ value }) => value),
  );
  const canvas = new Canvas(PLOT_WIDTH, FIGURE_HEIGHT);
  // The first series is drawn last, and so stays in sight.
  for (const [index, one] of [...series.entries()].reverse())
    for (const { size, value } of one.points)
      if (vertical.shows(value)) canvas.put(horizontal.position(size ?? 0), vertical.position(value), glyph(index));
  return [
    `-- ${withUnit(title, unit)} over ${over ? over.title.toLowerCase() : 'message size (bytes)'}`,
    ...legendLines(series),
    ...framed(canvas, vertical.ticks, horizontal.ticks),
  ];
}

function withUnit(title: string, unit: string): string {
  return title === unit ? title : `${title} (${unit})`;
}

function glyph(index: number): string {
  return GLYPHS[index % GLYPHS.length] ?? MEAN;
}

function legendLines(series: readonly Series[]): string[] {
  if (series.length < 2) return [];
  return wrapped(series.map(({ name }, index) => `${glyph(index)} ${name}`));
}

/** Entries side by side, as many as a line takes. */
function wrapped(entries: readonly string[]): string[] {
  const lines: string[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    const longer = `${last}   ${entry}`;
    if (last !== undefined && longer.length <= LINE_WIDTH - COMMENT.length) lines[lines.length - 1] = longer;
    else lines.push(`${' '.repeat(LABEL_WIDTH)} ${entry}`);
  }
  return lines;
}

/** Axes and their labels around a plot. */
function framed(canvas: Canvas, vertical: readonly Tick[], horizontal: readonly Tick[]): string[] {
  const labels = new Map(vertical.map(({ at, label }) => [canvas.row(at), label]));
  const body = canvas.lines().map((line, row) => {
    const label = labels.get(row);
    return `${(label ?? '').padStart(LABEL_WIDTH)} ${label === undefined ? '|' : '+'}${line}`;
  });
  const marks = new Set(horizontal.map(({ at }) => canvas.column(at)));
  const axis = Array.from({ length: canvas.width }, (_, column) => (marks.has(column) ? '+' : '-')).join('');
  return [...body, `${' '.repeat(LABEL_WIDTH)} +${axis}`, labelLine(canvas, horizontal)];
}

/** Labels below their marks; one that would touch the label before it is left out. */
function labelLine(canvas: Canvas, ticks: readonly Tick[]): string {
  let line = '';
  for (const { at, label } of ticks) {
    const start = LABEL_WIDTH + 2 + canvas.column(at) - Math.floor((label.length - 1) / 2);
    const fitting = Math.min(start, LINE_WIDTH - COMMENT.length - label.length);
    if (line === '' || fitting > line.length) line = line.padEnd(fitting) + label;
  }
  return line;
}

function barLines({ title, unit, series, over }: Panel): string[] {
  const bars = series.flatMap(({ name, points }) =>
    points.map(({ size, value }) => ({ name: barName(name, size, over?.text ?? sizeText), value })),
  );
  const most = Math.max(...bars.map(({ value }) => value));
  const nameWidth = Math.max(...bars.map(({ name }) => name.length));
  const width = Math.min(BAR_WIDTH, Math.max(10, LINE_WIDTH - COMMENT.length - nameWidth - 14));
  const lines = bars.map(({ name, value }) => {
    const length = most > 0 ? Math.round((value / most) * width) : 0;
    return `  ${name.padEnd(nameWidth)} |${'='.repeat(Math.max(0, length))} ${shortNumber(value)}`;
  });
  return [`-- ${withUnit(title, unit)}`, ...lines];
}

function barName(name: string, size: number | null, text: (size: number) => string): string {
  return shortened(size === null ? name : `${text(size)}: ${name}`, MOST_OF_NAME);
}

function timesLines({ title, times }: TimesPanel): string[] {
  const { total } = times;
  if (total === undefined) return [];
  const [low, high, mean] = [total.min, total.max, total.mean].map((seconds) => shortNumber(seconds * MICROSECONDS));
  const vertical = timesScale(total.min * MICROSECONDS, total.max * MICROSECONDS, 4);
  const ends = [...new Set([1, times.iterations])].map((iteration, index) => ({ at: index, label: String(iteration) }));
  return [
    `-- ${title}: us per iteration, ${low} to ${high}, mean ${mean}`,
    ...framed(timesCanvas(times, vertical), vertical.ticks, ends),
  ];
}

/** A column of each span of iterations reaches from its shortest to its longest, with its mean inside. */
function timesCanvas(times: Envelope, vertical: Scale): Canvas {
  const canvas = new Canvas(PLOT_WIDTH, TIMES_HEIGHT);
  const last = Math.max(1, times.iterations - 1);
  const rowOf = (seconds: number): number => canvas.row(vertical.position(seconds * MICROSECONDS));
  for (const { first, iterations, min, max, mean } of times.buckets(PLOT_WIDTH)) {
    const column = canvas.column((first + (iterations - 1) / 2) / last);
    for (let row = rowOf(max); row <= rowOf(min); ++row) canvas.set(column, row, RANGE);
    canvas.set(column, rowOf(mean), MEAN);
  }
  return canvas;
}

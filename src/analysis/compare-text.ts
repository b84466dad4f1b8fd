/** A comparison as text of 80 columns. */
import { createColors } from 'picocolors';
import { wrap } from '../cli/wrap.js';
import type { Comparison, SeriesComparison } from './compare.js';
import type { Report } from './report.js';
import { letter } from './sides.js';
import {
  differenceText,
  headOf,
  meanTexts,
  overallText,
  shapeTexts,
  tableOf,
  titleText,
  type Table,
} from './text-parts.js';
import type { Entry } from './views.js';

export interface TextOptions {
  /** Whether verdicts have colours. */
  readonly colour: boolean;
  /** No tables. */
  readonly brief: boolean;
}

const WIDTH = 80;

export function compareText(report: Report, options: TextOptions): string {
  const { views, comparisons, statements, findings, warnings } = report;
  const blocks = [
    views.map(({ side: { label, files } }, index) => `${nameText(label, index)}: ${filesText(files)}`),
    ...comparisons.flatMap((comparison, index) => comparisonBlocks(report, comparison, index + 1, options)),
    ...(comparisons.length === 0 && !options.brief ? aloneBlocks(report) : []),
    section(
      'What differs',
      statements.map(({ text }) => text),
    ),
    section(
      'Expectations',
      findings.map(({ text, within }) => `${within ? 'met' : 'MISSED'}: ${text}`),
    ),
    section('Mind', warnings),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function nameText(label: string, index: number): string {
  return label === letter(index) ? label : `${letter(index)} ${label}`;
}

const MOST_FILES = 4;

function filesText(files: readonly string[]): string {
  return files.length <= MOST_FILES
    ? files.join(', ')
    : `${files.slice(0, MOST_FILES - 1).join(', ')} and ${files.length - MOST_FILES + 1} more files`;
}

function section(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [title, ...texts.flatMap((text) => item(text, '- '))];
}

/** Hanging behind its mark. */
function item(text: string, mark: string): string[] {
  const indent = ' '.repeat(mark.length);
  return wrapped(text, WIDTH - mark.length).map((line, index) => `${index === 0 ? mark : indent}${line}`);
}

/** A number stays with its unit. */
function wrapped(text: string, width: number): string[] {
  const kept = text.replace(/(\d) (%|us|bytes?|[KM]iB|M[Bi]*\/s)/g, '$1\u00a0$2');
  return wrap(kept, width).map((line) => line.replaceAll('\u00a0', ' '));
}

function comparisonBlocks(
  { views, threshold }: Report,
  comparison: Comparison,
  index: number,
  options: TextOptions,
): string[][] {
  const { a, b, differences, series } = comparison;
  const several = views.length > 2 ? [[`${b.label} against ${a.label}`]] : [];
  const labels = [headOf(a.label, letter(0)), headOf(b.label, letter(index))] as const;
  const rules = `ratio = ${b.label} / ${a.label}; noise up to ${Number((threshold * 100).toPrecision(6))} %`;
  const tables = series.map((one) => seriesBlock(one, labels, options));
  return [
    ...several,
    differences.length === 0
      ? ['Differences: none are known']
      : ['Differences', ...differences.flatMap((difference) => item(differenceText(difference), '  '))],
    ...(options.brief ? [] : tables),
    wrapped(`${overallText(comparison)}; ${rules}`, WIDTH),
  ];
}

function seriesBlock(series: SeriesComparison, labels: readonly [string, string], { colour }: TextOptions): string[] {
  const { a, b } = series;
  return [
    ...wrapped(titleText(series), WIDTH),
    ...tableLines(tableOf(series, labels), colour),
    ...meanTexts(series).flatMap((text) => item(text, '  ')),
    ...shapeLines(labels[0], a),
    ...shapeLines(labels[1], b),
  ];
}

function aloneBlocks({ views }: Report): string[][] {
  return views.flatMap(({ entries }) => entries.map((entry) => shapeLines(entry.title, entry)));
}

function shapeLines(label: string, { series, shape }: Entry): string[] {
  const texts = shape ? shapeTexts(series, shape) : [];
  return texts.flatMap((text, index) =>
    index === 0 ? item(text, `  ${label}: `) : item(text, ' '.repeat(label.length + 4)),
  );
}

const COLOURS = { improved: 'green', regressed: 'red', changed: 'yellow' } as const;

function tableLines({ heads, rows }: Table, colour: boolean): string[] {
  const last = heads.length - 1;
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => (column === last ? cell : cell.padStart(widths[column] ?? 0))).join('  ')}`;
  const paint = createColors(colour);
  const painted = (cells: readonly string[]): string => {
    const text = line(cells);
    const found = Object.entries(COLOURS).find(([verdict]) => cells[last]?.startsWith(verdict));
    return found ? paint[found[1]](text) : text;
  };
  return [line(heads), ...rows.map(painted)];
}

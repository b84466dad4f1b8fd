/** A comparison as Markdown, with GitHub's tables. */
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

export function compareMarkdown(report: Report): string {
  const { views, comparisons, statements, findings, warnings, threshold } = report;
  const blocks = [
    `# Comparison of ${escaped(views.map(({ side }) => side.label).join(' and '))}`,
    list(views.map(({ side: { label, files } }) => `${label}: ${files.join(', ')}`)),
    ...section(
      'What differs',
      statements.map(({ text }) => text),
    ),
    ...section(
      'Expectations',
      findings.map(({ text, within }) => `${within ? 'met' : '**missed**'}: ${text}`),
    ),
    ...section('Mind', warnings),
    ...comparisons.flatMap((comparison, index) => comparisonBlocks(comparison, index + 1, threshold)),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function section(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`## ${title}`, list(texts)];
}

function list(texts: readonly string[]): string {
  return texts.map((text) => `- ${escaped(text).replace('\\*\\*missed\\*\\*', '**missed**')}`).join('\n');
}

/** Names must not become markup; underlines within words don't. */
function escaped(text: string): string {
  return text.replace(/[\\`*[\]<>|]/g, '\\$&');
}

function comparisonBlocks(comparison: Comparison, index: number, threshold: number): string[] {
  const { a, b, differences, series } = comparison;
  const labels = [headOf(a.label, letter(0)), headOf(b.label, letter(index))] as const;
  const noise = `noise up to ${Number((threshold * 100).toPrecision(6))} %`;
  return [
    `## ${escaped(`${b.label} against ${a.label}`)}`,
    escaped(`${overallText(comparison)}; ratio = ${b.label} / ${a.label}; ${noise}.`),
    ...(differences.length > 0 ? ['### Differences', list(differences.map(differenceText))] : []),
    ...series.flatMap((one) => seriesBlocks(one, labels)),
  ];
}

function seriesBlocks(series: SeriesComparison, labels: readonly [string, string]): string[] {
  return [
    `### ${escaped(series.title)}`,
    escaped(titleText(series)),
    table(tableOf(series, labels)),
    list([...meanTexts(series), ...shapes(labels[0], series.a), ...shapes(labels[1], series.b)]),
  ];
}

function shapes(label: string, { series, shape }: Entry): string[] {
  return shape ? shapeTexts(series, shape).map((text) => `${label}: ${text}`) : [];
}

function table({ heads, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `|${heads.map((_, column) => (column === heads.length - 1 ? ' --- |' : ' ---: |')).join('')}`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}

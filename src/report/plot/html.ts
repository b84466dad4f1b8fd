/** A run as one page that needs nothing else: drawings, the figures as a table, and what is known of the run. */
import { parameterText, varyingParameters } from '../row-parameters.js';
import type { RowRecord } from '../../results/types.js';
import type { OsuTable } from '../types.js';
import { factsOf } from './facts.js';
import { longNumber } from './numbers.js';
import { pageFile } from './page.js';
import { svgElement, titleOf } from './svg.js';
import { unitText } from './svg-parts.js';
import type { PlotRun, PlotSection } from './types.js';
import { element, escaped } from './xml.js';

const STYLE = `
.scroll { overflow-x: auto; }
.facts th { text-align: left; vertical-align: top; font-weight: 600; }
.facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.note { border-left: 4px solid #d55e00; padding: 4px 12px; }
`;

/** The whole file. */
export function htmlFile(run: PlotRun): string {
  const sections = run.sections.filter(({ rows }) => rows.length > 0).map((section) => sectionOf(run, section));
  const body = [element('h1', {}, escaped(run.table.title)), ...notes(run), factsTable(run), ...sections];
  return pageFile({ title: `${run.table.title}: ${run.head.run.name}`, style: STYLE, body });
}

function notes({ status, warnings }: PlotRun): string[] {
  const failed = status.state === 'failed' ? [`This run failed: ${status.message ?? ''}`] : [];
  return [...failed, ...warnings].map((text) => element('p', { class: 'note' }, escaped(text)));
}

function factsTable({ head }: PlotRun): string {
  const rows = factsOf(head).map(([name, text]) =>
    element('tr', {}, element('th', { scope: 'row' }, escaped(name)), element('td', {}, escaped(text))),
  );
  return element('table', { class: 'facts' }, element('tbody', {}, ...rows));
}

function sectionOf(run: PlotRun, section: PlotSection): string {
  return [
    element('h2', {}, escaped(titleOf(run, section))),
    svgElement(run, section),
    element(
      'div',
      { class: 'scroll' },
      figuresTable(
        run.table,
        section.rows.map(({ record }) => record),
      ),
    ),
  ].join('\n');
}

interface Column {
  readonly header: string;
  text(row: RowRecord): string;
}

function figuresTable(table: OsuTable, rows: readonly RowRecord[]): string {
  const columns = columnsOf(table, rows);
  const header = columns.map((column) => element('th', { scope: 'col' }, escaped(column.header)));
  const body = rows.map((row) =>
    element('tr', {}, ...columns.map((column) => element('td', {}, escaped(column.text(row))))),
  );
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...header)),
    element('tbody', {}, body.join('\n')),
  );
}

function columnsOf(table: OsuTable, rows: readonly RowRecord[]): Column[] {
  const sized = rows.some(({ parameters }) => parameters.size !== null);
  const { unit, scale } = table.statistics;
  const statistic = (
    name: string,
    value: (statistics: NonNullable<RowRecord['statistics']>) => number | null | undefined,
  ): Column => ({
    header: `${name} (${unitText(unit)})`,
    text: ({ statistics }) => numberText(statistics && value(statistics), scale),
  });
  return [
    ...(sized ? [{ header: 'Size (bytes)', text: ({ parameters }: RowRecord) => String(parameters.size ?? '') }] : []),
    ...varyingParameters(rows).map((name) => ({
      header: name,
      text: ({ parameters }: RowRecord) => parameterText(parameters[name]),
    })),
    ...table.columns.map(({ header, figure, scale: columnScale }) => ({
      header: header.replace('(us)', ' (µs)'),
      text: ({ figures }: RowRecord) => numberText(figures[figure]?.value, columnScale),
    })),
    { header: 'Iterations', text: ({ n }) => String(n) },
    statistic('Min', ({ min }) => min),
    statistic('Median', ({ median }) => median),
    statistic('CI low', ({ medianInterval }) => medianInterval?.low),
    statistic('CI high', ({ medianInterval }) => medianInterval?.high),
    statistic('P90', ({ p90 }) => p90),
    statistic('P99', ({ p99 }) => p99),
    statistic('Max', ({ max }) => max),
    ...(rows.some(({ validation }) => validation)
      ? [
          {
            header: 'Validation',
            text: ({ validation }: RowRecord) => (validation ? (validation.passed ? 'Pass' : 'Fail') : ''),
          },
        ]
      : []),
  ];
}

/** An empty cell where nothing is known. */
function numberText(value: number | null | undefined, scale: number): string {
  return value === null || value === undefined ? '' : longNumber(value * scale);
}

/** A run as one page that needs nothing else: drawings, the figures as a table, and what is known of the run. */
import { parameterText, varyingParameters } from '../row-parameters.js';
import type { RowRecord } from '../../results/types.js';
import type { OsuTable } from '../types.js';
import { factsOf } from './facts.js';
import { longNumber } from './numbers.js';
import { svgElement, titleOf } from './svg.js';
import { unitText } from './svg-parts.js';
import type { PlotRun, PlotSection } from './types.js';
import { element, escaped } from './xml.js';

/** The page may load nothing, whatever it holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE = `
body { margin: 0 auto; padding: 24px; max-width: 1008px; font: 15px/1.45 system-ui, 'Segoe UI', Arial, sans-serif; color: #1a1a1a; background: #fff; }
h1 { font-size: 26px; margin: 0 0 12px; }
h2 { font-size: 20px; margin: 32px 0 8px; }
svg { max-width: 100%; height: auto; margin: 0 -24px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
th, td { padding: 4px 12px; border-bottom: 1px solid #dcdcdc; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid #595959; }
.facts th { text-align: left; vertical-align: top; font-weight: 600; }
.facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.note { border-left: 4px solid #d55e00; padding: 4px 12px; }
`;

/** The whole file. */
export function htmlFile(run: PlotRun): string {
  const title = `${run.table.title}: ${run.head.run.name}`;
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('title', {}, escaped(title)),
    element('style', {}, STYLE),
  );
  const sections = run.sections.filter(({ rows }) => rows.length > 0).map((section) => sectionOf(run, section));
  const body = [element('h1', {}, escaped(run.table.title)), ...notes(run), factsTable(run), ...sections].join('\n');
  return `<!DOCTYPE html>\n${element('html', { lang: 'en' }, head, '\n', element('body', {}, body))}\n`;
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

/** The tables of a page: the runs, in what they differ, and each chart's numbers and shapes. */
import { change, number } from '../../analysis/units.js';
import { element, escaped } from '../plot/xml.js';
import { seriesColour } from '../plot/colours.js';
import { keyOf } from './draw.js';
import { isOption, type Environment, type Fact } from './environment.js';
import { capital, measureOf, usualMeasure, valueOf } from './measures.js';
import type { Run } from './runs.js';
import { SHAPE_HEADS } from './shapes.js';
import { swatch } from './tip.js';
import type { PageData, PageGroup, PagePoint } from './types.js';
import { SIGNS, verdictCounts } from './verdicts.js';

/** A table in a frame that scrolls where it is wider than the page. Cells are HTML. */
export function table(className: string, heads: readonly string[], rows: readonly string[], caption?: string): string {
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)));
  return element(
    'div',
    { class: 'scroll' },
    element(
      'table',
      { class: className },
      caption === undefined ? '' : element('caption', {}, escaped(caption)),
      heads.length === 0 ? '' : element('thead', {}, head),
      element('tbody', {}, rows.join('\n')),
    ),
  );
}

const cell = (text: string): string => element('td', {}, escaped(text));
const rowHead = (html: string, attributes = {}): string => element('th', { scope: 'row', ...attributes }, html);

/** The square of a run, in the colour that it has in all charts. */
export function runMark(run: number, label: string): string {
  const square = element('rect', { width: 10, height: 10, rx: 2, fill: seriesColour(run, 0, false) });
  const attributes = { class: 'swatch', viewBox: '0 0 10 10', width: 10, height: 10, 'aria-hidden': 'true' };
  return element('span', { class: 'run' }, element('svg', attributes, square), escaped(label));
}

export function runsTable(runs: readonly Run[], { groups }: PageData): string {
  const rows = runs.map((run, index) => {
    const programs = [...new Set(run.records.map(({ run: { name } }) => name))].join(', ');
    const verdicts = verdictCounts(groups, index);
    const cells = [programs, countText(run), startedText(run), ranksText(run), verdicts || '–', statusText(run)];
    return element('tr', {}, rowHead(runMark(index, run.label)), ...cells.map(cell));
  });
  return table('runs', ['Run', 'Programs', 'Rows', 'Started (UTC)', 'Ranks', 'Verdicts', 'Ended'], rows);
}

function countText({ records }: Run): string {
  const rows = records.reduce((sum, record) => sum + record.rows.length, 0);
  const launches = records.filter(({ run }) => run.launch !== undefined).length;
  return launches > 1 ? `${rows} in ${launches} launches` : String(rows);
}

/** Of several records the first; imported text may not say when. */
function startedText({ records }: Run): string {
  const [first] = records.flatMap(({ run: { started } }) => (started === '' ? [] : [started])).sort();
  return first === undefined ? '–' : `${first.slice(0, 10)} ${first.slice(11, 16)}`;
}

function ranksText({ records }: Run): string {
  const texts = records.map(({ ranks, environment: { hosts } }) => {
    const where = hosts.length > 1 ? `${hosts.length} hosts` : (hosts[0]?.name ?? '');
    return ranks.length === 0 ? where : `${ranks.length}${where === '' ? '' : ` on ${where}`}`;
  });
  return [...new Set(texts)].filter((text) => text !== '').join('; ') || '–';
}

function statusText({ records }: Run): string {
  const states = records.map(({ status }) => status.state);
  if (states.includes('failed')) return 'failed';
  return states.includes('running') ? 'did not end' : 'done';
}

/** Values with the runs that have them, below each other: reads well for two runs and for twenty. */
export function differencesTable({ differing }: Environment, runs: readonly Run[]): string {
  const rows = differing.flatMap(({ name, values }) =>
    values.map(({ text, runs: members }, index) => {
      const marks = members.map((run) => runMark(run, runs[run]?.label ?? '')).join(' ');
      const head = index === 0 ? rowHead(escaped(name), { rowspan: values.length }) : '';
      const first = index === 0 ? { class: 'first' } : {};
      return element('tr', first, head, element('td', { class: 'differs' }, escaped(text)), element('td', {}, marks));
    }),
  );
  return table('facts', [], rows);
}

export function sameTable({ same }: Environment): string {
  const told: readonly Fact[] = same.filter((fact) => !isOption(fact));
  const rows = told.map(({ name, values }) =>
    element('tr', {}, rowHead(escaped(name)), cell(values.map(({ text }) => text).join())),
  );
  return table('facts', [], rows);
}

/** Beyond so many lines differences have no columns. */
const MOST_COMPARED = 6;
/** Beyond so many lines each has one column of numbers. */
const MOST_DETAILED = 3;

/** A column of a line's numbers. */
interface NumberColumn {
  readonly head: string;
  cell(point: PagePoint | undefined, base: PagePoint | undefined): string;
}

/** The numbers of a chart; of several runs also how far they are from the first. */
export function numbersTable(group: PageGroup): string {
  const measure = usualMeasure(group);
  const { name, unit } = measureOf(group, measure);
  const compared = group.series.length > 1 && group.series.length <= MOST_COMPARED && !group.ordinal;
  const columns = group.series.map((_, index) => columnsOf(group, measure, compared && index > 0));
  const rows = keysOf(group).map((key) => {
    const points = group.series.map((series) => series.points.find((point) => keyOf(point) === key));
    const cells = points.flatMap((point, index) => (columns[index] ?? []).map(({ cell: of }) => of(point, points[0])));
    const [known] = points.flatMap((point) => point ?? []);
    const text = known?.name ?? String(known?.size ?? '');
    return element('tr', { class: 'pick', 'data-key': key }, rowHead(escaped(text)), ...cells);
  });
  const what = compared ? `, and the difference from ${group.series[0]?.name}` : '';
  const detailed = columns.some((all) => all.length > 2) ? '' : `${capital(name)} in `;
  return element(
    'div',
    { class: 'scroll' },
    element(
      'table',
      { class: 'numbers' },
      element('caption', {}, escaped(`${detailed === '' ? `${capital(group.figures[0]?.name ?? '')} in ` : detailed}${unit}${what}`)), // prettier-ignore
      numbersHead(group, columns),
      element('tbody', {}, rows.join('\n')),
    ),
  );
}

function numbersHead(group: PageGroup, columns: readonly (readonly NumberColumn[])[]): string {
  const first = element('th', { scope: 'col', rowspan: 2 }, group.form === 'lines' ? 'Bytes' : '');
  const names = group.series.map(({ name }, index) =>
    element('th', { colspan: columns[index]?.length ?? 1, class: 'of' }, swatch(group, index) + escaped(name)),
  );
  const heads = columns.flatMap((all) =>
    all.map(({ head }, index) => element('th', { scope: 'col', ...(index === 0 && { class: 'of' }) }, escaped(head))),
  );
  return element('thead', {}, element('tr', {}, first, ...names), element('tr', {}, ...heads));
}

function columnsOf(group: PageGroup, measure: string, compared: boolean): NumberColumn[] {
  const own: NumberColumn = {
    head: measure === 'median' ? 'median' : 'as printed',
    cell: (point) => valueCell(point, measure),
  };
  const change: NumberColumn = { head: '', cell: (point, base) => changeCell(point, base, measure) };
  const plain = (head: string, id: string): NumberColumn => ({
    head,
    cell: (point) => cell(numberText(point ? valueOf(point, id) : null)),
  });
  const detailed = measure === 'median' && group.series.length <= MOST_DETAILED;
  const sampled = group.series.some(({ points }) => points.some((point) => valueOf(point, 'p99') !== null));
  return [
    own,
    ...(compared ? [change] : []),
    ...(detailed && sampled ? [plain('P99', 'p99')] : []),
    ...(detailed ? [plain('as printed', 'figure:0')] : []),
  ];
}

const numberText = (value: number | null): string => (value === null ? '–' : number(value));

function keysOf({ series, form }: PageGroup): string[] {
  const points = series.flatMap((one) => one.points);
  const ordered = form === 'lines' ? points.toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0)) : points;
  return [...new Set(ordered.map(keyOf))];
}

function valueCell(point: PagePoint | undefined, measure: string): string {
  const value = point ? valueOf(point, measure) : null;
  if (!point || value === null) return element('td', { class: 'of' }, '–');
  const verdict = point.statistics?.verdict ?? null;
  const mark = verdict === null || verdict === 'steady' ? '' : element('span', { class: `verdict ${verdict}`, title: verdict }, ` ${SIGNS[verdict]}`); // prettier-ignore
  const wrong = point.wrong ? element('span', { class: 'wrong' }, ' wrong data') : '';
  return element('td', { class: 'of' }, escaped(number(value)), mark, wrong);
}

function changeCell(point: PagePoint | undefined, base: PagePoint | undefined, measure: string): string {
  const [value, first] = [point, base].map((one) => (one ? valueOf(one, measure) : null));
  const known = typeof value === 'number' && typeof first === 'number' && first > 0;
  return element('td', { class: 'change' }, known ? escaped(change(value / first).replace('-', '−')) : '');
}

/** The shapes of a chart's curves; nothing where none is known. */
export function shapesTable(group: PageGroup): string {
  const known = group.series.flatMap(({ name, shape }, index) => (shape.length > 0 ? [{ name, shape, index }] : []));
  if (known.length === 0) return '';
  const rows = known.map(({ name, shape, index }) =>
    element('tr', {}, rowHead(swatch(group, index) + escaped(name)), ...shape.map(cell)),
  );
  return table('shapes', ['', ...SHAPE_HEADS].map(escaped), rows);
}

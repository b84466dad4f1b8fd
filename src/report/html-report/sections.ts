/** The parts of a page that belong to one chart: controls, drawing, samples, numbers, shapes, text. */
import { element, escaped } from '../plot/xml.js';
import { chosenAt, detailHtml } from './detail.js';
import { chartOf } from './draw.js';
import { capital, measureOf, measuresOf, usualView } from './measures.js';
import { numbersTable, shapesTable } from './tables.js';
import { textTable } from './text-table.js';
import { swatch } from './tip.js';
import type { PageGroup, PagePoint, View } from './types.js';

/** What is asked for first, in every community of benchmarks. */
const FIRST_SIZE = 8;

export function sectionOf(group: PageGroup): string {
  const view = usualView(group);
  const shapes = shapesTable(group);
  const start = startPoint(group);
  const parts = [
    element('h2', {}, escaped(group.title)),
    element('p', { class: 'subtitle' }, escaped([group.subtitle, lead(group, view)].filter((text) => text !== '').join(' · '))), // prettier-ignore
    controlsOf(group, view),
    legendOf(group),
    element('figure', { class: group.ordinal ? 'ordinal' : undefined }, element('div', { class: 'chart', tabindex: 0 }, chartOf(group, view).svg)), // prettier-ignore
    element('div', { class: 'detail' }, start ? detailHtml(group, chosenAt(group, start, [])) : ''),
    numbersTable(group),
    ...(shapes === '' ? [] : [element('h3', {}, 'Shape of the curves'), shapes]),
    textPart(group),
  ];
  return element('section', { id: group.id }, parts.join('\n'));
}

/** What is drawn, in words. */
function lead(group: PageGroup, view: View): string {
  const { name, unit } = measureOf(group, view.measure);
  const better = group.better === null ? '' : `, ${group.better} is better`;
  const interval = view.measure === 'median' ? '; whiskers: its 95 % confidence interval' : '';
  const band = view.spread && view.measure === 'median' ? '; band: from the best sample to what 99 % keep to' : '';
  const switches = group.series.some((series) => series.switches.length > 0) && view.switches ? '; dashed ticks: protocol switches' : ''; // prettier-ignore
  return `${capital(name)} in ${unit}${better}${group.form === 'lines' ? interval + band + switches : ''}`;
}

function startPoint({ series }: PageGroup): PagePoint | undefined {
  const points = series.flatMap((one) => one.points);
  return points.find(({ size }) => size === FIRST_SIZE) ?? points[0];
}

function controlsOf(group: PageGroup, view: View): string {
  const options = measuresOf(group).map(({ id, name }) =>
    element('option', { value: id, selected: id === view.measure ? '' : undefined }, escaped(name)),
  );
  const tick = (name: string, text: string, checked: boolean): string =>
    element('label', {}, element('input', { type: 'checkbox', name, checked: checked ? '' : undefined }), text);
  const sampled = group.series.some(({ points }) => points.some(({ statistics }) => statistics !== null));
  const switched = group.series.some(({ switches }) => switches.length > 0);
  const lines = group.form === 'lines';
  return element(
    'div',
    { class: 'controls' },
    options.length > 1 ? element('label', {}, 'Show', element('select', { name: 'measure' }, ...options)) : '',
    ...(lines ? [tick('linear', 'linear', view.linear)] : []),
    ...(lines && sampled ? [tick('spread', 'spread of the samples', view.spread)] : []),
    ...(lines && switched ? [tick('switches', 'switch points', view.switches)] : []),
    ...(lines ? [element('button', { type: 'button', class: 'whole', hidden: '' }, 'All sizes')] : []),
    lines ? element('span', { class: 'faint' }, 'Drag to zoom; click a point for its samples') : '',
  );
}

function legendOf(group: PageGroup): string {
  const keys = group.series.map(({ name }, index) =>
    element(
      'button',
      { type: 'button', 'data-series': index, 'aria-pressed': 'true' },
      swatch(group, index) + escaped(name),
    ),
  );
  return element('div', { class: `legend${group.ordinal ? ' ordinal' : ''}` }, ...keys);
}

function textPart(group: PageGroup): string {
  return element(
    'details',
    { class: 'text' },
    element('summary', {}, 'As text, with the figures as they were printed'),
    element('button', { type: 'button', class: 'copy' }, 'Copy'),
    element('pre', {}, escaped(textTable(group))),
  );
}

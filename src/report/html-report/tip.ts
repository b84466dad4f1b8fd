/** What a chart says of one size while a pointer is over it. */
import { bytes, change, number } from '../../analysis/units.js';
import { markerPath } from '../plot/svg-figure.js';
import { element, escaped } from '../plot/xml.js';
import { colourOf } from './detail.js';
import { measureOf, valueOf } from './measures.js';
import type { PageGroup, PagePoint, View } from './types.js';

/** As HTML; all text in it is escaped. Series that have no value at this size are left out. */
export function tipHtml(group: PageGroup, view: View, size: number): string {
  const { unit } = measureOf(group, view.measure);
  const known = group.series.flatMap(({ name, points }, series) => {
    const point = points.find((one) => one.size === size);
    const value = point ? valueOf(point, view.measure) : null;
    return point && value !== null && !view.hidden.includes(series) ? [{ series, name, point, value }] : [];
  });
  const base = known[0]?.value ?? NaN;
  const rows = known.map(({ series, name, point, value }, index) =>
    element(
      'tr',
      {},
      element('th', {}, swatch(group, series), escaped(name)),
      element('td', {}, escaped(`${number(value)} ${unit}`)),
      element('td', {}, index > 0 && base > 0 ? escaped(change(value / base)) : ''),
      element('td', { class: 'faint' }, escaped(pointNote(point, view))),
    ),
  );
  return element('b', {}, escaped(bytes(size))) + element('table', {}, ...rows);
}

function pointNote({ statistics, wrong }: PagePoint, { measure }: View): string {
  const notes = [
    ...(wrong ? ['wrong data'] : []),
    ...(measure === 'median' && statistics?.interval ? [`${number(statistics.interval[0])} … ${number(statistics.interval[1])}`] : []), // prettier-ignore
    ...(statistics?.verdict && statistics.verdict !== 'steady' ? [statistics.verdict] : []),
  ];
  return notes.join(', ');
}

/** The marker of a series, in its colour. */
export function swatch(group: PageGroup, series: number): string {
  const shape = element('path', { d: markerPath(series), fill: colourOf(group, series) });
  const attributes = { class: 'swatch', viewBox: '-5 -5 10 10', width: 12, height: 12, 'aria-hidden': 'true' };
  return element('svg', attributes, shape);
}

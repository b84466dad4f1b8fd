/** Figures that no line joins: for each of them one bar of each run. */
import { seriesColour } from '../plot/colours.js';
import { shortNumber } from '../plot/numbers.js';
import { label, MARGIN, PAGE_WIDTH, textWidth } from '../plot/svg-parts.js';
import { coordinate, element } from '../plot/xml.js';
import { svgOf, type Drawing } from './chart.js';
import { measureOf, valueOf } from './measures.js';
import type { PageGroup, View } from './types.js';

const BAR = 14;
const STEP = 18;
const GAP = 12;
const TOP = 8;
/** Room for the value behind the longest bar. */
const VALUE_WIDTH = 110;
const MOST_OF_NAME = 60;

interface Bar {
  readonly series: number;
  readonly point: number;
  readonly value: number;
  readonly colour: string;
}

export function barChart(group: PageGroup, view: View): Drawing {
  const { unit, name } = measureOf(group, view.measure);
  const bars = barsOf(group, view);
  const values = [...bars.values()].flat().map(({ value }) => value);
  const names = [...bars.keys()];
  const left = MARGIN + Math.max(0, ...names.map((text) => textWidth(shortened(text), 12))) + 12;
  const room = Math.max(100, PAGE_WIDTH - MARGIN - left - VALUE_WIDTH);
  const scale = room / Math.max(Number.MIN_VALUE, ...values);
  let top = TOP;
  const content = names.map((text) => {
    const members = bars.get(text) ?? [];
    const middle = top + (members.length * STEP) / 2 + 2;
    const drawn = members.map((bar, index) => drawBar(bar, { left, top: top + index * STEP, scale, unit }));
    top += members.length * STEP + GAP;
    return label(left - 8, middle, shortened(text), { anchor: 'end' }) + drawn.join('');
  });
  return { svg: svgOf(top, content.join(''), name), spots: [], height: top };
}

/** By their names, in the order in which these come first. */
function barsOf(group: PageGroup, view: View): Map<string, Bar[]> {
  const bars = new Map<string, Bar[]>();
  for (const [series, { points, colour }] of group.series.entries()) {
    if (view.hidden.includes(series)) continue;
    for (const [point, one] of points.entries()) {
      const value = valueOf(one, view.measure);
      const bar = { series, point, colour: seriesColour(colour, group.series.length, group.ordinal) };
      if (value !== null) bars.set(one.name ?? '', [...(bars.get(one.name ?? '') ?? []), { ...bar, value }]);
    }
  }
  return bars;
}

function drawBar(bar: Bar, at: { left: number; top: number; scale: number; unit: string }): string {
  const width = Math.max(0, bar.value * at.scale);
  const base = at.top + BAR - 3;
  return element(
    'g',
    { class: 'series', 'data-series': bar.series },
    element('rect', {
      ...{ class: 'point', 'data-point': bar.point, fill: bar.colour },
      ...{ x: coordinate(at.left), y: at.top, width, height: BAR },
    }),
    label(at.left + width + 6, base, `${shortNumber(bar.value)} ${at.unit}`),
  );
}

function shortened(text: string): string {
  return text.length <= MOST_OF_NAME ? text : `${text.slice(0, MOST_OF_NAME - 1)}…`;
}

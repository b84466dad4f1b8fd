/** How far each run is from the first one shown, size by size: what logarithmic axes hide. */
import { linearScale, logScale, type Scale } from '../plot/scales.js';
import { polyline } from '../plot/svg-figure.js';
import { axes, label, xOf, yOf, type Frame } from '../plot/svg-parts.js';
import { coordinate, element } from '../plot/xml.js';
import type { Shown } from './chart.js';
import type { PageGroup } from './types.js';

export const RATIO_HEIGHT = 130;
/** Beyond this ratio times tell more than percentages. */
const PERCENT_UP_TO = 3;
const DOT = 3;

interface RatioRequest {
  readonly group: PageGroup;
  readonly horizontal: Scale;
  readonly frame: Frame;
  readonly top: number;
}

interface RatioPoint {
  readonly size: number;
  readonly ratio: number;
}

export function ratioPart(shown: readonly Shown[], { group, horizontal, top, frame: above }: RatioRequest): string {
  const [base, ...others] = shown;
  if (!base) return '';
  const frame: Frame = { left: above.left, width: above.width, top: top + 14, height: RATIO_HEIGHT - 14 };
  const lines = others.map((one) => ({ one, points: ratiosOf(one, base) }));
  const ratios = lines.flatMap(({ points }) => points.map(({ ratio }) => ratio));
  const { scale, toAxis, unit } = ratioScale(ratios);
  const y = (ratio: number): number => yOf(frame, scale.position(toAxis(ratio)));
  const x = (size: number): number => xOf(frame, horizontal.position(size));
  const one = coordinate(y(1));
  return [
    label(above.left, top + 4, headingOf(base, group), { size: 12, bold: true }),
    axes(frame, { horizontal, vertical: scale, horizontalTitle: 'Message size (bytes)', verticalTitle: unit }),
    element('path', { class: 'base', d: `M${coordinate(frame.left)} ${one}h${coordinate(frame.width)}`, stroke: base.colour, 'stroke-width': 2, fill: 'none' }), // prettier-ignore
    ...lines.map(({ one: { colour, index }, points }) => {
      const at = points.map(({ size, ratio }) => [x(size), y(ratio)] as const);
      const line = { d: polyline(at), stroke: colour, 'stroke-width': 1.5, fill: 'none', 'stroke-linejoin': 'round' };
      const dots = at.map(([cx, cy]) => element('circle', { cx, cy, r: DOT, fill: colour }));
      return element('g', { class: 'ratio', 'data-series': index }, element('path', line), ...dots);
    }),
  ].join('');
}

function headingOf({ series }: Shown, { better }: PageGroup): string {
  const way = better === null ? '' : ` · ${better} is better`;
  return `Against ${series.name}${way}`;
}

function ratiosOf({ points }: Shown, base: Shown): RatioPoint[] {
  const known = new Map(base.points.map(({ size, value }) => [size, value]));
  return points.flatMap(({ size, value }) => {
    const ratio = value / (known.get(size) ?? NaN);
    return ratio > 0 && Number.isFinite(ratio) ? [{ size, ratio }] : [];
  });
}

interface RatioScale {
  readonly scale: Scale;
  readonly unit: string;
  toAxis(ratio: number): number;
}

function ratioScale(ratios: readonly number[]): RatioScale {
  const [low, high] = [Math.min(1, ...ratios), Math.max(1, ...ratios)];
  if (high <= PERCENT_UP_TO && low >= 1 / PERCENT_UP_TO) {
    const percent = (ratio: number): number => (ratio - 1) * 100;
    const [from, to] = high > low ? [percent(low), percent(high)] : [-1, 1];
    return { scale: withSigns(linearScale(from, to, 5)), unit: '%', toAxis: percent };
  }
  return { scale: logScale(low, high, 5), unit: 'times', toAxis: (ratio) => ratio };
}

function withSigns(scale: Scale): Scale {
  const ticks = scale.ticks.map(({ at, label: text }) => ({ at, label: Number(text) > 0 ? `+${text}` : text.replace('-', '−') })); // prettier-ignore
  return { ...scale, ticks };
}

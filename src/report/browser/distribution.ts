/** The samples of one point: a histogram on a logarithmic scale of time, and quantiles. */
import { init, type EChartsType } from 'echarts/core';
import type { ReportPanel, ReportPoint } from '../html-report/types.js';
import { element } from './elements.js';
import { shown } from './numbers.js';
import type { Theme } from './theme.js';

export function drawDistribution(
  place: HTMLElement,
  panel: ReportPanel,
  point: ReportPoint,
  name: string,
  theme: Theme,
): EChartsType | undefined {
  const what = point.size === null ? name : `${name}, ${point.size.toLocaleString('en-US')} bytes`;
  const quantiles = (point.quantiles ?? []).map(([label, value]) => element('span', {}, `${label} ${shown(value * panel.factor)} ${panel.unit}`)); // prettier-ignore
  const chart = element('div', { class: 'chart small' });
  const { histogram } = point;
  const none = element('p', {}, 'This record holds no samples of times: run with --samples to keep them.');
  place.replaceChildren(
    element('h3', {}, `Distribution: ${what}`),
    histogram ? chart : none,
    element('p', { class: 'quantiles' }, ...quantiles),
  );
  place.hidden = false;
  if (!histogram) return undefined;
  const made = init(chart, null, { renderer: 'svg' });
  const { edges, counts } = histogram;
  const from = (index: number): number => (edges[index] ?? 0) * panel.factor;
  made.setOption({
    animation: false,
    grid: { left: 12, right: 20, top: 24, bottom: 30, containLabel: true },
    textStyle: { fontFamily: 'system-ui, "Segoe UI", Arial, sans-serif' },
    tooltip: { confine: true, backgroundColor: theme.ground, borderColor: theme.grid, textStyle: { color: theme.ink } },
    xAxis: {
      type: 'category',
      data: counts.map((_, index) => shown(from(index))),
      name: `time of an iteration (${panel.unit})`,
      nameLocation: 'middle',
      nameGap: 26,
      nameTextStyle: { color: theme.faint },
      axisLabel: { color: theme.faint, hideOverlap: true },
    },
    yAxis: {
      type: 'value',
      name: 'samples',
      nameTextStyle: { color: theme.faint },
      axisLabel: { color: theme.faint },
      splitLine: { lineStyle: { color: theme.grid } },
    },
    series: [
      { type: 'bar', barCategoryGap: '5%', data: [...counts], itemStyle: { color: theme.colours[0] ?? theme.ink } },
    ],
  });
  return made;
}

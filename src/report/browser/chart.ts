/** One panel as a chart: lines over message sizes with intervals and marks, or a bar for each test without sizes. */
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use, type EChartsType } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { ReportPanel, ReportPoint, ReportSeries } from '../html-report/types.js';
import { shown, sizeText } from './numbers.js';
import type { Theme } from './theme.js';

use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer]);

export interface ChartRequest {
  readonly panel: ReportPanel;
  /** Of each run. */
  readonly labels: readonly string[];
  readonly theme: Theme;
  readonly onPoint: (series: ReportSeries, point: ReportPoint) => void;
}

/** Size 0 has no place on a logarithmic axis; it stands where 1/2 would. */
const ZERO = 0.5;
const at = ({ size }: Pick<ReportPoint, 'size'>): number => (size === null || size === 0 ? ZERO : size);

export const nameOf = ({ run, title }: ReportSeries, labels: readonly string[]): string =>
  [labels[run] ?? '', title].filter(Boolean).join(', ');

export function drawPanel(place: HTMLElement, request: ChartRequest): EChartsType {
  const chart = init(place, null, { renderer: 'svg' });
  chart.setOption(request.panel.sized ? linesOption(request) : barsOption(request));
  chart.on('click', ({ seriesIndex, data }) => {
    const { point } = (data ?? {}) as { point?: ReportPoint };
    const series = request.panel.series[(seriesIndex ?? 0) % Math.max(1, request.panel.series.length)];
    if (point && series) request.onPoint(series, point);
  });
  return chart;
}

function frame({ theme }: ChartRequest) {
  const axis = {
    axisLine: { lineStyle: { color: theme.faint } },
    axisTick: { lineStyle: { color: theme.faint } },
    minorTick: { show: false },
    axisLabel: { color: theme.faint, fontSize: 12 },
    nameTextStyle: { color: theme.faint, fontSize: 12 },
    splitLine: { show: true, lineStyle: { color: theme.grid } },
  };
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: 'system-ui, "Segoe UI", Arial, sans-serif' },
    color: [...theme.colours],
    grid: { left: 12, right: 20, top: 36, bottom: 30, containLabel: true },
    // Shown as buttons of the page, which break into lines by themselves (main.ts).
    legend: { show: false },
    tooltip: {
      trigger: 'item',
      confine: true,
      backgroundColor: theme.ground,
      borderColor: theme.grid,
      textStyle: { color: theme.ink, fontSize: 13 },
    },
    axis,
  };
}

/** Few sizes are named each, many by every fourth power of two. */
function spansMuch({ series }: ReportPanel): boolean {
  const sizes = series.flatMap(({ points }) => points.map(at));
  return Math.max(...sizes) / Math.min(...sizes) > 2 ** 10;
}

function linesOption(request: ChartRequest) {
  const { panel, labels, theme } = request;
  const { axis, ...rest } = frame(request);
  const name = (series: ReportSeries): string => nameOf(series, labels);
  const colour = (index: number): string => theme.colours[index % theme.colours.length] ?? theme.ink;
  return {
    ...rest,
    tooltip: { ...rest.tooltip, formatter: (hit: unknown) => tooltip(hit, panel) },
    xAxis: {
      ...axis,
      ...{
        type: 'log' as const,
        logBase: spansMuch(panel) ? 16 : 2,
        name: 'message size (bytes)',
        nameLocation: 'middle' as const,
        nameGap: 26,
      },
      min: 'dataMin' as const,
      max: 'dataMax' as const,
      axisLabel: {
        ...axis.axisLabel,
        hideOverlap: true,
        formatter: (value: number) => (value < 1 ? '0' : sizeText(Math.round(value))),
      },
    },
    yAxis: {
      ...axis,
      ...{ type: 'log' as const, logBase: 10, name: panel.unit, nameLocation: 'end' as const },
      axisLabel: { ...axis.axisLabel, formatter: (value: number) => shown(value) },
    },
    series: [
      ...panel.series.map((series, index) => line(panel, series, name(series), index, colour(index))),
      ...panel.series.map((series, index) => intervals(panel, series, name(series), colour(index))),
      ...panel.series.map((series, index) => marks(panel, series, name(series), colour(index), theme)),
    ],
  };
}

const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'] as const;

function line({ factor }: ReportPanel, { points }: ReportSeries, name: string, index: number, colour: string) {
  return {
    ...{
      type: 'line' as const,
      name,
      showAllSymbol: true,
      symbolSize: 6,
      symbol: SYMBOLS[index % SYMBOLS.length] ?? 'circle',
    },
    lineStyle: { color: colour, width: 2 },
    itemStyle: { color: colour },
    emphasis: { scale: 2 },
    data: points.map((point) => ({ value: [at(point), point.value * factor], point, series: name })),
  };
}

/** A vertical stroke from one end of the interval to the other. */
function intervals({ factor }: ReportPanel, { points }: ReportSeries, name: string, colour: string) {
  const data = points.flatMap((point) =>
    point.interval ? [[at(point), point.interval[0] * factor, point.interval[1] * factor]] : [],
  );
  return {
    ...{ type: 'custom' as const, name, silent: true, data, encode: { x: 0, y: [1, 2] }, z: 1 },
    itemStyle: { color: colour },
    renderItem: (_: unknown, api: { value: (n: number) => unknown; coord: (p: unknown[]) => number[] }) => {
      const [x = 0, low = 0] = api.coord([api.value(0), api.value(1)]);
      const [, high = 0] = api.coord([api.value(0), api.value(2)]);
      return {
        type: 'line' as const,
        shape: { x1: x, y1: low, x2: x, y2: high },
        style: { stroke: colour, lineWidth: 5, opacity: 0.35 },
      };
    },
  };
}

function marks({ factor }: ReportPanel, series: ReportSeries, name: string, colour: string, theme: Theme) {
  return {
    ...{ type: 'scatter' as const, name, symbol: 'circle', symbolSize: 15, z: 5 },
    itemStyle: {
      color: 'transparent',
      borderColor: colour,
      borderWidth: 1.5,
      borderType: 'dashed' as const,
      shadowColor: theme.ground,
    },
    data: series.marks.map(({ size, value, text }) => ({ value: [at({ size }), value * factor], text, series: name })),
  };
}

function barsOption(request: ChartRequest) {
  const { panel, labels, theme } = request;
  const { axis, ...rest } = frame(request);
  return {
    ...rest,
    tooltip: { ...rest.tooltip, formatter: (hit: unknown) => tooltip(hit, panel) },
    grid: { ...rest.grid, top: 16 },
    yAxis: { ...axis, type: 'category' as const, inverse: true, data: panel.series.map((series) => nameOf(series, labels)), splitLine: { show: false } }, // prettier-ignore
    xAxis: { ...axis, type: 'value' as const, name: panel.unit, nameLocation: 'middle' as const, nameGap: 26 },
    series: [
      {
        type: 'bar' as const,
        barMaxWidth: 22,
        data: panel.series.flatMap((series, index) => {
          const point = series.points[0];
          const color = theme.colours[index % theme.colours.length] ?? theme.ink;
          return point
            ? [{ value: point.value * panel.factor, point, series: nameOf(series, labels), itemStyle: { color } }]
            : [];
        }),
      },
    ],
  };
}

/** As elements with text: echarts would take a string for markup. */
function tooltip(hit: unknown, { unit, factor }: ReportPanel): HTMLElement {
  const { data } = hit as { data: { point?: ReportPoint; text?: string; series: string } };
  const box = document.createElement('div');
  const add = (text: string, tag = 'div'): void => {
    const part = document.createElement(tag);
    part.textContent = text;
    box.append(part, ...(tag === 'div' ? [] : [document.createElement('br')]));
  };
  add(data.series, 'b');
  if (data.text !== undefined) add(data.text);
  const { point } = data;
  if (!point) return box;
  add(
    `${point.size === null ? '' : `${point.size.toLocaleString('en-US')} bytes: `}${shown(point.value * factor)} ${unit}`,
  );
  if (point.median !== undefined) add(`median ${shown(point.median * factor)}${intervalText(point, factor)}`);
  for (const [name, value] of point.quantiles ?? []) if (name === '99 %') add(`99 % ${shown(value * factor)}`);
  add(`n = ${point.n.toLocaleString('en-US')}${point.verdict ? `, ${point.verdict}` : ''}`);
  if (point.histogram) add('click for the distribution');
  return box;
}

const intervalText = ({ interval }: ReportPoint, factor: number): string =>
  interval ? ` [${shown(interval[0] * factor)}, ${shown(interval[1] * factor)}]` : '';

/** The script of a report's page: it reads the data that the page holds, and draws. */
import type { EChartsType } from 'echarts/core';
import type { Report, ReportPanel, ReportRun } from '../html-report/types.js';
import { drawPanel, nameOf } from './chart.js';
import { drawDistribution } from './distribution.js';
import { button, element } from './elements.js';
import { otherTheme, paperTheme, systemTheme, type Theme } from './theme.js';

const embedded = document.getElementById('report')?.textContent ?? '';
const report = JSON.parse(embedded) as Report;
const labels = report.runs.map(({ label }) => label);
let theme = systemTheme();
let charts: EChartsType[] = [];

function draw(): void {
  for (const chart of charts) chart.dispose();
  document.documentElement.dataset['theme'] = theme.name;
  charts = [...document.querySelectorAll<HTMLElement>('section.panel')].flatMap((section, index) => {
    const panel = report.panels[index];
    return panel ? [drawInto(section, panel)] : [];
  });
}

function drawInto(section: HTMLElement, panel: ReportPanel): EChartsType {
  const place = section.querySelector<HTMLElement>('.chart');
  const detail = section.querySelector<HTMLElement>('.detail');
  const legend = section.querySelector<HTMLElement>('.legend');
  if (!place || !detail || !legend) throw new Error(`the page has no place for ${panel.title}`);
  detail.hidden = true;
  const chart = drawPanel(place, {
    ...{ panel, labels, theme },
    onPoint: (series, point) => {
      const made = drawDistribution(detail, panel, point, nameOf(series, labels), theme);
      if (made) charts.push(made);
    },
  });
  legend.replaceChildren(...(panel.sized && panel.series.length > 1 ? legendOf(panel, chart) : []));
  return chart;
}

/** A button for each series, which takes it away and brings it back. */
function legendOf(panel: ReportPanel, chart: EChartsType): HTMLElement[] {
  return panel.series.map((series, index) => {
    const name = nameOf(series, labels);
    const swatch = element('i');
    swatch.style.background = theme.colours[index % theme.colours.length] ?? theme.ink;
    const entry = button(name, () => {
      chart.dispatchAction({ type: 'legendToggleSelect', name });
      entry.classList.toggle('off');
    });
    entry.prepend(swatch);
    return entry;
  });
}

function setTheme(next: Theme): void {
  theme = next;
  draw();
}

function panelElement(panel: ReportPanel): HTMLElement {
  const rows = panel.series.length > 12 ? 560 : panel.sized ? 420 : 60 + 34 * panel.series.length;
  const chart = element('div', { class: 'chart' });
  chart.style.height = `${rows}px`;
  const shapes = panel.series
    .filter(({ shape }) => shape.length > 0)
    .map((series) => element('li', {}, element('b', {}, nameOf(series, labels)), `: ${series.shape.join('; ')}`));
  const detail = element('div', { class: 'detail' });
  detail.hidden = true;
  return element(
    'section',
    { class: 'panel' },
    element('h2', {}, panel.title),
    element('div', { class: 'legend' }),
    chart,
    detail,
    element('ul', { class: 'shapes' }, ...shapes),
  );
}

function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  differing: readonly boolean[] = [],
): HTMLElement {
  const cells = (tag: 'th' | 'td', texts: readonly string[]) => texts.map((text) => element(tag, {}, text));
  const body = rows.map(([first = '', ...others], index) =>
    element(
      'tr',
      differing[index] ? { class: 'differs' } : {},
      element('th', { scope: 'row' }, first),
      ...cells('td', others),
    ),
  );
  return element(
    'div',
    { class: 'scroll' },
    element('table', {}, element('thead', {}, element('tr', {}, ...cells('th', head))), element('tbody', {}, ...body)),
  );
}

function environmentElement(): HTMLElement {
  const facts = report.facts;
  const several = report.runs.length > 1;
  const rows = facts.map(({ name, values, differs }) => [name, ...(differs || !several ? values : [values[0] ?? ''])]);
  const body = rows.map(([name = '', ...values], index) => {
    const { differs = false } = facts[index] ?? {};
    const all = values.length === 1 && several ? [element('td', { colspan: String(report.runs.length) }, values[0] ?? '')] : values.map((value) => element('td', {}, value)); // prettier-ignore
    return element('tr', differs && several ? { class: 'differs' } : {}, element('th', { scope: 'row' }, name), ...all);
  });
  const head = element('tr', {}, element('th', {}, ''), ...labels.map((label) => element('th', {}, label)));
  const note = several
    ? [element('p', { class: 'note-line' }, 'What differs between the runs stands first, and is marked.')]
    : [];
  return element(
    'section',
    {},
    element('h2', {}, 'Environment'),
    ...note,
    element(
      'div',
      { class: 'scroll' },
      element('table', { class: 'facts' }, element('thead', {}, head), element('tbody', {}, ...body)),
    ),
  );
}

function warningsElement(): HTMLElement[] {
  const all = report.runs.flatMap(({ label, warnings, status }) => [
    ...(status === 'done' ? [] : [`${label}: ${status}`]),
    ...warnings.map((text) => `${label}: ${text}`),
  ]);
  return all.length > 0 ? [element('ul', { class: 'warnings' }, ...all.map((text) => element('li', {}, text)))] : [];
}

function runTable({ label, name, table, commandLine }: ReportRun): HTMLElement {
  const text = element('pre', {}, table);
  const copy = button('Copy', (pressed) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    pressed.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
  });
  const about = commandLine === '' ? [] : [element('p', { class: 'command' }, commandLine)];
  return element('details', {}, element('summary', {}, `${label}: ${name}`), ...about, copy, text);
}

function page(): HTMLElement[] {
  const toggle = button('Light or dark', () => {
    setTheme(otherTheme(theme));
  });
  const made = `fabricbench ${report.version}, ${report.made.slice(0, 16).replace('T', ' ')} UTC`;
  const runs = report.runs.map(({ label, name, layer, host, started, status, file }) => [
    label,
    name,
    layer,
    host,
    started.slice(0, 19).replace('T', ' '),
    status,
    file,
  ]);
  const note =
    'Distributions are histograms of 48 bins of all samples; times above their 99.9 % quantile are counted in the last bin.';
  return [
    element('header', {}, element('h1', {}, report.title), toggle, element('p', { class: 'made' }, made)),
    ...warningsElement(),
    ...report.panels.map(panelElement),
    element(
      'section',
      {},
      element('h2', {}, 'Runs'),
      tableOf(['run', 'benchmark', 'layer', 'host', 'started', 'status', 'file'], runs),
    ),
    environmentElement(),
    element('section', {}, element('h2', {}, 'Tables'), ...report.runs.map(runTable)),
    element('footer', {}, note),
  ];
}

document.body.replaceChildren(...page());
draw();
addEventListener('resize', () => {
  for (const chart of charts) chart.resize();
});
let before = theme;
addEventListener('beforeprint', () => {
  before = theme;
  setTheme(paperTheme);
});
addEventListener('afterprint', () => {
  setTheme(before);
});

/** A map as one page that needs nothing else: the verdict, the picture, and what each host has. */
import { pageFile } from '../../report/plot/page.js';
import { element, escaped } from '../../report/plot/xml.js';
import { KINDS } from './figures.js';
import { hostMedians, SHOWN } from './summary.js';
import type { Grids } from './verdict.js';
import { figureText } from './words.js';

const STYLE = `
pre { white-space: pre-wrap; font: 13px/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; }
th:first-child { text-align: left; }
`;

export interface PageOptions {
  readonly title: string;
  readonly facts: readonly string[];
  readonly verdict: readonly string[];
  /** The picture as an element. */
  readonly picture: string;
  readonly names: readonly string[];
}

export function mapPage(grids: Grids, { title, facts, verdict, picture, names }: PageOptions): string {
  const body = [
    element('h1', {}, escaped(title)),
    ...facts.map((fact) => element('p', {}, escaped(fact))),
    element('h2', {}, 'Verdict'),
    element('pre', {}, escaped(verdict.join('\n'))),
    element('h2', {}, 'Map'),
    picture,
    element('h2', {}, 'Hosts'),
    hostTable(grids, names),
  ];
  return pageFile({ title, style: STYLE, body });
}

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
}

function columnsOf(grids: Grids): Column[] {
  return SHOWN.filter((figure) => grids[figure]).flatMap((figure) => {
    const { out, into } = hostMedians(grids, figure);
    const cells = (values: readonly number[]): string[] => values.map((value) => figureText(figure, value));
    const name = KINDS[figure].name;
    if (!into) return [{ title: name, cells: cells(out) }];
    return [
      { title: `${name} as sender`, cells: cells(out) },
      { title: `${name} as receiver`, cells: cells(into) },
    ];
  });
}

/** Medians over the links of each. */
function hostTable(grids: Grids, names: readonly string[]): string {
  const columns = columnsOf(grids);
  const head = ['median of its links', ...columns.map(({ title }) => title)];
  const rows = names.map((name, node) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, escaped(name)),
      ...columns.map(({ cells }) => element('td', {}, escaped(cells[node] ?? ''))),
    ),
  );
  const top = element('tr', {}, ...head.map((title) => element('th', { scope: 'col' }, escaped(title))));
  return element('table', {}, element('thead', {}, top), element('tbody', {}, rows.join('\n')));
}

/** The report of runs, as one page. */
import { VERSION } from '../../bench/version.js';
import { element, escaped } from '../plot/xml.js';
import type { Detail } from './distribution.js';
import { environmentOf, isOption } from './environment.js';
import { pageData, type GroupOptions } from './groups.js';
import { notesOf } from './notes.js';
import { htmlPage } from './page.js';
import type { Run } from './runs.js';
import { browserScript } from './script.js';
import { sectionOf } from './sections.js';
import { differencesTable, runMark, runsTable, sameTable } from './tables.js';
import type { PageData } from './types.js';

export interface ReportOptions extends Omit<GroupOptions, 'detail'> {
  readonly title?: string | undefined;
  /** When the page was made. */
  readonly now: Date;
}

export interface ReportPage {
  readonly html: string;
  /** Whether what is known of samples had to be left out, so that the page stays small. */
  readonly reduced: boolean;
  readonly groups: number;
}

/** Bytes that a page may have. */
export const MOST_BYTES = 2_000_000;
/** From all that is worth showing to nothing but statistics. */
const DETAILS: readonly Detail[] = [
  { bins: 48, steps: 64 },
  { bins: 32, steps: 32 },
  { bins: 24, steps: 0 },
  { bins: 0, steps: 0 },
];
/** Points of one page from which details are worth leaving out before they were tried. */
const MANY_POINTS = 4000;

/** In as much detail as there is room for. */
export function reportPage(runs: readonly Run[], options: ReportOptions): ReportPage {
  const points = runs.reduce((sum, { records }) => sum + records.reduce((all, { rows }) => all + rows.length, 0), 0);
  const tried = points > MANY_POINTS ? DETAILS.slice(-1) : DETAILS;
  let html = '';
  for (const detail of tried) {
    const data = pageData(runs, { ...options, detail });
    html = pageOf(runs, data, options);
    if (Buffer.byteLength(html) <= MOST_BYTES)
      return { html, reduced: detail !== DETAILS[0], groups: data.groups.length };
  }
  return { html, reduced: true, groups: 0 };
}

function pageOf(runs: readonly Run[], data: PageData, options: ReportOptions): string {
  const title = options.title ?? titleOf(runs);
  const body = [
    navigation(data),
    element('section', { id: 'runs' }, element('h2', {}, 'Runs'), runsTable(runs, data), ...differences(runs)),
    ...notes(runs),
    ...data.groups.map(sectionOf),
    element('section', { id: 'environment' }, ...environment(runs)),
    footer(),
  ].join('\n');
  return htmlPage({ title, subtitle: subtitleOf(runs, options.now), body, data, script: browserScript() });
}

function titleOf(runs: readonly Run[]): string {
  const programs = [...new Set(runs.flatMap(({ records }) => records.map(({ run }) => run.name)))];
  const named = programs.length <= 4 ? programs.join(', ') : `${programs.slice(0, 3).join(', ')} and ${programs.length - 3} more`; // prettier-ignore
  return runs.length === 1 ? named : `${named}: ${runs.length <= 3 ? runs.map(({ label }) => label).join(' against ') : `${runs.length} runs`}`; // prettier-ignore
}

function subtitleOf(runs: readonly Run[], now: Date): string {
  const records = runs.flatMap((run) => run.records);
  const hosts = [...new Set(records.flatMap(({ environment: { hosts: all } }) => all.map(({ name }) => name)))];
  const where = hosts.length === 0 ? '' : ` on ${hosts.length <= 3 ? hosts.join(', ') : `${hosts.length} hosts`}`;
  const count = `${records.length} ${records.length === 1 ? 'record' : 'records'}`;
  return `${count}${where} · made ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC by fabricbench ${VERSION}`;
}

function navigation({ groups }: PageData): string {
  const link = (id: string, text: string): string => element('a', { href: `#${id}` }, escaped(text));
  return element(
    'nav',
    {},
    link('runs', 'Runs'),
    ...groups.map(({ id, title }) => link(id, title)),
    link('environment', 'Environment'),
  );
}

function differences(runs: readonly Run[]): string[] {
  const known = environmentOf(runs);
  if (runs.length < 2) return [];
  if (known.differing.length === 0) return [element('p', {}, 'As far as the records tell, the runs differ in nothing.')]; // prettier-ignore
  return [element('h3', {}, 'In what they differ'), differencesTable(known, runs)];
}

function notes(runs: readonly Run[]): string[] {
  return notesOf(runs).map(({ text, runs: members }) => {
    const marks = members.map((run) => runMark(run, runs[run]?.label ?? '')).join(' ');
    return element('p', { class: 'note' }, runs.length > 1 ? `${marks} ` : '', escaped(text));
  });
}

function environment(runs: readonly Run[]): string[] {
  const known = environmentOf(runs);
  const same = known.same.filter((fact) => !isOption(fact));
  const heading = runs.length > 1 ? 'The same in all runs' : 'Environment';
  return [
    ...(same.length > 0 ? [element('h2', {}, heading), sameTable(known)] : []),
    element('h2', {}, 'Command lines'),
    ...runs.flatMap(({ label, records, files }, index) => [
      element('p', {}, runMark(index, label), ' ', element('span', { class: 'faint' }, escaped(shownFiles(files)))),
      ...[...new Set(records.map(({ run }) => run.commandLine.join(' ')))]
        .filter((line) => line !== '')
        .map((line) => element('pre', {}, escaped(line))),
    ]),
  ];
}

const MOST_FILES = 6;

function shownFiles(files: readonly string[]): string {
  const more = files.length - MOST_FILES;
  return files.slice(0, MOST_FILES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function footer(): string {
  const sentences = [
    'Medians are drawn where the records have samples, else what the programs printed; tables of text have what they printed.',
    'Percentiles count from the good end: 99 % of the samples are as good as P99 or better.',
    'Samples are reduced here to percentiles, histograms and neighbouring iterations told together; the records keep all of them. Numbers have six digits; those of the records are unrounded.',
    'MB/s are 10^6 bytes a second, MiB/s 2^20.',
  ];
  return element('footer', {}, ...sentences.map((text) => element('p', {}, escaped(text))));
}

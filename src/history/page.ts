/** A history as one page, or as one drawing. */
import { VERSION } from '../bench/version.js';
import { svgOf } from '../report/html-report/chart.js';
import { htmlPage } from '../report/html-report/page.js';
import { browserScript } from '../report/html-report/script.js';
import { table } from '../report/html-report/tables.js';
import { svgPage } from '../report/plot/svg.js';
import { element, escaped } from '../report/plot/xml.js';
import type { Change, FollowedTrack } from './changes.js';
import { trackBlock } from './drawing.js';
import type { History } from './history.js';
import { changeHead, changeTexts, dateText, quietText } from './words.js';

export interface HistoryPage {
  readonly title?: string | undefined;
  readonly now: Date;
}

/** All tracks below each other, as a whole SVG file. */
export function historySvg({ folder, tracks }: History): string {
  return svgPage(`History of ${folder}`, changedFirst(tracks).map((track) => trackBlock(track, true))); // prettier-ignore
}

export function historyHtml(history: History, { title, now }: HistoryPage): string {
  const { folder, records, problems } = history;
  const tracks = changedFirst(history.tracks);
  const count = `${records.length} ${records.length === 1 ? 'record' : 'records'}`;
  const body = [
    element('section', {}, element('h2', {}, 'Changes'), changesList(tracks)),
    ...tracks.map(trackSection),
    element('section', {}, element('h2', {}, 'Records'), recordsTable(history)),
    ...problems.map((text) => element('p', { class: 'note' }, escaped(text))),
    element('footer', {}, escaped('Points are medians where the records have samples, else what the programs printed. Dashed lines are changes that chance makes in at most 5 of 100 histories without any; docs/report.md says how they are found.')), // prettier-ignore
  ].join('\n');
  return htmlPage({
    title: title ?? `History of ${folder}`,
    subtitle: `${count} · made ${dateText(now.getTime())} UTC by fabricbench ${VERSION}`,
    ...{ body, data: {}, script: browserScript() },
  });
}

function changedFirst(tracks: readonly FollowedTrack[]): FollowedTrack[] {
  return tracks.toSorted((a, b) => Number(b.changes.length > 0) - Number(a.changes.length > 0));
}

function changesList(tracks: readonly FollowedTrack[]): string {
  const rows = tracks.flatMap((track, index) =>
    track.changes.map((change) =>
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, element('a', { href: `#t${index + 1}` }, escaped(track.name))),
        element('td', { class: verdictClass(change) }, escaped(changeHead(track, change))),
        element('td', {}, changeTexts(track, change).map(escaped).join('; ')),
        element('td', {}, change.differences.map(escaped).join('; ')),
      ),
    ),
  );
  if (rows.length === 0) return element('p', {}, 'None was found.');
  return table('facts', ['Benchmark', 'Change', 'Figures', 'What else changed'], rows);
}

function verdictClass({ worse }: Change): string | undefined {
  return worse === undefined ? undefined : `verdict ${worse ? 'drifting' : 'steady'}`;
}

function trackSection(track: FollowedTrack, index: number): string {
  const block = trackBlock(track, false);
  const heading = `${track.figure} in ${track.scale.unit} over time`;
  const told = track.changes.length === 0 ? `${heading}: ${quietText(track)}` : heading;
  return element(
    'section',
    { id: `t${index + 1}` },
    element('h2', {}, escaped(track.name)),
    element('p', { class: 'subtitle' }, escaped(told)),
    element('figure', {}, element('div', { class: 'plots' }, svgOf(block.height, block.content, track.name))),
  );
}

function recordsTable({ records }: History): string {
  const rows = records.map(({ file, record: { run, rows: all, ranks, status, environment } }) => {
    const hosts = environment.hosts.map(({ name }) => name).join(' ');
    const cells = [run.name, hosts, String(ranks.length || '–'), String(all.length), status.state, run.label ?? '', file]; // prettier-ignore
    const head = element('th', { scope: 'row' }, escaped(dateText(Date.parse(run.started))));
    return element('tr', {}, head, ...cells.map((text) => element('td', {}, escaped(text))));
  });
  return table('facts', ['When (UTC)', 'Benchmark', 'Hosts', 'Ranks', 'Rows', 'Ended', 'Label', 'File'], rows);
}

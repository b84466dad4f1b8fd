/** A history as text: a list of its records, and what changed. */
import { wrap } from '../cli/wrap.js';
import { LEAST_POINTS } from './change-points.js';
import type { FollowedTrack } from './changes.js';
import type { History } from './history.js';
import type { StoredRecord } from './scan.js';
import { changeHead, changeTexts, dateText, quietText } from './words.js';

const WIDTH = 80;
const GAP = '  ';
/** Of differences that came with a change. */
const MOST_DIFFERENCES = 12;

export function historyText({ records, tracks, undated }: History): string {
  const changed = tracks.filter(({ changes }) => changes.length > 0);
  const quiet = tracks.filter(({ changes, enough }) => changes.length === 0 && enough);
  const few = tracks.filter(({ enough }) => !enough).length;
  const blocks = [
    listed(records),
    ...(changed.length > 0 ? [['Changes', ...changed.flatMap(changedLines)]] : []),
    ...(quiet.length > 0 ? [['No change found', ...quiet.flatMap((track) => wrapped(`${track.name}: ${quietText(track)}`, 1))]] : []), // prettier-ignore
    ...(few > 0 ? [wrapped(`${few} ${few === 1 ? 'series has' : 'series have'} fewer than ${LEAST_POINTS} records, too few to tell a change`, 0)] : []), // prettier-ignore
    ...(undated > 0 ? [[`${undated} ${undated === 1 ? 'record does' : 'records do'} not say when, and can't be followed`]] : []), // prettier-ignore
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function listed(records: readonly StoredRecord[]): string[] {
  const heads = ['when (UTC)', 'benchmark', 'host', 'ranks', 'rows', 'ended', 'label', 'file'];
  const rows = [heads, ...records.map(cellsOf)];
  const used = heads.map((_, column) => rows.slice(1).some((cells) => cells[column] !== ''));
  const widths = heads.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .flatMap((text, column) => (used[column] ? [text.padEnd(widths[column] ?? 0)] : []))
      .join(GAP)
      .trimEnd(),
  );
}

function cellsOf({ file, record: { run, rows, ranks, status, environment } }: StoredRecord): string[] {
  const [host] = environment.hosts;
  const more = environment.hosts.length - 1;
  return [
    dateText(Date.parse(run.started)),
    run.name,
    host ? `${host.name}${more > 0 ? ` and ${more} more` : ''}` : '',
    ranks.length > 0 ? String(ranks.length) : '',
    String(rows.length),
    status.state,
    run.label ?? '',
    file,
  ];
}

function changedLines(track: FollowedTrack): string[] {
  return [
    ...wrapped(`${track.name} (${track.moments.length} records)`, 1),
    ...track.changes.flatMap((change) => [
      ...wrapped(changeHead(track, change), 2),
      ...changeTexts(track, change).flatMap((text) => wrapped(text, 3)),
      ...(change.differences.length === 0
        ? wrapped('the records say of nothing else that changed', 3)
        : differenceLines(change.differences)),
    ]),
  ];
}

function differenceLines(all: readonly string[]): string[] {
  const more = all.length - MOST_DIFFERENCES;
  const shown = all.slice(0, MOST_DIFFERENCES).flatMap((text) => wrapped(`with ${text}`, 3));
  return more > 0 ? [...shown, ...wrapped(`and ${more} more differences`, 3)] : shown;
}

function wrapped(text: string, level: number): string[] {
  const indent = GAP.repeat(level);
  return wrap(text, WIDTH - indent.length).map((line, index) => `${index === 0 ? '' : GAP}${indent}${line}`);
}

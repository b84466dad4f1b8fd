/** A history as text of 80 columns: records, figures over time as a line of bars, changes in words. */
import { bytes, change, number, scaleOf } from '../analysis/units.js';
import { hostOf, type Kept, type Track } from './history.js';

const BARS = '▁▂▃▄▅▆▇█';
const MOST_BARS = 30;

const date = (started: string): string => started.slice(0, 16).replace('T', ' ');

export function recordLines(kept: readonly Kept[]): string[] {
  const rows = kept.map(({ file, record }) => [date(record.run.started) || '-', record.run.name, record.run.layer, hostOf(record) || '-', record.status.state, file]); // prettier-ignore
  const head = ['started', 'benchmark', 'layer', 'host', 'status', 'file'];
  const widths = head.map((text, index) => Math.max(text.length, ...rows.map((row) => row[index]?.length ?? 0)));
  return [head, ...rows].map((row) => row.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ').trimEnd()); // prettier-ignore
}

export function trackLines(tracks: readonly Track[]): string[] {
  return tracks.flatMap((track) => {
    const { unit, factor } = scaleOf(track.series);
    const shown = (value: number): string => `${number(value * factor)} ${unit}`;
    const values = track.entries.map(({ value }) => value);
    const range = `${number(Math.min(...values) * factor)} to ${shown(Math.max(...values))}`;
    const what = [track.title, ...(track.size === null ? [] : [bytes(track.size)]), `on ${track.host || '?'}`].join(
      ', ',
    );
    return [
      what,
      `  ${barsOf(values)}  ${values.length} runs, ${range}`,
      ...track.changes.map(({ at, before, after, p }) => {
        const [last, first] = [track.entries[at - 1], track.entries[at]];
        return `  changed ${change(after / before)} (${shown(before)} to ${shown(after)}) between ${date(last?.started ?? '')} and ${date(first?.started ?? '')} (p ${p.toPrecision(1)})`;
      }),
    ];
  });
}

/** Each value, or the median of neighbours where there are too many, as a bar between the least and the most. */
function barsOf(values: readonly number[]): string {
  const width = Math.ceil(values.length / MOST_BARS);
  const groups = Array.from({ length: Math.ceil(values.length / width) }, (_, index) => values.slice(index * width, (index + 1) * width)); // prettier-ignore
  const middles = groups.map((group) => group.toSorted((a, b) => a - b)[Math.floor(group.length / 2)] ?? 0);
  const [low, high] = [Math.min(...middles), Math.max(...middles)];
  const step = (high - low) / (BARS.length - 1) || 1;
  return middles.map((value) => BARS[Math.round((value - low) / step)] ?? '').join('');
}

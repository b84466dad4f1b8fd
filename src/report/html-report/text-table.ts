/** A chart's printed figures as text that can be pasted anywhere, in the columns of an OSU table. */
import { number } from '../../analysis/units.js';
import { keyOf } from './draw.js';
import type { PageGroup } from './types.js';

const SIZE_WIDTH = 10;
const FIELD_WIDTH = 18;

export function textTable(group: PageGroup): string {
  const [own] = group.figures;
  const points = group.series.flatMap(({ points: all }) => all);
  const keys = [...new Set((group.form === 'lines' ? points.toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0)) : points).map(keyOf))]; // prettier-ignore
  const first = Math.max(SIZE_WIDTH, ...keys.map((key) => inOneWord(key).length + 1));
  const names = group.series.map(({ name }) => inOneWord(name));
  const widths = names.map((name) => Math.max(FIELD_WIDTH, name.length + 2));
  const line = (start: string, cells: readonly string[]): string =>
    start.padEnd(first) + cells.map((text, index) => text.padStart(widths[index] ?? FIELD_WIDTH)).join('');
  const rows = keys.map((key) => {
    const cells = group.series.map((series) => {
      const value = series.points.find((point) => keyOf(point) === key)?.figures[0] ?? null;
      return value === null ? '-' : number(value);
    });
    return line(inOneWord(key), cells);
  });
  const head = `# ${group.title}: ${own?.name ?? ''} in ${(own?.unit ?? '').replace('µs', 'us')}`;
  return [head, line(group.form === 'lines' ? '# Size' : '#', names), ...rows].map((text) => `${text}\n`).join('');
}

/** Columns are told apart by blanks. */
function inOneWord(text: string): string {
  return text.replace(/\s+/g, '_');
}

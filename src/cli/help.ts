/** Help text of the osu_* programs: this benchmark's options and true defaults, 80 columns at most. */
import type { OsuSpec } from './options.js';
import { rowsOf, type OsuOptionRow } from './osu-table.js';

const WIDTH = 80;
const INDENT = 32;

export function helpText(spec: OsuSpec): string {
  return [
    `Usage: ${spec.name} [options]`,
    `e.g.   mpirun -np 2 node dist/${spec.name}.js [options]`,
    '',
    'Options:',
    ...rowsOf(spec).flatMap((row) => optionLines(row, spec)),
    '',
  ].join('\n');
}

function optionLines(row: OsuOptionRow, spec: OsuSpec): string[] {
  const short = row.short ? `-${row.short}, ` : '    ';
  const left = `  ${short}--${row.name}${shownArgument(row)}`;
  const texts = wrap(row.help(spec), WIDTH - INDENT);
  if (left.length + 2 > INDENT) return [left, ...texts.map((text) => ' '.repeat(INDENT) + text)];
  return texts.map((text, index) => (index === 0 ? left : '').padEnd(INDENT) + text);
}

/** A long option's optional argument needs the equals sign, a required one may have it. */
function shownArgument({ argument, shown = '' }: OsuOptionRow): string {
  return argument === 'optional' ? shown.replace(/^\[/, '[=') : shown;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

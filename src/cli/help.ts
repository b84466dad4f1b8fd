/** Help text of the osu_* programs: this benchmark's options and true defaults, 80 columns at most. */
import { longNames } from './getopt.js';
import type { OsuSpec } from './options.js';
import type { OsuOptionRow } from './option-row.js';
import { helpOf, rowsOf } from './osu-table.js';
import { wrap } from './wrap.js';

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
  const left = `  ${short}--${longNames(row)[0]}${shownArgument(row)}`;
  const texts = wrap(helpOf(row, spec), WIDTH - INDENT);
  if (left.length + 2 > INDENT) return [left, ...texts.map((text) => ' '.repeat(INDENT) + text)];
  return texts.map((text, index) => (index === 0 ? left : '').padEnd(INDENT) + text);
}

/** A long option's optional argument needs the equals sign, a required one may have it. */
function shownArgument({ argument, shown = '' }: OsuOptionRow): string {
  return argument === 'optional' ? shown.replace(/^\[/, '[=') : shown;
}

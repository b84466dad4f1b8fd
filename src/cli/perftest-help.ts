/** Help text of one ib_* program, 96 columns at most: its own options with its own defaults. */
import type { PerftestTest } from '../bench/suites/perftest.js';
import { isFor, type PerftestGroup, type PerftestOptionRow } from './perftest-row.js';
import { PERFTEST_OPTIONS } from './perftest-table.js';
import { wrap } from './wrap.js';

const WIDTH = 96;
const INDENT = 34;

const GROUPS: readonly (readonly [PerftestGroup, string])[] = [
  ['test', 'The test'],
  ['queues', 'Queues and memory'],
  ['path', 'The path'],
  ['meeting', 'How both sides meet'],
  ['rate', 'Limit of the rate'],
  ['output', 'Output'],
  ['own', 'What perftest has not'],
];

const EXIT_CODES = 'Exit codes: 0 done, 1 wrong use or whatever fails, a missed -w or -y too, 77 not possible here.';

export function perftestHelp(test: PerftestTest): string {
  const { name } = test;
  const usage = [
    [`${name} [options]`, 'a server, which waits for its client'],
    [`${name} SERVER [options]`, 'a client'],
    [`mpirun -np 2 node dist/${name}.js [options]`, 'ranks in pairs, without a server'],
  ] as const;
  return [
    `${name}: ${test.description}`,
    '',
    ...usage.map(([line, text], index) => `${index === 0 ? 'Usage: ' : '       '}${line.padEnd(52)}${text}`),
    ...GROUPS.flatMap(([group, title]) => groupLines(group, title, test)),
    '',
    ...wrap(EXIT_CODES, WIDTH),
    '',
  ].join('\n');
}

function groupLines(group: PerftestGroup, title: string, test: PerftestTest): string[] {
  const rows = PERFTEST_OPTIONS.filter((row) => row.group === group && isFor(row, test));
  return rows.length === 0 ? [] : ['', `${title}:`, ...rows.flatMap((row) => optionLines(row, test))];
}

/** A long option's optional argument needs the equals sign. */
function shownArgument({ argument, shown }: PerftestOptionRow): string {
  if (shown === undefined) return '';
  return argument === 'optional' ? shown.replace(/^\[/, '[=') : ` ${shown}`;
}

function optionLines(row: PerftestOptionRow, test: PerftestTest): string[] {
  const short = row.short === undefined ? '    ' : `-${row.short}, `;
  const left = `  ${short}--${row.long?.[0] ?? row.name}${shownArgument(row)}`;
  const texts = wrap(typeof row.help === 'string' ? row.help : row.help(test), WIDTH - INDENT);
  if (left.length + 2 > INDENT) return [left, ...texts.map((text) => ' '.repeat(INDENT) + text)];
  return texts.map((text, index) => (index === 0 ? left : '').padEnd(INDENT) + text);
}

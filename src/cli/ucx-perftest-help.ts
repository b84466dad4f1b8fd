/** Help text of ucx_perftest, 96 columns at most. */
import type { UcxTestFacts } from '../report/ucx-perftest-types.js';
import type { UcxOptionGroup, UcxOptionRow } from './ucx-perftest-row.js';
import { UCX_OPTIONS } from './ucx-perftest-table.js';
import { wrap } from './wrap.js';

const WIDTH = 96;
const OPTION_INDENT = 30;
const TEST_INDENT = 18;

const GROUPS: readonly (readonly [UcxOptionGroup, string])[] = [
  ['test', 'The test'],
  ['uct', 'Tests of UCT, by one transport on one device'],
  ['ucp', 'Tests of UCP, which chooses transports itself (UCX_TLS and UCX_NET_DEVICES tell it which)'],
  ['run', 'The process'],
  ['output', 'Output'],
  ['own', 'What the original has not'],
];

const USAGE = [
  'Usage: ucx_perftest [options]                          a server, which waits for clients',
  '       ucx_perftest SERVER -t TEST [options]           a client, which prints the results',
  '       ucx_perftest -l -t TEST [options]               one process for both',
  '       mpirun -np 2 ucx_perftest -t TEST [options]     ranks, which need no server',
];

const BATCH = [
  'Batch files: each line is a test; its first word names it, and the options of a test follow, but none of the',
  'groups "The process", "Output" (apart from -I) and the last one. What a line says wins over the command line,',
  'and what a later file says over an earlier one, -n too. Lines that begin with # are comments. A plain name that',
  'is no file of the current folder is looked for among the files that come with fabricbench: msg_pow2,',
  'msg_pow2_large, msg_pow2_iov, test_types_uct, test_types_ucp, test_types_ucp_rma, test_types_ucp_amo and',
  'transports. For all transports and calls: -b transports -b test_types_uct -b msg_pow2 -d DEVICE',
].join(' ');

const EXIT_CODES =
  'Exit codes: 0 done, 129 wrong options, 255 tests that can not be set up, 1 whatever fails later, 77 not possible here.';

/** The help, which lists the tests given. */
export function ucxHelpText(tests: readonly UcxTestFacts[]): string {
  return [
    ...USAGE,
    ...GROUPS.flatMap(([group, title]) => ['', `${title}:`, ...groupLines(group)]),
    ...testLines(tests, 'uct', 'Tests of UCT (-t), which need -x and -d'),
    ...testLines(tests, 'ucp', 'Tests of UCP (-t)'),
    '',
    ...wrap(BATCH, WIDTH),
    '',
    ...wrap(EXIT_CODES, WIDTH),
    '',
  ].join('\n');
}

function groupLines(group: UcxOptionGroup): string[] {
  return UCX_OPTIONS.filter((row) => row.group === group).flatMap((row) =>
    entry(`  ${shownName(row)}${row.shown ?? ''}`, row.help, OPTION_INDENT),
  );
}

function shownName({ name, short, long }: UcxOptionRow): string {
  if (short === undefined) return `--${name}`;
  return long?.[0] === undefined ? `-${short}` : `-${short}, --${long[0]}`;
}

function testLines(tests: readonly UcxTestFacts[], api: UcxTestFacts['api'], title: string): string[] {
  const own = tests.filter((test) => test.api === api);
  return ['', `${title}:`, ...own.flatMap(({ name, description }) => entry(`  ${name}`, description, TEST_INDENT))];
}

function entry(left: string, text: string, indent: number): string[] {
  const lines = wrap(text, WIDTH - indent);
  if (left.length + 2 > indent) return [left, ...lines.map((line) => ' '.repeat(indent) + line)];
  return lines.map((line, index) => (index === 0 ? left : '').padEnd(indent) + line);
}

/** The table of options of ucx_perftest, and which of them stand on the command line and in the lines of batch files. */
import { BINDING_ROWS, type BindingRow } from './binding-options.js';
import { NOISE_HELP } from './noise.js';
import { DEFAULT_WATCHDOG } from './osu-defaults.js';
import { OUTPUT_HELP } from './outputs.js';
import type { UcxOptionGroup, UcxOptionName, UcxOptionRow } from './ucx-perftest-row.js';
import { TEST_ROWS } from './ucx-perftest-table-tests.js';

export const DEFAULT_PORT = 13337;
export const MOST_BATCH_FILES = 32;

const letter = (
  group: UcxOptionGroup,
  short: string,
  name: UcxOptionName,
  help: string,
  shown?: string,
): UcxOptionRow => ({
  ...{ name, short, group, help, inBatch: false, long: name === 'help' ? ['help'] : [] },
  ...(shown === undefined ? { argument: 'none' } : { argument: 'required', shown: ` ${shown}` }),
});

const own = (name: UcxOptionName, help: string, shown?: string): UcxOptionRow => ({
  ...{ name, group: 'own', help, inBatch: false },
  ...(shown === undefined ? { argument: 'none' } : { argument: 'required', shown: ` ${shown}` }),
});

function bindingRow({ shown, ...row }: BindingRow): UcxOptionRow {
  const argument = row.argument === 'optional' ? shown?.replace(/^\[/, '[=') : ` ${shown}`;
  return { ...row, group: 'own', inBatch: false, ...(shown === undefined ? {} : { shown: argument ?? '' }) };
}

const PROCESS_ROWS: readonly UcxOptionRow[] = [
  letter('run', 'c', 'cpus', 'processors of this process, as in 0,2-3', 'CPU,...'),
  letter(
    'run',
    'b',
    'batch',
    `read tests from FILE, see below; up to ${MOST_BATCH_FILES} times, every line of each with every line of the others`,
    'FILE',
  ),
  letter('run', 'p', 'port', `TCP port by which client and server find each other (default ${DEFAULT_PORT})`, 'PORT'),
  letter('run', '6', 'ipv6', 'find each other by IPv6'),
  letter('run', 'P', 'launcher-mode', 'taken and without effect: a launcher is noticed', '0|1'),
  letter('run', 'h', 'help', 'print this help'),
  letter('output', 'f', 'final', 'print the last row only'),
  letter('output', 'v', 'csv', 'print CSV'),
  letter('output', 'N', 'thousands', 'separate thousands by commas, in tables'),
  {
    ...{ name: 'info', short: 'I', long: [], argument: 'none', inBatch: true, group: 'output' },
    help: 'on the command line as -X; in a line of a batch file: have the wakeup feature, which -E sleep has anyway',
  },
  letter('output', 'X', 'extra-info', 'say after the last row how UCX sent the messages'),
  own(
    'sizes',
    'measure each of these message sizes, in place of -s: a list, or all powers of 2 times MIN up to MAX',
    'S,S,...|MIN:MAX',
  ),
  own('stats', 'add min, median, p90, p99, max, sd and n of all samples'),
  own('json', OUTPUT_HELP.json, 'FILE|-'),
  { ...own('csv-file', OUTPUT_HELP.csv, 'FILE|-'), long: ['csv'] },
  own('markdown', OUTPUT_HELP.markdown, 'FILE|-'),
  own('samples', 'with --json: keep every sample in the record'),
  own('watchdog', `end after S seconds without progress, 0 = never (default ${DEFAULT_WATCHDOG})`, 'S'),
  ...BINDING_ROWS.map(bindingRow),
  { name: 'noise', group: 'own', help: NOISE_HELP, inBatch: false, argument: 'optional', shown: '[=S]' },
  own('once', 'a server ends after its first client, whatever became of it'),
];

/** In the order of the help, within each group. `-D` and `-I` mean different things to different tests and places. */
export const UCX_OPTIONS: readonly UcxOptionRow[] = [...TEST_ROWS, ...PROCESS_ROWS];

export const BATCH_OPTIONS: readonly UcxOptionRow[] = UCX_OPTIONS.filter(({ inBatch }) => inBatch);

/** Options of newer versions of the peer, for hardware which fabricbench doesn't drive, and of other programs: what to say. */
export const REFUSED_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['a', '-a starts tests from a GPU, which fabricbench does not do: leave it out'],
  ['L', '-L is the level of GPU threads that send, which fabricbench does not have: leave it out'],
  ['F', '-F is the flow control of GPU tests, which fabricbench does not have: leave it out'],
  ['Y', '-Y chooses the channels of GPU tests, which fabricbench does not have: leave it out'],
  [
    'K',
    '-K connects by InfiniBand management datagrams, which fabricbench does not use: give a host name or use mpirun',
  ],
  ['time-limit', '--time-limit is for the osu_* programs: give -n, by which both sides know when to end'],
  ['target-ci', '--target-ci is for the osu_* programs: give -n, or repeat launches with fabricbench run --target-ci'],
  ['g', '-g sends by a daemon on a DPU, which fabricbench does not use: leave it out'],
  ['G', '-G sends by a daemon on a DPU, which fabricbench does not use: leave it out'],
]);

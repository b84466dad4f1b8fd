/** Options of the run as a whole: what is written, how long it may take, where ranks run. */
import { MOST_FOR_TARGET } from '../bench/measure/counts.js';
import { jsExecutor } from '../engine/js-executor.js';
import { NOISE_HELP } from './noise.js';
import type { OsuOptionRow } from './option-row.js';
import { DEFAULT_WATCHDOG } from './osu-defaults.js';
import { BINDING_ROWS, type BindingRow } from './binding-options.js';
import { OUTPUT_HELP, OUTPUT_SHOWN } from './outputs.js';
import { STATS_COLUMNS } from './stats-columns.js';
import { formatBytes } from './values.js';

function osuRow({ shown, help, ...row }: BindingRow): OsuOptionRow {
  const blank = row.argument === 'optional' ? '' : ' ';
  return { ...row, ...(shown === undefined ? {} : { shown: `${blank}${shown}` }), help: () => help };
}

export const RUN_ROWS: readonly OsuOptionRow[] = [
  {
    name: 'graph',
    short: 'G',
    argument: 'required',
    shown: ' tty,svg,html',
    help: () => 'plot the iterations: as text, and into files for a browser',
  },
  {
    name: 'papi',
    short: 'P',
    argument: 'required',
    shown: ' EVENTS[:FILE]',
    help: () =>
      'count hardware events by PAPI, names with commas between; :: belongs to a name, a single colon begins FILE, which takes the counts',
  },
  { name: 'session', short: 'I', argument: 'none', help: () => 'start MPI by a session (needs MPI-4)' },
  {
    name: 'layer',
    argument: 'required',
    shown: ' LAYER',
    help: () =>
      'what carries the messages: mpi (default), ucp, ucp:stream, ucp:am, uct:TRANSPORT/DEVICE as in uct:posix/memory, verbs[:send|write|read][/DEVICE] as in verbs:write/mlx5_0, or shm, memory shared without a stack; MPI then only starts the ranks',
  },
  {
    name: 'engine',
    argument: 'required',
    shown: ' native|js',
    help: ({ defaults: { counts } }) =>
      `who runs the loop: native code or JavaScript (default native); js warms up for at least ${jsExecutor.steadyAfter} iterations up to ${formatBytes(counts.threshold)} unless -x is given`,
  },
  {
    name: 'stats',
    argument: 'optional',
    shown: '[NAME,NAME,...]',
    help: () =>
      `add min, median, p90, p99, max, sd, the 95 % interval of the median, and n; or those named, of ${STATS_COLUMNS.join(', ')}`,
  },
  ...(['json', 'csv', 'markdown'] as const).map((name): OsuOptionRow => ({
    name,
    argument: 'required',
    shown: OUTPUT_SHOWN,
    help: () => OUTPUT_HELP[name],
  })),
  { name: 'samples', argument: 'none', help: () => 'with --json: keep every sample in the record' },
  {
    name: 'time-limit',
    argument: 'required',
    shown: ' S',
    help: () => 'stop measuring after S seconds in all; rows show their true n',
  },
  {
    name: 'target-ci',
    argument: 'required',
    shown: ' PERCENT',
    help: () =>
      `end a row once its median is sure to so many per cent, as in 2%; rows have up to ${MOST_FOR_TARGET} times the default iterations unless -i is given, and show their true n`,
  },
  {
    name: 'watchdog',
    argument: 'required',
    shown: ' S',
    help: () => `end the process after S seconds without progress, 0 = never (default ${DEFAULT_WATCHDOG})`,
  },
  ...BINDING_ROWS.map(osuRow),
  { name: 'noise', argument: 'optional', shown: '[S]', help: () => NOISE_HELP },
  { name: 'help', short: 'h', argument: 'none', help: () => 'print this help' },
  { name: 'version', short: 'v', argument: 'none', help: () => 'print the version' },
];

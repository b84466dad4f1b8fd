/** The table of options of the osu_* programs: what they look like, what they mean, what their help says. */
import type { CountClass } from '../bench/measure/types.js';
import { jsExecutor } from '../engine/js-executor.js';
import type { OptionShape } from './getopt.js';
import type { OptionName, OsuSpec } from './options.js';
import { formatBytes } from './values.js';

export interface OsuOptionRow extends OptionShape {
  readonly name: OptionName | 'help' | 'version';
  /** How the argument is shown, with its blank or bracket: ` ITER`, `[p,p,...]`. */
  readonly shown?: string;
  /** One or two sentences without defaults that differ by benchmark. */
  readonly help: (spec: OsuSpec) => string;
}

/** Options that this version reads and can't do yet. */
export const NOT_AVAILABLE: ReadonlySet<string> = new Set<OptionName>(['graph', 'papi', 'session']);

export const DEFAULT_WINDOW = 64;
export const DEFAULT_WATCHDOG = 60;
export const DEFAULT_VALIDATION_WARMUP = 5;
export const DEFAULT_PERCENTILES: readonly number[] = [50, 90, 99];
const DEFAULT_DATATYPES: readonly string[] = ['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT'];
export const DEFAULT_LOG_DIRECTORY = 'validation_output';

export const OSU_OPTIONS: readonly OsuOptionRow[] = [
  {
    name: 'message-size',
    short: 'm',
    argument: 'required',
    shown: ' [MIN:]MAX',
    help: ({ defaults: { sizes } }) =>
      `message sizes in bytes, doubling from MIN to MAX; K, M and G are binary, 0 counts where given (default ${formatBytes(sizes.min)}:${formatBytes(sizes.max)})`,
  },
  {
    name: 'sizes',
    argument: 'required',
    shown: ' S,S,...',
    help: () => 'exactly these message sizes, in this order, instead of -m',
  },
  {
    name: 'iterations',
    short: 'i',
    argument: 'required',
    shown: ' ITER',
    help: ({ defaults }) =>
      `measured iterations per message size (default ${countsText(defaults.counts, 'iterations')})`,
  },
  {
    name: 'warmup',
    short: 'x',
    argument: 'required',
    shown: ' ITER',
    help: ({ defaults }) =>
      `warm-up iterations per message size, not measured (default ${countsText(defaults.counts, 'warmup')})`,
  },
  {
    name: 'window-size',
    short: 'W',
    argument: 'required',
    shown: ' SIZE',
    help: ({ defaults }) => `messages sent before an acknowledgement (default ${defaults.window ?? DEFAULT_WINDOW})`,
  },
  { name: 'vary-window', short: 'V', argument: 'none', help: () => 'vary the window from 1 to 128 and print matrices' },
  {
    name: 'num-pairs',
    short: 'p',
    argument: 'required',
    shown: ' PAIRS',
    help: () => 'pairs of ranks that take part (default half of the ranks)',
  },
  {
    name: 'num-test-calls',
    short: 't',
    argument: 'required',
    shown: ' CALLS',
    help: () => 'taken as the peer takes it, and without effect here as there',
  },
  {
    name: 'print-rate',
    short: 'R',
    argument: 'required',
    shown: ' 0|1',
    help: () => 'print the message rate (default 1)',
  },
  {
    name: 'buffer-num',
    short: 'b',
    argument: 'required',
    shown: ' single|multiple',
    help: () => 'one buffer for all messages of a window, or one each (default single)',
  },
  {
    name: 'validation',
    short: 'c',
    argument: 'optional',
    shown: '[log[:DIR]]',
    help: () =>
      `check every byte received, outside the measured time; with log, write what differs to DIR (default ${DEFAULT_LOG_DIRECTORY})`,
  },
  {
    name: 'validation-warmup',
    short: 'u',
    argument: 'required',
    shown: ' ITER',
    help: () => `with -c: unmeasured repeats before each iteration, 0 to 10 (default ${DEFAULT_VALIDATION_WARMUP})`,
  },
  {
    name: 'tail-lat',
    short: 'z',
    argument: 'optional',
    shown: '[P,P,...]',
    help: () =>
      `percentiles from 0 to 100, glued on: -z50,99.9 (bare: ${DEFAULT_PERCENTILES.join(',')}); for bandwidth the value that so many percent reach`,
  },
  {
    name: 'type',
    short: 'T',
    argument: 'required',
    shown: ' TYPE',
    help: (spec) =>
      `datatypes: all, ${datatypesOf(spec).join(', ').toLowerCase()} (default ${datatypesOf(spec)[0]?.toLowerCase()})`,
  },
  {
    name: 'ddt',
    short: 'D',
    argument: 'required',
    shown: ' LAYOUT',
    help: () => 'derived datatype: cont, vect:STRIDE:BLOCK or indx:FILE with lines "displacement,length"',
  },
  {
    name: 'graph',
    short: 'G',
    argument: 'required',
    shown: ' tty,png,pdf',
    help: () => 'not available in this version',
  },
  {
    name: 'papi',
    short: 'P',
    argument: 'required',
    shown: ' EVENTS[:FILE]',
    help: () => 'not available in this version',
  },
  { name: 'session', short: 'I', argument: 'none', help: () => 'not available in this version' },
  {
    name: 'engine',
    argument: 'required',
    shown: ' native|js',
    help: ({ defaults: { counts } }) =>
      `who runs the loop: native code or JavaScript (default native); js warms up for at least ${jsExecutor.steadyAfter} iterations up to ${formatBytes(counts.threshold)} unless -x is given`,
  },
  {
    name: 'stats',
    argument: 'none',
    help: () => 'add min, median, p90, p99, max, sd, the 95 % interval of the median, and n',
  },
  {
    name: 'json',
    argument: 'required',
    shown: ' FILE|-',
    help: () => 'write a record of the run; - is stdout, and the table goes to stderr',
  },
  { name: 'samples', argument: 'none', help: () => 'with --json: keep every sample in the record' },
  {
    name: 'time-limit',
    argument: 'required',
    shown: ' S',
    help: () => 'stop measuring after S seconds in all; rows show their true n',
  },
  {
    name: 'watchdog',
    argument: 'required',
    shown: ' S',
    help: () => `end the process after S seconds without progress, 0 = never (default ${DEFAULT_WATCHDOG})`,
  },
  {
    name: 'bind',
    argument: 'required',
    shown: ' CPU,CPU,...',
    help: () => 'processor of each local rank, by local rank',
  },
  { name: 'report-binding', argument: 'none', help: () => 'say on stderr where each rank runs' },
  { name: 'help', short: 'h', argument: 'none', help: () => 'print this help' },
  { name: 'version', short: 'v', argument: 'none', help: () => 'print the version' },
];

/** The rows that one benchmark takes, help and version included. */
export function rowsOf({ accepts }: OsuSpec): readonly OsuOptionRow[] {
  const taken = new Set<string>([...accepts, 'help', 'version']);
  return OSU_OPTIONS.filter(({ name }) => taken.has(name));
}

export function datatypesOf({ defaults }: OsuSpec): readonly string[] {
  return defaults.datatypes ?? DEFAULT_DATATYPES;
}

function countsText({ threshold, small, large }: CountClass, which: 'iterations' | 'warmup'): string {
  if (small[which] === large[which]) return String(small[which]);
  return `${small[which]}, above ${formatBytes(threshold)} ${large[which]}`;
}

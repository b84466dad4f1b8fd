/** Options of how many messages of what there are, and how they are checked. */
import type { CountClass } from '../bench/measure/types.js';
import { allOf, shortName } from './datatypes.js';
import type { OsuOptionRow } from './option-row.js';
import {
  datatypesOf,
  DEFAULT_LOG_DIRECTORY,
  DEFAULT_PERCENTILES,
  DEFAULT_VALIDATION_WARMUP,
  DEFAULT_WINDOW,
} from './osu-defaults.js';
import { formatBytes } from './values.js';

export const MESSAGE_ROWS: readonly OsuOptionRow[] = [
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
    help: ({ defaults }) =>
      `messages, or one-sided calls, of one iteration (default ${defaults.window ?? DEFAULT_WINDOW})`,
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
    shown: ' TYPE,TYPE,...',
    help: (spec) => typeText(datatypesOf(spec)),
  },
  {
    name: 'ddt',
    short: 'D',
    argument: 'required',
    shown: ' LAYOUT',
    help: () => 'derived datatype: cont, vect:STRIDE:BLOCK or indx:FILE with lines "displacement,length"',
  },
];

function countsText({ threshold, small, large }: CountClass, which: 'iterations' | 'warmup'): string {
  if (small[which] === large[which]) return String(small[which]);
  return `${small[which]}, above ${formatBytes(threshold)} ${large[which]}`;
}

function typeText(known: readonly string[]): string {
  const names = (types: readonly string[]): string => types.map(shortName).join(', ');
  return `datatypes, with or without mpi_ before: all (${names(allOf(known))}) or any of ${names(known)} (default ${names(known.slice(0, 1))})`;
}

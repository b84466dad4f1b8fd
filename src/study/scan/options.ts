/** The options of `fabricbench scan`. */
import { WrongUse, type Given } from '../../cli/commands/command.js';
import { layerName, parseLayer, type LayerRequest } from '../../cli/layer.js';
import { DEFAULT_WINDOW } from '../../cli/osu-defaults.js';
import { parseBytes, parseInteger, parseList } from '../../cli/values.js';
import { checkWritable } from '../../report/record-target.js';
import { atLeast, listOf, numberOf, orRefuse, textOf, type OptionRow } from '../options.js';

export interface ScanOptions {
  /** Pairs that talk at once, ascending; undefined = 1, 2, 4, ... and half of the ranks. */
  readonly pairs: readonly number[] | undefined;
  /** Bytes. */
  readonly sizes: readonly number[];
  /** Messages of a window. */
  readonly windows: readonly number[];
  /** Undefined = as osu_mbw_mr has it. */
  readonly iterations: number | undefined;
  readonly warmup: number | undefined;
  /** How often each number of pairs is measured. */
  readonly repeats: number;
  readonly layer: LayerRequest;
  /** Whether the picture is shown below the table. */
  readonly plot: boolean;
  readonly svg: string | undefined;
  readonly html: string | undefined;
}

const DEFAULT_SIZES: readonly number[] = [8, 4096, 65536];
const DEFAULT_REPEATS = 3;

export const scanRows: readonly OptionRow[] = [
  {
    name: 'pairs',
    describe: 'pairs that talk at once, as 1,2,4 or 1:16, which doubles (default: 1, 2, 4, ... up to all)',
  },
  { name: 'sizes', describe: `bytes of a message, as 8,4K (default ${DEFAULT_SIZES.join(',')})` },
  { name: 'windows', describe: `messages in flight of a pair, as 1,16,64 (default ${DEFAULT_WINDOW})` },
  { name: 'iterations', describe: 'windows that each pair sends (default: 100)' },
  { name: 'warmup', describe: 'windows before those that are timed (default: 10)' },
  { name: 'repeats', describe: `measurements of each, in turn (default ${DEFAULT_REPEATS}); the median counts` },
  { name: 'layer', describe: 'what carries the messages: mpi, ucp, ucp:am, uct:TRANSPORT/DEVICE, verbs, shm' },
  { name: 'plot', describe: 'show the picture below the table', flag: true },
  { name: 'svg', describe: 'write the picture here' },
  { name: 'html', describe: 'write picture and table as a page here' },
];

export function readScan(given: Given): ScanOptions {
  const layer = textOf(given, 'layer');
  return {
    pairs: pairsOf(textOf(given, 'pairs')),
    sizes: listOf(given, 'sizes', parseBytes, 'bytes with commas between, as 8,4K') ?? DEFAULT_SIZES,
    windows: listOf(given, 'windows', atLeast(1), 'numbers from 1 with commas between, as 1,16,64') ?? [DEFAULT_WINDOW],
    iterations: numberOf(given, 'iterations', 1),
    warmup: numberOf(given, 'warmup', 0),
    repeats: numberOf(given, 'repeats', 1) ?? DEFAULT_REPEATS,
    layer: layer === undefined ? { kind: 'mpi' } : orRefuse('layer', parseLayer(layer)),
    plot: given['plot'] === true,
    svg: fileOf(given, 'svg'),
    html: fileOf(given, 'html'),
  };
}

export const layerOf = ({ layer }: ScanOptions): string => layerName(layer);

/** Ascending, each once. */
function pairsOf(text: string | undefined): readonly number[] | undefined {
  if (text === undefined) return undefined;
  const parts = parseList(text, doubled);
  if (parts === undefined) throw new WrongUse(`--pairs ${text}: give numbers from 1, as 1,2,4 or 1:16`);
  return [...new Set(parts.flat())].sort((a, b) => a - b);
}

/** `4` is 4, and `2:12` is 2, 4, 8, 12. */
function doubled(text: string): number[] | undefined {
  const [first = '', last = first, ...more] = text.split(':');
  const [from, to] = [parseInteger(first, 1), parseInteger(last, 1)];
  if (from === undefined || to === undefined || from > to || more.length > 0) return undefined;
  return doublings(from, to);
}

/** From one number to another, which is the last in any case. */
export function doublings(from: number, to: number): number[] {
  const all: number[] = [];
  for (let value = from; value < to; value *= 2) all.push(value);
  return [...all, to];
}

/** Found out before anything is started, where it can be. */
function fileOf(given: Given, name: string): string | undefined {
  const file = textOf(given, name);
  if (file === undefined) return undefined;
  if (file === '-') throw new WrongUse(`--${name} takes the name of a file`);
  const problem = checkWritable(file, 'picture');
  if (problem !== undefined) throw new WrongUse(problem.replace(/\.$/, ''));
  return file;
}

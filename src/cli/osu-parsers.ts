/** What the arguments of the osu_* options mean: one parser each. */
import { WATCHDOG_LIMIT } from '../engine/watchdog.js';
import { bindingParsers } from './binding-options.js';
import { parseLayer } from './layer.js';
import { parseNoise } from './noise.js';
import { parseDatatypes } from './datatypes.js';
import type { DdtRequest, GraphFormat, OsuSpec, PapiRequest, SizeRequest, ValidationRequest } from './options.js';
import { datatypesOf, DEFAULT_LOG_DIRECTORY, DEFAULT_PERCENTILES } from './osu-defaults.js';
import { flag, patternParsers } from './osu-pattern-parsers.js';
import { parseOutputFile, parseTarget } from './outputs.js';
import { parseStats } from './stats-columns.js';
import {
  bad,
  good,
  oneOf,
  oneWord,
  orBad,
  parseBytes,
  parseDecimal,
  parseInteger,
  parseList,
  type Checked,
} from './values.js';

const outputFile = parseOutputFile('Invalid File: give a file name, or - for stdout');

/** Of `-D vect` without numbers, in elements. */
const DEFAULT_VECTOR = { stride: 8, block: 4 };

/** One parser per option. Reasons say what would be right, and are printed before the option. */
export function osuParsers(spec: OsuSpec) {
  return {
    ...patternParsers(spec),
    'message-size': (text: string) => parseMessageSize(text, spec.defaults.sizes),
    sizes: (text: string) =>
      orBad(parseList(text, parseBytes), 'Invalid Message Sizes: give bytes with commas between, as in --sizes 1,3,4K'),
    iterations: (text: string) => orBad(parseInteger(text, 1), 'Invalid Number of Iterations: give an integer from 1'),
    warmup: (text: string) =>
      orBad(parseInteger(text, 0), 'Invalid Number of Warmup Iterations: give an integer from 0'),
    'window-size': (text: string) =>
      orBad(parseInteger(text, 1, 2 ** 31 - 1), 'Invalid Window Size: give an integer from 1'),
    'vary-window': flag,
    'num-pairs': (text: string) => orBad(parseInteger(text, 1), 'Invalid Number of Pairs: give an integer from 1'),
    'print-rate': (text: string) => oneOf(text, { 0: false, 1: true }, 'Invalid Print Rate: give 0 or 1'),
    'buffer-num': (text: string) =>
      oneOf(
        text.toLowerCase(),
        { single: 'single', multiple: 'multiple' } as const,
        "Please use 'single' or 'multiple' for buffer type",
      ),
    validation: parseValidation,
    'validation-warmup': (text: string) =>
      orBad(parseInteger(text, 0, 10), 'Invalid Number of Validation Warmup Iterations: give an integer from 0 to 10'),
    'tail-lat': parsePercentiles,
    type: (text: string) => parseDatatypes(text, datatypesOf(spec)),
    ddt: parseDdt,
    graph: parseGraphs,
    papi: parsePapi,
    session: flag,
    layer: parseLayer,
    engine: (text: string) => oneOf(text, { native: 'native', js: 'js' } as const, 'Invalid Engine: give native or js'),
    stats: parseStats,
    json: outputFile,
    csv: outputFile,
    markdown: outputFile,
    samples: flag,
    'time-limit': (text: string) =>
      orBad(parseDecimal(text, Number.MIN_VALUE), 'Invalid Time Limit: give seconds above 0, as in --time-limit 2.5'),
    'target-ci': parseTarget,
    watchdog: (text: string) =>
      orBad(
        parseDecimal(text, 0, WATCHDOG_LIMIT),
        `Invalid Watchdog: give seconds, at most ${WATCHDOG_LIMIT}, 0 = off`,
      ),
    ...bindingParsers,
    bind: (text: string) => named('Invalid Binding', bindingParsers.bind(text)),
    membind: (text: string) => named('Invalid NUMA Node', bindingParsers.membind(text)),
    topology: (text: string) => named('Invalid Topology', bindingParsers.topology(text)),
    ranks: (text: string) => named('Invalid Number of Ranks', bindingParsers.ranks(text)),
    noise: (text: string) => named('Invalid Noise', parseNoise(text)),
    help: flag,
    version: flag,
  };
}

/** Puts before a reason what it is of. */
function named<T>(what: string, checked: Checked<T>): Checked<T> {
  return checked.ok ? checked : bad(`${what}: ${checked.reason}`);
}

function parseMessageSize(
  text: string,
  defaults: { readonly min: number; readonly max: number },
): Checked<SizeRequest> {
  const reason = 'Invalid Message Size: give MAX or MIN:MAX in bytes, as in 4M or 1:64K';
  const parts = text.split(':');
  if (parts.length > 2 || parts.every((part) => part === '')) return bad(reason);
  const [low, high] = parts.length === 1 ? ['', parts[0] ?? ''] : [parts[0] ?? '', parts[1] ?? ''];
  const max = high === '' ? defaults.max : parseBytes(high);
  const min = low === '' ? Math.min(defaults.min, max ?? 0) : parseBytes(low);
  if (min === undefined || max === undefined) return bad(reason);
  if (min > max) return bad(`Invalid Message Size: MIN (${min}) is above MAX (${max}), so nothing would be measured`);
  return good({ kind: 'range', min, max });
}

function parseValidation(text: string): Checked<ValidationRequest> {
  if (text === '') return good({ log: null });
  const [, directory] = /^log(?::(.*))?$/s.exec(text) ?? [];
  if (text !== 'log' && !directory) return bad('Invalid Validation: give -c, -clog or -clog:DIR');
  return good({ log: { directory: directory ?? DEFAULT_LOG_DIRECTORY } });
}

function parsePercentiles(text: string): Checked<readonly number[]> {
  if (text === '') return good(DEFAULT_PERCENTILES);
  const values = parseList(text, (part) => parseDecimal(part, 0, 100));
  return values ? good(values) : bad('Percentile range must be in between 0 and 100');
}

/** Formats of the peer that are not made here. */
const OTHER_GRAPHS = ['png', 'pdf'];

function parseGraphs(text: string): Checked<readonly GraphFormat[]> {
  const names = text.toLowerCase().split(',');
  const other = names.find((name) => OTHER_GRAPHS.includes(name.trim()));
  if (other !== undefined) return bad(`Invalid Graph: ${other.trim()} is not made here, give svg or html instead`);
  const reason = 'Invalid Graph: give tty, svg or html, with commas between';
  const graphs = parseList(text, (name) => {
    const word = oneWord(name, ['tty', 'svg', 'html'], reason);
    return word.ok ? word.value : undefined;
  });
  return orBad(graphs && [...new Set(graphs)], reason);
}

/** A single colon begins the file; several belong to the name of an event, as in `perf::CYCLES` and `infiniband:::mlx5_0`. */
function parsePapi(text: string): Checked<PapiRequest> {
  const [, names = '', file] = /^((?:[^:]|:{2,})*)(?::(?!:)(.*))?$/s.exec(text) ?? [];
  const events = parseList(names, (name) => (name === '' || name.endsWith(':') ? undefined : name));
  if (!events || file === '') return bad('Invalid Events: give names with commas between, and :FILE if you want');
  return good({ events, file });
}

function parseDdt(text: string): Checked<DdtRequest> {
  const colon = text.indexOf(':');
  const kind = (colon < 0 ? text : text.slice(0, colon)).toLowerCase();
  const rest = colon < 0 ? undefined : text.slice(colon + 1);
  if (kind === 'cont' && rest === undefined) return good({ kind });
  if (kind === 'indx' && rest) return good({ kind, file: rest });
  if (kind === 'vect') return parseVector(rest);
  return bad('Invalid ddt type: give cont, vect:STRIDE:BLOCK or indx:FILE');
}

function parseVector(text: string | undefined): Checked<DdtRequest> {
  if (text === undefined) return good({ kind: 'vect', ...DEFAULT_VECTOR });
  const [stride, block, ...more] = text.split(':').map((part) => parseInteger(part, 1, 2 ** 31 - 1));
  const whole = stride !== undefined && block !== undefined && more.length === 0 && stride >= block;
  return whole
    ? good({ kind: 'vect', stride, block })
    : bad('Invalid ddt type: give vect:STRIDE:BLOCK in elements, STRIDE at least BLOCK, BLOCK from 1');
}

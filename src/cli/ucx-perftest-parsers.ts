/** What the arguments of ucx_perftest's options mean: one parser each. Reasons stand after the option that they are of. */
import { WATCHDOG_LIMIT } from '../engine/watchdog.js';
import { parseNoise } from './noise.js';
import type { UcxTestFacts } from '../report/ucx-perftest-types.js';
import { bindingParsers } from './binding-options.js';
import { flag } from './osu-pattern-parsers.js';
import { parseOutputFile } from './outputs.js';
import type { UcpLayoutName, UctLayoutName } from './ucx-perftest-options.js';
import { parsePieces, parseSweep } from './ucx-perftest-sizes.js';
import {
  bad,
  good,
  oneOf,
  orBad,
  parseBytes,
  parseCpuList,
  parseDecimal,
  parseInteger,
  type Checked,
} from './values.js';

/** `-D`: which of the two kinds of layout was meant can be told by its words. */
export type LayoutChoice =
  | { readonly api: 'uct'; readonly layout: UctLayoutName }
  | { readonly api: 'ucp'; readonly send: UcpLayoutName; readonly receive: UcpLayoutName | undefined };

const UCT_LAYOUTS = ['short', 'shortiov', 'bcopy', 'zcopy'] as const;
const UCP_LAYOUTS = ['contig', 'iov'] as const;
/** Of UCX 1.13.1; which of them are there is known to the UCX that runs. */
const MEMORY_TYPES = ['host', 'cuda', 'cuda-managed', 'rocm', 'rocm-managed'];
const MOST_THREADS = 1024;
const MOST_INT = 2 ** 31 - 1;

const word =
  <const T extends string>(...words: readonly T[]) =>
  (text: string): Checked<T> =>
    orBad(
      words.find((choice) => choice === text),
      `"${text}" is not ${listed(words)}`,
    );

const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): Checked<number> =>
    orBad(parseInteger(text, min, max), `"${text}" is no integer ${rangeText(min, max)}`);

const bytes = (text: string): Checked<number> => orBad(parseBytes(text), `"${text}" is no number of bytes`);

const filled = (text: string): Checked<string> => (text === '' ? bad('it is empty') : good(text));

/** One parser per option. `tests` is the table of what `-t` knows. */
export function ucxParsers(tests: readonly UcxTestFacts[]) {
  return {
    ...testParsers(tests),
    ...processParsers,
  };
}

function testParsers(tests: readonly UcxTestFacts[]) {
  return {
    test: (text: string) =>
      orBad(tests.find(({ name }) => name === text)?.name, `"${text}" is none of the tests that the help lists`),
    pieces: parsePieces,
    memory: parseMemory,
    iterations: integer(0),
    warmup: integer(0),
    outstanding: integer(0, MOST_INT),
    stride: bytes,
    loopback: flag,
    'one-sided': flag,
    'non-blocking': flag,
    percentile: (text: string) => orBad(parseDecimal(text, 0, 100), `"${text}" is no percentile from 0 to 100`),
    validate: flag,
    quiet: flag,
    device: filled,
    transport: filled,
    layout: parseLayout,
    'flow-control': integer(1, MOST_INT),
    header: bytes,
    'async-mode': word('thread_spinlock', 'thread_mutex', 'signal'),
    threads: integer(1, MOST_THREADS),
    'thread-mode': word('single', 'serialized', 'multi'),
    wildcard: flag,
    unexpected: flag,
    'stream-receive': word('recv', 'recv_data'),
    'error-handling': flag,
    'wait-mode': word('poll', 'sleep'),
    preregistered: flag,
    'am-copy': flag,
    info: flag,
  };
}

const outputFile = parseOutputFile('give a file name, or - for stdout');

const processParsers = {
  cpus: (text: string) => orBad(parseCpuList(text), `"${text}" is no list of processors, as in 0,2-3`),
  batch: filled,
  port: integer(1, 65535),
  ipv6: flag,
  'launcher-mode': (text: string) => oneOf(text, { 0: false, 1: true }, `"${text}" is not 0 or 1`),
  help: flag,
  thousands: flag,
  final: flag,
  csv: flag,
  'extra-info': flag,
  sizes: parseSweep,
  stats: flag,
  json: outputFile,
  'csv-file': outputFile,
  markdown: outputFile,
  samples: flag,
  watchdog: (text: string) =>
    orBad(parseDecimal(text, 0, WATCHDOG_LIMIT), `"${text}" is no number of seconds up to ${WATCHDOG_LIMIT}, 0 = off`),
  ...bindingParsers,
  noise: parseNoise,
  once: flag,
};

function parseLayout(text: string): Checked<LayoutChoice> {
  const layout = UCT_LAYOUTS.find((name) => name === text);
  if (layout) return good({ api: 'uct', layout });
  const [send, receive, ...more] = text.split(',').map((part) => UCP_LAYOUTS.find((name) => name === part));
  const whole = send !== undefined && more.length === 0 && (receive !== undefined || !text.includes(','));
  const choices = `${listed(UCT_LAYOUTS)} of UCT, or contig or iov of UCP, the sender's and the receiver's`;
  return whole ? good({ api: 'ucp', send, receive }) : bad(`"${text}" is not ${choices}`);
}

function parseMemory(text: string): Checked<readonly [send: string, receive: string]> {
  const names = text.split(',');
  const unknown = names.find((name) => !MEMORY_TYPES.includes(name));
  if (unknown !== undefined) return bad(`unsupported memory type: "${unknown}", give ${listed(MEMORY_TYPES)}`);
  const [send = '', receive = send, ...more] = names;
  return more.length > 0 ? bad(`"${text}" has more than a sender's and a receiver's type`) : good([send, receive]);
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function rangeText(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
}

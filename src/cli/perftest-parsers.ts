/** What the arguments of the ib_* programs' options mean: one parser each. Reasons stand after the option that they are of. */
import { isIP } from 'node:net';
import { WATCHDOG_LIMIT } from '../engine/watchdog.js';
import { bindingParsers } from './binding-options.js';
import { parseNoise } from './noise.js';
import { flag } from './osu-pattern-parsers.js';
import { parseOutputFile } from './outputs.js';
import { MOST_INLINE } from './perftest-table.js';
import { parseSweep } from './ucx-perftest-sizes.js';
import { bad, good, orBad, parseBytes, parseDecimal, parseInteger, parseList, type Checked } from './values.js';
import type { Given } from './yargs.js';

/** Every value given, by option. */
export type GivenPerftest = Given<typeof perftestParsers>;

export const LEAST_ITERATIONS = 5;
const MOST_ITERATIONS = 100_000_000;
const MOST_SIZE = 2 ** 31 - 1;
const MOST_DEPTH = 15_000;
const MOST_RX_DEPTH = 16_384;
const MOST_SECONDS = 10 ** 8;
const MOST_FLOW_LABEL = 2 ** 20 - 1;

const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): Checked<number> =>
    orBad(parseInteger(text, min, max), `"${text}" is no integer ${rangeText(min, max)}`);

const word =
  <const T>(...words: readonly T[]) =>
  (text: string): Checked<T> =>
    orBad(
      words.find((choice) => String(choice) === text),
      `"${text}" is not ${listed(words.map(String))}`,
    );

/** A number above 0; no exponent, sign or unit. */
const positive =
  (what: string, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): Checked<number> => {
    const value = parseDecimal(text, 0, max);
    return orBad(value === 0 ? undefined : value, `"${text}" is no ${what} above 0`);
  };

const notNegative =
  (what: string, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): Checked<number> =>
    orBad(parseDecimal(text, 0, max), `"${text}" is no ${what}`);

const filled = (text: string): Checked<string> => (text === '' ? bad('it is empty') : good(text));

const testParsers = {
  all: flag,
  size: parseSize,
  sizes: parseSizes,
  'atomic-type': word('FETCH_AND_ADD', 'CMP_AND_SWAP'),
  connection: word('RC', 'UC', 'UD', 'XRC', 'DC', 'SRD', 'RawEth'),
  iterations: integer(LEAST_ITERATIONS, MOST_ITERATIONS),
  duration: positive('number of seconds', MOST_SECONDS),
  margin: notNegative('number of seconds', MOST_SECONDS),
  'run-infinitely': flag,
  bidirectional: flag,
  reversed: flag,
  'latency-gap': notNegative('number of microseconds', MOST_SECONDS),
  'write-imm': flag,
  'send-imm': flag,
  validate: flag,
  'warm-up': flag,
};

const queueParsers = {
  qps: integer(1, 16384),
  'tx-depth': integer(1, MOST_DEPTH),
  'rx-depth': integer(1, MOST_RX_DEPTH),
  'cq-mod': integer(1, 1024),
  'cqe-poll': integer(1, 1024),
  'fixed-polling': flag,
  'post-list': integer(1, MOST_DEPTH),
  'recv-post-list': integer(1, MOST_RX_DEPTH),
  inline: integer(0, MOST_INLINE),
  outs: integer(1, 255),
  events: flag,
  vector: integer(0, 65535),
  srq: flag,
  'mr-per-qp': flag,
  'huge-pages': flag,
  odp: flag,
  'no-relaxed': flag,
  'old-post-send': flag,
  'wait-destroy': notNegative('number of seconds', MOST_SECONDS),
};

const pathParsers = {
  device: filled,
  'ib-port': integer(1, 255),
  'gid-index': integer(0, 255),
  mtu: word(256, 512, 1024, 2048, 4096),
  sl: integer(0, 15),
  tos: integer(0, 255),
  tclass: integer(0, 255),
  'hop-limit': integer(0, 255),
  'flow-label': (text: string) =>
    orBad(
      parseList(text, (part) => parseInteger(part, 0, MOST_FLOW_LABEL)),
      `"${text}" is no list of integers from 0 to ${MOST_FLOW_LABEL}`,
    ),
  dlid: integer(1, 65535),
  'pkey-index': integer(0, 65535),
  'qp-timeout': integer(0, 31),
  'retry-count': integer(0, 7),
  'force-link': (text: string) => word('IB', 'ETHERNET')(text.toUpperCase()),
  ipv6: flag,
};

const meetingParsers = {
  port: integer(1, 65535),
  'ipv6-addr': flag,
  source: (text: string) => (isIP(text) === 0 ? bad(`"${text}" is no IP address`) : good(text)),
  'rdma-cm': flag,
  'comm-rdma-cm': flag,
  'no-versions': flag,
  peer: word('perftest'),
  serve: flag,
  incast: flag,
};

const outputParsers = {
  cycles: flag,
  histogram: flag,
  unsorted: flag,
  'no-peak': flag,
  gbits: flag,
  'report-both': flag,
  'cpu-util': flag,
  counters: parseCounters,
  output: word('bandwidth', 'message_rate', 'latency'),
  'limit-bw': notNegative('bandwidth from 0'),
  'limit-msgrate': notNegative('number of messages from 0'),
  'out-json': flag,
  'out-json-file': filled,
  'cpu-freq': flag,
  version: flag,
  help: flag,
};

const rateParsers = {
  'rate-limit': positive('rate'),
  'rate-units': word('g', 'M', 'p'),
  'rate-limit-type': word('SW', 'HW', 'PP'),
  'burst-size': integer(1, MOST_DEPTH),
};

const outputFile = parseOutputFile('give a file name, or - for stdout');

const ownParsers = {
  stats: flag,
  json: outputFile,
  csv: outputFile,
  markdown: outputFile,
  samples: flag,
  watchdog: notNegative(`number of seconds up to ${WATCHDOG_LIMIT}, 0 = off`, WATCHDOG_LIMIT),
  ...bindingParsers,
  'no-numa': flag,
  noise: parseNoise,
};

export const perftestParsers = {
  ...testParsers,
  ...queueParsers,
  ...pathParsers,
  ...meetingParsers,
  ...outputParsers,
  ...rateParsers,
  ...ownParsers,
};

function isSize(size: number | undefined): size is number {
  return size !== undefined && size >= 1 && size <= MOST_SIZE;
}

function parseSize(text: string): Checked<number> {
  const size = parseBytes(text);
  return isSize(size) ? good(size) : bad(`"${text}" is no number of bytes from 1 to ${MOST_SIZE}, as in 8 or 64K`);
}

function parseSizes(text: string): Checked<readonly number[]> {
  const sizes = parseSweep(text);
  if (!sizes.ok || sizes.value.every(isSize)) return sizes;
  return bad(`"${text}" has a size that is not from 1 to ${MOST_SIZE}`);
}

/** Files below the port's folder: `counters/port_xmit_data`. Nothing that leaves it. */
function parseCounters(text: string): Checked<readonly string[]> {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !/^\w+(\/\w+)*$/.test(name));
  return wrong === undefined ? good(names) : bad(`"${wrong}" is no counter, as in hw_counters/out_of_buffer`);
}

function listed(words: readonly string[]): string {
  const others = words.slice(0, -1);
  return others.length === 0 ? (words[0] ?? '') : `${others.join(', ')} or ${words.at(-1) ?? ''}`;
}

function rangeText(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
}

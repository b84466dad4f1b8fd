/** Parsers of the options of single patterns: collectives, neighbourhoods, threads, one-sided. */
import type { NeighbourRequest, OsuSpec, RootRequest, Workers } from './options.js';
import { MOST_WORKERS, oneSidedOf } from './osu-defaults.js';
import { bad, good, oneWord, orBad, parseBytes, parseInteger, parseList, type Checked } from './values.js';

const MOST_RANKS = 2 ** 31 - 1;

/** One parser per option of this part; `osuParsers` joins them with the others. */
export function patternParsers(spec: OsuSpec) {
  return {
    full: flag,
    'mem-limit': (text: string) => orBad(parseBytes(text), 'Invalid Memory Limit: give bytes, as in -M 64M'),
    'root-rank': parseRoot,
    'in-place': flag,
    nhbr: parseNeighbours,
    'num-test-calls': (text: string) =>
      orBad(parseInteger(text, 0), 'Invalid Number of Test Calls: give an integer from 0'),
    'num-threads': parseWorkers,
    'window-option': (text: string) =>
      oneWord(text, ['create', 'allocate', 'dynamic'], 'Invalid Window Creation: give create, allocate or dynamic'),
    'sync-option': (text: string) => {
      const { synchronizations } = oneSidedOf(spec);
      const reason = `Invalid Synchronization: this benchmark takes ${synchronizations.join(', ')}`;
      return oneWord(text, synchronizations, reason);
    },
    'array-size': (text: string) => orBad(parseInteger(text, 1), 'Invalid Array Size: give an integer from 1'),
    'cuda-target': (text: string) => oneWord(text, ['cpu', 'gpu', 'both'], 'Invalid Target: give cpu, gpu or both'),
    sync: (text: string) =>
      oneWord(
        text,
        ['barrier', 'dissemination', 'none'],
        'Invalid Process Synchronization: give barrier, dissemination or none',
      ),
    'per-repetition': flag,
    'off-cache': flag,
    'comm-size': (text: string) =>
      orBad(
        parseList(text, (part) => parseInteger(part, 1, MOST_RANKS)),
        'Invalid Communicator Sizes: give numbers of ranks with commas between, as in --comm-size 2,4,8',
      ),
    'nodes-by': (text: string) =>
      orBad(parseInteger(text, 1, MOST_RANKS), 'Invalid Number of Ranks per Node: give an integer from 1'),
  };
}

/** For options without an argument. */
export function flag(): Checked<true> {
  return good(true);
}

function parseRoot(text: string): Checked<RootRequest> {
  const [, digits] = /^fixed:(.*)$/i.exec(text) ?? [];
  const rank = parseInteger(digits ?? '', 0, MOST_RANKS);
  if (rank !== undefined) return good({ kind: 'fixed', rank });
  if (text.toLowerCase() === 'rotate') return good({ kind: 'rotate' });
  return bad('Invalid Root: give fixed:RANK or rotate');
}

function parseNeighbours(text: string): Checked<NeighbourRequest> {
  const [, file] = /^graph:(.+)$/is.exec(text) ?? [];
  if (file !== undefined) return good({ kind: 'graph', file });
  const [kind, ...numbers] = text.split(':');
  const [dims, radius, ...more] = numbers.map((part) => parseInteger(part, 1, MOST_RANKS));
  const whole = kind?.toLowerCase() === 'cart' && dims !== undefined && radius !== undefined && more.length === 0;
  return whole
    ? good({ kind: 'cart', dims, radius })
    : bad('Invalid Neighbourhood: give cart:DIMENSIONS:RADIUS, both from 1, or graph:FILE');
}

function parseWorkers(text: string): Checked<Workers> {
  const numbers = text.split(':').map((part) => parseInteger(part, 1, MOST_WORKERS));
  const [send, receive] = numbers.length === 1 ? [1, numbers[0]] : numbers;
  return send !== undefined && receive !== undefined && numbers.length <= 2
    ? good({ send, receive })
    : bad(`Invalid Number of Threads: give RECEIVERS or SENDERS:RECEIVERS, each from 1 to ${MOST_WORKERS}`);
}

/** Prints again what perftest 4.5 printed: from its figures, from what its box tells of the device, and from its options. */
import { cqModFor } from '../../src/cli/perftest-depths.js';
import type { PerftestOptions } from '../../src/cli/perftest-options.js';
import type {
  BandwidthFigures,
  LatencyFigures,
  PerftestAddress,
  PerftestHeader,
  PerftestText,
} from '../../src/report/perftest-types.js';
import type { PerftestCapture } from './perftest-cases.js';

export const RULE = '-'.repeat(87);
const MIB = 2 ** 20;
const GBIT = 1e9 / 8;

/** What the peer prints before its box or its words of waiting: notes, which ours has on stderr, and rules around them. */
function withoutNotes(text: string): string {
  const start = /(^|\n)(\n\*\*\*|-{87}\n {20})/.exec(text);
  return start ? text.slice(start.index + (start[1] ?? '').length) : text;
}

/** What is no part of the table: a word before the end, and the new line that is missing where the peer was interrupted. */
export function tableOf(text: string): string {
  return `${withoutNotes(text)
    .replace(/ Waiting \d+ seconds before releasing resources\.\.\.\n/, '')
    .trimEnd()}\n`;
}

/** Where our text is another on purpose. */
export function asOurs({ argv }: Pick<PerftestCapture, 'argv'>, text: string): string {
  const finite = text.replace(/(?<=[ \t])-?(inf|nan) *(?=[ \t\n])/g, (word) => '0.00'.padEnd(word.length));
  return argv.includes('-C') ? finite.replaceAll('[usec]', '[cycles]') : finite;
}

interface Reader {
  readonly lines: readonly string[];
  at: number;
}

type Piece = (reader: Reader, options: PerftestOptions, text: PerftestText) => string;

/** Takes lines; the pieces know how many. */
function take(reader: Reader, count: number): readonly string[] {
  const taken = reader.lines.slice(reader.at, reader.at + count);
  reader.at += count;
  return taken;
}

function takeWhile(reader: Reader, holds: (line: string) => boolean): readonly string[] {
  let count = 0;
  while (reader.at + count < reader.lines.length && holds(reader.lines[reader.at + count] ?? '')) ++count;
  return take(reader, count);
}

/** What our text is for all that stands in `captured`. */
export function replay(captured: string, options: PerftestOptions, text: PerftestText): string {
  const reader: Reader = { lines: captured.trimEnd().split('\n'), at: 0 };
  let out = '';
  while (reader.at < reader.lines.length) {
    const start = reader.at;
    out += pieceAt(reader)(reader, options, text);
    if (reader.at === start) throw new Error(`nothing is made of: ${reader.lines[start]}`);
  }
  return out;
}

function pieceAt({ lines, at }: Reader): Piece {
  const line = lines[at] ?? '';
  const next = lines[at + 1] ?? '';
  if (line === '' && next.startsWith('***')) return waiting;
  if (line === '' && next.startsWith(' Local results')) return both;
  if (line === RULE && next.startsWith(' '.repeat(20))) return box;
  if (line === RULE && next.startsWith(' #bytes')) return columns;
  if (line === RULE) return end;
  if (/^ (local|remote) address/.test(line)) return address;
  if (line.startsWith('#, ')) return samples;
  if (line.startsWith('\t')) return counters;
  if (/^ \d/.test(line)) return row;
  if (/^\d/.test(line)) return number;
  throw new Error(`not known: ${line}`);
}

const waiting: Piece = (reader, _, text) => {
  take(reader, 4);
  return text.waiting();
};

const box: Piece = (reader, options, text) => {
  take(reader, 1);
  const lines = takeWhile(reader, (line) => line !== RULE);
  take(reader, 1);
  if (reader.lines[reader.at]?.startsWith(' Waiting for client rdma_cm') === true) take(reader, 3);
  return text.header(headerOf(lines, options));
};

/** Depths are not read but come from the options, as the program has them. */
function headerOf(lines: readonly string[], options: PerftestOptions): PerftestHeader {
  const cells = new Map<string, string>();
  for (const cell of lines.flatMap((line) => line.split('\t\t'))) {
    const [, name, value] = /^ ?(.*?)\s*: (.*)$/.exec(cell) ?? [];
    if (name !== undefined && value !== undefined) cells.set(name, value);
  }
  const value = (name: string): string => cells.get(name) ?? '';
  const [size = 0] = options.sizes;
  return {
    device: value('Device'),
    transport: value('Transport type') === 'IB' ? 'IB' : 'iWARP',
    mtu: parseInt(value('Mtu'), 10),
    linkLayer: value('Link type') === 'Ethernet' ? 'Ethernet' : 'IB',
    ...(cells.has('GID index') && { gidIndex: Number(value('GID index')) }),
    maxInline: parseInt(value('Max inline data'), 10),
    ...(cells.has('Outstand reads') && { outstandingReads: Number(value('Outstand reads')) }),
    wrApi: value('ibv_wr* API') === 'ON',
    cqMod: cqModFor(options, size),
    txDepth: options.txDepth,
    rxDepth: options.rxDepth,
    usingSrq: value('Using SRQ') === 'ON',
    sender: cells.has('TX depth'),
  };
}

const address: Piece = (reader, _, text) => {
  const [line = ''] = take(reader, 1);
  const [gidLine] = takeWhile(reader, (other) => other.startsWith(' GID:'));
  const value = (name: string): string | undefined => new RegExp(`${name} (\\S+)`).exec(line)?.[1];
  const number = (name: string) => Number.parseInt(value(name) ?? '', 16);
  const has = (name: string) => value(name) !== undefined;
  const found: PerftestAddress = {
    ...{ lid: number('LID'), qpn: number('QPN'), psn: number('PSN') },
    ...(has('OUT') && { outReads: number('OUT') }),
    ...(has('RKey') && { rkey: number('RKey') }),
    ...(has('VAddr') && { vaddr: BigInt(value('VAddr') ?? 0) }),
    ...(has('SRQn') && { srqn: number('SRQn') }),
    ...(gidLine !== undefined && { gid: Uint8Array.from(gidLine.slice(6).split(':').map(Number)) }),
  };
  return text.address(line.startsWith(' local') ? 'local' : 'remote', found);
};

const columns: Piece = (reader, _, text) => {
  take(reader, 2);
  return text.columns();
};

const end: Piece = (reader, _, text) => {
  take(reader, 1);
  return text.end();
};

const samples: Piece = (reader, options, text) => {
  take(reader, 1);
  const times = takeWhile(reader, (line) => /^\d+, /.test(line)).map((line) => Number(line.split(', ')[1]));
  take(reader, 2);
  return text.samples(times.map((time) => time / perSecond(options)));
};

const counters: Piece = (reader, _, text) => {
  const pairs = takeWhile(reader, (line) => line.startsWith('\t')).map((line) => line.trim().split('='));
  take(reader, 1);
  return text.counters(pairs.map(([name = '', value = '']) => [name, BigInt(value)] as const));
};

const row: Piece = (reader, options, text) => {
  const [line = ''] = take(reader, 1);
  return options.kind === 'lat' ? text.latency(latencyOf(line, options)) : text.bandwidth(bandwidthOf(line, options));
};

const number: Piece = (reader, options, text) => {
  const value = Number(take(reader, 1)[0]);
  const nothing = { size: 1, iterations: 1, min: null, max: null, typical: null, stdev: null, p99: null, p999: null };
  if (options.kind === 'lat') return text.latency({ ...nothing, average: value / 1e6 });
  const rate = options.output === 'message_rate' ? value * 1e6 : 0;
  return text.bandwidth({ size: 1, iterations: 1, peak: null, average: value * unitOf(options), messageRate: rate });
};

const both: Piece = (reader, options, text) => {
  const rows = take(reader, 12).filter((line) => /^ \d/.test(line));
  const [local, remote] = rows.map((line) => bandwidthOf(line, options));
  if (!local || !remote) throw new Error('two rows are missing');
  return text.both(local, remote);
};

/** As the tests of the text are told: a gigahertz. */
function perSecond({ cycles }: PerftestOptions): number {
  return cycles ? 1e9 : 1e6;
}

function unitOf({ gbits }: PerftestOptions): number {
  return gbits ? GBIT : MIB;
}

/** Numbers of a row; what the peer could not tell is null. */
function cellsOf(line: string): readonly (number | null)[] {
  return words(line).map((word) => (Number.isFinite(Number(word)) ? Number(word) : null));
}

function words(line: string): string[] {
  return line.split(/\s+/).filter(Boolean);
}

function latencyOf(line: string, options: PerftestOptions): LatencyFigures {
  const [size, iterations, ...times] = cellsOf(line);
  const seconds = times.map((time) => (time === null ? null : time / perSecond(options)));
  const start = { size: size ?? 0, iterations: iterations ?? 0 };
  const [min = null, max = null, typical = null, average = null, stdev = null, p99 = null, p999 = null] = seconds;
  if (!options.duration) return { ...start, min, max, typical, average, stdev, p99, p999 };
  const unknown = { max: null, typical: null, stdev: null, p99: null, p999: null };
  const [, tps = null, cpuUtil = null] = times;
  return { ...start, ...unknown, min: null, average: min, tps, ...(cpuUtil !== null && { cpuUtil }) };
}

function bandwidthOf(line: string, options: PerftestOptions): BandwidthFigures {
  const [size, iterations, peak = null, average = null, rate = null, cpuUtil = null] = cellsOf(line);
  const bytes = (value: number | null) => (value === null ? null : value * unitOf(options));
  return {
    ...{ size: size ?? 0, iterations: iterations ?? 0, peak: bytes(peak), average: bytes(average) },
    messageRate: rate === null ? null : rate * 1e6,
    ...(cpuUtil !== null && { cpuUtil }),
  };
}

/** Titles and boxes of perftest: what was measured, and on what. */
import type { Json, VerbsRecord } from '../types.js';

export interface Title {
  readonly name: string;
  readonly verb: 'send' | 'write' | 'read' | 'atomic' | undefined;
  readonly kind: 'lat' | 'bw';
  readonly parameters: Readonly<Record<string, Json>>;
}

const TITLE = /^([A-Za-z]\S*(?: \S+){0,5}?) (BW|Latency) Test$/;
const VERBS = ['send', 'write', 'read', 'atomic'] as const;

/** `RDMA_Write Bidirectional Post List BW Test`; undefined where the line is none. */
export function titleOf(text: string): Title | undefined {
  const [, words = '', last = ''] = TITLE.exec(text.replace(/\s+/g, ' ')) ?? [];
  const verb = VERBS.find((name) => new RegExp(`^(?:rdma_)?${name}`, 'i').test(words));
  if (verb === undefined) return undefined;
  const kind = last === 'BW' ? 'bw' : 'lat';
  const [, atomic] = /\b(FETCH_AND_ADD|CMP_AND_SWAP)\b/.exec(words) ?? [];
  const bidirectional = kind === 'bw' ? { bidirectional: words.includes('Bidirectional') } : {};
  const parameters = { verb, ...bidirectional, ...(atomic === undefined ? {} : { atomic }) };
  return { name: `ib_${verb}_${kind}`, verb, kind, parameters };
}

/** Keys of the box, of all versions. */
const KEYS = [
  ...['Dual-port', 'Device', 'Number of qps', 'Transport type', 'Connection type', 'Using SRQ', 'PCIe relax order'],
  ...['Lock-free', 'ibv_wr\\* API', 'Using Enhanced Reorder', 'Using DDP', 'TX depth', 'Recv Post List', 'Post List'],
  ...['RX depth', 'CQ Moderation', 'CQE Poll Batch', 'Mtu', 'Link type', 'GID index', 'Max inline data'],
  ...['Outstand reads', 'rdma_cm QPs', 'Use \\S+ memory', 'Data ex\\. method', 'TOS'],
];
const KEY = new RegExp(`(?:^|\\s)(${KEYS.join('|')})\\s*:\\s*`, 'g');

/** What a line of the box says, by its keys; empty where it is none. */
export function boxOf(text: string): ReadonlyMap<string, string> {
  if (!text.includes(':')) return new Map();
  const found = [...text.matchAll(KEY)];
  if (found[0]?.index !== 0) return new Map();
  return new Map(
    found.map((match, at) => [match[1] ?? '', text.slice(match.index + match[0].length, found[at + 1]?.index).trim()]),
  );
}

const number = (value: string): number => Number(/^\d+/.exec(value)?.[0] ?? NaN);
const flag = (value: string): boolean => value === 'ON';

/** Names of the record's parameters, and how the box writes them. */
const PARAMETERS: Readonly<Record<string, readonly [name: string, value: (text: string) => Json]>> = {
  'Connection type': ['connection', (value) => value],
  'Number of qps': ['qps', number],
  'Post List': ['postList', number],
  'TX depth': ['txDepth', number],
  'RX depth': ['rxDepth', number],
  'CQ Moderation': ['cqMod', number],
  'Max inline data': ['inline', number],
  'Outstand reads': ['outstandingReads', number],
  'Using SRQ': ['srq', flag],
  'rdma_cm QPs': ['rdmaCm', flag],
};

export function parametersOf(box: ReadonlyMap<string, string>): Record<string, Json> {
  return Object.fromEntries(
    [...box].flatMap(([key, text]) => {
      const [name, value] = PARAMETERS[key] ?? [];
      return name === undefined || value === undefined ? [] : [[name, value(text)]];
    }),
  );
}

/** Settings that are no parameters of rows. */
export function optionsOf(box: ReadonlyMap<string, string>): Record<string, Json> {
  const own = ['Transport type', 'PCIe relax order', 'ibv_wr* API', 'Recv Post List', 'CQE Poll Batch', 'GID index'];
  return Object.fromEntries(
    [...own, 'Data ex. method', 'TOS'].flatMap((key) => (box.has(key) ? [[key, box.get(key) ?? '']] : [])),
  );
}

export function verbsOf(box: ReadonlyMap<string, string>, before: VerbsRecord | null | undefined): VerbsRecord {
  const [device, link, mtu] = [box.get('Device'), box.get('Link type'), box.get('Mtu')];
  return {
    ...(before ?? { version: null }),
    ...(device === undefined || device === '' ? {} : { device }),
    ...(link === undefined ? {} : { linkLayer: link }),
    ...(mtu === undefined ? {} : { mtu: number(mtu) }),
  };
}

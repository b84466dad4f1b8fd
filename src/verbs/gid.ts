/** Which GID a path begins with, and why. */
import type { GidEntry, LinkLayer } from './types.js';

export interface GidRequest {
  readonly linkLayer: LinkLayer;
  /** The other side's, where it has told them: both sides then choose a pair that goes together. */
  readonly peer?: readonly GidEntry[];
  /** Only addresses of IPv6. */
  readonly ipv6?: boolean;
  /** The one that the user wants. */
  readonly index?: number;
}

export interface GidChoice {
  /** Null: paths need none. */
  readonly entry: GidEntry | null;
  /** What the other side chooses by the same rules; null where its GIDs aren't known or needed. */
  readonly peer: GidEntry | null;
  /** Why it is this one: a sentence for people, without a full stop. */
  readonly why: string;
}

interface Pair {
  readonly own: GidEntry;
  readonly peer: GidEntry;
}

/** Bytes of the address that make a subnet of common size, the nearest first. The table of GIDs tells no netmask. */
const subnets = {
  ipv4: [
    { bytes: 15, name: '/24' },
    { bytes: 14, name: '/16' },
  ],
  ipv6: [
    { bytes: 8, name: '/64' },
    { bytes: 6, name: '/48' },
  ],
} as const;
const PREFIX_BYTES = 8;

const isLinkLocal = ({ gid }: GidEntry): boolean => gid[0] === 0xfe && ((gid[1] ?? 0) & 0xc0) === 0x80;

function commonBits(a: Uint8Array, b: Uint8Array): number {
  const byte = a.findIndex((value, index) => value !== b[index]);
  return byte < 0 ? a.length * 8 : byte * 8 + Math.clz32((a[byte] ?? 0) ^ (b[byte] ?? 0)) - 24;
}

/** The subnet that both most likely are in; undefined where none is likely. */
function sharedSubnet({ own, peer }: Pair): { readonly rank: number; readonly name: string } | undefined {
  const sizes = own.ipv4 ? subnets.ipv4 : subnets.ipv6;
  const common = commonBits(own.gid, peer.gid);
  const place = sizes.findIndex(({ bytes }) => common >= bytes * 8);
  const found = sizes[place];
  return found && { rank: sizes.length - place, name: found.name };
}

/** Better entries have greater lists: what can be routed, then IPv4 (as perftest prefers it), then RoCE v2. */
function worth(entry: GidEntry): number[] {
  return [isLinkLocal(entry) ? 0 : 1, entry.ipv4 ? 1 : 0, entry.type === 'RoCE v2' ? 1 : 0];
}

/** The same on both sides. Addresses of the link alone share a /64 everywhere, which says nothing. */
function worthOfPair(pair: Pair): number[] {
  const [routable = 0, ...rest] = worth(pair.own);
  const near = routable === 1 ? (sharedSubnet(pair)?.rank ?? 0) : 0;
  return [routable, near, ...rest, commonBits(pair.own.gid, pair.peer.gid), -(pair.own.index + pair.peer.index)];
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((value, index) => value !== b[index]);
  return place < 0 ? 0 : (a[place] ?? 0) - (b[place] ?? 0);
}

const names = ({ own, peer }: Pair): string => [own.text, peer.text].sort().join(' ');

function comparePairs(a: Pair, b: Pair): number {
  const byWorth = compareLists(worthOfPair(b), worthOfPair(a));
  if (byWorth !== 0) return byWorth;
  return names(a) < names(b) ? -1 : 1;
}

function address({ text, ipv4 }: GidEntry): string {
  return ipv4 ? text.replace(/^::ffff:/i, '') : text;
}

/** E.g. `GID 3, 10.1.0.5 on eth2 (RoCE v2)`. */
export function gidLabel(entry: GidEntry): string {
  const place = entry.netdev === null ? '' : ` on ${entry.netdev}`;
  return `GID ${entry.index}, ${address(entry)}${place} (${entry.type})`;
}

const kinds = (gids: readonly GidEntry[]): string =>
  [...new Set(gids.map(({ type, ipv4 }) => `${type} with ${ipv4 ? 'IPv4' : 'IPv6'}`))].join(', ') || 'none';

function asked(own: readonly GidEntry[], index: number): GidChoice {
  const entry = own.find((each) => each.index === index);
  if (entry) return { entry, peer: null, why: `${gidLabel(entry)}: asked for by its index` };
  const has = own.length === 0 ? 'the port has none' : `the port has ${own.map((each) => each.index).join(', ')}`;
  throw new RangeError(`there is no GID of index ${index}: ${has}`);
}

function onInfiniBand(own: readonly GidEntry[], peer: readonly GidEntry[]): GidChoice {
  const [here] = own;
  const [there] = peer;
  if (!here || !there || commonBits(here.gid, there.gid) >= PREFIX_BYTES * 8) {
    return { entry: null, peer: null, why: 'no GID: InfiniBand needs none within a subnet' };
  }
  return { entry: here, peer: there, why: `${gidLabel(here)}: the other side is in another subnet of InfiniBand` };
}

function nearness(pair: Pair): string {
  const there = address(pair.peer);
  if (isLinkLocal(pair.own)) return `only addresses of the link itself go with the other side's ${there}`;
  const subnet = sharedSubnet(pair);
  if (subnet) return `in one ${subnet.name} with the other side's ${there}`;
  return `the best of those that go with the other side's, though its ${there} is in another subnet`;
}

function together(own: readonly GidEntry[], peer: readonly GidEntry[]): GidChoice {
  const pairs = own.flatMap((mine) =>
    peer.filter(({ type, ipv4 }) => type === mine.type && ipv4 === mine.ipv4).map((its) => ({ own: mine, peer: its })),
  );
  const [best] = pairs.sort(comparePairs);
  if (best) return { entry: best.own, peer: best.peer, why: `${gidLabel(best.own)}: ${nearness(best)}` };
  throw new RangeError(
    `no GID of this side goes with one of the other's: here ${kinds(own)}, there ${kinds(peer)}; give both sides addresses of one kind`,
  );
}

function alone(own: readonly GidEntry[]): GidChoice {
  const [entry] = [...own].sort((a, b) => compareLists(worth(b), worth(a)) || a.index - b.index);
  if (!entry) throw new RangeError('the port has no GID: give its network interface an address');
  const kind = entry.ipv4
    ? 'of an IPv4 address'
    : isLinkLocal(entry)
      ? 'of the link itself'
      : 'of a global IPv6 address';
  return { entry, peer: null, why: `${gidLabel(entry)}: the first ${kind}, the best kind that there is` };
}

/**
 * Chooses the GID of paths from a port whose GIDs are `own`. With the other side's at hand both sides come to the same pair:
 * of one RoCE version and family, best in one subnet. Throws RangeError where there is none, in one sentence.
 */
export function chooseGid(own: readonly GidEntry[], { linkLayer, peer, ipv6, index }: GidRequest): GidChoice {
  if (index !== undefined) return asked(own, index);
  if (linkLayer === 'InfiniBand') return onInfiniBand(own, peer ?? []);
  const family = (gids: readonly GidEntry[]) => gids.filter(({ ipv4 }) => !(ipv6 === true && ipv4));
  if (ipv6 === true && own.length > 0 && family(own).length === 0) {
    throw new RangeError(
      'the port has no GID of IPv6: leave --ipv6 out, or give its network interface such an address',
    );
  }
  return peer === undefined || own.length === 0 ? alone(family(own)) : together(family(own), family(peer));
}

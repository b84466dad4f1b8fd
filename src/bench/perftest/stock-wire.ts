/**
 * What a stock perftest (4.5 says it is "6.06") writes on its TCP connection, byte for byte. Fields have fixed sizes and
 * no frames; `stock-peer.ts` knows their order.
 */
import type { Mtu } from '../../verbs/types.js';

/** What we say to be: peers from 6.28 on then leave out a step that depends on their build, and take us for a 4.5. */
export const ANNOUNCED_VERSION = '6.06';

export const VERSION_BYTES = 16;
export const NUMBER_BYTES = 4;
export const MTU_BYTES = 2;
/** Of a record with a GID, and of one without: text, and the NUL that ends it. */
export const GID_RECORD_BYTES = 108;
export const PLAIN_RECORD_BYTES = 59;
/** Of each of a report's five parts. */
export const REPORT_PART_BYTES = 8;
export const FAREWELL = Buffer.from('done\0');

const GID_BYTES = 16;
const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];

/** What one queue pair tells the other. */
export interface StockRecord {
  readonly lid: number;
  /** RDMA reads and atomics that it may have outstanding; 1 for other tests. */
  readonly outReads: number;
  readonly qpn: number;
  readonly psn: number;
  readonly rkey: number;
  /** Where it receives, or what is read. */
  readonly address: bigint;
  /** Sixteen bytes; null where no GID is used (InfiniBand within a subnet). */
  readonly gid: Uint8Array | null;
  readonly srqn: number;
}

/** Figures of a bandwidth test, in the units of the side that tells them (MiB/s or Gb/s). */
export interface StockReport {
  readonly size: bigint;
  readonly iterations: bigint;
  readonly peak: number;
  readonly average: number;
  /** Millions of messages per second. */
  readonly messageRate: number;
}

/** The peer has written something that no perftest writes. */
export class StockWireError extends Error {
  override name = 'StockWireError';
}

const shown = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString('latin1'));

/** The text before the first NUL. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

export function encodeVersion(version: string): Uint8Array {
  const bytes = Buffer.alloc(VERSION_BYTES);
  bytes.write(version, 'latin1');
  return bytes;
}

/** E.g. `6.06`. Throws StockWireError where it is no version. */
export function decodeVersion(bytes: Uint8Array): string {
  const text = textOf(bytes);
  if (/^\d+\.\d+$/.test(text)) return text;
  throw new StockWireError(
    `the peer begins with ${shown(bytes)} and not with a version: is it a perftest of the same test, without -R and -z?`,
  );
}

export function encodeNumber(value: number): Uint8Array {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}

export const decodeNumber = (bytes: Uint8Array): number => Buffer.from(bytes).readInt32BE();

/** One digit: 1 is 256 bytes, 5 is 4096. */
export function encodeMtu(mtu: Mtu): Uint8Array {
  return Buffer.from(`${MTUS.indexOf(mtu) + 1}\0`);
}

export function decodeMtu(bytes: Uint8Array): Mtu {
  const mtu = MTUS[Number.parseInt(textOf(bytes), 10) - 1];
  if (mtu !== undefined) return mtu;
  throw new StockWireError(`the peer tells the MTU ${shown(bytes)}, which is none of 1 to 5`);
}

const hex = (value: number | bigint, digits: number): string => value.toString(16).padStart(digits, '0');

/** With a GID or without, as the record has one. */
export function encodeRecord(record: StockRecord): Uint8Array {
  const { lid, outReads, qpn, psn, rkey, address, gid, srqn } = record;
  const numbers = [hex(lid, 4), hex(outReads, 4), hex(qpn, 6), hex(psn, 6), hex(rkey, 8), hex(address, 16)];
  const pairs = gid === null ? [] : [...gid].map((byte) => hex(byte, 2));
  const text = [...numbers, ...pairs, hex(srqn, 8)].join(':');
  return Buffer.from(gid === null ? `${text}\0` : `${text}:\0`);
}

/** Throws StockWireError where it is no record. */
export function decodeRecord(bytes: Uint8Array): StockRecord {
  const fields = textOf(bytes).replace(/:$/, '').split(':');
  const withGid = bytes.length === GID_RECORD_BYTES;
  const count = withGid ? 7 + GID_BYTES : 7;
  if (fields.length !== count || fields.some((field) => !/^[0-9a-f]+$/.test(field))) {
    throw new StockWireError(
      `the peer tells of its queue pair in words that no perftest uses, ${shown(bytes)}: one side may use a GID and the ` +
        'other none (-x), or run another test',
    );
  }
  const [lid = 0, outReads = 0, qpn = 0, psn = 0, rkey = 0] = fields.map((field) => Number.parseInt(field, 16));
  const gid = withGid ? Uint8Array.from(fields.slice(6, 6 + GID_BYTES), (field) => Number.parseInt(field, 16)) : null;
  const srqn = Number.parseInt(fields[count - 1] ?? '0', 16);
  return { lid, outReads, qpn, psn, rkey, address: BigInt(`0x${fields[5] ?? '0'}`), gid, srqn };
}

/** Five parts of eight bytes, which cross one by one. */
export function encodeReport(report: StockReport): readonly Uint8Array[] {
  const parts = Array.from({ length: 5 }, () => Buffer.alloc(REPORT_PART_BYTES));
  const [size, iterations, ...doubles] = parts;
  size?.writeBigUInt64BE(report.size);
  iterations?.writeBigUInt64BE(report.iterations);
  [report.peak, report.average, report.messageRate].forEach((value, index) => doubles[index]?.writeDoubleBE(value));
  return parts;
}

export function decodeReport(parts: readonly Uint8Array[]): StockReport {
  const bytes = Buffer.concat(parts);
  return {
    size: bytes.readBigUInt64BE(0),
    iterations: bytes.readBigUInt64BE(8),
    peak: bytes.readDoubleBE(16),
    average: bytes.readDoubleBE(24),
    messageRate: bytes.readDoubleBE(32),
  };
}

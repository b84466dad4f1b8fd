/** Checks work requests before they are bound. */
import { wholeNumber } from '../engine/arguments.js';
import type { NativePiece, NativeReceive, NativeSend } from './bind-native.js';
import type { Opcode, Piece, RecvWr, RemotePiece, SendWr, UdPeer } from './bind-types.js';
import type { AhBox, CqBox, MrBox, QpBox, SrqBox } from './native-types.js';
import type { AddressHandle, Cq, MemoryRegion, QpType, QueuePair, Srq } from './types.js';

type Class<T> = abstract new (...args: never[]) => T;
export type BoundQp = QueuePair & { readonly box: QpBox };
export type BoundCq = Cq & { readonly box: CqBox };

/** The classes of the objects that operations are bound to; `box` throws for those that are closed. */
export interface ObjectClasses {
  readonly qp: Class<BoundQp>;
  readonly cq: Class<BoundCq>;
  readonly mr: Class<MemoryRegion & { readonly box: MrBox }>;
  readonly ah: Class<AddressHandle & { readonly box: AhBox }>;
  readonly srq: Class<Srq & { readonly box: SrqBox }>;
}

/** Bytes in front of a datagram's data in its receive: the global routing header, whether or not it was sent. */
export const GRH_BYTES = 40;
const MOST_BYTES = 2 ** 31;
const MOST_32_BIT = 0xffff_ffff;
const MOST_24_BIT = 0xff_ffff;
const ATOMIC_BYTES = 8;

/** In the order of the table in csrc/verbs/operations_wr.cc. */
export const opcodes: readonly Opcode[] = [
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'RDMA_READ',
  'ATOMIC_FETCH_AND_ADD',
  'ATOMIC_CMP_AND_SWP',
];

const isAtomic = (opcode: Opcode): boolean => opcode.startsWith('ATOMIC');
const isSend = (opcode: Opcode): boolean => opcode.startsWith('SEND');
/** Whether data come back, and so can't go with the call. */
export const fetches = (opcode: Opcode): boolean => opcode === 'RDMA_READ' || isAtomic(opcode);

/** What a type of queue pair can post. */
const canPost: Record<QpType, (opcode: Opcode) => boolean> = {
  RC: () => true,
  XRC_SEND: () => true,
  UC: (opcode) => !fetches(opcode),
  UD: isSend,
  XRC_RECV: () => false,
  DCI: () => false,
  DCT: () => false,
};

/** `value` as an object of that class. Throws TypeError, naming it, for others. */
export function own<T>(value: unknown, kind: Class<T>, what: string): T {
  if (value instanceof kind) return value;
  throw new TypeError(`${what} must be what fabricbench/verbs made, not ${value === null ? 'null' : typeof value}`);
}

function within(value: number | undefined, what: string, most: number): number {
  if (value !== undefined && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new RangeError(`${what} must be a whole number from 0 to ${most}, not ${String(value)}`);
}

function word(value: unknown, what: string): bigint {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  throw new TypeError(`${what} must be a bigint`);
}

/** A piece that lies in its region, with the `reach` bytes behind its begin that walking adds. */
export function checkPiece(piece: Piece, classes: ObjectClasses, reach = 0): NativePiece {
  const mr = own(piece.mr, classes.mr, 'mr');
  const offset = wholeNumber(piece.offset ?? 0, 'offset');
  const length = within(piece.length, 'length', MOST_BYTES);
  const end = offset + reach + length;
  if (end <= mr.buffer.byteLength) return { mr: mr.box, offset, length };
  const { byteLength } = mr.buffer;
  throw new RangeError(`the memory region has ${byteLength} bytes, and the message reaches to byte ${end}`);
}

function checkOpcode({ opcode, qp }: SendWr): number {
  const place = opcodes.indexOf(opcode);
  if (place < 0) throw new RangeError(`opcode must be one of ${opcodes.join(', ')}, not ${String(opcode)}`);
  if (canPost[qp.type](opcode)) return place;
  throw new RangeError(`a queue pair of type ${qp.type} can't post ${opcode}`);
}

/** Throws TypeError where a field is there and the call has no use for it, or the other way round. */
function require(value: unknown, needed: boolean, what: string, call: string): void {
  if ((value !== undefined) === needed) return;
  throw new TypeError(needed ? `${call} needs ${what}` : `${call} takes no ${what}`);
}

function checkAtomic({ opcode, local, remote }: SendWr): void {
  if (!isAtomic(opcode)) return;
  if (local.length !== ATOMIC_BYTES) throw new RangeError(`${opcode} works on 8 bytes, not ${local.length}`);
  const begin = local.mr.address + BigInt(local.offset ?? 0);
  if (begin % 8n !== 0n) throw new RangeError(`the local memory of ${opcode} must be aligned to 8 bytes`);
  if (word(remote?.address, 'the remote address') % 8n !== 0n) {
    throw new RangeError(`the remote address of ${opcode} must be a multiple of 8`);
  }
}

function checkFields(wr: SendWr): void {
  const { opcode, qp } = wr;
  require(wr.remote, !isSend(opcode), 'remote', opcode);
  require(wr.compareAdd, isAtomic(opcode), 'compareAdd', opcode);
  require(wr.swap, opcode === 'ATOMIC_CMP_AND_SWP', 'swap', opcode);
  require(wr.ud, qp.type === 'UD', 'ud', `a queue pair of type ${qp.type}`);
  require(wr.srqn, qp.type === 'XRC_SEND', 'srqn', `a queue pair of type ${qp.type}`);
  if (wr.imm !== undefined) require(wr.imm, opcode.endsWith('WITH_IMM'), 'imm', opcode);
  checkAtomic(wr);
}

function inlineOf({ opcode, qp, local: { length }, inline }: SendWr): boolean {
  const fits = !fetches(opcode) && length <= qp.maxInline;
  if (inline !== true) return inline === undefined && fits && length > 0;
  if (fits) return length > 0;
  if (fetches(opcode)) throw new RangeError(`${opcode} can't be inline: its data come back`);
  throw new RangeError(`the queue pair carries ${qp.maxInline} bytes inline, and the message has ${length}`);
}

type Remote = Pick<NativeSend, 'address' | 'rkey'>;
function checkRemote(remote: RemotePiece | undefined): Remote {
  if (remote === undefined) return { address: undefined, rkey: undefined };
  return { address: word(remote.address, 'the remote address'), rkey: within(remote.rkey, 'rkey', MOST_32_BIT) };
}

type Peer = Pick<NativeSend, 'ah' | 'qpn' | 'qkey'>;
function checkPeer(ud: UdPeer | undefined, classes: ObjectClasses): Peer {
  if (ud === undefined) return { ah: undefined, qpn: undefined, qkey: undefined };
  return {
    ah: own(ud.ah, classes.ah, 'ah').box,
    qpn: within(ud.qpn, 'qpn', MOST_24_BIT),
    qkey: within(ud.qkey, 'qkey', MOST_32_BIT),
  };
}

/** Checks a work request. `reach`: bytes that its walk adds to its memory. Throws RangeError or TypeError. */
export function checkSend(wr: SendWr, classes: ObjectClasses, reach = 0): NativeSend {
  const qp = own(wr.qp, classes.qp, 'qp');
  const opcode = checkOpcode(wr);
  checkFields(wr);
  return {
    ...checkPiece(wr.local, classes, reach),
    ...checkRemote(wr.remote),
    ...checkPeer(wr.ud, classes),
    qp: qp.box,
    opcode,
    inline: inlineOf(wr),
    imm: wr.opcode.endsWith('WITH_IMM') ? within(wr.imm ?? 0, 'imm', MOST_32_BIT) : undefined,
    compareAdd: word(wr.compareAdd ?? 0n, 'compareAdd'),
    swap: word(wr.swap ?? 0n, 'swap'),
    srqn: wr.srqn === undefined ? undefined : within(wr.srqn, 'srqn', MOST_24_BIT),
  };
}

/** What an operation that posts keeps alive. */
export const heldBySend = ({ qp, local, ud }: SendWr): unknown[] => [qp, qp.sendCq, local.mr, ud?.ah];

/** Checks a receive. Throws RangeError or TypeError. */
export function checkReceive({ to, local }: RecvWr, classes: ObjectClasses): NativeReceive {
  const piece = checkPiece(local, classes);
  if (to instanceof classes.srq) return { ...piece, qp: undefined, srq: to.box };
  const qp = own(to, classes.qp, 'to');
  if (qp.type === 'UD' && local.length < GRH_BYTES) {
    throw new RangeError(`a receive of UD needs ${GRH_BYTES} bytes more than its message, and has ${local.length}`);
  }
  return { ...piece, qp: qp.box, srq: undefined };
}

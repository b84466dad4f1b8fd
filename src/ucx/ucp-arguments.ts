/** Checks of what callers pass to UCP: whatever reaches csrc/ucx has been through here. */
import { wholeNumber } from '../engine/arguments.js';
import { EngineBuffer } from '../engine/buffer.js';
import type { Bytes, Pieces } from './types.js';

/** Throws TypeError for anything that is no buffer. */
export function requireBytes(value: unknown, what: string): Bytes {
  if (value instanceof EngineBuffer || value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value;
  throw new TypeError(`${what} must be an EngineBuffer, an ArrayBuffer, a typed array, a DataView or a Buffer`);
}

/** A packed key or an address, as bytes. */
export function requirePacked(value: unknown, what: string, least: number): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError(`${what} must be a Uint8Array`);
  if (value.byteLength >= least) return value;
  throw new RangeError(`${what} is empty: take what the peer's own function gave`);
}

/** One of `names`; RangeError for another. */
export function oneOf<T extends string>(value: T, names: readonly T[], what: string): number {
  const index = names.indexOf(value);
  if (index >= 0) return index;
  throw new RangeError(`${what} must be one of ${names.join(', ')}, not ${String(value)}`);
}

/** A bigint of 64 bits without sign. */
export function word(value: bigint, what: string, bits = 64): bigint {
  if (typeof value !== 'bigint') throw new TypeError(`${what} must be a bigint, not ${typeof value}`);
  if (value >= 0n && value < 1n << BigInt(bits)) return value;
  throw new RangeError(`${what} must be from 0 to 2^${bits} - 1, not ${value}`);
}

/** Throws where `length` bytes from `offset` on don't fit into the buffer. */
export function requireRoom(buffer: Bytes, length: number, what: string, offset = 0): void {
  if (offset + length <= buffer.byteLength) return;
  const from = offset === 0 ? '' : ` from byte ${offset} on`;
  throw new RangeError(`${what} has ${buffer.byteLength} bytes, too few for ${length}${from}`);
}

function requirePieces(buffer: Bytes, length: number, { lengths, stride }: Pieces): void {
  if (!Array.isArray(lengths) || lengths.length === 0) throw new TypeError('pieces.lengths must be a list of lengths');
  wholeNumber(stride, 'pieces.stride');
  let from = 0;
  let sum = 0;
  for (const [index, piece] of (lengths as readonly number[]).entries()) {
    wholeNumber(piece, `pieces.lengths[${index}]`);
    requireRoom(buffer, piece, 'the buffer', from);
    from += stride === 0 ? piece : stride;
    sum += piece;
  }
  if (sum !== length) throw new RangeError(`the pieces have ${sum} bytes together, and length says ${length}`);
}

/** Checks buffer, length and pieces of a message. */
export function requireData(request: {
  readonly buffer: Bytes;
  readonly length: number;
  readonly pieces?: Pieces;
}): void {
  requireBytes(request.buffer, 'buffer');
  wholeNumber(request.length, 'length');
  if (request.pieces === undefined) requireRoom(request.buffer, request.length, 'the buffer');
  else requirePieces(request.buffer, request.length, request.pieces);
}

/** An id of active messages: UCP has 16 bits for it. */
export function messageId(value: number): number {
  if (wholeNumber(value, 'id') <= 0xffff) return value;
  throw new RangeError(`id must be at most 65535, not ${value}`);
}

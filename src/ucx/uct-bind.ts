/** Binds UCT's calls: checks every argument, and hands them to ucx.node. */
import { wholeNumber } from '../engine/arguments.js';
import { ucx } from './native.js';
import type { AtomicRequest, Bytes, ByteRequest, InFlight, Messages, Operation, Pieces, Remote } from './types.js';
import { nameOf, uctAtomicRefusal, uctRefusal, type UctCallName } from './uct-limits.js';
import type { NativeReceive, NativeRemote, NativeTransfer } from './uct-native.js';
import { checkId, UctCounter, Ep, Handler, Iface, Pacing, Rkey, UctMemory } from './uct-objects.js';
import type { UctBind, UctEp, UctIface, UctPacing, UctRkey } from './uct-types.js';

type Am = Parameters<UctBind['am']>[0];
type Put = Parameters<UctBind['put']>[0];
type Get = Parameters<UctBind['get']>[0];
type Transfer = Am | Put | Get;
type Acknowledge = { readonly endpoint: UctEp; readonly id: number; readonly every: number };

const layouts: readonly string[] = ['short', 'shortiov', 'bcopy', 'zcopy'];

/** `value` as an object of this binding. Throws TypeError for others. */
function own<T>(value: unknown, kind: abstract new (...args: never[]) => T, what: string): T {
  if (value instanceof kind) return value;
  throw new TypeError(`${what} is not one of UCT's: an interface's methods make those`);
}

const ifaceOf = (value: UctIface): Iface => own(value, Iface, 'iface');
const endpointOf = (value: UctEp): Ep => own(value, Ep, 'endpoint');

/** An object that belongs to an interface. Throws TypeError for one of another interface, whose progress nobody would make. */
function of<T extends { readonly iface: Iface }>(
  value: unknown,
  kind: abstract new (...args: never[]) => T,
  what: string,
  iface: Iface,
): T {
  const known = own(value, kind, what);
  if (known.iface === iface) return known;
  throw new TypeError(`${what} belongs to another interface (${known.iface.what}) than the call (${iface.what})`);
}

/** Throws RangeError where the end of what is used lies behind the buffer's. */
export function requireUctRoom(buffer: Bytes, end: number, what: string): void {
  const { byteLength } = buffer as Partial<Bytes>;
  if (typeof byteLength !== 'number') {
    throw new TypeError(`${what} must be an EngineBuffer, an ArrayBuffer, a typed array, a DataView or a Buffer`);
  }
  if (end > byteLength) throw new RangeError(`${what} has ${byteLength} bytes, and the message reaches to byte ${end}`);
}

/** Offsets and lengths of pieces, one after the other. */
function placesOf({ lengths, stride }: Pieces, length: number): Float64Array {
  wholeNumber(stride, 'stride');
  if (lengths.length === 0) throw new RangeError('pieces must have at least one length');
  let at = 0;
  const places = lengths.flatMap((each, i) => {
    wholeNumber(each, 'the length of a piece');
    if (stride !== 0 && each > stride) {
      throw new RangeError(`a piece of ${each} bytes is longer than the stride of ${stride} bytes`);
    }
    const offset = stride === 0 ? at : i * stride;
    at += each;
    return [offset, each];
  });
  if (at !== length) throw new RangeError(`the pieces have ${at} bytes together, and length says ${length}`);
  return Float64Array.from(places);
}

function endOf(places: Float64Array): number {
  return (places.at(-2) ?? 0) + (places.at(-1) ?? 0);
}

function checkPieces({ layout, pieces }: Transfer, call: UctCallName): void {
  if (!layouts.includes(layout)) {
    throw new TypeError(`layout must be one of ${layouts.join(', ')}, not ${String(layout)}`);
  }
  const whole = layout === 'short' || (layout === 'bcopy' && call === 'get');
  if (pieces !== undefined && whole) throw new RangeError(`${call} ${layout} takes no pieces`);
}

function memoryOf({ memory, layout }: Transfer, iface: Iface, call: UctCallName): UctMemory | undefined {
  if (memory !== undefined) return of(memory, UctMemory, 'memory', iface);
  if (layout === 'zcopy' && iface.attributes.md.flags.includes('NEED_MEMH')) {
    throw new TypeError(`${nameOf(iface)}'s ${call} zcopy needs memory that is registered: pass memory`);
  }
  return undefined;
}

function checkTransfer(request: Transfer, call: UctCallName, headerLength = 0): NativeTransfer {
  const endpoint = endpointOf(request.endpoint);
  const { iface } = endpoint;
  const { buffer, layout, length, pieces } = request;
  checkPieces(request, call);
  wholeNumber(length, 'length');
  wholeNumber(headerLength, 'headerLength');
  const refusal = uctRefusal(iface, call, layout, {
    length,
    headerLength,
    ...(pieces === undefined ? {} : { pieces }),
  });
  if (refusal !== undefined) throw new RangeError(refusal);
  const places = placesOf(pieces ?? { lengths: [length], stride: 0 }, length);
  requireUctRoom(buffer, endOf(places), 'the buffer');
  const memory = memoryOf(request, iface, call);
  const inFlight = of(request.inFlight, UctCounter, 'inFlight', iface);
  return {
    endpoint: endpoint.box,
    inFlight: inFlight.box,
    buffer,
    layout,
    length,
    pieces: places,
    inPieces: pieces !== undefined,
    memory: memory?.buffer,
    registered: memory?.box,
  };
}

function checkWord(value: unknown, what: string): bigint {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  throw new TypeError(`${what} must be a bigint`);
}

function checkRemote({ key, address }: Remote<UctRkey>): NativeRemote {
  return { key: own(key, Rkey, "the remote place's key").box, address: checkWord(address, 'the remote address') };
}

function am(request: Am): Operation {
  const headerLength = request.headerLength ?? 0;
  const transfer = checkTransfer(request, 'am', headerLength);
  const { iface } = endpointOf(request.endpoint);
  const pacing = request.pacing === undefined ? undefined : of(request.pacing, Pacing, 'pacing', iface).box;
  return ucx().uctBindAm({ ...transfer, id: checkId(request.id), headerLength, pacing });
}

function put(request: Put): Operation {
  const transfer = checkTransfer(request, 'put');
  const { stamp = false } = request;
  const lastByte = endOf(transfer.pieces) - 1;
  return ucx().uctBindPut({ ...transfer, ...checkRemote(request.remote), stamp, lastByte });
}

function get(request: Get): Operation {
  return ucx().uctBindGet({ ...checkTransfer(request, 'get'), ...checkRemote(request.remote) });
}

function checkAtomic(iface: Iface, request: AtomicRequest<UctEp, UctRkey>): void {
  const { name, size, result, compare, remote } = request;
  if (![4, 8].includes(size)) throw new RangeError(`an atomic works on 4 or 8 bytes, not ${String(size)}`);
  if ((name === 'swap' || name === 'cswap') && result === undefined) {
    throw new TypeError(`${name} needs a place for its result`);
  }
  const refusal = uctAtomicRefusal(iface, name, size, result !== undefined);
  if (refusal !== undefined) throw new RangeError(refusal);
  if ((name === 'cswap') !== (compare !== undefined)) throw new TypeError('cswap, and no other, needs compare');
  if (result !== undefined) requireUctRoom(result, size, 'the result');
  if (checkWord(remote.address, 'the remote address') % BigInt(size) !== 0n) {
    throw new RangeError(`the remote address of an atomic must be a multiple of its ${size} bytes`);
  }
}

function atomic(request: AtomicRequest<UctEp, UctRkey>): Operation {
  const endpoint = endpointOf(request.endpoint);
  checkAtomic(endpoint.iface, request);
  return ucx().uctBindAtomic({
    ...checkRemote(request.remote),
    endpoint: endpoint.box,
    inFlight: of(request.inFlight, UctCounter, 'inFlight', endpoint.iface).box,
    buffer: request.result,
    name: request.name,
    size: request.size,
    value: checkWord(request.value, 'value'),
    compare: checkWord(request.compare ?? 0n, 'compare'),
  });
}

function checkAcknowledge(to: Acknowledge, iface: Iface): Required<Omit<NativeReceive, 'messages'>> {
  const endpoint = of(to.endpoint, Ep, 'endpoint', iface);
  const { short, bcopy } = iface.attributes.am;
  if (short === null && bcopy === null)
    throw new RangeError(`${iface.what} has no am short or bcopy to acknowledge by`);
  return { endpoint: endpoint.box, id: checkId(to.id), every: wholeNumber(to.every, 'every', 1) };
}

function amReceive(
  ofIface: UctIface,
  messages: Messages,
  { acknowledge: to, behind }: { readonly acknowledge?: Acknowledge; readonly behind?: number } = {},
): Operation {
  const iface = ifaceOf(ofIface);
  const request = { messages: of(messages, Handler, 'messages', iface).box };
  if (behind !== undefined) {
    if (to !== undefined) throw new RangeError('amReceive acknowledges what has come: leave out acknowledge or behind');
    return ucx().uctBindReceiveBehind({ ...request, behind: wholeNumber(behind, 'behind') });
  }
  return ucx().uctBindReceive(to === undefined ? request : { ...request, ...checkAcknowledge(to, iface) });
}

function acknowledge(messages: Messages, to: { readonly endpoint: UctEp; readonly id: number }): Operation {
  const handler = own(messages, Handler, 'messages');
  return ucx().uctBindAcknowledge({ messages: handler.box, ...checkAcknowledge({ ...to, every: 1 }, handler.iface) });
}

function waitByte(iface: UctIface, { buffer, offset }: ByteRequest): Operation {
  requireUctRoom(buffer, wholeNumber(offset, 'offset') + 1, 'the buffer');
  return ucx().uctBindWaitByte({ iface: ifaceOf(iface).box, buffer, offset });
}

function complete(ofIface: UctIface, inFlight: InFlight): Operation {
  const iface = ifaceOf(ofIface);
  return ucx().uctBindComplete({ iface: iface.box, inFlight: of(inFlight, UctCounter, 'inFlight', iface).box });
}

function acknowledged(ofIface: UctIface, pacing: UctPacing): Operation {
  const iface = ifaceOf(ofIface);
  return ucx().uctBindAcknowledged({ iface: iface.box, pacing: of(pacing, Pacing, 'pacing', iface).box });
}

export const bind: UctBind = {
  progress: (iface) => ucx().uctBindProgress({ iface: ifaceOf(iface).box }),
  complete,
  am,
  amReceive,
  amArrived: (iface, messages) =>
    ucx().uctBindArrived({ messages: of(messages, Handler, 'messages', ifaceOf(iface)).box }),
  acknowledge,
  acknowledged,
  put,
  get,
  atomic,
  waitByte,
  fence: (endpoint) => ucx().uctBindFence({ endpoint: endpointOf(endpoint).box }),
  flush: (iface) => ucx().uctBindFlush({ iface: ifaceOf(iface).box }),
};

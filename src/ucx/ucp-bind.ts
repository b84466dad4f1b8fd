/** Operations of UCP: checks what they are made of, and has ucx.node bind them. */
import { wholeNumber } from '../engine/arguments.js';
import type { Operation } from '../engine/types.js';
import { ucx } from './native.js';
import { messageId, oneOf, requireBytes, requireData, requireRoom, word } from './ucp-arguments.js';
import type { NativeData } from './ucp-native.js';
import { Counter, Endpoint, Key, MappedMemory, MessageHandler, Worker } from './ucp-objects.js';
import type { UcpBind, UcpFeature, UcpRkey } from './ucp-types.js';
import type { AtomicName, AtomicRequest, InFlight, Remote } from './types.js';

type Request<Name extends keyof UcpBind> = Parameters<UcpBind[Name]>[0];
type Transfer = Pick<Request<'tagSend'>, 'buffer' | 'length' | 'pieces' | 'memory' | 'multiSend'>;

interface Class<T> {
  new (...parts: never[]): T;
}

/** The object as its own class: only those that came out of `ucp()` have handles. */
function own<T>(value: unknown, type: Class<T>, what: string): T {
  if (value instanceof type) return value;
  throw new TypeError(`${what} is not an object of UCP's`);
}

function workerOf(value: unknown): Worker {
  return own(value, Worker, 'worker');
}

function endpointOf(value: unknown, feature: UcpFeature, call: string): Endpoint {
  const endpoint = own(value, Endpoint, 'endpoint');
  endpoint.worker.context.requireFeature(feature, call);
  return endpoint;
}

function counterOf(value: InFlight): Counter['handle'] {
  return own(value, Counter, 'inFlight').handle;
}

function dataOf(request: Transfer): NativeData {
  requireData(request);
  const { buffer, length, pieces, memory, multiSend = false } = request;
  const handle = memory === undefined ? undefined : own(memory, MappedMemory, 'memory').handle;
  return [buffer, length, pieces?.lengths, pieces?.stride ?? 0, handle, multiSend];
}

function tagSend(request: Request<'tagSend'>): ReturnType<UcpBind['tagSend']> {
  const { handle } = endpointOf(request.endpoint, 'TAG', 'tagSend');
  const bind = request.sync === true ? ucx().ucpTagSendSync : ucx().ucpTagSend;
  const tag = word(request.tag, 'tag');
  return bind(handle, ...dataOf(request), counterOf(request.inFlight), request.blocking ?? false, tag);
}

function tagReceive(request: Request<'tagReceive'>): ReturnType<UcpBind['tagReceive']> {
  const { blocking = false, sleep = false } = request;
  const worker = workerOf(request.worker);
  worker.context.requireFeature('TAG', 'tagReceive');
  const bind = request.probe === true ? ucx().ucpTagProbeReceive : ucx().ucpTagReceive;
  const match = [word(request.tag, 'tag'), word(request.mask, 'mask')] as const;
  return bind(worker.handle, ...dataOf(request), counterOf(request.inFlight), blocking, sleep, ...match);
}

function requireSome(length: number, call: string): void {
  if (length === 0) throw new RangeError(`${call}: a stream can't carry 0 bytes`);
}

function streamSend(request: Request<'streamSend'>): ReturnType<UcpBind['streamSend']> {
  const { handle } = endpointOf(request.endpoint, 'STREAM', 'streamSend');
  const data = dataOf(request);
  requireSome(request.length, 'streamSend');
  return ucx().ucpStreamSend(handle, ...data, counterOf(request.inFlight), request.blocking ?? false);
}

function streamReceive(request: Request<'streamReceive'>): ReturnType<UcpBind['streamReceive']> {
  const { blocking = false, sleep = false } = request;
  const { handle } = endpointOf(request.endpoint, 'STREAM', 'streamReceive');
  const data = dataOf(request);
  const counter = counterOf(request.inFlight);
  requireSome(request.length, 'streamReceive');
  if (request.data === true) return ucx().ucpStreamReceiveData(handle, request.length, sleep);
  return ucx().ucpStreamReceive(handle, ...data, counter, blocking, sleep);
}

function amSend(request: Request<'amSend'>): ReturnType<UcpBind['amSend']> {
  const { header, headerLength = header?.byteLength ?? 0, blocking = false } = request;
  const { handle } = endpointOf(request.endpoint, 'AM', 'amSend');
  wholeNumber(headerLength, 'headerLength');
  if (header !== undefined) requireRoom(requireBytes(header, 'header'), headerLength, 'the header');
  else if (headerLength > 0) throw new TypeError('headerLength needs a header');
  const id = messageId(request.id);
  const counter = counterOf(request.inFlight);
  const used = headerLength === 0 ? undefined : header;
  return ucx().ucpAmSend(handle, ...dataOf(request), counter, blocking, id, used, headerLength);
}

function amReceive(...[worker, messages, options = {}]: Parameters<UcpBind['amReceive']>): Operation {
  const { sleep = false, behind } = options;
  const { handle } = workerOf(worker);
  const handler = own(messages, MessageHandler, 'messages').handle;
  if (behind === undefined) return ucx().ucpAmReceive(handle, handler, sleep);
  if (sleep) throw new RangeError('amReceive sleeps for the next message: leave out sleep or behind');
  return ucx().ucpAmReceiveBehind(handle, handler, wholeNumber(behind, 'behind'));
}

function remoteOf({ address, key }: Remote<UcpRkey>): [address: bigint, key: Key['handle']] {
  return [word(address, 'the remote address'), own(key, Key, 'the remote key').handle];
}

/** UCX would take its own list of pieces for the data, or abort. */
function requireContiguous({ pieces }: { readonly pieces?: unknown }, call: string): void {
  if (pieces !== undefined) throw new RangeError(`${call}: UCX puts and gets no pieces: give one stretch of bytes`);
}

function put(request: Request<'put'>): ReturnType<UcpBind['put']> {
  const { handle } = endpointOf(request.endpoint, 'RMA', 'put');
  requireContiguous(request, 'put');
  const data = dataOf(request);
  const stamped = request.stamp === true;
  if (stamped && request.length === 0) {
    throw new RangeError('put: there is no last byte to stamp in 0 bytes');
  }
  const bind = stamped ? ucx().ucpStampedPut : ucx().ucpPut;
  return bind(handle, ...data, counterOf(request.inFlight), ...remoteOf(request.remote));
}

function get(request: Request<'get'>): ReturnType<UcpBind['get']> {
  const { handle } = endpointOf(request.endpoint, 'RMA', 'get');
  requireContiguous(request, 'get');
  return ucx().ucpGet(handle, ...dataOf(request), counterOf(request.inFlight), ...remoteOf(request.remote));
}

const atomicNames: readonly AtomicName[] = ['add', 'and', 'or', 'xor', 'swap', 'cswap'];

function requireAtomic({ name, size, result, compare, remote }: AtomicRequest<unknown, UcpRkey>): void {
  oneOf(name, atomicNames, 'name');
  if (size !== 4 && size !== 8) throw new RangeError(`size must be 4 or 8, not ${String(size)}`);
  if (result !== undefined) requireRoom(requireBytes(result, 'result'), size, 'the result');
  if (result === undefined && name.endsWith('swap')) throw new TypeError(`${name} needs a result`);
  if ((name === 'cswap') !== (compare !== undefined)) throw new TypeError('compare belongs to cswap, which needs it');
  if (remoteOf(remote)[0] % BigInt(size) === 0n) return;
  throw new RangeError(`the remote address must be a multiple of the word's ${size} bytes`);
}

function atomic(request: Request<'atomic'>): ReturnType<UcpBind['atomic']> {
  requireAtomic(request);
  const { name, size, value, compare, result, inFlight } = request;
  const { handle } = endpointOf(request.endpoint, size === 4 ? 'AMO32' : 'AMO64', 'atomic');
  const number = ucx().ucpAtomicNames[name] ?? -1;
  const bits = 8 * size;
  const place = remoteOf(request.remote);
  const operand = word(value, 'value', bits);
  const counter = counterOf(inFlight);
  if (compare === undefined) return ucx().ucpAtomic(handle, ...place, number, size, operand, counter, result);
  const expected = word(compare, 'compare', bits);
  return ucx().ucpCompareAndSwap(handle, ...place, number, size, expected, counter, result, operand);
}

const bind: UcpBind = {
  progress: (worker) => ucx().ucpProgress(workerOf(worker).handle),
  complete: (worker, inFlight, { sleep = false } = {}) =>
    ucx().ucpComplete(workerOf(worker).handle, counterOf(inFlight), sleep),
  tagSend,
  tagReceive,
  streamSend,
  streamReceive,
  amSend,
  amReceive,
  amArrived: (worker, messages) =>
    ucx().ucpAmArrived(workerOf(worker).handle, own(messages, MessageHandler, 'messages').handle),
  put,
  get,
  atomic,
  waitByte: (worker, { buffer, offset, sleep = false }) => {
    requireRoom(requireBytes(buffer, 'buffer'), 1, 'the buffer', wholeNumber(offset, 'offset'));
    return ucx().ucpWaitByte(workerOf(worker).handle, buffer, offset, sleep);
  },
  fence: (worker) => ucx().ucpFence(workerOf(worker).handle),
  flush: (endpoint) => ucx().ucpFlush(own(endpoint, Endpoint, 'endpoint').handle),
  protocolOf: (operation) => ucx().ucpProtocolOf(operation),
};

/** What binds operations of UCP. */
export function ucpBind(): UcpBind {
  return bind;
}

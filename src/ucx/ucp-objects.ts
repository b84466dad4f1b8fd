/** Contexts, workers, endpoints, keys, memory: UCP's objects around their native handles. */
import { wholeNumber } from '../engine/arguments.js';
import { EngineBuffer } from '../engine/buffer.js';
import { ucx } from './native.js';
import { messageId, oneOf, requireBytes, requirePacked } from './ucp-arguments.js';
import { parseLanes, parseResources } from './ucp-info.js';
import type {
  ContextHandle,
  CounterHandle,
  EndpointHandle,
  KeyHandle,
  MemoryHandle,
  MessagesHandle,
  WorkerHandle,
} from './ucp-native.js';
import type {
  Ucp,
  UcpContext,
  UcpContextOptions,
  UcpEp,
  UcpEpOptions,
  UcpFeature,
  UcpRkey,
  UcpWorker,
  UcsThreadMode,
} from './ucp-types.js';
import type { Bytes, InFlight, Memory, Messages } from './types.js';

/** In the order of their bits. */
const features: readonly UcpFeature[] = ['TAG', 'RMA', 'AMO32', 'AMO64', 'WAKEUP', 'STREAM', 'AM'];
/** In the order of UCX's numbers. */
const threadModes: readonly UcsThreadMode[] = ['single', 'serialized', 'multi'];
/** Types whose memory this process may read and write by itself. */
const readable = /^(?:host|cuda-managed|rocm-managed|ze-host|ze-managed)$/;
/** As many calls as a counter can hold. */
const maxInFlight = 0xffff_ffff;

function threadModeOf(value: number): UcsThreadMode {
  return threadModes[value] ?? 'multi';
}

export class Counter implements InFlight {
  readonly handle: CounterHandle;
  readonly limit: number;
  constructor(worker: WorkerHandle, limit: number) {
    if (wholeNumber(limit, 'limit', 1) > maxInFlight) throw new RangeError(`limit must be at most ${maxInFlight}`);
    this.handle = ucx().ucpInFlight(worker, limit);
    this.limit = limit;
  }
  get count(): number {
    return ucx().ucpInFlightCount(this.handle);
  }
}

export class MessageHandler implements Messages {
  readonly handle: MessagesHandle;
  constructor(worker: WorkerHandle, id: number, into: Bytes | undefined) {
    this.handle = ucx().ucpMessages(worker, id, into);
  }
  get arrived(): number {
    return ucx().ucpMessagesArrived(this.handle);
  }
  close(): void {
    ucx().ucpMessagesClose(this.handle);
  }
}

export class Key implements UcpRkey {
  readonly handle: KeyHandle;
  constructor(endpoint: EndpointHandle, packed: Uint8Array) {
    this.handle = ucx().ucpRkeyUnpack(endpoint, packed);
  }
  destroy(): void {
    ucx().ucpRkeyDestroy(this.handle);
  }
}

export class Endpoint implements UcpEp {
  readonly handle: EndpointHandle;
  readonly worker: Worker;
  readonly #handlesErrors: boolean;
  constructor(worker: Worker, { address, errorHandling = 'none' }: UcpEpOptions) {
    requirePacked(address, 'address', 1);
    this.#handlesErrors = oneOf(errorHandling, ['none', 'peer'], 'errorHandling') === 1;
    this.worker = worker;
    this.handle = ucx().ucpEpCreate(worker.handle, address, this.#handlesErrors);
  }
  rkeyUnpack(packed: Uint8Array): Key {
    return new Key(this.handle, requirePacked(packed, 'the packed key', 1));
  }
  info(): string {
    return ucx().ucpEpInfo(this.handle);
  }
  lanes(): { name: string; uses: string[] }[] {
    return parseLanes(this.info());
  }
  failure(): string | null {
    return ucx().ucpEpFailure(this.handle);
  }
  close({ force = false, timeout = 10 }: { readonly force?: boolean; readonly timeout?: number } = {}): void {
    if (!(timeout >= 0)) throw new RangeError(`timeout must be a number of seconds, not ${String(timeout)}`);
    if (force && !this.#handlesErrors) throw new RangeError("force needs an endpoint with errorHandling 'peer'");
    ucx().ucpEpClose(this.handle, force, timeout);
  }
}

export class Worker implements UcpWorker {
  readonly handle: WorkerHandle;
  readonly context: Context;
  readonly threadMode: UcsThreadMode;
  constructor(context: Context, threadMode: UcsThreadMode) {
    this.context = context;
    this.handle = ucx().ucpWorkerCreate(context.handle, oneOf(threadMode, threadModes, 'threadMode'));
    this.threadMode = threadModeOf(ucx().ucpWorkerThreadMode(this.handle));
  }
  address(): Uint8Array {
    return ucx().ucpWorkerAddress(this.handle);
  }
  progress(): number {
    return ucx().ucpWorkerProgress(this.handle);
  }
  epCreate(options: UcpEpOptions): Endpoint {
    return new Endpoint(this, options);
  }
  inFlight(limit = 1): Counter {
    return new Counter(this.handle, limit);
  }
  amMessages({ id, into }: { readonly id: number; readonly into?: Bytes }): MessageHandler {
    this.context.requireFeature('AM', 'amMessages');
    if (into !== undefined) requireBytes(into, 'into');
    return new MessageHandler(this.handle, messageId(id), into);
  }
  info(): string {
    return ucx().ucpWorkerInfo(this.handle);
  }
  destroy(): void {
    ucx().ucpWorkerDestroy(this.handle);
  }
}

export class MappedMemory implements Memory {
  readonly handle: MemoryHandle;
  readonly buffer: EngineBuffer | null;
  readonly address: bigint;
  readonly length: number;
  constructor(handle: MemoryHandle, length: number, allocated: boolean) {
    this.handle = handle;
    this.length = length;
    this.address = ucx().ucpMemAddress(handle);
    this.buffer = allocated ? this.#show() : null;
  }
  packKey(): Uint8Array {
    return ucx().ucpMemPack(this.handle);
  }
  free(): void {
    if (this.buffer === null) ucx().ucpMemFree(this.handle, []);
    else this.buffer.free();
  }
  #show(): EngineBuffer {
    return EngineBuffer.adopt({
      byteLength: this.length,
      bind: (object) => {
        ucx().ucpMemBind(this.handle, object);
      },
      release: (_, views) => {
        ucx().ucpMemFree(this.handle, views);
      },
    });
  }
}

type MapRequest = Parameters<UcpContext['memMap']>[0];

export class Context implements UcpContext {
  readonly handle: ContextHandle;
  readonly #features: readonly UcpFeature[];
  constructor({ features: wanted, mtWorkersShared = false, config = {} }: UcpContextOptions) {
    if (!Array.isArray(wanted) || wanted.length === 0) throw new TypeError('features must be a list of features');
    this.#features = [...(wanted as readonly UcpFeature[])];
    const mask = this.#features.reduce((bits, name) => bits | (1 << oneOf(name, features, 'features')), 0);
    this.handle = ucx().ucpInit(mask, mtWorkersShared, Object.entries(config));
  }
  /** Throws where `call` needs a feature that `init` wasn't given: UCX may crash then. */
  requireFeature(feature: UcpFeature, call: string): void {
    if (this.#features.includes(feature)) return;
    throw new RangeError(`${call} needs the feature ${feature}: name it in init`);
  }
  query(): ReturnType<UcpContext['query']> {
    const { threadMode, ...rest } = ucx().ucpContextQuery(this.handle);
    return { ...rest, threadMode: threadModeOf(threadMode) };
  }
  workerCreate({ threadMode = 'single' }: { readonly threadMode?: UcsThreadMode } = {}): Worker {
    return new Worker(this, threadMode);
  }
  memMap(request: MapRequest): MappedMemory {
    const { nonBlocking = false } = request;
    if ('buffer' in request) {
      const { byteLength } = requireBytes(request.buffer, 'buffer');
      wholeNumber(byteLength, "the buffer's length", 1);
      return new MappedMemory(ucx().ucpMemRegister(this.handle, request.buffer, nonBlocking), byteLength, false);
    }
    const { length, memoryType = 'host' } = request;
    wholeNumber(length, 'length', 1);
    this.#requireMemoryType(memoryType);
    return new MappedMemory(ucx().ucpMemAllocate(this.handle, length, nonBlocking, memoryType), length, true);
  }
  resources(): string[] {
    return parseResources(this.info());
  }
  info(): string {
    return ucx().ucpContextInfo(this.handle);
  }
  cleanup(): void {
    ucx().ucpCleanup(this.handle);
  }
  #requireMemoryType(type: string): void {
    const { memoryTypes } = this.query();
    const usable = memoryTypes.filter((name) => readable.test(name));
    if (usable.includes(type)) return;
    throw new RangeError(`there is no memory of type ${type} that can be used here: use ${usable.join(', ')}`);
  }
}

/** UCP. Throws `LoadError` where ucx.node wasn't built or UCX is missing. */
export function ucp(): Ucp {
  ucx();
  return { init: (options) => new Context(options) };
}

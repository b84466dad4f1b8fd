/** What ucx.node exports for UCP, as csrc/ucx/ucp*.cc has it. */
import type { Bytes, Operation } from './types.js';

declare const kind: unique symbol;

/** A native object; which one, only the type tells here. The addon checks it. */
export interface Handle<Kind extends string> {
  readonly [kind]: Kind;
}

export type ContextHandle = Handle<'context'>;
export type WorkerHandle = Handle<'worker'>;
export type EndpointHandle = Handle<'endpoint'>;
export type KeyHandle = Handle<'key'>;
export type MemoryHandle = Handle<'memory'>;
export type CounterHandle = Handle<'counter'>;
export type MessagesHandle = Handle<'messages'>;
export type ChannelHandle = Handle<'channel'>;

/** Buffer, length, lengths of pieces, their stride, memory, whether more follows. */
export type NativeData = [
  buffer: Bytes,
  length: number,
  lengths: readonly number[] | undefined,
  stride: number,
  memory: MemoryHandle | undefined,
  multiSend: boolean,
];

type TagSend = (
  endpoint: EndpointHandle,
  ...rest: [...NativeData, counter: CounterHandle, blocking: boolean, tag: bigint]
) => Operation;
type TagReceive = (
  worker: WorkerHandle,
  ...rest: [...NativeData, counter: CounterHandle, blocking: boolean, sleep: boolean, tag: bigint, mask: bigint]
) => Operation;
type RemoteTransfer = (
  endpoint: EndpointHandle,
  ...rest: [...NativeData, counter: CounterHandle, address: bigint, key: KeyHandle]
) => Operation;
type NativeAtomic = (
  endpoint: EndpointHandle,
  address: bigint,
  key: KeyHandle,
  name: number,
  size: number,
  operand: bigint,
  counter: CounterHandle,
  result: Bytes | undefined,
  value?: bigint,
) => Operation;

interface NativeUcpObjects {
  ucpInit(features: number, mtWorkersShared: boolean, settings: readonly (readonly [string, string])[]): ContextHandle;
  ucpCleanup(context: ContextHandle): void;
  ucpContextQuery(context: ContextHandle): {
    readonly name: string;
    readonly requestSize: number;
    readonly threadMode: number;
    readonly memoryTypes: readonly string[];
  };
  ucpContextInfo(context: ContextHandle): string;
  ucpWorkerCreate(context: ContextHandle, threadMode: number): WorkerHandle;
  ucpWorkerDestroy(worker: WorkerHandle): void;
  ucpWorkerThreadMode(worker: WorkerHandle): number;
  ucpWorkerAddress(worker: WorkerHandle): Uint8Array;
  ucpWorkerProgress(worker: WorkerHandle): number;
  ucpWorkerInfo(worker: WorkerHandle): string;
  ucpInFlight(worker: WorkerHandle, limit: number): CounterHandle;
  ucpInFlightCount(counter: CounterHandle): number;
  ucpEpCreate(worker: WorkerHandle, address: Uint8Array, handlesErrors: boolean): EndpointHandle;
  ucpEpInfo(endpoint: EndpointHandle): string;
  ucpEpFailure(endpoint: EndpointHandle): string | null;
  ucpEpClose(endpoint: EndpointHandle, force: boolean, timeout: number): void;
  ucpRkeyUnpack(endpoint: EndpointHandle, packed: Uint8Array): KeyHandle;
  ucpRkeyDestroy(key: KeyHandle): void;
  ucpMemAllocate(context: ContextHandle, length: number, nonBlocking: boolean, memoryType: string): MemoryHandle;
  ucpMemRegister(context: ContextHandle, buffer: Bytes, nonBlocking: boolean): MemoryHandle;
  /** Makes an EngineBuffer object wrap the memory. */
  ucpMemBind(memory: MemoryHandle, object: object): void;
  ucpMemFree(memory: MemoryHandle, views: readonly ArrayBuffer[]): void;
  ucpMemAddress(memory: MemoryHandle): bigint;
  ucpMemPack(memory: MemoryHandle): Uint8Array;
  ucpMessages(worker: WorkerHandle, id: number, into: Bytes | undefined): MessagesHandle;
  ucpMessagesArrived(messages: MessagesHandle): number;
  ucpMessagesClose(messages: MessagesHandle): void;
}

interface NativeUcpOperations {
  readonly ucpTagSend: TagSend;
  readonly ucpTagSendSync: TagSend;
  readonly ucpTagReceive: TagReceive;
  readonly ucpTagProbeReceive: TagReceive;
  ucpStreamSend(
    endpoint: EndpointHandle,
    ...rest: [...NativeData, counter: CounterHandle, blocking: boolean]
  ): Operation;
  ucpStreamReceive(
    endpoint: EndpointHandle,
    ...rest: [...NativeData, counter: CounterHandle, blocking: boolean, sleep: boolean]
  ): Operation;
  ucpStreamReceiveData(endpoint: EndpointHandle, length: number, sleep: boolean): Operation;
  ucpAmSend(
    endpoint: EndpointHandle,
    ...rest: [
      ...NativeData,
      counter: CounterHandle,
      blocking: boolean,
      id: number,
      header: Bytes | undefined,
      headerLength: number,
    ]
  ): Operation;
  ucpAmReceive(worker: WorkerHandle, messages: MessagesHandle, sleep: boolean): Operation;
  ucpAmReceiveBehind(worker: WorkerHandle, messages: MessagesHandle, behind: number): Operation;
  ucpAmArrived(worker: WorkerHandle, messages: MessagesHandle): Operation;
  readonly ucpPut: RemoteTransfer;
  readonly ucpStampedPut: RemoteTransfer;
  readonly ucpGet: RemoteTransfer;
  /** Numbers of the atomic operations by name. */
  readonly ucpAtomicNames: Readonly<Record<string, number>>;
  readonly ucpAtomic: NativeAtomic;
  readonly ucpCompareAndSwap: NativeAtomic;
  ucpProgress(worker: WorkerHandle): Operation;
  ucpFence(worker: WorkerHandle): Operation;
  ucpComplete(worker: WorkerHandle, counter: CounterHandle, sleep: boolean): Operation;
  ucpWaitByte(worker: WorkerHandle, buffer: Bytes, offset: number, sleep: boolean): Operation;
  ucpFlush(endpoint: EndpointHandle): Operation;
  ucpProtocolOf(operation: Operation): string | null;
}

/** Where the calls of a channel go: which calls, and what they need. */
interface NativeUcpChannel {
  /** `by` is an index into tag, stream, am. */
  ucpChannel(worker: WorkerHandle, endpoint: EndpointHandle, by: number, id: number): ChannelHandle;
  ucpChannelSend(channel: ChannelHandle, buffer: Bytes, size: number): Operation;
  ucpChannelReceive(channel: ChannelHandle, buffer: Bytes, size: number): Operation;
  ucpChannelStartSends(channel: ChannelHandle, buffers: readonly Bytes[], size: number, window: number): Operation;
  ucpChannelStartReceives(channel: ChannelHandle, buffers: readonly Bytes[], size: number, window: number): Operation;
  ucpChannelCompleteSends(channel: ChannelHandle): Operation;
  ucpChannelCompleteReceives(channel: ChannelHandle): Operation;
  ucpChannelClose(channel: ChannelHandle): void;
}

export interface NativeUcp extends NativeUcpObjects, NativeUcpOperations, NativeUcpChannel {}

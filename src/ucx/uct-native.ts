/** What ucx.node exports for UCT, as csrc/ucx/uct*.cc has it. Arguments are not checked there. */
import type { Bytes, Operation } from '../engine/types.js';
import type { UctIfaceAttributes, UctResource } from './uct-types.js';

declare const boxed: unique symbol;
/** A native object, alive as long as this value or an operation that uses it. */
export interface Box<Kind extends string> {
  readonly [boxed]: Kind;
}

export type IfaceBox = Box<'iface'>;
export type EpBox = Box<'ep'>;
export type RkeyBox = Box<'rkey'>;
export type MemoryBox = Box<'memory'>;
export type InFlightBox = Box<'inFlight'>;
export type MessagesBox = Box<'messages'>;
export type PacingBox = Box<'pacing'>;
export type ChannelBox = Box<'channel'>;

/** One call, checked. */
export interface NativeCall {
  readonly endpoint: EpBox;
  readonly inFlight: InFlightBox;
  readonly buffer: Bytes;
}

export interface NativeTransfer extends NativeCall {
  readonly layout: string;
  readonly length: number;
  /** Offset and length of each piece; one piece for what lies in one. */
  readonly pieces: Float64Array;
  readonly inPieces: boolean;
  /** What `registered` is shown by: the operation holds it. */
  readonly memory: Bytes | undefined;
  readonly registered: MemoryBox | undefined;
}

export interface NativeRemote {
  readonly key: RkeyBox;
  readonly address: bigint;
}

export interface NativeAm extends NativeTransfer {
  readonly id: number;
  readonly headerLength: number;
  readonly pacing: PacingBox | undefined;
}

export interface NativePut extends NativeTransfer, NativeRemote {
  readonly stamp: boolean;
  /** Index of the message's last byte in the buffer. */
  readonly lastByte: number;
}

export interface NativeAtomic extends NativeRemote {
  readonly endpoint: EpBox;
  readonly inFlight: InFlightBox;
  /** Takes the old value. */
  readonly buffer: Bytes | undefined;
  readonly name: string;
  readonly size: number;
  readonly value: bigint;
  readonly compare: bigint;
}

export interface NativeReceive {
  readonly messages: MessagesBox;
  /** Where acknowledgements go. */
  readonly endpoint?: EpBox;
  readonly id?: number;
  readonly every?: number;
}

export interface NativeUct {
  uctResources(): UctResource[];
  uctOpen(
    component: string,
    md: string,
    transport: string,
    device: string,
    asyncMode: number,
    settings: readonly (readonly [name: string, value: string])[],
  ): IfaceBox;
  uctClose(iface: IfaceBox): void;
  uctAttributes(iface: IfaceBox): UctIfaceAttributes;
  uctDeviceAddress(iface: IfaceBox): Uint8Array;
  uctIfaceAddress(iface: IfaceBox): Uint8Array;
  uctIsReachable(iface: IfaceBox, deviceAddress: Uint8Array, ifaceAddress: Uint8Array): boolean;
  uctProgress(iface: IfaceBox): number;

  uctConnect(iface: IfaceBox, deviceAddress: Uint8Array, ifaceAddress: Uint8Array): EpBox;
  uctEpCreate(iface: IfaceBox): EpBox;
  uctEpAddress(ep: EpBox): Uint8Array;
  uctConnectToEp(ep: EpBox, deviceAddress: Uint8Array, epAddress: Uint8Array): void;
  uctEpDestroy(ep: EpBox): void;

  uctRkeyUnpack(iface: IfaceBox, packed: Uint8Array): RkeyBox;
  uctRkeyRelease(rkey: RkeyBox): void;

  uctMemAlloc(iface: IfaceBox, length: number, nonBlocking: boolean): MemoryBox;
  uctMemBind(memory: MemoryBox, object: object, length: number): void;
  uctMemFree(memory: MemoryBox, views: readonly ArrayBuffer[]): void;
  uctMemAddress(memory: MemoryBox): bigint;
  uctMemKey(memory: MemoryBox): Uint8Array;

  uctInFlight(iface: IfaceBox, limit: number): InFlightBox;
  uctInFlightCount(inFlight: InFlightBox): number;
  uctMessages(iface: IfaceBox, id: number, into: Bytes | undefined): MessagesBox;
  uctMessagesArrived(messages: MessagesBox): number;
  uctMessagesClose(messages: MessagesBox): void;
  uctPacing(iface: IfaceBox, id: number, window: number): PacingBox;
  uctPacingAcknowledged(pacing: PacingBox): number;
  uctPacingClose(pacing: PacingBox): void;

  uctBindAm(request: NativeAm): Operation;
  uctBindPut(request: NativePut): Operation;
  uctBindGet(request: NativeTransfer & NativeRemote): Operation;
  uctBindAtomic(request: NativeAtomic): Operation;
  uctBindProgress(request: { readonly iface: IfaceBox }): Operation;
  uctBindComplete(request: { readonly iface: IfaceBox; readonly inFlight: InFlightBox }): Operation;
  uctBindWaitByte(request: { readonly iface: IfaceBox; readonly buffer: Bytes; readonly offset: number }): Operation;
  uctBindFence(request: { readonly endpoint: EpBox }): Operation;
  uctBindFlush(request: { readonly iface: IfaceBox }): Operation;
  uctBindAcknowledged(request: { readonly iface: IfaceBox; readonly pacing: PacingBox }): Operation;
  uctBindReceive(request: NativeReceive): Operation;
  uctBindReceiveBehind(request: NativeReceive & { readonly behind: number }): Operation;
  uctBindArrived(request: NativeReceive): Operation;
  uctBindAcknowledge(request: NativeReceive): Operation;

  uctChannel(endpoint: EpBox, id: number): ChannelBox;
  uctChannelClose(channel: ChannelBox): void;
  uctChannelSend(channel: ChannelBox, buffer: readonly [Bytes], size: number): Operation;
  uctChannelReceive(channel: ChannelBox, buffer: readonly [Bytes], size: number): Operation;
  uctChannelStartSends(channel: ChannelBox, buffers: readonly Bytes[], size: number, window: number): Operation;
  uctChannelStartReceives(channel: ChannelBox, buffers: readonly Bytes[], size: number, window: number): Operation;
  uctChannelCompleteSends(channel: ChannelBox): Operation;
  uctChannelCompleteReceives(channel: ChannelBox): Operation;
}

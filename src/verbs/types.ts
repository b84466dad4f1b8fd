/** Objects of libibverbs: devices, ports, memory, queues. Names are the verbs' own; see `bind-types.ts` for operations. */
import type { EngineBuffer } from '../engine/buffer.js';

export type LinkLayer = 'InfiniBand' | 'Ethernet' | 'unspecified';
/** Sizes of a path's packets, in bytes. */
export type Mtu = 256 | 512 | 1024 | 2048 | 4096;
/** What a queue pair is for. XRC has a sending and a receiving end. */
export type QpType = 'RC' | 'UC' | 'UD' | 'XRC_SEND' | 'XRC_RECV' | 'DCI' | 'DCT';

export interface DeviceInfo {
  /** E.g. `mlx5_0`, `rxe0`. */
  readonly name: string;
  /** As ibv_devinfo has it, e.g. `5054:00ff:fe12:3456`. */
  readonly guid: string;
  readonly transport: 'InfiniBand' | 'iWARP' | 'usNIC' | 'unspecified' | 'unknown';
}

/** Of ibv_query_device, as far as tests need it. */
export interface DeviceAttributes {
  readonly firmware: string;
  readonly vendorId: number;
  readonly vendorPartId: number;
  readonly ports: number;
  readonly maxQpWr: number;
  readonly maxSge: number;
  readonly maxCqe: number;
  readonly maxSrqWr: number;
  /** RDMA reads and atomics that a queue pair may have outstanding as their target, and as their initiator. */
  readonly maxQpRdAtom: number;
  readonly maxQpInitRdAtom: number;
  readonly atomicCap: 'NONE' | 'HCA' | 'GLOB';
  readonly maxMrSize: bigint;
  readonly completionVectors: number;
  readonly xrc: boolean;
  /** On-demand paging. */
  readonly odp: boolean;
}

export interface PortAttributes {
  readonly port: number;
  readonly state: 'NOP' | 'DOWN' | 'INIT' | 'ARMED' | 'ACTIVE' | 'ACTIVE_DEFER';
  readonly linkLayer: LinkLayer;
  readonly maxMtu: Mtu;
  readonly activeMtu: Mtu;
  /** Bytes of the longest message. */
  readonly maxMsgSz: number;
  readonly lid: number;
  readonly smLid: number;
  readonly gidTableLength: number;
  /** Lanes, and gigabits per second of each; 0 where the device doesn't say. */
  readonly activeWidth: number;
  readonly activeSpeed: number;
}

export interface GidEntry {
  readonly index: number;
  /** Sixteen bytes. */
  readonly gid: Uint8Array;
  /** As an IPv6 address. */
  readonly text: string;
  readonly type: 'IB' | 'RoCE v1' | 'RoCE v2';
  /** Whether it stands for an IPv4 address. */
  readonly ipv4: boolean;
  /** Of the network interface; null where there is none. */
  readonly netdev: string | null;
}

export interface VerbsContext {
  readonly device: DeviceInfo;
  readonly attributes: DeviceAttributes;
  /** Throws RangeError where there is no such port. */
  port(port: number): PortAttributes;
  /** All that aren't empty. */
  gids(port: number): readonly GidEntry[];
  allocPd(): ProtectionDomain;
  createCompChannel(): CompChannel;
  /** `vector`: of `channel`'s interrupts (default 0). */
  createCq(options: { readonly entries: number; readonly channel?: CompChannel; readonly vector?: number }): Cq;
  openXrcd(): Xrcd;
  /** Why a QP in error may have failed: asynchronous events that have come since the last call, in words. */
  asyncEvents(): readonly string[];
  /** Throws where objects of it are open. */
  close(): void;
}

export type AccessFlag =
  'LOCAL_WRITE' | 'REMOTE_WRITE' | 'REMOTE_READ' | 'REMOTE_ATOMIC' | 'RELAXED_ORDERING' | 'ON_DEMAND';

export interface ProtectionDomain {
  readonly context: VerbsContext;
  /**
   * Registers memory. Where that fails for want of locked memory the error says how much is needed, how much is allowed
   * and how to raise it; the soft limit is raised to the hard one first.
   */
  regMr(buffer: EngineBuffer, access: readonly AccessFlag[]): MemoryRegion;
  createQp(options: QpOptions): QueuePair;
  createSrq(options: { readonly maxWr: number; readonly xrc?: { readonly xrcd: Xrcd; readonly cq: Cq } }): Srq;
  createAh(path: AddressPath): AddressHandle;
  dealloc(): void;
}

export interface MemoryRegion {
  readonly buffer: EngineBuffer;
  /** Where it lies, for the peer. */
  readonly address: bigint;
  readonly lkey: number;
  readonly rkey: number;
  dereg(): void;
}

export interface CompChannel {
  destroy(): void;
}
export interface Cq {
  readonly entries: number;
  readonly channel: CompChannel | null;
  destroy(): void;
}
export interface Srq {
  /** For the peers of XRC; 0 else. */
  readonly number: number;
  destroy(): void;
}
export interface Xrcd {
  close(): void;
}
export interface AddressHandle {
  destroy(): void;
}

export interface QpOptions {
  readonly type: QpType;
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  readonly srq?: Srq;
  readonly xrcd?: Xrcd;
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  /** Bytes that posting may carry by itself (default 0); the device may give more or refuse. */
  readonly maxInline?: number;
  /** Takes as much inline as the device can carry where that is less than `maxInline` (default: refused, naming it). */
  readonly inlineIfPossible?: boolean;
  /** Whether the ibv_wr_* calls are asked for (default: where the device has them). */
  readonly wrApi?: boolean;
}

/** How to reach the other side. */
export interface AddressPath {
  readonly port: number;
  readonly lid: number;
  /** With its own index here: always on Ethernet; on InfiniBand only between subnets. */
  readonly gid?: { readonly gid: Uint8Array; readonly index: number };
  readonly sl?: number;
  readonly trafficClass?: number;
  readonly hopLimit?: number;
  readonly flowLabel?: number;
}

export interface ConnectOptions {
  readonly path: AddressPath;
  readonly mtu: Mtu;
  /** Of the other side (not for UD). */
  readonly destQpn: number;
  /** Packet sequence numbers: the other side's own, and this one's. */
  readonly rqPsn: number;
  readonly sqPsn: number;
  readonly pkeyIndex?: number;
  /** RDMA reads and atomics outstanding, as target (default: the device's most) and as initiator (default 1) (RC, XRC). */
  readonly maxDestRdAtomic?: number;
  readonly maxRdAtomic?: number;
  /** Local ACK timeout: 4.096 us * 2^n (default 14). */
  readonly timeout?: number;
  /** Sends again without an answer, 0 to 7 (default 7). */
  readonly retryCount?: number;
  /** 7 is for ever (default). */
  readonly rnrRetry?: number;
  /** Code of the wait that a sender is asked for which finds no receive posted (default 12: 0.64 ms). */
  readonly minRnrTimer?: number;
  /** Of UD (default 0x11111111). */
  readonly qkey?: number;
}

export interface QueuePair {
  readonly type: QpType;
  readonly number: number;
  /** Bytes that the device lets posting carry. */
  readonly maxInline: number;
  /** Whether ibv_wr_* calls post. */
  readonly wrApi: boolean;
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  readonly srq: Srq | null;
  /** RESET to INIT, to RTR, to RTS. Posting receives is allowed from INIT on, which `prepare` alone reaches. */
  prepare(options: { readonly port: number; readonly pkeyIndex?: number; readonly qkey?: number }): void;
  connect(options: ConnectOptions): void;
  /** Name of the state, e.g. `RTS`, `ERR`. */
  state(): string;
  /** To ERR: all that is posted comes back flushed. */
  fail(): void;
  destroy(): void;
}

export interface Verbs {
  /** Empty where there are none. Throws LoadError where libibverbs is missing. */
  devices(): readonly DeviceInfo[];
  /** The first, or the one named; throws NoRdmaDevice, which names those that there are or what was looked for. */
  open(name?: string): VerbsContext;
  /** Zeroed memory of huge pages. Throws OperationError, saying how many are needed and free, where there aren't enough. */
  hugeBuffer(byteLength: number): EngineBuffer;
}

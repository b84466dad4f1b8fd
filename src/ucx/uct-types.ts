/** UCT, UCX's transport layer, for JavaScript. Names are UCT's own. Failures throw `OperationError` with `stackName` `uct`. */
import type {
  AtomicRequest,
  ByteRequest,
  Bytes,
  InFlight,
  Memory,
  Messages,
  Operation,
  Pieces,
  Remote,
} from './types.js';

export type UctLayout = 'short' | 'shortiov' | 'bcopy' | 'zcopy';
export type UcsAsyncMode = 'thread_spinlock' | 'thread_mutex' | 'signal' | 'poll';

/** A transport on a device, e.g. `posix` on `memory`. */
export interface UctResource {
  readonly component: string;
  /** Name of the memory domain. */
  readonly md: string;
  readonly transport: string;
  readonly device: string;
  /** `network`, `shared-memory`, `self`, `acceleration`. */
  readonly type: string;
}

export interface Uct {
  /** Everything there is on this host, by uct_query_components and uct_md_query_tl_resources. */
  resources(): readonly UctResource[];
  /** Opens async context, worker and memory domain of a resource, and its interface, in one go. */
  open(resource: UctResource, options?: UctOpenOptions): UctIface;
}

export interface UctOpenOptions {
  /** Default `thread_spinlock`. */
  readonly asyncMode?: UcsAsyncMode;
  /** Settings of interface and memory domain that replace those of the environment, by their names without `UCX_`. */
  readonly config?: Readonly<Record<string, string>>;
}

/** Limits of one call and layout, in bytes; null where the interface doesn't have it. */
export interface UctLimits {
  readonly short: {
    readonly max: number;
    /** Pieces that shortiov takes, of active messages. */ readonly maxIov?: number;
  } | null;
  readonly bcopy: { readonly max: number } | null;
  readonly zcopy: { readonly min: number; readonly max: number; readonly maxIov: number } | null;
}

export interface UctIfaceAttributes {
  /** `UCT_IFACE_FLAG_` names without the prefix, e.g. `AM_SHORT`, `CONNECT_TO_IFACE`, `CB_SYNC`. */
  readonly flags: readonly string[];
  readonly am: UctLimits & { /** Bytes of header at most, for zcopy. */ readonly maxHeader: number };
  readonly put: UctLimits;
  readonly get: UctLimits;
  /** Names of posted (`op`) and fetching (`fop`) atomics, by word size in bits. */
  readonly atomic32: { readonly op: readonly string[]; readonly fop: readonly string[] };
  readonly atomic64: { readonly op: readonly string[]; readonly fop: readonly string[] };
  /** Seconds: overhead and latency as UCX estimates them. */
  readonly overhead: number;
  readonly latency: number;
  /** Bytes per second, dedicated and shared. */
  readonly bandwidth: { readonly dedicated: number; readonly shared: number };
  readonly md: {
    readonly flags: readonly string[];
    readonly maxAlloc: number | null;
    readonly maxReg: number | null;
    readonly keySize: number;
    readonly memoryTypes: readonly string[];
  };
}

/**
 * An interface with the worker, memory domain and async context below it. Peers may use what belongs to it at any time:
 * endpoints, memory, handlers and the interface itself are closed by hand alone, and else live as long as the process.
 */
export interface UctIface {
  readonly resource: UctResource;
  readonly attributes: UctIfaceAttributes;
  deviceAddress(): Uint8Array;
  ifaceAddress(): Uint8Array;
  isReachable(deviceAddress: Uint8Array, ifaceAddress: Uint8Array): boolean;
  /** uct_iface_mem_alloc with UCT_MD_MEM_ACCESS_ALL, or UCT_MD_MEM_FLAG_NONBLOCK besides; pages touched. */
  memAlloc(length: number, options?: { readonly nonBlocking?: boolean }): Memory;
  /**
   * Unpacks a peer's key, which is empty where none is needed. RangeError for one of another length than this interface's
   * own; UCX aborts for bytes that `packKey` never gave.
   */
  rkeyUnpack(packed: Uint8Array): UctRkey;
  /** An endpoint that connects to an interface. Throws where only endpoints can be connected, and OperationError where there is no way. */
  connect(deviceAddress: Uint8Array, ifaceAddress: Uint8Array): UctEp;
  /** An endpoint to connect to another endpoint, by `connectToEp`. */
  epCreate(): UctEp;
  /** Without `limit` as many calls may be in flight as UCX takes. */
  inFlight(limit?: number): InFlight;
  /** Sets the handler of active messages with this id: it counts, and with `into` copies the data there (header and payload as they lie in the message). */
  amMessages(options: { readonly id: number; readonly into?: Bytes }): Messages;
  /**
   * The sender's side of software flow control: the handler of id takes the acknowledgements. They tell totals, so that
   * all messages that the acknowledging handler takes must be sent with one pacing.
   */
  pacing(options: { readonly id: number; readonly window: number }): UctPacing;
  progress(): number;
  /** Closes interface, memory domain, worker and async context. Throws while an endpoint, memory or handler of it lives. */
  close(): void;
}

export interface UctPacing {
  readonly acknowledged: number;
  close(): void;
}

export interface UctRkey {
  release(): void;
}

export interface UctEp {
  address(): Uint8Array;
  connectToEp(deviceAddress: Uint8Array, epAddress: Uint8Array): void;
  destroy(): void;
}

interface Transfer {
  readonly endpoint: UctEp;
  readonly layout: UctLayout;
  readonly buffer: Bytes;
  /** Bytes of the message; with `pieces` the sum of their lengths (shortiov, zcopy). */
  readonly length: number;
  readonly pieces?: Pieces;
  /** Registered memory that `buffer` lies in; zcopy needs it where the memory domain registers. */
  readonly memory?: Memory;
  readonly inFlight: InFlight;
}

/**
 * Operations. UCS_OK and UCS_INPROGRESS are success (the latter counts in flight until its completion);
 * UCS_ERR_NO_RESOURCE makes progress and tries again; any other status fails with UCX's text. Before a call that may
 * be in flight they wait, with progress, until fewer than the counter's limit are. All that wait poll `cancelled`.
 * As the peer does, a successful send makes progress now and then (every 16th).
 */
export interface UctBind {
  progress(iface: UctIface): Operation;
  /** Progress until nothing of the counter is in flight. */
  complete(iface: UctIface, inFlight: InFlight): Operation;
  /**
   * An active message. short: the first 8 bytes of the data are its header, and `length` counts them. zcopy: the first
   * `headerLength` bytes are. With `pacing` it first waits, with progress, while as many as its window are unacknowledged.
   */
  am(
    request: Transfer & { readonly id: number; readonly headerLength?: number; readonly pacing?: UctPacing },
  ): Operation;
  /**
   * Waits until one more message has been taken than operations on `messages` have waited for so far. With `acknowledge` it
   * sends an acknowledgement of all taken after every `every` of them. With `behind` it waits only until all but so many have
   * been taken: for a process that talks to itself.
   */
  amReceive(
    iface: UctIface,
    messages: Messages,
    options?: {
      readonly acknowledge?: { readonly endpoint: UctEp; readonly id: number; readonly every: number };
      readonly behind?: number;
    },
  ): Operation;
  /** Waits until all have been taken that executions of `amReceive` stand for. */
  amArrived(iface: UctIface, messages: Messages): Operation;
  /** Acknowledges all that has been taken. */
  acknowledge(messages: Messages, to: { readonly endpoint: UctEp; readonly id: number }): Operation;
  /** Progress until all that was sent with the pacing is acknowledged. */
  acknowledged(iface: UctIface, pacing: UctPacing): Operation;
  /** `stamp`: before it, the last byte of the data becomes the next sequence number. */
  put(request: Transfer & { readonly remote: Remote<UctRkey>; readonly stamp?: boolean }): Operation;
  get(request: Transfer & { readonly remote: Remote<UctRkey> }): Operation;
  /** In UCX 1.13 shared memory's fetching and, or, xor take the old value for their operand; the others are right. */
  atomic(request: AtomicRequest<UctEp, UctRkey>): Operation;
  /** Waits for a sequence number in memory; makes progress meanwhile. */
  waitByte(iface: UctIface, request: ByteRequest): Operation;
  /** uct_ep_fence. */
  fence(endpoint: UctEp): Operation;
  /** uct_iface_flush until all is complete at the peer, with progress. */
  flush(iface: UctIface): Operation;
}

/**
 * Messages go as short active messages where they fit, else as bcopy ones in as many pieces as needed. Both sides must have
 * made their channel before either sends: UCX drops what comes before. Sends are complete when they return; `completeSends`
 * besides sees to it that they leave without further progress. A message of another size than its receive fails that
 * receive, and all later ones.
 */
export interface UctChannelOptions {
  readonly iface: UctIface;
  readonly endpoint: UctEp;
  /** Active message id; keeps channels apart. */
  readonly id: number;
}

/** UCP, UCX's protocol layer, for JavaScript. Names are UCP's own. Failures throw `OperationError` with `stackName` `ucp`. */
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

export type UcpFeature = 'TAG' | 'RMA' | 'AMO32' | 'AMO64' | 'WAKEUP' | 'STREAM' | 'AM';
export type UcsThreadMode = 'single' | 'serialized' | 'multi';
/** UCX's names of memory types, e.g. `host`, `cuda`. */
export type MemoryType = string;

export interface UcpContextOptions {
  readonly features: readonly UcpFeature[];
  /** Whether several threads have workers of it (`mt_workers_shared`). */
  readonly mtWorkersShared?: boolean;
  /** Settings that replace those of the environment, without `UCX_`: `{ TLS: 'posix', NET_DEVICES: 'all' }`. */
  readonly config?: Readonly<Record<string, string>>;
}

export interface Ucp {
  /** ucp_init. Throws with UCX's words for unknown transports and the like, and RangeError for an unknown setting. */
  init(options: UcpContextOptions): UcpContext;
}

export interface UcpContext {
  query(): {
    readonly name: string;
    readonly requestSize: number;
    readonly threadMode: UcsThreadMode;
    readonly memoryTypes: readonly MemoryType[];
  };
  workerCreate(options?: { readonly threadMode?: UcsThreadMode }): UcpWorker;
  /**
   * ucp_mem_map: allocates `length` bytes (page-aligned, touched), or registers `buffer`. `nonBlocking` is
   * UCP_MEM_MAP_NONBLOCK. RangeError for a memory type that this UCX does not support here.
   */
  memMap(
    request:
      | { readonly length: number; readonly nonBlocking?: boolean; readonly memoryType?: MemoryType }
      | { readonly buffer: Bytes; readonly nonBlocking?: boolean },
  ): Memory;
  /** Transports and devices that the context may use, e.g. `posix/memory`. */
  resources(): readonly string[];
  /** What ucp_context_print_info says. */
  info(): string;
  /** ucp_cleanup. Throws while a worker or memory of it lives. */
  cleanup(): void;
}

/** A remote key, unpacked for one endpoint. */
export interface UcpRkey {
  destroy(): void;
}

export interface UcpEpOptions {
  /** The peer's worker address. */
  readonly address: Uint8Array;
  /**
   * `peer` is UCP_ERR_HANDLING_MODE_PEER: the death of the peer is noticed, and fails whatever waits on the worker until
   * this endpoint is closed. Transports of shared memory can't do it (UCX 1.13): then `epCreate` fails, "unreachable".
   */
  readonly errorHandling?: 'none' | 'peer';
}

export interface UcpEp {
  rkeyUnpack(packed: Uint8Array): UcpRkey;
  /** What ucp_ep_print_info says. */
  info(): string;
  /** Transport and device of each lane that is in use, with what it is used for: `{ name: 'sysv/memory', uses: ['am', 'rma_bw#0'] }`. */
  lanes(): readonly { readonly name: string; readonly uses: readonly string[] }[];
  /** The status of a failure that UCX told of (error handling `peer`): its text, or null. */
  failure(): string | null;
  /**
   * ucp_ep_close_nbx, waiting with progress of all workers in this process; over tcp the peer must make progress too.
   * `force` leaves what is in flight, and needs errorHandling `peer`. Throws while operations, keys or channels of it live.
   */
  close(options?: { readonly force?: boolean; /** Seconds to wait, default 10. */ readonly timeout?: number }): void;
}

export interface UcpWorker {
  readonly threadMode: UcsThreadMode;
  address(): Uint8Array;
  progress(): number;
  epCreate(options: UcpEpOptions): UcpEp;
  inFlight(limit?: number): InFlight;
  /**
   * Sets the handler of active messages with this id. Without `into` it counts and lets go of the data. With it data go
   * there (eager ones are copied, others received by rendezvous), and a message counts when all of it has arrived.
   */
  amMessages(options: { readonly id: number; readonly into?: Bytes }): Messages;
  /** ucp_worker_print_info. */
  info(): string;
  destroy(): void;
}

/** `memory` passes a registered handle (`-z`) of memory that the buffer lies in. */
interface Transfer {
  readonly buffer: Bytes;
  /** Bytes; with `pieces` the sum of their lengths. */
  readonly length: number;
  /** UCP_DATATYPE_IOV instead of contiguous bytes. */
  readonly pieces?: Pieces;
  readonly memory?: Memory;
  /** Says that more calls follow (UCP_OP_ATTR_FLAG_MULTI_SEND). */
  readonly multiSend?: boolean;
  readonly inFlight: InFlight;
}

interface Send extends Transfer {
  readonly endpoint: UcpEp;
}

/**
 * Operations. Those that take `inFlight` first wait, with progress, until fewer than its limit are in flight, then post
 * one call; they don't wait for it unless `blocking`, which then waits for this call alone, counted apart.
 * All that wait poll `cancelled`.
 */
export interface UcpBind {
  /** ucp_worker_progress once. */
  progress(worker: UcpWorker): Operation;
  /** Progress until nothing of the counter is in flight. `sleep`: waits in the kernel for events (WAKEUP) between. */
  complete(worker: UcpWorker, inFlight: InFlight, options?: { readonly sleep?: boolean }): Operation;
  /** ucp_tag_send_nbx, or ucp_tag_send_sync_nbx. */
  tagSend(request: Send & { readonly tag: bigint; readonly sync?: boolean; readonly blocking?: boolean }): Operation;
  /** ucp_tag_recv_nbx; `probe` first waits by ucp_tag_probe_nb until the message is there. */
  tagReceive(
    request: Transfer & {
      readonly worker: UcpWorker;
      readonly tag: bigint;
      readonly mask: bigint;
      readonly probe?: boolean;
      readonly blocking?: boolean;
      readonly sleep?: boolean;
    },
  ): Operation;
  /** ucp_stream_send_nbx. RangeError for 0 bytes, by which UCX would abort. */
  streamSend(request: Send & { readonly blocking?: boolean }): Operation;
  /**
   * ucp_stream_recv_nbx of exactly `length` bytes, waiting for all. `data` by ucp_stream_recv_data_nb instead: it always
   * waits until as many bytes have come, and lets go of them where UCX has them, so that `buffer` and `inFlight` go unused.
   */
  streamReceive(
    request: Transfer & {
      readonly endpoint: UcpEp;
      readonly data?: boolean;
      readonly blocking?: boolean;
      readonly sleep?: boolean;
    },
  ): Operation;
  /** ucp_am_send_nbx with a user header of the first `headerLength` bytes of `header`. */
  amSend(
    request: Send & {
      readonly id: number;
      readonly header?: Bytes;
      readonly headerLength?: number;
      readonly blocking?: boolean;
    },
  ): Operation;
  /**
   * Waits for one message that no execution has waited for yet, whichever operation on these messages it belonged to. With
   * `behind` it waits only until all but so many have been taken, for a process that talks to itself.
   */
  amReceive(
    worker: UcpWorker,
    messages: Messages,
    options?: { readonly sleep?: boolean; readonly behind?: number },
  ): Operation;
  /** Waits until all have been taken that executions of `amReceive` stand for. */
  amArrived(worker: UcpWorker, messages: Messages): Operation;
  /** ucp_put_nbx. `stamp`: before it, the last byte of the data becomes the next sequence number (see ByteRequest). */
  put(request: Send & { readonly remote: Remote<UcpRkey>; readonly stamp?: boolean }): Operation;
  /** ucp_get_nbx. */
  get(request: Send & { readonly remote: Remote<UcpRkey> }): Operation;
  /** ucp_atomic_op_nbx. Over shared memory UCX 1.13 does the fetching and, or, xor wrongly, with the word as operand. */
  atomic(request: AtomicRequest<UcpEp, UcpRkey>): Operation;
  /** Waits for a sequence number in memory, with progress. */
  waitByte(worker: UcpWorker, request: ByteRequest & { readonly sleep?: boolean }): Operation;
  /** ucp_worker_fence. */
  fence(worker: UcpWorker): Operation;
  /** ucp_ep_flush_nbx, waiting: whatever was posted on the endpoint is complete at the peer. */
  flush(endpoint: UcpEp): Operation;
  /**
   * What ucp_request_query says of a request of this operation, or null. Call it twice: the first call has the operation
   * ask at its next execution, which posts with UCP_OP_ATTR_FLAG_NO_IMM_CMPL for that, and the second gives the answer. A
   * run that is going on asks when it next starts. TypeError for operations that aren't single calls of UCP.
   */
  protocolOf(operation: Operation): string | null;
}

export interface UcpChannelOptions {
  readonly worker: UcpWorker;
  readonly endpoint: UcpEp;
  /** By which calls messages go. */
  readonly by: 'tag' | 'stream' | 'am';
  /** Keeps channels between the same two workers apart: a tag, an active message id. A stream has one channel per endpoint. */
  readonly id: number;
}

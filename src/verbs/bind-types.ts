/** Operations of verbs: calls with everything bound, that the engine's executor runs. */
import type { Bytes, Operation } from '../engine/types.js';
import type { AddressHandle, Cq, MemoryRegion, QueuePair, Srq } from './types.js';

export type Opcode =
  | 'SEND'
  | 'SEND_WITH_IMM'
  | 'RDMA_WRITE'
  | 'RDMA_WRITE_WITH_IMM'
  | 'RDMA_READ'
  | 'ATOMIC_FETCH_AND_ADD'
  | 'ATOMIC_CMP_AND_SWP';

/** Part of a memory region. */
export interface Piece {
  readonly mr: MemoryRegion;
  /** Bytes from its begin (default 0). */
  readonly offset?: number;
  readonly length: number;
}

/** Where an RDMA call or an atomic goes. */
export interface RemotePiece {
  readonly address: bigint;
  readonly rkey: number;
}

/** The peer of a UD send. */
export interface UdPeer {
  readonly ah: AddressHandle;
  readonly qpn: number;
  readonly qkey: number;
}

export interface SendWr {
  readonly qp: QueuePair;
  readonly opcode: Opcode;
  readonly local: Piece;
  readonly remote?: RemotePiece;
  readonly ud?: UdPeer;
  /** Number of the peer's SRQ (XRC). */
  readonly srqn?: number;
  /** Whether the bytes go with the call (default: where they fit the QP's `maxInline`; never for reads and atomics). */
  readonly inline?: boolean;
  readonly imm?: number;
  /** Of atomics: what is added; what is compared with, and what then is put in its place. */
  readonly compareAdd?: bigint;
  readonly swap?: bigint;
}

export interface RecvWr {
  readonly to: QueuePair | Srq;
  readonly local: Piece;
}

/** Small messages walk through a stretch of memory in steps, locally and remotely, as perftest's bandwidth tests do. */
export interface Walk {
  /** Bytes from one message to the next. */
  readonly step: number;
  /** Bytes after which it begins anew: a whole number of steps. */
  readonly span: number;
}

export interface StreamRequest {
  /** One for each queue pair, in the order of posting; all of one completion queue. */
  readonly wrs: readonly SendWr[];
  readonly walk?: Walk;
  /** Work requests of a chain, posted by one call. */
  readonly postList: number;
  /** Work requests that a queue pair may have outstanding. */
  readonly txDepth: number;
  /** Every so many'th work request of a queue pair is signaled. */
  readonly cqMod: number;
  /** Completions asked for by one poll. */
  readonly cqePoll: number;
  /** Work requests of each queue pair in the whole run: the last is signaled. 0 = `end` sees to that. */
  readonly total: number;
  /** Sleeps for completions instead of polling (the queue must have a channel). */
  readonly events?: boolean;
  /**
   * Where the seconds go at which completions were seen, from the stream's first execution on, with the number of work
   * requests complete then: two numbers each, as many as there is room for. For perftest's peak.
   */
  readonly completions?: Float64Array;
}

/** A stream of work requests over one or several queue pairs. */
export interface Stream {
  /** Posts the next chain, on the next queue pair; polls for places first. */
  readonly post: Operation;
  /** Waits until all is complete. Where the last of a queue pair wasn't signaled, posts one more that is. */
  readonly end: Operation;
  /** Work requests complete so far. */
  completed(): number;
  /** Pairs of numbers written to `completions`. */
  noted(): number;
  /** Forgets counts and notes, e.g. after warm-up; nothing may be outstanding. */
  restart(total: number): void;
}

export interface ReceivesRequest {
  readonly cq: Cq;
  /** What is posted again once it has been taken, one for each queue pair (or one for an SRQ); none: nothing is. */
  readonly wrs: readonly RecvWr[];
  /** Receives that are posted anew by one call (default 1). */
  readonly postList?: number;
  readonly cqePoll: number;
  readonly events?: boolean;
}

/** Receives of a queue pair, taken one by one. */
export interface Receives {
  /** Posts the first ones: so many of each. */
  fill(count: number): void;
  /** Waits for the next, and posts it again. */
  readonly take: Operation;
  /** A test for `until`: pending where none has arrived. */
  readonly test: Operation;
  /** So many have been taken. */
  taken(): number;
}

export interface BothWaysRequest {
  readonly stream: StreamRequest;
  readonly receives: ReceivesRequest;
  /** Sends nothing before the first has been received. */
  readonly after: boolean;
}

export interface VerbsBind {
  /** Posts one work request, signaled. With `stamp` its last byte is set to the number of executions first. */
  post(wr: SendWr, options?: { readonly stamp?: boolean }): Operation;
  /** Waits for one completion. Fails with the words of its status and the likely mend. */
  complete(cq: Cq, options?: { readonly events?: boolean }): Operation;
  /** Waits until a byte holds the number of executions (modulo 256, the first is 1): it spins, and polls `cancelled`. */
  waitByte(buffer: Bytes, offset: number): Operation;
  stream(request: StreamRequest): Stream;
  receives(request: ReceivesRequest): Receives;
  /** Sends while it takes: `post` posts a chain once there is room, and takes whatever has arrived meanwhile. */
  bothWays(request: BothWaysRequest): { readonly stream: Stream; readonly receives: Receives };
}

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
  /** Of UD (by an SRQ too) with 40 bytes more than the message, which comes behind them. */
  readonly local: Piece;
}

/**
 * Small messages walk through a stretch of memory in steps, locally and (RDMA, atomics) remotely, as perftest's bandwidth
 * tests do: the n-th message of a queue pair, from 0, lies n * step further on, modulo span. Those of a chain (postList
 * above 1) have their places by their number within the chain, so that each chain has the same.
 */
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
  /**
   * Every so many'th work request of a queue pair is signaled. Chains of `postList` must fit into `txDepth` beside those
   * that no completion tells of, or a RangeError says how much is needed.
   */
  readonly cqMod: number;
  /** Completions asked for by one poll. */
  readonly cqePoll: number;
  /**
   * Work requests of each queue pair in the whole run, a multiple of `postList`: the last is signaled. 0 = `end` sees to
   * that. More may be posted: the places of the signaled ones are then counted from that last one.
   */
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
  /**
   * Posts the next chain, on the next queue pair; polls for places first. After a failure, which it words with the number
   * of the work request and of its queue pair, this and `end` give the same failure again at once.
   */
  readonly post: Operation;
  /**
   * Waits until all is complete. Where the last of a queue pair wasn't signaled, posts one more of the first of its chain
   * that is: `completed` counts it. More may be posted afterwards, and ended again.
   */
  readonly end: Operation;
  /** Work requests complete so far. */
  completed(): number;
  /** Pairs of numbers written to `completions`. */
  noted(): number;
  /** Forgets counts and notes, e.g. after warm-up. Throws an Error where anything is outstanding, or the stream failed. */
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

/** Receives of a completion queue: polled in batches, posted again as they are found, and taken one by one. */
export interface Receives {
  /** Posts the first ones: so many of each. */
  fill(count: number): void;
  /** Takes the next; waits for it where it has not arrived. So n executions return once n messages have arrived. */
  readonly take: Operation;
  /** A test for `until`: takes the next, and is pending where it hasn't arrived. */
  readonly test: Operation;
  /** So many have been taken by `take` and `test`. */
  taken(): number;
  /** So many have been found, and posted again: by those, and by the stream of `bothWays`. */
  arrived(): number;
  /** Forgets the counts. */
  restart(): void;
}

export interface BothWaysRequest {
  readonly stream: StreamRequest;
  readonly receives: ReceivesRequest;
  /** Sends nothing before one has been received since it was bound, or restarted. */
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
  /**
   * Sends while it receives: `post` and `end`, while they wait, look for messages and post their receives again, which
   * counts as arrived. `take` then gives those out: as many executions as messages are expected end the run.
   */
  bothWays(request: BothWaysRequest): { readonly stream: Stream; readonly receives: Receives };
}

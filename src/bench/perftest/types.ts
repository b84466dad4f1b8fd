/** The seam within ib_*: `session` opens, connects and tells; `measure` builds programs on what is open, and times them. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { Operation } from '../../engine/types.js';
import type { Rendezvous } from '../../rendezvous/types.js';
import type { BandwidthFigures, LatencyFigures } from '../../report/perftest-types.js';
import type { RemotePiece, UdPeer } from '../../verbs/bind-types.js';
import type { Cq, MemoryRegion, QueuePair, Srq, VerbsContext } from '../../verbs/types.js';
import type { SampleStore } from '../measure/samples.js';
import { Refusal } from '../meeting/refusal.js';

/** The client starts, measures and prints; `--reversed` has swapped the roles already. */
export type Role = 'client' | 'server';

/** What this machine, this device or this test can't do, in a sentence. */
export class PerftestRefusal extends Refusal {
  override name = 'PerftestRefusal';
  constructor(message: string, exitCode: number = 1) {
    super(message, exitCode);
  }
}

/** One queue pair, connected, with its part of the memory. */
export interface Lane {
  readonly qp: QueuePair;
  readonly mr: MemoryRegion;
  /** Bytes from the region's begin: the half that is sent from, and the half that is received into. */
  readonly sendOffset: number;
  readonly receiveOffset: number;
  /** Bytes of each half: at least a page, and the greatest message (with the 40 bytes of UD's header when receiving). */
  readonly half: number;
  /** The peer's receive half; of READ what is read. */
  readonly remote: RemotePiece;
  readonly ud?: UdPeer;
  readonly srqn?: number;
}

/** What is open on one side. */
export interface Side {
  readonly options: PerftestOptions;
  readonly role: Role;
  readonly context: VerbsContext;
  readonly lanes: readonly Lane[];
  readonly sendCq: Cq;
  readonly recvCq: Cq;
  readonly srq: Srq | null;
  /** Bytes that go inline at most, as agreed with the device. */
  readonly inlineSize: number;
  /** Of the pair: client is rank 0, server rank 1. With `--incast` all processes: the clients, and the server as the last. */
  readonly pair: Rendezvous;
  /** All processes, where several pairs measure at once. */
  readonly world: Rendezvous;
  /** For tests of validation: operations that run after an iteration and before its data is checked. */
  readonly tamper?: (place: {
    readonly role: Role;
    readonly lane: Lane;
    readonly size: number;
  }) => readonly Operation[];
}

/** What one size gave on this side; what the other one found comes by the rendezvous. */
export interface SizeResult {
  readonly latency?: LatencyFigures;
  readonly bandwidth?: BandwidthFigures;
  /** The peer's own bandwidth, of both directions or where only it can see it. */
  readonly remoteBandwidth?: BandwidthFigures;
  /** Durations of each iteration (latency tests; already halved for sends and writes), where they are kept. */
  readonly samples?: Float64Array;
  readonly store?: SampleStore;
  readonly wrongBytes?: number;
  /** Of `-W`. */
  readonly counters?: readonly (readonly [name: string, difference: bigint])[];
  /** Seconds that the figures are of, with `-D`. */
  readonly sampleSeconds?: number;
  /** Sentences for stderr: messages that were lost, say. */
  readonly warnings?: readonly string[];
}

/**
 * Measures one size; both sides of all pairs call it together. `progress` takes a row every so many seconds (`--run_infinitely`).
 *
 * @throws OperationError where a call fails or the other side has given up; PerftestRefusal where it can't be done, on both
 */
export type MeasureSize = (side: Side, size: number, progress: (figures: BandwidthFigures) => void) => SizeResult;

/** The rendezvous seam: how the processes of a run find each other and agree. Never on a timed path. */
import type { Operation } from '../engine/types.js';

export interface Rendezvous {
  /** Name of the way to meet: `mpi`, `tcp`, `rdma_cm`, `loopback`. */
  readonly kind: string;
  readonly rank: number;
  readonly size: number;
  /** Every rank's value, by rank, on every rank. Values are JSON. */
  allgather<T>(value: T): T[];
  /** Every rank's value, by rank, on rank 0; an empty list on the others. */
  gather<T>(value: T): T[];
  /** Rank `root`'s value on every rank. */
  broadcast<T>(value: T, root?: number): T;
  /** Every rank's numbers, by rank, on rank 0; an empty list on the others. Lengths may differ between ranks. */
  gatherNumbers(values: Float64Array): Float64Array[];
  barrier(): void;
  /**
   * A barrier as an operation, for untimed parts and for ends of one-sided streams: while it waits it runs `progress`,
   * without which a peer's transfers may never complete. It polls `cancelled`.
   */
  progressBarrier?(progress: Operation): Operation;
  /** Ends all ranks at once with this exit code. Does not return. */
  abort(code: number): never;
  /** Leaves in good order. */
  close(): void;
}

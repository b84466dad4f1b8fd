import { mpiAddon } from './addon.js';
import type { Datatype } from './types.js';

/** MPI_Status: where a message came from. */
export class Status {
  readonly #bytes: Uint8Array;

  /** @param bytes the native struct. Only the addon makes statuses. */
  constructor(
    /** Rank of the sender. */
    readonly source: number,
    readonly tag: number,
    /** Code of this request in calls that complete several. */
    readonly error: number,
    bytes: Uint8Array,
  ) {
    this.#bytes = bytes;
  }

  /** How many elements arrived; UNDEFINED where the bytes are no whole number of elements. */
  count(datatype: Datatype): number {
    return mpiAddon().statusCount(this.#bytes, datatype);
  }

  /** Whether Cancel was in time. */
  get cancelled(): boolean {
    return mpiAddon().statusCancelled(this.#bytes);
  }
}

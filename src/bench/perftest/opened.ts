/** What is open on one side of a test: for `measure`, for the box above the rows, and for the record. */
import type { PerftestOptions } from '../../cli/perftest-options.js';
import type { PerftestAddress, PerftestHeader } from '../../report/perftest-types.js';
import type { VerbsRecord } from '../../results/types.js';
import type { Party } from '../meeting/party.js';
import type { Side } from './types.js';

export interface OpenRequest {
  readonly options: PerftestOptions;
  readonly party: Party;
  /** Of the side that was asked, for paths that rdma_cm finds. */
  readonly host?: string | undefined;
}

export interface Opened {
  readonly side: Side;
  /** Sizes that the path can carry. */
  readonly sizes: readonly number[];
  readonly header: PerftestHeader;
  /** Of each queue pair. */
  readonly addresses: readonly { readonly local: PerftestAddress; readonly remote: PerftestAddress }[];
  readonly verbs: VerbsRecord;
  /** Closes everything, in order. */
  close(): void;
  /** The same after a failure, as far as it can be. */
  abandon(): void;
}

/**
 * Opens and connects one side; all processes call it together.
 *
 * @throws Refusal on all of them where it can't be done on one
 */
export type OpenSide = (request: OpenRequest) => Opened;

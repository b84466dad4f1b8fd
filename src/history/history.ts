/** The history of a store: its records, what can be followed over time, and what changed. */
import { followed, type FollowedTrack } from './changes.js';
import { filtered, type Filter } from './filter.js';
import type { Store, StoredRecord } from './scan.js';
import { tracksOf } from './series.js';

export interface History {
  readonly folder: string;
  /** In the order of time. */
  readonly records: readonly StoredRecord[];
  readonly tracks: readonly FollowedTrack[];
  readonly problems: readonly string[];
  /** Files that could not be used. */
  readonly skipped: number;
  /** Records that don't say when they were made. */
  readonly undated: number;
}

export interface HistoryOptions extends Filter {
  /** Smaller changes are of no interest: 0.03 = 3 %. */
  readonly threshold: number;
}

export function historyOf(folder: string, store: Store, options: HistoryOptions): History {
  const records = filtered(store.records, options);
  return {
    ...{ folder, records, problems: store.problems, skipped: store.skipped },
    tracks: tracksOf(records).map((track) => followed(track, options.threshold)),
    undated: records.filter(({ record }) => record.run.started === '').length,
  };
}

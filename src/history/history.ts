/** The history of a store: its records, what can be followed over time, and what changed. */
import { SIGNIFICANCE } from './change-points.js';
import { followed, isEnough, type FollowedTrack } from './changes.js';
import { filtered, type Filter } from './filter.js';
import type { Store, StoredRecord } from './scan.js';
import { isDated, tracksOf } from './series.js';

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
  const tracks = tracksOf(records);
  // By Bonferroni: however many tests there are, chance shows a change in as few histories.
  const level = SIGNIFICANCE / Math.max(1, tracks.filter(isEnough).length);
  return {
    ...{ folder, records, problems: store.problems, skipped: store.skipped },
    tracks: tracks.map((track) => followed(track, options.threshold, level)),
    undated: records.filter(({ record }) => !isDated(record)).length,
  };
}

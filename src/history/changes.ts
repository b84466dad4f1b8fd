/** The changes of a track, with what else changed when they came. */
import { factsOf } from '../analysis/facts.js';
import { pairText, NOT_THERE } from '../analysis/pair-text.js';
import { median } from '../bench/measure/robust.js';
import type { ResultRecord } from '../results/types.js';
import { changePoints, LEAST_POINTS, type ChangePoint } from './change-points.js';
import type { Track } from './series.js';

/** How one size changed. */
export interface SizeChange {
  /** Index of the size. */
  readonly row: number;
  /** Medians before and after, up to the changes next to it, in base units. */
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
}

export interface Change {
  /** Index of the first moment after it. */
  readonly at: number;
  readonly p: number;
  readonly sizes: readonly SizeChange[];
  /** Whether it is for the worse; undefined where nobody can tell, or sizes disagree. */
  readonly worse: boolean | undefined;
  /** What the records before and after it say of their environment, where that differs. */
  readonly differences: readonly string[];
}

export interface FollowedTrack extends Track {
  readonly changes: readonly Change[];
  /** Whether there are enough moments to tell. */
  readonly enough: boolean;
}

/** Whether there are enough moments to tell. */
export const isEnough = ({ moments }: Track): boolean => moments.length >= LEAST_POINTS;

/** Changes of at least one size by more than `threshold` (0.03 = 3 %); of tracks without any a part of `level` shows one. */
export function followed(track: Track, threshold: number, level: number): FollowedTrack {
  const points = changePoints(track.values, { level });
  const changes = points.map((point, index) => changeOf(track, point, [points[index - 1]?.at ?? 0, points[index + 1]?.at ?? track.moments.length], threshold)); // prettier-ignore
  return {
    ...track,
    changes: changes.filter(({ sizes }) => sizes.length > 0),
    enough: isEnough(track),
  };
}

function changeOf(
  track: Track,
  point: ChangePoint,
  ends: readonly [from: number, to: number],
  threshold: number,
): Change {
  // prettier-ignore
  const sizes = point.rows.flatMap((row): SizeChange[] => {
    const values = track.values[row] ?? [];
    const before = middle(values.slice(ends[0], point.at));
    const after = middle(values.slice(point.at, ends[1]));
    const ratio = after / before;
    return Math.abs(ratio - 1) > threshold ? [{ row, before, after, ratio }] : [];
  });
  const [last, next] = [track.moments[point.at - 1], track.moments[point.at]];
  return {
    ...{ at: point.at, p: point.p, sizes, worse: isWorse(track, sizes) },
    differences: last && next ? differences(last.record, next.record) : [],
  };
}

const middle = (values: readonly number[]): number => median(values.filter((value) => Number.isFinite(value)));

function isWorse({ better }: Track, sizes: readonly SizeChange[]): boolean | undefined {
  if (better === undefined || sizes.length === 0) return undefined;
  const worse = sizes.filter(({ ratio }) => ratio > 1 === (better === 'lower')).length;
  return worse === sizes.length ? true : worse === 0 ? false : undefined;
}

/** `MPI Open MPI 4.1.4 / 5.0.2`. What each run has anew, as its job's number, is no difference worth telling. */
function differences(before: ResultRecord, after: ResultRecord): string[] {
  const [a, b] = [new Map(factsOf(before)), new Map(factsOf(after))];
  const names = [...new Set([...a.keys(), ...b.keys()])].filter((name) => !name.startsWith('SLURM_'));
  return names.flatMap((name) => {
    const [left = NOT_THERE, right = NOT_THERE] = [a.get(name), b.get(name)];
    return left === right ? [] : [`${name} ${pairText(left, right)}`];
  });
}

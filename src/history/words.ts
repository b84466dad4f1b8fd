/** What a history says of a change, in words that text and page share. */
import { bytes, change as percent, probability, scaled, sizeRange } from '../analysis/units.js';
import { LEAST_POINTS } from './change-points.js';
import type { Change, FollowedTrack, SizeChange } from './changes.js';

/** `2026-01-31 12:00`, UTC. */
export function dateText(time: number): string {
  return Number.isNaN(time) ? '-' : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

export function changeHead({ moments }: FollowedTrack, { at, p, worse }: Change): string {
  const when = dateText(moments[at]?.time ?? NaN);
  const verdict = worse === undefined ? 'changed' : worse ? 'worse' : 'better';
  return `${verdict} from ${when}, after ${at} records (p ${p < 0.001 ? '' : '= '}${probability(p)})`;
}

/** `+4.2 % at 1 to 512 bytes (0.98 to 1.02 µs at 8 bytes)`; the largest change of those in one direction is told. */
export function changeTexts(track: FollowedTrack, { sizes }: Change): string[] {
  const [up, down] = [sizes.filter(({ ratio }) => ratio > 1), sizes.filter(({ ratio }) => ratio <= 1)];
  return [up, down].flatMap((group) => (group.length === 0 ? [] : [changeText(track, group)]));
}

function changeText({ sizes, scale, figure }: FollowedTrack, group: readonly SizeChange[]): string {
  const largest = group.reduce((a, b) => (Math.abs(Math.log(b.ratio)) > Math.abs(Math.log(a.ratio)) ? b : a));
  const known = group.flatMap(({ row }) => sizes[row] ?? []);
  const where = known.length === 0 ? '' : ` at ${known.length === 1 ? bytes(known[0] ?? 0) : `${known.length} sizes of ${sizeRange(known)}`}`; // prettier-ignore
  const size = sizes[largest.row];
  const at = known.length < 2 || size === null || size === undefined ? '' : ` at ${bytes(size)}`;
  const most = group.length > 1 ? 'up to ' : '';
  return `${figure} ${most}${percent(largest.ratio)}${where} (${scaled(largest.before, scale)} to ${scaled(largest.after, scale)} ${scale.unit}${at})`;
}

/** Of a track without changes. */
export function quietText({ moments, enough }: FollowedTrack): string {
  const count = `${moments.length} ${moments.length === 1 ? 'record' : 'records'}`;
  return enough ? `no change among ${count}` : `${count}, of which ${LEAST_POINTS} are needed to tell a change`;
}

/** What options say only together: depths of queues, moderation of completions, sizes of a path. */
import type { PerftestOptions } from './perftest-options.js';
import { bad, good, type Checked } from './values.js';

/** Above it a completion for every message costs nothing, and few completions would make steps. */
const MODERATED_BYTES = 8192;
/** `-a`: 2^1 to 2^23. */
const ALL_SIZES: readonly number[] = Array.from({ length: 23 }, (_, index) => 2 ** (index + 1));
/** Most bytes of a message of UD: what one packet carries. */
const MOST_UD_BYTES = 4096;
/** Receives of UC and UD, which lose what finds none. */
const MOST_UNRELIABLE_RECEIVES = 16_000;

type Moderated = Pick<PerftestOptions, 'kind' | 'connection' | 'all' | 'events' | 'postList' | 'cqMod' | 'cqModGiven'>;

/** Messages of one completion at this size: what `-Q` says, or 1 for large ones where nothing else decides. */
export function cqModFor(options: Moderated, size: number): number {
  const { connection, all, events, postList, cqMod, cqModGiven } = options;
  const decided = cqModGiven || postList > 1 || connection === 'UD' || all || events;
  return decided || size <= MODERATED_BYTES ? cqMod : 1;
}

/** Sizes before the path is known. */
export function plannedSizes(
  given: { readonly all: boolean; readonly size?: number; readonly sizes?: readonly number[]; readonly mtu?: number },
  connection: PerftestOptions['connection'],
  byDefault: number,
): readonly number[] {
  const most = connection === 'UD' ? (given.mtu ?? MOST_UD_BYTES) : Infinity;
  if (given.all) return ALL_SIZES.filter((size) => size <= most);
  return given.sizes ?? [given.size ?? Math.min(byDefault, most)];
}

/**
 * Sizes of a path whose packets carry `mtu` bytes: UD's messages have one packet each. `-a` ends there and a default is
 * clipped; a size that was asked for and is too large is refused, in a sentence.
 */
export function sizesFor(
  { connection, sizes, sizesGiven, all }: Pick<PerftestOptions, 'connection' | 'sizes' | 'sizesGiven' | 'all'>,
  mtu: number,
): Checked<readonly number[]> {
  if (connection !== 'UD') return good(sizes);
  if (all) return good(sizes.filter((size) => size <= mtu));
  if (!sizesGiven) return good(sizes.map((size) => Math.min(size, mtu)));
  const large = sizes.find((size) => size > mtu);
  return large === undefined ? good(sizes) : bad(udSizeText(large, mtu));
}

/** Why UD can't send a message of so many bytes. */
export function udSizeText(size: number, mtu: number): string {
  return `A message of ${size} bytes does not fit in one packet of UD, which has ${mtu}: give a smaller -s, or another -c`;
}

export interface Receives {
  /** Of `-r`. */
  readonly given: number | undefined;
  readonly byDefault: number;
  /** UC or UD. */
  readonly unreliable: boolean;
  /** `-a` or `--run_infinitely`. */
  readonly many: boolean;
  /** Undefined where the time decides. */
  readonly iterations: number | undefined;
}

/** Receives posted ahead: no more than messages come, and of a plain run an even number. */
export function receiveDepth({ given, byDefault, unreliable, many, iterations }: Receives): number {
  const wanted = given ?? (unreliable && iterations !== undefined ? MOST_UNRELIABLE_RECEIVES : byDefault);
  const depth = Math.min(wanted, iterations ?? Infinity);
  return many ? depth : depth + (depth % 2);
}

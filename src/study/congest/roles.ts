/** Who is a victim and who an aggressor, and what they run. */
import { WrongUse } from '../../cli/commands/command.js';
import type { Part } from '../types.js';

interface Victim {
  readonly program: string;
  readonly iterations: number;
}

export type VictimName = 'latency' | 'allreduce';

export const VICTIMS: Readonly<Record<VictimName, Victim>> = {
  latency: { program: 'osu_latency', iterations: 5000 },
  allreduce: { program: 'osu_allreduce', iterations: 1000 },
};

/** How much an aggressor moves at once. */
export interface Traffic {
  /** Bytes of a message. */
  readonly size: number;
  readonly window: number;
}

type PartsOf = (ranks: readonly number[], traffic: Traffic) => Part[];

export type AggressorName = 'alltoall' | 'incast' | 'put' | 'mixed';

interface Aggressor {
  /** The fewest ranks that make it. */
  readonly least: number;
  readonly parts: PartsOf;
  /** Whether it needs windows, which not every MPI makes between all ranks. */
  readonly windows?: true;
}

/** Iterations of a first chunk, before it is known how long one takes. */
const FIRST = { iterations: 1, warmup: 1, background: true } as const;

const alltoall: PartsOf = (ranks, { size }) => [{ ...FIRST, program: 'osu_alltoall', ranks, size, window: 1 }];
const incast: PartsOf = (ranks, traffic) => [{ ...FIRST, program: 'osu_bw_fan_in', ranks, ...traffic }];

/**
 * Pairs between the two halves; one that is left over is idle. All on one communicator: Open MPI 4.1 names the memory of
 * windows by the number of theirs, which communicators of different ranks may share, and on one host they would collide.
 */
const put: PartsOf = (ranks, traffic) => {
  const pairs = Math.floor(ranks.length / 2);
  return [{ ...FIRST, program: 'osu_put_bw', ranks: ranks.slice(0, 2 * pairs), ...traffic }];
};

/** A third of the ranks for each, dealt out in turn, so that each has ranks everywhere. */
const mixed: PartsOf = (ranks, traffic) =>
  [alltoall, incast, put].flatMap((parts, third) =>
    parts(
      ranks.filter((_, index) => index % 3 === third),
      traffic,
    ),
  );

export const AGGRESSORS: Readonly<Record<AggressorName, Aggressor>> = {
  alltoall: { least: 2, parts: alltoall },
  incast: { least: 2, parts: incast },
  put: { least: 2, parts: put, windows: true },
  mixed: { least: 6, parts: mixed, windows: true },
};

export interface Roles {
  readonly victims: readonly number[];
  readonly aggressors: readonly number[];
}

/** Of all ranks, as GPCNeT has it. */
const VICTIM_SHARE = 0.2;

/**
 * Victims spread evenly over the ranks, so that with block placement their pairs are between nodes and share links with
 * aggressors. Throws `WrongUse` where there are too few ranks.
 */
export function rolesAmong(ranks: number, asked: number | undefined, least: number): Roles {
  const count = asked ?? Math.max(2, 2 * Math.round((VICTIM_SHARE * ranks) / 2));
  if (count + least > ranks)
    throw new WrongUse(
      `${count} ranks of the victim and ${least} or more of the aggressors make ${count + least}, and there are ${ranks}: give more with -n`,
    );
  const victims = Array.from({ length: count }, (_, index) => Math.floor((index * ranks) / count));
  const aggressors = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => !victims.includes(rank));
  return { victims, aggressors };
}

/** Bytes that an aggressor's rank sends in one iteration; of those whose times are known, which are the ones that send. */
export function bytesPerIteration({ program, ranks, size, window }: Part): number {
  return program === 'osu_alltoall' ? size * (ranks.length - 1) : size * window;
}

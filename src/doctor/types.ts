/** What the doctor says: findings, one line of an examination each. */
import type { Host } from './host.js';

/** `bad` would spoil results; `note` is what one should know of them; `unknown` can't be seen from here. */
export type Verdict = 'good' | 'bad' | 'note' | 'unknown';

export interface Finding {
  /** What was looked at, in a word or three: `governor`, `mlx5_0/1`. */
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  readonly wanted: string;
  /** How to come from the one to the other; null where there is nothing to do. */
  readonly mend: string | null;
}

/** One look at a host, a pure function of it. */
export interface Check {
  readonly look: (host: Host) => readonly Finding[];
  /** What it finds goes with the moment, the rank or with what is compared anyway: nodes aren't compared by it. */
  readonly varies?: true;
}

/** What was found on one node. */
export interface NodeReport {
  readonly host: string;
  /** Ranks of the job on it; null outside of a job. */
  readonly ranks: number | null;
  readonly findings: readonly Finding[];
  /** What should be the same on all nodes of a job, by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** A fact that is not the same everywhere. */
export interface Difference {
  readonly fact: string;
  /** Each value with the hosts that have it, the most frequent first; null for those that don't have the fact at all. */
  readonly values: readonly { readonly value: string | null; readonly hosts: readonly string[] }[];
}

interface Words {
  readonly found: string;
  readonly wanted: string;
  readonly mend?: string | null;
}

/** A finding; what is good needs no mending. */
export function finding(check: string, verdict: Verdict, { found, wanted, mend = null }: Words): Finding {
  return { check, verdict, found, wanted, mend: verdict === 'good' ? null : mend };
}

/** Good where it is as wanted, else as told. */
export const goodOr = (isGood: boolean, otherwise: Verdict): Verdict => (isGood ? 'good' : otherwise);

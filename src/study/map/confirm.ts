/**
 * Measures suspects again, until it is sure of each or lets it go. Something healthy is beyond its family's threshold by
 * chance `p` in one measurement, so that `hits` or more of `tries` have the chance of a binomial tail; times all that is
 * tested and all looks that are taken, it bounds the chance that the map accuses anybody wrongly.
 */
import type { Family, Suspect } from './screen.js';

/** Chance that a map without a fault accuses anybody. */
export const FALSE_ALARMS = 0.01;
export const FEWEST_TRIES = 5;
export const MOST_TRIES = 12;

/** A suspect with what measuring it again gave. */
export interface Trial {
  readonly suspect: Suspect;
  readonly family: Family;
  /** By how much it was worse each time. */
  readonly excesses: readonly number[];
  readonly hits: number;
  /** Bound of the chance that it is healthy. */
  readonly falseAlarm: number;
  readonly state: 'open' | 'guilty' | 'cleared';
}

export function trialsOf(families: readonly Family[]): Trial[] {
  return families.flatMap((family) =>
    family.suspects.map((suspect): Trial => ({ suspect, family, excesses: [], hits: 0, falseAlarm: 1, state: 'open' })),
  );
}

/** P(B >= hits) for B ~ Binomial(tries, chance). */
export function binomialTail(hits: number, tries: number, chance: number): number {
  let [sum, term] = [0, (1 - chance) ** tries];
  for (let count = 0; count <= tries; count++) {
    if (count >= hits) sum += term;
    term *= ((tries - count) / (count + 1)) * (chance / (1 - chance));
  }
  return Math.min(1, sum);
}

/** What a tail is worth once it is known how many are tested, in how many families, and how often one looks. */
function boundOf(family: Family, families: number, hits: number, tries: number): number {
  const looks = MOST_TRIES - FEWEST_TRIES + 1;
  return Math.min(1, binomialTail(hits, tries, family.chance) * family.suspects.length * families * looks);
}

/** @param families how many there are, those without suspects too */
export function judged(trial: Trial, excess: number, families: number): Trial {
  const { family } = trial;
  const excesses = [...trial.excesses, excess];
  const hits = trial.hits + (excess > family.threshold ? 1 : 0);
  const tries = excesses.length;
  const falseAlarm = boundOf(family, families, hits, tries);
  const best = boundOf(family, families, hits + MOST_TRIES - tries, MOST_TRIES);
  const sure = tries >= FEWEST_TRIES && falseAlarm <= FALSE_ALARMS;
  const hopeless = best > FALSE_ALARMS || tries >= MOST_TRIES;
  return { ...trial, excesses, hits, falseAlarm, state: sure ? 'guilty' : hopeless ? 'cleared' : 'open' };
}

/** The counters of a run: opened by all ranks or by none, and gathered for a row's record. */
import { LoadError } from '../engine/errors.js';
import { CountersError, openCounters, type Counters, type CounterValue } from '../papi/index.js';
import type { Rendezvous } from '../rendezvous/types.js';
import type { RowRecord } from '../results/types.js';
import { NOT_POSSIBLE_HERE, Refusal, WRONG_USE } from './plan.js';

interface Problem {
  readonly message: string;
  readonly exitCode: number;
}

/**
 * Opens counters (`-P`); every rank calls it together, on the thread that measures.
 *
 * @throws Refusal on all ranks, with the sentence of the first rank that can't count
 */
export function openTogether(rendezvous: Rendezvous, events: readonly string[], open = openCounters): Counters {
  const mine = tryOpen(() => open(events));
  const problems = rendezvous.allgather('problem' in mine ? mine.problem : null);
  const at = problems.findIndex((problem) => problem !== null);
  const first = problems[at];
  if ('counters' in mine && !first) return mine.counters;
  if ('counters' in mine) mine.counters.close();
  const everywhere = problems.every((problem) => problem?.message === first?.message);
  throw new Refusal(`-P: ${everywhere ? '' : `rank ${at}: `}${first?.message}`, first?.exitCode ?? WRONG_USE);
}

function tryOpen(open: () => Counters): { readonly counters: Counters } | { readonly problem: Problem } {
  try {
    return { counters: open() };
  } catch (error) {
    if (error instanceof LoadError) return { problem: { message: error.message, exitCode: NOT_POSSIBLE_HERE } };
    if (!(error instanceof CountersError)) throw error;
    const exitCode = error.reason === 'wrong-use' ? WRONG_USE : NOT_POSSIBLE_HERE;
    return { problem: { message: error.message, exitCode } };
  }
}

/** A row's `counters` from what each rank counted, by rank. */
export function counterRecords(
  ranks: readonly (readonly CounterValue[] | undefined)[],
): NonNullable<RowRecord['counters']> {
  return ranks.flatMap((values, rank) =>
    values ? [{ rank, values: Object.fromEntries(values.map(({ name, value }) => [name, value])) }] : [],
  );
}

/** What can't be done, in a sentence, and how all processes of a run come to know of it. */
import { ControlError } from '../../engine/control.js';
import type { Rendezvous } from '../../rendezvous/types.js';

/** What this machine, a library or a test can't do. */
export class Refusal extends Error {
  override name = 'Refusal';
  /** Whether all processes of the run know it already: nobody waits for this one. */
  told = false;
  /** Whether another process finds the same and says it: this one ends without a word. */
  leftToOthers = false;
  /** Whether it tells of a connection that failed, of which another process may know the cause. */
  mayFollow = false;

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** What one process says about a step that all take together. */
interface Verdict {
  readonly problem: string | null;
  readonly exitCode: number;
  readonly mayFollow: boolean;
}

function throwTold(refusal: Refusal): never {
  refusal.told = true;
  throw refusal;
}

/**
 * Every process says how a step went. Throws the Refusal of the first that failed, on all of them; each that failed throws
 * its own, unless that may follow from another's. `quote` words what another process has said.
 */
export function agree(
  world: Rendezvous,
  own: Refusal | null,
  quote: (problem: string, rank: number) => string = (problem) => problem,
): void {
  const verdicts = world.allgather<Verdict>({
    problem: own?.message ?? null,
    exitCode: own?.exitCode ?? 0,
    mayFollow: own?.mayFollow ?? false,
  });
  if (own && !own.mayFollow) throwTold(own);
  const cause = verdicts.findIndex(({ problem, mayFollow }) => problem !== null && !mayFollow);
  if (own && cause < 0) throwTold(own);
  const rank = cause < 0 ? verdicts.findIndex(({ problem }) => problem !== null) : cause;
  const first = verdicts[rank];
  if (typeof first?.problem === 'string') throwTold(new Refusal(quote(first.problem, rank), first.exitCode));
}

/** What an attempt gives, or why it could not be: any failure becomes a refusal, which the other side is told. */
export function attempt<T>(
  action: () => T,
  exitCodeOf: (error: Error) => number,
): { readonly value?: T; readonly refusal: Refusal | null } {
  try {
    return { value: action(), refusal: null };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    if (!(error instanceof Error)) throw error;
    const refusal = new Refusal(error.message, exitCodeOf(error));
    refusal.mayFollow = error instanceof ControlError;
    return { refusal };
  }
}

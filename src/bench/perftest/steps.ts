/** Steps that all processes of a run take together: what fails on one is known to all before the next. */
import { LoadError } from '../../engine/errors.js';
import { VerbsUnsupported } from '../../verbs/arguments.js';
import type { Party } from '../meeting/party.js';
import { agree, attempt } from '../meeting/refusal.js';
import { NOT_POSSIBLE_HERE } from './device.js';

const FAILED = 1;

/** Exit code of what is no Refusal: libraries and abilities that are not there are this machine's matter. */
export const exitCodeOf = (error: Error): number =>
  error instanceof LoadError || error instanceof VerbsUnsupported ? NOT_POSSIBLE_HERE : FAILED;

/**
 * Takes a step; all processes call it together.
 *
 * @throws Refusal on all of them where it failed on one
 */
export function together<T>({ world }: Pick<Party, 'world'>, step: () => T): T {
  const { value, refusal } = attempt(step, exitCodeOf);
  agree(world, refusal, (problem, rank) => `${world.kind === 'mpi' ? `rank ${rank}` : 'the other side'}: ${problem}`);
  // Without a refusal there is a value, which may be undefined.
  return value as T;
}

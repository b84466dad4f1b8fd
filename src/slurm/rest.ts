/** What a run that was interrupted has left to measure. Pure. */
import type { ResultRecord } from '../results/types.js';

/**
 * The sizes that a record has no rows of, as `-m` takes them: `128:4194304`. Undefined where it has no rows, where all is
 * there, or where sizes alone don't say what is left (several datatypes, sizes of a list): then it begins again.
 */
export function restOf({ run, rows }: ResultRecord): string | undefined {
  const sizes = run.options['sizes'] as Readonly<Record<string, unknown>> | undefined;
  if (sizes?.['kind'] !== 'range' || typeof sizes['max'] !== 'number') return undefined;
  const done = rows.map(({ parameters }) => parameters.size);
  const last = done.at(-1);
  if (typeof last !== 'number' || new Set(done).size < done.length) return undefined;
  const [next, max] = [Math.max(2 * last, 1), sizes['max']];
  return next > max ? undefined : `${next}:${max}`;
}

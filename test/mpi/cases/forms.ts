/** What cases of collective calls share. */
import type { Request } from '../../../src/mpi/types.js';
import type { Binding } from './support.js';

/** A collective call in either form; `undefined` is what the blocking one returns. */
type Either<A extends unknown[]> = (...args: A) => Request | void;

/** Both forms of one call: the non-blocking one is completed at once. */
export function both<A extends unknown[]>(
  MPI: Binding,
  blocking: (...args: A) => void,
  starting: (...args: A) => Request,
) {
  return [blocking, (...args: A): void => void MPI.Wait(starting(...args))] satisfies Either<A>[];
}

/** A value for each rank, by rank. */
export function range<T>(size: number, map: (rank: number) => T): T[] {
  return Array.from({ length: size }, (_, rank) => map(rank));
}

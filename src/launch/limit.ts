/** When a launch is ended: as its user says, or before the job around it ends. Pure. */
import type { Allocation } from '../slurm/allocation.js';
import type { Ending } from './running.js';

export interface Limit {
  /** Seconds; undefined = none. */
  readonly timeout: number | undefined;
  readonly ending: Ending;
}

/** Seconds that ending a launch may take (`RunningJob`), and some for what a batch script does after it. */
const BEFORE_THE_END = 20;

/**
 * @param timeout seconds that `--timeout` gives
 * @param left seconds until the job around it is ended; undefined where there is none, or no limit
 */
export function limitOf(timeout: number | undefined, left: number | undefined): Limit {
  const usable = usableOf(left);
  if (usable === undefined || (timeout !== undefined && timeout <= usable)) {
    const reason = `ended after ${timeout ?? 0} s, as --timeout says`;
    return { timeout, ending: { reason, code: 1, isFinal: false } };
  }
  const reason = `ended ${BEFORE_THE_END} s before the time limit of the job`;
  return { timeout: usable, ending: { reason, code: 1, isFinal: true } };
}

/** Seconds in which launches may run; undefined = as many as they like. */
export function usableOf(left: number | undefined): number | undefined {
  return left === undefined ? undefined : left - BEFORE_THE_END;
}

/** Throws where the job ends too soon for a launch. */
export function refuseTooLate({ id }: Allocation, left: number | undefined): void {
  if (left !== undefined && left <= BEFORE_THE_END)
    throw new Error(`job ${id} ends in ${Math.floor(left)} s, which is too little for a launch: give it more time`);
}

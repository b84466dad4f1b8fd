/** What carries the messages of a run, and over which network devices they go. */
import type { EnvironmentRecord } from '../results/types.js';
import { mpiFacts } from './facts.js';
import type { Ground } from './grounds.js';
import type { Job } from './job.js';
import { devicesOf } from './nic-distance.js';

/** What is to be known of a ground here: without an environment of its own MPI carries all messages. */
export type Carrier = Partial<Pick<Ground, 'transport' | 'environment'>>;

/** What the record says of it, complete once messages went. */
export function carriers(job: Job, { environment }: Carrier): Partial<EnvironmentRecord> {
  return { ...mpiFacts(job), ...environment?.() };
}

/** Network devices that carry this rank's messages, as far as they are known; all of them once messages went. */
export function nicsInUse(job: Job, { environment }: Carrier): string[] {
  if (!environment) return devicesOf(mpiFacts(job).mpi?.transports ?? []);
  const { ucx, verbs } = environment();
  return [...devicesOf(ucx?.transports ?? []), ...(verbs?.device === undefined ? [] : [verbs.device])];
}

/** What would end the ranks by a defect of their MPI. */
import { hostname } from 'node:os';
import { swapRefusalHere } from '../mpi/defects.js';
import { mpi } from '../mpi/mpi.js';
import type { OsuOptions } from '../cli/options.js';
import type { Job } from './job.js';
import { NOT_POSSIBLE_HERE, Refusal } from './plan.js';
import type { MeasuringRow } from './suites/osu.js';

const WIDE = 8;

/** Refuses it before anything is printed; every rank calls it together. */
export function refuseCrash({ kernel }: MeasuringRow, options: OsuOptions, job: Job): void {
  const { rendezvous, transport, comm } = job;
  const swaps = kernel.name.startsWith('compare_and_swap') && options.windowCreation === 'allocate';
  const wide = options.datatypes.some((name) => transport.datatypes.get(name) === WIDE);
  if (!swaps || !wide) return;
  const hosts = new Set(rendezvous.allgather(hostname()));
  const refusal = hosts.size < rendezvous.size ? swapRefusalHere(mpi(), comm) : null;
  if (refusal !== null) throw new Refusal(refusal, NOT_POSSIBLE_HERE);
}

/** Starts MPI for a run: the way to meet, the layer, and what is known of them. */
import { LoadError } from '../engine/errors.js';
import { pmlAdvice } from '../mpi/advice.js';
import { selection, type Selection } from '../mpi/selection.js';
import type { Launcher } from '../rendezvous/launcher.js';
import { mpiRendezvous } from '../rendezvous/mpi.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { mpiTransport } from '../transport/mpi.js';
import type { Transport } from '../transport/types.js';
import { NOT_POSSIBLE_HERE, Refusal, WRONG_USE } from './plan.js';

export interface Job {
  readonly rendezvous: Rendezvous;
  readonly transport: Transport;
  /** What MPI really selected; complete once messages went between ranks. */
  selected(): Selection;
  /** What spoils or explains figures, in sentences. */
  readonly warnings: readonly string[];
}

/** Starts MPI; throws a Refusal where the launcher, the machine or the MPI doesn't allow it. */
export function meet(launcher: Launcher): Rendezvous {
  try {
    return mpiRendezvous({ launcher });
  } catch (error) {
    const exitCode = error instanceof LoadError ? NOT_POSSIBLE_HERE : WRONG_USE;
    throw new Refusal(error instanceof Error ? error.message : String(error), exitCode);
  }
}

export function startJob(rendezvous: Rendezvous, launcher: Launcher): Job {
  const selected = (): Selection => selection({ size: rendezvous.size, localSize: launcher.localSize });
  const advice = pmlAdvice({ ...selected(), transports: null });
  return { rendezvous, transport: mpiTransport(), selected, warnings: advice === null ? [] : [advice] };
}

/** A run's ground once MPI has started: the way to meet, the layer, and what is known of them. */
import { LoadError } from '../engine/errors.js';
import { pmlAdvice } from '../mpi/advice.js';
import { HostError } from '../mpi/components.js';
import { UnsupportedError } from '../mpi/errors.js';
import type { Comm } from '../mpi/types.js';
import { selection, type Selection } from '../mpi/selection.js';
import { LauncherError, type Launcher } from '../rendezvous/launcher.js';
import type { MpiRendezvous } from '../rendezvous/mpi.js';
import { mpiTransport } from '../transport/mpi.js';
import type { Transport } from '../transport/types.js';
import { NOT_POSSIBLE_HERE, WRONG_USE } from './plan.js';

export interface Job {
  readonly rendezvous: MpiRendezvous;
  readonly transport: Transport;
  /** Of all ranks. */
  readonly comm: Comm;
  /** What MPI really selected; complete once messages went between ranks. */
  selected(): Selection;
  /** What spoils or explains figures, in sentences. */
  readonly warnings: readonly string[];
}

/** What a failure to start MPI means for the job. */
export interface StartFailure {
  readonly exitCode: number;
  /** Who sees the same: one of them is enough to say it. */
  readonly seenBy: 'all ranks' | 'its host' | 'this rank';
}

export function startFailure(error: unknown): StartFailure {
  if (error instanceof LauncherError) return { exitCode: WRONG_USE, seenBy: 'all ranks' };
  if (error instanceof HostError) return { exitCode: WRONG_USE, seenBy: 'its host' };
  if (error instanceof UnsupportedError) return { exitCode: NOT_POSSIBLE_HERE, seenBy: 'all ranks' };
  if (!(error instanceof LoadError)) return { exitCode: WRONG_USE, seenBy: 'this rank' };
  if (error.reason === 'choice') return { exitCode: WRONG_USE, seenBy: 'all ranks' };
  return { exitCode: NOT_POSSIBLE_HERE, seenBy: 'its host' };
}

export function startJob(rendezvous: MpiRendezvous, launcher: Launcher): Job {
  const { comm } = rendezvous;
  const selected = (): Selection => selection({ size: rendezvous.size, localSize: launcher.localSize });
  const advice = pmlAdvice({ ...selected(), transports: null });
  const warnings = advice === null ? [] : [advice];
  return { rendezvous, comm, transport: mpiTransport({ comm }), selected, warnings };
}

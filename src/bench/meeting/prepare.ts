/** What is looked at before anything is opened: the core that a process is bound to, and whether its files can be written. */
import type { OutputOptions } from '../../cli/outputs.js';
import { setAffinity } from '../../engine/affinity.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { checkOutputs } from '../../report/index.js';

export interface PrepareRequest extends OutputOptions {
  /** Cores by local rank (`--bind`). */
  readonly bind?: readonly number[] | undefined;
  /** Processors that the process may run on, where nothing is bound. */
  readonly cpus?: readonly number[] | undefined;
}

/** Binds, and looks whether record and tables can be written. Throws what `refuse` makes of a sentence. */
export function prepare(
  request: PrepareRequest,
  { localRank, rank }: Launcher,
  refuse: (sentence: string) => Error,
): void {
  const { cpus, bind } = request;
  const unwritable = (rank ?? 0) === 0 ? checkOutputs(request) : undefined;
  if (unwritable !== undefined) throw refuse(unwritable);
  const core = bind?.[localRank ?? 0];
  if (bind && core === undefined)
    throw refuse(`--bind names ${bind.length} cores, and this host has a local rank ${localRank ?? 0}`);
  const wanted = core === undefined ? cpus : [core];
  if (!wanted) return;
  try {
    setAffinity(wanted);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refuse(error.message);
  }
}

/** What is done before anything is opened: the process is bound, and it is seen whether its files can be written. */
import { bindProcess, type ProcessWish } from '../../binding/apply.js';
import { BindingRefusal, type Bound } from '../../binding/types.js';
import type { OutputOptions } from '../../cli/outputs.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { checkOutputs } from '../../report/index.js';
import type { Refusal } from './refusal.js';

export interface PrepareRequest extends ProcessWish, OutputOptions {}

/**
 * Binds, and looks whether record and tables can be written. Throws what `refuse` makes of a sentence, and LoadError where
 * hwloc is needed and missing.
 */
export function prepare(request: PrepareRequest, launcher: Launcher, refuse: (sentence: string) => Refusal): Bound {
  const unwritable = (launcher.rank ?? 0) === 0 ? checkOutputs(request) : undefined;
  if (unwritable !== undefined) throw refuse(unwritable);
  try {
    return bindProcess(request, launcher);
  } catch (error) {
    if (!(error instanceof BindingRefusal)) throw error;
    const refusal = refuse(error.message);
    refusal.leftToOthers = error.seenBy === 'its host' && (launcher.localRank ?? 0) !== 0;
    throw refusal;
  }
}

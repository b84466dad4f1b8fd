/** What is done before anything is opened: the process is bound, and it is seen whether its record can be written. */
import { bindProcess, type ProcessWish } from '../../binding/apply.js';
import { BindingRefusal, type Bound } from '../../binding/types.js';
import type { Launcher } from '../../rendezvous/launcher.js';
import { checkWritable } from '../../report/index.js';
import type { Refusal } from './refusal.js';

export interface PrepareRequest extends ProcessWish {
  readonly json?: string | undefined;
}

/**
 * Binds, and looks whether the record can be written. Throws what `refuse` makes of a sentence, and LoadError where hwloc is
 * needed and missing.
 */
export function prepare(request: PrepareRequest, launcher: Launcher, refuse: (sentence: string) => Refusal): Bound {
  const { json } = request;
  const unwritable = json === undefined || (launcher.rank ?? 0) !== 0 ? undefined : checkWritable(json);
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

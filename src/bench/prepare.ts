/** What ranks do before MPI starts, and how all of them hear of what one can't do. */
import { bindProcess, keptBy } from '../binding/apply.js';
import { BindingRefusal, type Bound } from '../binding/types.js';
import type { OsuOptions } from '../cli/options.js';
import { LoadError } from '../engine/errors.js';
import type { Launcher } from '../rendezvous/launcher.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { checkOutputs, checkWritable, COUNTERS_TARGET } from '../report/index.js';
import { checkPlots } from '../report/plot/files.js';
import { NOT_POSSIBLE_HERE, Refusal, WRONG_USE } from './plan.js';

/** Why a rank can't go on, for all of them to hear of. */
interface Problem {
  readonly message: string;
  readonly exitCode: number;
}

/** What `prepare` did and found on this rank. */
export interface Prepared {
  readonly bound: Bound;
  /** Null where it can go on. */
  readonly problem: Problem | null;
}

/** What is looked at before MPI starts. */
export type PrepareOptions = Pick<
  OsuOptions,
  'graphs' | 'datatypes' | 'papi' | 'json' | 'csvFile' | 'markdown' | 'bind' | 'overlap' | 'membind'
>;

/** Why a file of the run can't be written; undefined where all can. */
function checkFiles(name: string, options: PrepareOptions): string | undefined {
  const { graphs, datatypes, papi } = options;
  const counts = papi?.file === undefined ? undefined : checkWritable(papi.file, COUNTERS_TARGET);
  return checkOutputs(options) ?? counts ?? checkPlots({ graphs, name, datatypes });
}

/** What has to be done before MPI starts. */
export function prepare(name: string, options: PrepareOptions, launcher: Launcher): Prepared {
  const unwritable = (launcher.rank ?? 0) === 0 ? checkFiles(name, options) : undefined;
  const failed = (message: string, exitCode: number): Prepared => ({
    bound: keptBy(launcher),
    problem: { message, exitCode },
  });
  if (unwritable !== undefined) return failed(unwritable, WRONG_USE);
  try {
    return { bound: bindProcess(options, launcher), problem: null };
  } catch (error) {
    if (error instanceof BindingRefusal) return failed(error.message, WRONG_USE);
    if (error instanceof LoadError) return failed(error.message, NOT_POSSIBLE_HERE);
    throw error;
  }
}

/** Refuses together what one rank can't do: whoever started the ranks, none of them waits for another that is gone. */
export function refuseTogether(rendezvous: Rendezvous, problem: Problem | null): void {
  const first = rendezvous.allgather(problem).find((one) => one !== null);
  if (first) throw new Refusal(first.message, first.exitCode);
}

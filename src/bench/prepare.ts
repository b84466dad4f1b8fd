/** What ranks do before MPI starts, and how all of them hear of what one can't do. */
import { bindProcess, keptBy } from '../binding/apply.js';
import { BindingRefusal, type Bound } from '../binding/types.js';
import type { OsuOptions } from '../cli/options.js';
import { LoadError } from '../engine/errors.js';
import type { Launcher } from '../rendezvous/launcher.js';
import type { Rendezvous } from '../rendezvous/types.js';
import { checkOutputs, checkWritable, COUNTERS_TARGET } from '../report/index.js';
import { checkPlots } from '../report/plot/files.js';
import { compareMakes, type Make } from './make.js';
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

/** What a rank brings to the first meeting. */
interface Brought {
  readonly make: Make;
  readonly problem: Problem | null;
}

/** What all ranks hear of it. */
interface Heard {
  readonly problem: Problem | null;
  readonly warnings: readonly string[];
}

/**
 * The first thing that ranks do together, before anything depends on their being alike. Refuses what one rank can't do, and
 * ranks of different makes: whoever started the ranks, none of them waits for another that is gone.
 *
 * @returns what differs and may be meant, in sentences
 * @throws Refusal on every rank
 */
export function meetAlike(rendezvous: Rendezvous, brought: Brought): readonly string[] {
  const all = rendezvous.gather(brought);
  const { problem, warnings } = rendezvous.broadcast(all.length === 0 ? NOTHING_HEARD : heardOf(all));
  if (problem) throw new Refusal(problem.message, problem.exitCode);
  return warnings;
}

const NOTHING_HEARD: Heard = { problem: null, warnings: [] };

function heardOf(all: readonly Brought[]): Heard {
  const { refusal, warnings } = compareMakes(all.map(({ make }) => make));
  if (refusal !== null) return { problem: { message: refusal, exitCode: WRONG_USE }, warnings };
  return { problem: all.find(({ problem }) => problem !== null)?.problem ?? null, warnings };
}

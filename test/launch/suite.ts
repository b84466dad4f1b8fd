/** Many programs in one launch: MPI starts once, and each program's output and exit code come back by themselves. */
import { caseFile, launch, type LaunchOptions } from './mpirun.js';
import { resultsIn, type SuiteProgram, type SuiteResult } from './suite-line.js';

/**
 * Runs programs one after the other on one MPI, and returns what became of each. For what has to be seen in a launch of
 * its own (MPI's start and end, binding, failures that end the job) use `launch`.
 *
 * @throws Error where the launch ended before all of them had, with all that it printed
 */
export async function launchSuite(
  programs: readonly SuiteProgram[],
  options: LaunchOptions = {},
): Promise<SuiteResult[]> {
  const launched = await launch(caseFile('suite'), [JSON.stringify(programs)], options);
  const results = resultsIn(launched.stdout);
  if (launched.code === 0 && !launched.hung && results.length === programs.length) return results;
  const next = programs[results.length];
  const at = next ? `in ${[next.name, ...next.argv].join(' ')}` : 'after all programs';
  throw new Error(`the suite ended ${at}: ${launched.report}`);
}

import { assert } from 'chai';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, unbound, type Launched, type LaunchOptions } from '../launch/mpirun.js';

const folder = dirname(fileURLToPath(import.meta.url));

/** Path of a compiled file of test/mpi/cases. */
export function caseFile(name: string): string {
  return join(folder, 'cases', `${name}.js`);
}

/** Starts a file of test/mpi/cases on unbound ranks and waits for the end. */
export function launchCase(name: string, args: readonly string[], options: LaunchOptions): Promise<Launched> {
  return launch(caseFile(name), args, { place: unbound(options), pml: 'ob1', limit: 90, ...options });
}

/** Asserts that a launch printed that it passed what `name` names. */
export function assertPassed({ stdout, stderr, report }: Launched, name: string): void {
  const passed = stdout.split(/\r?\n/).includes(`passed: ${name}`);
  const failedHere = stderr.includes(`failed in "${name}"`);
  assert.isTrue(passed, failedHere ? report : 'not reached: see "ends in good order"');
}

/** Modules of the benches, which are scripts and not compiled. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './project.js';

/** Loads `scripts/bench/NAME.mjs`; T is what the test uses of it. */
export async function bench<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(join(projectRoot, 'scripts/bench', `${name}.mjs`)).href)) as T;
}

/** Where batch files are found. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = 'share/ucx_perftest';

/**
 * Text of a batch file: of the current folder, or else, for a plain name, of those that come with the program, which
 * stand in share/ucx_perftest of the program's folder or of one above it. Throws the system's error.
 *
 * @param programFolder where the program is
 */
export function readBatchText(name: string, programFolder: string = import.meta.dirname): string {
  const shipped = name.includes('/') || isFile(name) ? undefined : findShipped(name, programFolder);
  return readFileSync(shipped ?? name, 'utf8');
}

function findShipped(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, FOLDER, name);
    if (isFile(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

function isFile(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
}

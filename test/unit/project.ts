/** Files of the project, found from the compiled tests as well. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'test/fixtures/omb-7.4'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('the project is not above the tests');
  return findRoot(parent);
}

export const projectRoot = findRoot(import.meta.dirname);

export function readFixture(name: string): string {
  return readFileSync(join(projectRoot, 'test/fixtures', name), 'utf8');
}

/** What OMB 7.4 printed. */
export function readCapture(name: string): string {
  return readFixture(`omb-7.4/${name}.txt`);
}

/** A folder that is gone after `use`. */
export function withFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-test-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

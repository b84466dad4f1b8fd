/** A folder for the files of the tests of one `describe`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Call it inside `describe`: the folder is there while its tests run. Returns paths in it; each call a new one. */
export function testFolder(): (name?: string) => string {
  let folder = '';
  let count = 0;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'fabricbench-launch-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return (name) => join(folder, name ?? `record-${count++}.json`);
}

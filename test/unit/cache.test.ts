import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLevelCacheBytes } from '../../src/engine/cache.js';
import { withFolder } from './project.js';

type Cache = readonly [level: string, type: string, size: string];

/** What is said of a machine with these caches. */
function read(caches: readonly Cache[]): number | null {
  return withFolder((root) => {
    caches.forEach(([level, type, size], index) => {
      const folder = join(root, `sys/devices/system/cpu/cpu0/cache/index${index}`);
      mkdirSync(folder, { recursive: true });
      const files = { level, type, size };
      for (const [name, text] of Object.entries(files)) if (text !== '') writeFileSync(join(folder, name), `${text}\n`);
    });
    return lastLevelCacheBytes(root);
  });
}

describe('last-level cache', () => {
  it('is the data cache of the highest level', () => {
    const usual: Cache[] = [
      ['1', 'Data', '48K'],
      ['1', 'Instruction', '32K'],
      ['2', 'Unified', '1280K'],
    ];
    expect(read([...usual, ['3', 'Unified', '36864K']])).to.equal(36 * 2 ** 20);
    expect(read([['3', 'Unified', '32M'], ...usual])).to.equal(32 * 2 ** 20);
    expect(read(usual)).to.equal(1280 * 1024);
    expect(read([['1', 'Data', '65536']])).to.equal(65536);
    expect(read([...usual, ['3', 'Instruction', '1G']])).to.equal(1280 * 1024);
  });

  it('is unknown where the kernel does not tell', () => {
    expect(read([])).to.equal(null);
    expect(read([['3', 'Unified', '']])).to.equal(null);
    expect(read([['', 'Unified', '32K']])).to.equal(null);
    expect(read([['3', 'Unified', 'large']])).to.equal(null);
    expect(read([['1', 'Instruction', '32K']])).to.equal(null);
  });

  it('of this machine is a number of bytes or unknown', () => {
    const bytes = lastLevelCacheBytes();
    if (bytes !== null) expect(bytes).to.be.at.least(1024);
  });
});

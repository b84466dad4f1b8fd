import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrongBytesLog } from '../../src/bench/wrong-bytes-log.js';
import { withFolder } from './project.js';

const wrong = { slot: 0, bytes: 2, iteration: 7, offset: 3, expected: 1, got: 9 };

describe('log of wrong bytes (-c log)', () => {
  it('makes its folder for the first wrong byte, and adds to one that is there', () => {
    withFolder((outer) => {
      const directory = join(outer, 'a', 'b');
      const firstRun = wrongBytesLog({ log: { directory } }, 1);
      expect(existsSync(directory)).to.be.false;
      firstRun(8, [wrong, { ...wrong, slot: 1 }]);
      wrongBytesLog({ log: { directory } }, 1)(16, [wrong]);
      wrongBytesLog({ log: { directory } }, 0)(16, [wrong]);
      expect(readdirSync(directory).sort()).to.deep.equal(['log-0.log', 'log-1.log']);
      const lines = readFileSync(join(directory, 'log-1.log'), 'utf8').split('\n');
      const places = lines.map((line) => /^size \d+, buffer \d+/.exec(line)?.[0]);
      expect(places).to.deep.equal(['size 8, buffer 0', 'size 8, buffer 1', 'size 16, buffer 0', undefined]);
    });
  });

  it('is none without -c log', () => {
    withFolder((folder) => {
      const before = process.cwd();
      process.chdir(folder);
      try {
        for (const request of [undefined, { log: null }]) wrongBytesLog(request, 0)(8, [wrong]);
      } finally {
        process.chdir(before);
      }
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  });
});

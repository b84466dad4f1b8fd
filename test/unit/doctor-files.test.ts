/** Files below a root folder: its links are its own. */
import { expect } from 'chai';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../../src/doctor/files.js';
import { withFolder } from './project.js';

describe('files below a root', () => {
  it('follow links as the machine would', () => {
    withFolder((root) => {
      mkdirSync(join(root, 'a/b'), { recursive: true });
      writeFileSync(join(root, 'a/b/c'), ' text \n');
      symlinkSync('/a/b', join(root, 'absolute'));
      symlinkSync('../a/./b/c', join(root, 'a/up'));
      symlinkSync('../../../../../../a/b/c', join(root, 'a/far'));
      symlinkSync('/proc/self/status', join(root, 'outside'));
      symlinkSync('loop', join(root, 'loop'));
      const files = filesBelow(root);
      expect(files.line('/absolute/c')).to.equal('text');
      expect(files.real('/absolute/c')).to.equal('/a/b/c');
      expect(files.line('/a/up')).to.equal('text');
      expect(files.line('/a/far')).to.equal('text');
      // This machine has the file, and the one below the root has none.
      expect([files.text('/outside'), files.real('/outside')]).to.deep.equal([null, null]);
      expect([files.text('/loop'), files.exists('/loop')]).to.deep.equal([null, false]);
      expect(files.list('/absolute')).to.deep.equal(['c']);
      expect([files.list('/none'), files.list('/a/b/c')]).to.deep.equal([[], []]);
    });
  });

  it('are those of this machine below /', () => {
    const files = filesBelow('/');
    expect(files.line('/proc/self/cgroup')).not.to.equal(null);
    expect(files.real('/proc/self')).to.equal(`/proc/${process.pid}`);
    expect(files.place('/etc/passwd')).to.equal('/etc/passwd');
    expect(files.number('/proc/sys/kernel/ostype')).to.equal(null);
  });
});

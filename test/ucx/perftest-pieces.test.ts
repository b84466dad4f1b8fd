/** ucx_perftest with messages of several pieces, wherever they lie; and its rows while it runs. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../unit/project.js';

const PERFTEST = join(projectRoot, 'dist', 'ucx_perftest.js');
const LIMIT = 60_000;

/** Runs a test in one process; a hang ends it with status null. */
function alone(args: string) {
  const all = [PERFTEST, '-l', ...args.split(' '), '-n', '50', '-w', '10', '-f', '-v'];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, {
    encoding: 'utf8',
    timeout: LIMIT,
    killSignal: 'SIGKILL',
  });
  return { status, stdout, stderr, report: `${args}: ${status}\n${stderr}\n${stdout}` };
}

describe('ucx_perftest with pieces', () => {
  const tests = [
    'get -x cma -d memory -D zcopy',
    'put_lat -x cma -d memory -D zcopy',
    'put_bw -x cma -d memory -D zcopy',
    'am_lat -x posix -d memory -D shortiov',
    'am_lat -x posix -d memory -D short',
    'am_bw -x posix -d memory -D bcopy',
    'am_bw -x tcp -d lo -D zcopy',
    'put_lat -x posix -d memory -D short',
    'get -x posix -d memory -D bcopy',
    'tag_lat -D iov,contig',
    'tag_lat -D contig,iov',
    'tag_bw -D iov,iov',
    'ucp_am_lat -D iov',
    'ucp_am_bw -D iov,iov',
    'stream_lat -D iov,contig',
    'ucp_get -D contig',
    'ucp_put_lat -D contig',
  ];
  for (const test of tests) {
    it(`-t ${test} carries them adjacent and apart`, () => {
      for (const stride of [0, 64]) {
        const { status, report } = alone(`-t ${test} -s 8,24 -i ${stride} -V`);
        assert.equal(status, 0, report);
      }
    });
  }

  it('shows rows while a test without warm-up runs', () => {
    const all = [PERFTEST, '-l', '-t', 'get', '-x', 'cma', '-d', 'memory', '-D', 'zcopy', '-s', '16M', '-w', '0', '-v'];
    const { stdout } = spawnSync(process.execPath, [...all, '-n', '0'], { encoding: 'utf8', timeout: 10_000 });
    assert.match(stdout, /\n\s*\d+,/, stdout);
  });
});

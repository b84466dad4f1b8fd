/** ucx_perftest in one process: what stdout and the exit code say of tests that can't be, and of very short ones. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../unit/project.js';

const PERFTEST = join(projectRoot, 'dist', 'ucx_perftest.js');

function alone(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PERFTEST, '-l', ...args], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return { status, stdout, stderr, report: `${args.join(' ')}: ${status}\n${stderr}\n${stdout}` };
}

describe('ucx_perftest that is refused', () => {
  it('says its sentence on stderr, and shows no table where options alone tell', () => {
    const { status, stdout, stderr, report } = alone('-t', 'ucp_get', '-s', '0');
    assert.equal(status, 255, report);
    assert.equal(stderr, 'ucx_perftest: Message size too small, need to be at least 1\n');
    assert.equal(stdout, '');
  });

  it('names the cores that there are', () => {
    const { status, stdout, stderr, report } = alone('-t', 'tag_lat', '-n', '10', '-c', '4000');
    assert.equal(status, 255, report);
    assert.match(
      stderr,
      /^ucx_perftest: -c 4000 can't be had on \S+: core 4000 does not exist: this machine has \S+\n$/,
    );
    assert.include(stderr, String(availableParallelism() > 1 ? '0-' : '0'));
    assert.equal(stdout, '');
  });

  it('takes no header from more than the first piece, in the words of the peer', () => {
    const test = ['-t', 'am_lat', '-x', 'tcp', '-d', 'lo', '-D', 'zcopy', '-n', '10'];
    const { status, stderr, report } = alone(...test, '-s', '4,16');
    assert.equal(status, 255, report);
    assert.equal(stderr, 'ucx_perftest: AM header size (8) larger than the first IOV message size (4)\n');
    assert.equal(alone(...test, '-s', '8,16').status, 0);
  });

  it('goes on with a batch after memory that is not here, and ends with 77', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-batch-'));
    try {
      const file = join(folder, 'batch');
      writeFileSync(file, 'first -t tag_lat -n 10\ngpu -t tag_lat -n 10 -m cuda\nlast -t tag_lat -n 10\n');
      const { status, stdout, stderr, report } = alone('-b', file, '-f', '-v');
      assert.equal(status, 77, report);
      assert.match(stderr, /^ucx_perftest: this UCX can't use memory of type cuda here: it has .*host.*\n$/);
      const labels = stdout.split('\n').flatMap((line) => /^(first|gpu|last),/.exec(line)?.[1] ?? []);
      assert.deepEqual(labels, ['first', 'last'], report);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('ucx_perftest of one iteration', () => {
  it('has numbers in every cell', () => {
    const { status, stdout, report } = alone('-t', 'tag_lat', '-n', '1', '-w', '0', '-f', '-v');
    assert.equal(status, 0, report);
    const cells = (stdout.trim().split('\n').at(-1) ?? '').split(',').map(Number);
    assert.lengthOf(cells, 8, report);
    assert.isTrue(cells.every(Number.isFinite), report);
  });
});

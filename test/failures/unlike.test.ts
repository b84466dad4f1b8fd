/** One node that is not like the others: another fabricbench, another MPI, no UCX. All end at the start, in one sentence. */
import { assert } from 'chai';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { VERSION } from '../../src/bench/version.js';
import type { Make } from '../../src/bench/make.js';
import { testFolder } from '../launch/folder.js';
import { caseFile, describeUnder, launch, type LaunchOptions } from '../launch/mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord } from '../launch/output.js';
import { otherVersion, unlike, withoutUcx, type Unlike } from './unlike.js';

const FEW = ['-m', '1:4', '-i', '10'];
const HOST = hostname();
/** Seconds in which all must have ended by itself: no watchdog has any part in it. */
const SOON = 40;

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`one rank that is not like the others (${mpi})`, () => {
    const file = testFolder();

    function folder(name: string): string {
      mkdirSync(file(name));
      return file(name);
    }

    async function linesWith(odd: Unlike, args: readonly string[] = FEW, more: LaunchOptions = {}, code = 1) {
      const options = { mpi, limit: SOON, wrapRank: unlike(odd), ...more };
      const launched = await launch(program('osu_latency'), args, options);
      assertFailed(launched, code);
      assert.equal(launched.stdout, '');
      return ownLines(launched);
    }

    it('another version of fabricbench', async () => {
      const dist = otherVersion(folder('other'), '99.1.0');
      for (const rank of [0, 1]) {
        const [first, second] = rank === 0 ? ['99.1.0', VERSION] : [VERSION, '99.1.0'];
        assert.deepEqual(await linesWith({ rank, dist }), [
          `osu_latency: the ranks run different versions of fabricbench: ${first} on ${HOST} (rank 0), ${second} on ${HOST} (rank 1); install one and the same on all nodes`,
        ]);
      }
    });

    it('the other MPI', async () => {
      const other = mpi === 'openmpi' ? 'mpich' : 'openmpi';
      const [line = '', ...more] = await linesWith({ rank: 1, env: { FABRICBENCH_MPI: other } });
      assert.deepEqual(more, []);
      assert.match(line, /^osu_latency: rank 1 on \S+: .* but each process sees itself alone: /);
    });

    it('another version of MPI', async () => {
      const make = { mpi: 'Another MPI v9.1, package of a test' } satisfies Partial<Make>;
      const launched = await launch(caseFile('make'), ['1', JSON.stringify(make), ...FEW], { mpi, limit: SOON });
      assertFailed(launched);
      const [line = '', ...more] = ownLines(launched);
      assert.deepEqual(more, []);
      const told = new RegExp(
        `^osu_latency: the ranks run different versions of MPI: .* on ${HOST} \\(rank 0\\), Another MPI v9\\.1 on ${HOST} \\(rank 1\\); install `,
      );
      assert.match(line, told);
    });

    it('another version of Node is told, and no reason to stop', async () => {
      const json = file();
      const args = ['1', '{"node":"v99.0.0"}', ...FEW, '--json', json];
      const launched = await launch(caseFile('make'), args, { mpi, limit: SOON });
      assertDone(launched);
      const told = `the ranks run different versions of Node: ${process.version} on ${HOST} (rank 0), v99.0.0 on ${HOST} (rank 1)`;
      assert.include(ownLines(launched), `warning: ${told}`);
      assert.include(readRecord(json).warnings, told);
    });

    it('no UCX', async () => {
      const env = { LD_LIBRARY_PATH: withoutUcx(folder('empty')) };
      for (const rank of [0, 1]) {
        const [line = '', ...more] = await linesWith({ rank, env }, FEW, {}, mpi === 'openmpi' ? 1 : 77);
        assert.deepEqual(more, []);
        const what =
          mpi === 'openmpi' ? `Open MPI's PML ucx can't be had on ${HOST}: ` : "mpi-mpich.node can't be loaded ";
        assert.match(
          line,
          new RegExp(`^osu_latency: ${rank === 0 ? '' : `rank 1 on ${HOST}: `}${what}.*libucp\\.so\\.0`),
        );
      }
    });
  });
}

describeUnder('openmpi')('one rank without UCX', () => {
  const file = testFolder();

  it('is refused by --layer ucp, which names it', async () => {
    mkdirSync(file('empty'));
    const wrapRank = unlike({ rank: 1, env: { LD_LIBRARY_PATH: withoutUcx(file('empty')) } });
    const args = [...FEW, '--layer', 'ucp'];
    const launched = await launch(program('osu_latency'), args, { pml: 'ob1', limit: SOON, wrapRank });
    assertFailed(launched, 77);
    const [line = '', ...more] = ownLines(launched);
    assert.deepEqual(more, []);
    assert.match(line, /^osu_latency: --layer ucp: rank 1 on \S+: ucx\.node can't be loaded \(.*libucp\.so\.0/);
  });
});

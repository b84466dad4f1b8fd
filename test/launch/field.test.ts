/** What a study's ranks measure over MPI, step by step in one job. */
import { assert } from 'chai';
import { hostname } from 'node:os';
import type { PairResult, Summary } from '../../src/study/types.js';
import { caseFile, describeUnder, launch, unbound, type LaunchOptions } from './mpirun.js';
import { assertDone } from './output.js';

interface Told {
  readonly size: number;
  readonly hosts: readonly string[];
  readonly pairs: readonly (readonly PairResult[])[];
  readonly lone: PairResult;
  readonly limited: readonly PairResult[];
  readonly part: readonly Summary[];
  readonly samples: readonly (readonly [rank: number, count: number])[];
}

for (const options of [{ pml: 'ob1' }, { pml: 'ucx' }, { mpi: 'mpich' }] as const) {
  const { mpi = 'openmpi', pml = '' } = options as LaunchOptions;
  describeUnder(mpi)(`a field of ranks (${mpi} ${pml})`, () => {
    let told: Told;
    before(async () => {
      const env = { OMPI_MCA_mpi_yield_when_idle: '1' };
      const launched = await launch(caseFile('field'), [], { ...options, np: 5, place: unbound(options), env });
      assertDone(launched);
      told = JSON.parse(launched.stdout) as Told;
    });

    it('knows its ranks and their hosts', () => {
      assert.deepEqual([told.size, told.hosts], [5, Array<string>(5).fill(hostname())]);
    });

    it('measures pairs at once, each by its first rank', () => {
      for (const results of told.pairs) {
        assert.deepEqual(
          results.map(({ pair, iterations }) => [pair, iterations]),
          [
            [[0, 3], 6],
            [[2, 1], 6],
          ],
        );
        for (const { value, best, worst, seconds } of results) {
          assert.isAbove(value, 0);
          assert.isAbove(seconds, 0);
          assert.notEqual(best, worst);
        }
      }
      const [latency, bandwidth] = told.pairs.map(([first]) => first);
      assert.isAtMost(latency?.best ?? NaN, latency?.median ?? NaN);
      assert.isAtLeast(bandwidth?.best ?? NaN, bandwidth?.median ?? NaN);
      assert.equal(latency?.value, (latency?.seconds ?? NaN) / 6 / 2);
    });

    it('measures a pair without rank 0', () => {
      assert.deepEqual([told.lone.pair, told.lone.iterations], [[4, 2], 6]);
    });

    it('ends a pair at its time, with what it has', () => {
      for (const { iterations } of told.limited) assert.isTrue(iterations >= 1 && iterations < 1e9, String(iterations));
    });

    it('measures a part on a communicator of its own', () => {
      assert.deepEqual(
        told.part.map(({ rank, iterations }) => [rank, iterations]),
        [
          [1, 6],
          [3, 6],
        ],
      );
      assert.deepEqual(told.samples, [
        [1, 6],
        [3, 6],
      ]);
    });
  });
}

import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import type { Launched } from '../launch/mpirun.js';
import { caseFile, launchCase } from './launch.js';

function launch(scenario: string, np: number, pml: 'ob1' | 'ucx' = 'ob1'): Promise<Launched> {
  return launchCase('ending', [scenario], { np, pml });
}

describe('MPI programs that end', () => {
  for (const pml of ['ob1', 'ucx'] as const) {
    for (const scenario of ['after Finalize', 'garbage after Finalize', 'forgotten in flight']) {
      it(`${scenario}, over ${pml}`, async () => {
        const { code, stdout, report } = await launch(scenario, 1, pml);
        assert.equal(code, 0, report);
        assert.include(stdout, 'done', report);
      });
    }
  }

  for (const [name, options] of [
    ['ob1', { pml: 'ob1' }],
    ['ucx', { pml: 'ucx' }],
    ['MPICH', { mpi: 'mpich' }],
  ] as const) {
    for (const scenario of ['Finalize with windows', 'one-sided, forgotten in flight']) {
      it(`${scenario}, over ${name}`, async () => {
        const { code, stdout, report } = await launchCase('ending', [scenario], { np: 2, ...options });
        assert.equal(code, 0, report);
        assert.equal(stdout.match(/^done/gm)?.length, 2, report);
      });
    }
  }

  it('with a receive that nobody serves', async () => {
    const { code, report } = await launch('Finalize with a receive that nobody serves', 1);
    assert.equal(code, 0, report);
  });

  it('with operations that may run on one thread only', async () => {
    const { code, report } = await launch('one thread only', 1);
    assert.equal(code, 0, report);
  });

  it('with THREAD_MULTIPLE, and operations on two threads', async () => {
    const { code, report } = await launch('THREAD_MULTIPLE', 2, 'ucx');
    assert.equal(code, 0, report);
  });

  it('by an uncaught error on one rank, which ends all', async () => {
    const { code, hung, stderr, stdout, report } = await launch('an uncaught error', 2);
    assert.isFalse(hung, report);
    assert.notEqual(code, 0, report);
    assert.include(stderr + stdout, 'rank 1 gives up');
  });

  it('by Abort, with its exit code', async () => {
    const { code, report } = await launch('Abort', 2);
    assert.equal(code, 42, report);
  });

  it('without mpirun, as a world of one', () => {
    const { status, stderr } = spawnSync(process.execPath, [caseFile('ending'), 'after Finalize'], {
      encoding: 'utf8',
      timeout: 60000,
    });
    assert.equal(status, 0, stderr);
  });
});

import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import type { Launched, LaunchOptions } from '../launch/mpirun.js';
import { caseFile, launchCase } from './launch.js';

type Where = Pick<LaunchOptions, 'mpi' | 'pml'>;

function launch(scenario: string, np: number, where: Where): Promise<Launched> {
  return launchCase('ending', [scenario], { np, ...where });
}

const ob1 = { pml: 'ob1' } as const;
const ucx = { pml: 'ucx' } as const;
const mpich = { mpi: 'mpich' } as const;
const nameOf = ({ mpi, pml }: Where): string => mpi ?? pml ?? '';

describe('MPI programs that end', () => {
  for (const where of [ob1, ucx, mpich]) {
    const persistent = 'persistent requests that outlive their operations';
    for (const scenario of ['after Finalize', 'garbage after Finalize', 'forgotten in flight', persistent]) {
      it(`${scenario}, over ${nameOf(where)}`, async () => {
        const { code, stdout, report } = await launch(scenario, 1, where);
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

  for (const where of [ob1, mpich]) {
    it(`with a receive that nobody serves, over ${nameOf(where)}`, async () => {
      const { code, report } = await launch('Finalize with a receive that nobody serves', 1, where);
      assert.equal(code, 0, report);
    });

    it(`by an uncaught error on one rank, which ends all, over ${nameOf(where)}`, async () => {
      const { code, hung, stderr, stdout, report } = await launch('an uncaught error', 2, where);
      assert.isFalse(hung, report);
      assert.notEqual(code, 0, report);
      assert.include(stderr + stdout, 'rank 1 gives up');
    });

    it(`by Abort, with its exit code, over ${nameOf(where)}`, async () => {
      const { code, report } = await launch('Abort', 2, where);
      assert.equal(code, 42, report);
    });
  }

  it('with operations that may run on one thread only', async () => {
    const { code, report } = await launch('one thread only', 1, ob1);
    assert.equal(code, 0, report);
  });

  for (const where of [ucx, mpich]) {
    it(`with THREAD_MULTIPLE, and operations on two threads, over ${nameOf(where)}`, async () => {
      const { code, report } = await launch('THREAD_MULTIPLE', 2, where);
      assert.equal(code, 0, report);
    });
  }

  it('without mpirun, as a world of one', () => {
    const { status, stderr } = spawnSync(process.execPath, [caseFile('ending'), 'after Finalize'], {
      encoding: 'utf8',
      timeout: 60000,
    });
    assert.equal(status, 0, stderr);
  });
});

/** The binding on 1 to 4 ranks: all cases run in one launch for each number of ranks and component. */
import { assert } from 'chai';
import type { Launched } from '../launch/mpirun.js';
import { cases } from './cases/index.js';
import { applies } from './cases/support.js';
import { launchCase } from './launch.js';

const launches = [
  { np: 1, mpi: 'mpich' },
  { np: 2, mpi: 'mpich' },
  { np: 3, mpi: 'mpich' },
  { np: 1, pml: 'ob1' },
  { np: 2, pml: 'ob1' },
  { np: 3, pml: 'ob1' },
  { np: 4, pml: 'ob1' },
  { np: 2, pml: 'ucx' },
  { np: 3, pml: 'ucx' },
] as const;

for (const { np, ...where } of launches) {
  const over = 'mpi' in where ? where.mpi : where.pml;
  describe(`MPI on ${np} ${np === 1 ? 'rank' : 'ranks'} over ${over}`, () => {
    let launched: Launched;
    before(async () => {
      launched = await launchCase('run', [over], { np, ...where });
    });
    for (const [name] of Object.entries(cases).filter(([, each]) => applies(each, np, over))) {
      it(name, () => {
        const passed = launched.stdout.split(/\r?\n/).includes(`passed: ${name}`);
        const failedHere = launched.stderr.includes(`failed in "${name}"`);
        assert.isTrue(passed, failedHere ? launched.report : 'not reached: see "ends in good order"');
      });
    }
    it('ends in good order', () => assert.equal(launched.code, 0, launched.report));
  });
}

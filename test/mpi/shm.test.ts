import { assert } from 'chai';
import { assertPassed, launchCase } from './launch.js';

describe('transport over shared memory', () => {
  for (const [mpi, np] of [
    ['openmpi', 2],
    ['openmpi', 4],
    ['mpich', 2],
  ] as const) {
    it(`between ${np} ranks of ${mpi}`, async () => {
      const launched = await launchCase('shm', [], { np, mpi });
      assert.equal(launched.code, 0, launched.report);
      assertPassed(launched, 'shm');
    });
  }
});

import { assert } from 'chai';
import { launchCase } from './launch.js';

describe('MPI in a session, without MPI_Init', () => {
  for (const scenario of ['the whole life', 'forgotten objects', 'the world after the session, while another lives']) {
    for (const np of [1, 3]) {
      it(`${scenario}, on ${np} ${np === 1 ? 'rank' : 'ranks'}`, async () => {
        const { code, stdout, report } = await launchCase('session', [scenario], { np, mpi: 'mpich' });
        assert.equal(code, 0, report);
        assert.equal(stdout.split(/\r?\n/).filter((line) => line === 'done').length, np, report);
      });
    }
  }

  it('Abort, with its exit code', async () => {
    const { code, hung, report } = await launchCase('session', ['Abort'], { np: 2, mpi: 'mpich' });
    assert.isFalse(hung, report);
    assert.equal(code, 42, report);
  });
});

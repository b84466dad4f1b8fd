import { assert } from 'chai';
import { repairPersistentCollectives } from '../../src/mpi/repairs.js';

const library = (text: string) => ({ Get_library_version: () => text });

describe("repairs of MPICH's persistent collectives", () => {
  it('set what the version needs', () => {
    const env: NodeJS.ProcessEnv = {};
    const settings = repairPersistentCollectives(library('MPICH Version:\t4.0.2\nMPICH Release date:\tx'), env);
    assert.deepEqual(settings, {
      MPIR_CVAR_IGATHER_INTRA_ALGORITHM: { value: 'tsp_tree', setBy: 'fabricbench' },
      MPIR_CVAR_ISCATTER_INTRA_ALGORITHM: { value: 'tsp_tree', setBy: 'fabricbench' },
      MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM: { value: 'tsp_recexch_doubling', setBy: 'fabricbench' },
    });
    assert.equal(env['MPIR_CVAR_ISCATTER_INTRA_ALGORITHM'], 'tsp_tree');
    assert.lengthOf(Object.keys(env), 3);
  });
  it('leave what the user has set', () => {
    const env = { MPIR_CVAR_IGATHER_INTRA_ALGORITHM: 'sched_binomial' };
    const settings = repairPersistentCollectives(library('MPICH Version: 4.2.1'), env);
    assert.deepEqual(settings['MPIR_CVAR_IGATHER_INTRA_ALGORITHM'], { value: 'sched_binomial', setBy: 'user' });
    assert.equal(env.MPIR_CVAR_IGATHER_INTRA_ALGORITHM, 'sched_binomial');
    assert.notProperty(settings, 'MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM');
  });
  it('are none where there is nothing to repair', () => {
    for (const text of ['MPICH Version: 5.0.0', 'MPICH Version: 10.1', 'Open MPI v4.1.4, package: Debian OpenMPI']) {
      const env = {};
      assert.deepEqual(repairPersistentCollectives(library(text), env), {});
      assert.deepEqual(env, {});
    }
  });
});

/** The binding on 1 to 4 ranks: all cases run in one launch for each number of ranks and component. */
import { assert } from 'chai';
import type { MpiFamily } from '../../src/engine/load.js';
import type { Launched } from '../launch/mpirun.js';
import { cases } from './cases/index.js';
import { applies } from './cases/support.js';
import { assertPassed, launchCase } from './launch.js';

const launches: readonly { np: number; mpi: MpiFamily; pml?: 'ob1' | 'ucx'; osc?: string }[] = [
  // The one-sided component rdma makes no window of a single rank.
  { np: 1, mpi: 'openmpi', pml: 'ob1', osc: 'pt2pt' },
  { np: 2, mpi: 'openmpi', pml: 'ob1' },
  { np: 3, mpi: 'openmpi', pml: 'ob1' },
  { np: 4, mpi: 'openmpi', pml: 'ob1' },
  { np: 2, mpi: 'openmpi', pml: 'ucx' },
  { np: 3, mpi: 'openmpi', pml: 'ucx' },
  { np: 1, mpi: 'mpich' },
  { np: 2, mpi: 'mpich' },
  { np: 3, mpi: 'mpich' },
  { np: 4, mpi: 'mpich' },
];

// By default as Debian has it.
for (const { np, mpi, pml, osc = '^ucx,pt2pt' } of launches) {
  describe(`MPI on ${np} ${np === 1 ? 'rank' : 'ranks'} over ${pml ?? mpi}`, () => {
    let launched: Launched;
    before(async () => {
      launched = await launchCase('run', [], { np, mpi, env: { OMPI_MCA_osc: osc }, ...(pml ? { pml } : {}) });
    });
    for (const [name] of Object.entries(cases).filter(([, each]) => applies(each, np, mpi))) {
      it(name, () => assertPassed(launched, name));
    }
    it('ends in good order', () => assert.equal(launched.code, 0, launched.report));
  });
}

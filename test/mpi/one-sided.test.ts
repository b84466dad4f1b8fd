/** One-sided channels and windows over each MPI and each of Open MPI's one-sided components that work. */
import { assert } from 'chai';
import type { Launched, LaunchOptions } from '../launch/mpirun.js';
import { windowCreations, type WindowCreation } from '../../src/transport/one-sided.js';
import { cases } from './cases/index.js';
import { applies } from './cases/support.js';
import { assertPassed, launchCase } from './launch.js';

const synchronisations = ['lock', 'exclusive lock', 'lock_all', 'flush', 'flush_local', 'fence', 'pscw'];

interface Setup {
  readonly name: string;
  readonly options: LaunchOptions;
  /** The component that must have been selected. */
  readonly osc: string | null;
  readonly creations?: readonly WindowCreation[];
}

/**
 * Debian takes the components ucx and pt2pt out by default. The component sm can do nothing but allocate, and pt2pt hangs
 * in MPI_Get_accumulate and MPI_Fetch_and_op over the PML ucx (Open MPI 4.1, in C programs too).
 */
const setups: readonly Setup[] = [
  { name: 'Open MPI, PML ob1', options: { pml: 'ob1', env: { OMPI_MCA_osc: '^ucx,pt2pt' } }, osc: 'rdma' },
  { name: 'Open MPI, PML ucx', options: { pml: 'ucx', env: { OMPI_MCA_osc: '^ucx,pt2pt' } }, osc: 'rdma' },
  { name: 'Open MPI, component ucx', options: { pml: 'ucx', env: { OMPI_MCA_osc: 'ucx' } }, osc: 'ucx' },
  {
    name: 'Open MPI, component sm',
    options: { pml: 'ob1', env: { OMPI_MCA_osc: 'sm' } },
    osc: 'sm',
    creations: ['allocate'],
  },
  { name: 'Open MPI, component pt2pt', options: { pml: 'ob1', env: { OMPI_MCA_osc: 'pt2pt' } }, osc: 'pt2pt' },
  { name: 'MPICH', options: { mpi: 'mpich' }, osc: null },
];

for (const { name, options, osc, creations = windowCreations } of setups) {
  describe(`one-sided channels over ${name}`, () => {
    let launched: Launched;
    before(async () => {
      launched = await launchCase('one-sided-seam', creations, { np: 2, limit: 180, ...options });
    });
    for (const creation of creations) {
      for (const sync of synchronisations) {
        it(`${creation} and ${sync}`, () => assertPassed(launched, `${creation} and ${sync}`));
      }
    }
    it('ends in good order, and tells the component', () => {
      assert.equal(launched.code, 0, launched.report);
      assert.include(launched.stdout, `osc: ${osc}`, launched.report);
    });
  });
}

const bindings: readonly { readonly np: number; readonly name: string; readonly options: LaunchOptions }[] = [
  { np: 2, name: "Open MPI's component ucx", options: { pml: 'ucx', env: { OMPI_MCA_osc: 'ucx' } } },
  { np: 3, name: "Open MPI's component ucx", options: { pml: 'ucx', env: { OMPI_MCA_osc: 'ucx' } } },
  { np: 3, name: "Open MPI's component pt2pt", options: { pml: 'ob1', env: { OMPI_MCA_osc: 'pt2pt' } } },
  { np: 1, name: 'MPICH', options: { mpi: 'mpich' } },
  { np: 2, name: 'MPICH', options: { mpi: 'mpich' } },
  { np: 4, name: 'MPICH', options: { mpi: 'mpich' } },
];

for (const { np, name, options } of bindings) {
  describe(`MPI's one-sided calls on ${np} ranks over ${name}`, () => {
    const { mpi = 'openmpi' } = options;
    let launched: Launched;
    before(async () => {
      launched = await launchCase('run', ['one-sided'], { np, limit: 180, ...options });
    });
    const ours = Object.entries(cases).filter(([group]) => group.startsWith('one-sided'));
    for (const [each] of ours.filter(([, one]) => applies(one, np, mpi))) {
      it(each, () => assertPassed(launched, each));
    }
    it('ends in good order', () => assert.equal(launched.code, 0, launched.report));
  });
}

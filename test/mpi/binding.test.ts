/** The binding on 1 to 4 ranks: all cases run in one launch for each number of ranks and component. */
import { assert } from 'chai';
import type { Launched } from '../launch/mpirun.js';
import { cases } from './cases/index.js';
import { applies } from './cases/support.js';
import { assertPassed, launchCase } from './launch.js';

/** The one-sided component rdma makes no window of a single rank. */
const launches = [
  { np: 1, pml: 'ob1', osc: 'pt2pt' },
  { np: 2, pml: 'ob1' },
  { np: 3, pml: 'ob1' },
  { np: 4, pml: 'ob1' },
  { np: 2, pml: 'ucx' },
  { np: 3, pml: 'ucx' },
] as const;

for (const { np, pml, ...more } of launches) {
  const osc = 'osc' in more ? more.osc : '^ucx,pt2pt'; // as Debian has it
  describe(`MPI on ${np} ${np === 1 ? 'rank' : 'ranks'} over ${pml}`, () => {
    let launched: Launched;
    before(async () => {
      launched = await launchCase('run', [pml], { np, pml, env: { OMPI_MCA_osc: osc } });
    });
    for (const [name] of Object.entries(cases).filter(([, each]) => applies(each, np, pml))) {
      it(name, () => assertPassed(launched, name));
    }
    it('ends in good order', () => assert.equal(launched.code, 0, launched.report));
  });
}

/**
 * UCX caches what it has registered with a network card: it must hear of memory that is unmapped, or it would take new
 * memory at the same address for the old. Whoever doesn't hear of it needs memory that stays.
 */
import { assert } from 'chai';
import type { LaunchOptions } from '../launch/mpirun.js';
import type { GivenBack } from './cases/unmap.js';
import { launchCase } from './launch.js';

async function givenBack(options: LaunchOptions): Promise<[string, GivenBack][]> {
  const { code, stdout, report } = await launchCase('unmap', [], options);
  assert.equal(code, 0, report);
  const seen = Object.entries(JSON.parse(stdout) as Record<string, GivenBack>);
  assert.lengthOf(seen, 2);
  return seen;
}

describe('memory that is given back', () => {
  const ours = { UCX_MEM_MMAP_HOOK_MODE: undefined, UCX_MEM_MALLOC_RELOC: undefined };
  for (const options of [{ mpi: 'mpich' }, { mpi: 'openmpi', pml: 'ucx' }] as const) {
    it(`is unmapped only with UCX hearing of it (${options.mpi})`, async () => {
      for (const [name, { heard, mapped }] of await givenBack({ ...options, env: ours })) {
        assert.isTrue(heard || mapped, `${name} was unmapped without UCX hearing of it`);
      }
    });
  }

  it('is unmapped unheard where a user has switched the hooks off, which this test sees', async () => {
    const seen = await givenBack({ mpi: 'mpich', env: { ...ours, UCX_MEM_MMAP_HOOK_MODE: 'none' } });
    for (const [, { heard, mapped }] of seen) assert.isFalse(heard || mapped);
  });
});

import { assert } from 'chai';
import type { Selection } from '../../src/mpi/selection.js';
import type { LaunchOptions } from '../launch/mpirun.js';
import { launchCase } from './launch.js';

async function selected(options: LaunchOptions, how: readonly string[] = []): Promise<Selection> {
  const { code, stdout, report } = await launchCase('seams', how, options);
  assert.equal(code, 0, report);
  const text = /^selection: (.*)$/m.exec(stdout)?.[1];
  assert.isDefined(text, report);
  return JSON.parse(text ?? '') as Selection;
}

describe('rendezvous and transport over MPI', () => {
  it('alone', async () => {
    const selection = await selected({ np: 1 });
    assert.deepEqual([selection.family, selection.pml, selection.transports], ['openmpi', 'ob1', ['self']]);
    assert.match(selection.library, /^Open MPI v4/);
    assert.match(selection.version, /^3\.\d$/);
    assert.isNull(selection.osc);
  });
  it('on 2 ranks over ob1 in shared memory', async () => {
    const { pml, transports } = await selected({ np: 2 });
    assert.deepEqual([pml, transports], ['ob1', ['vader']]);
  });
  it('on 2 ranks over ob1 and TCP', async () => {
    const { pml, transports } = await selected({ np: 2, env: { OMPI_MCA_btl: 'tcp,self' } });
    assert.deepEqual([pml, transports], ['ob1', ['tcp']]);
  });
  it('on 2 ranks over UCX in shared memory', async () => {
    const { pml, transports, ucx } = await selected({ np: 2, pml: 'ucx', env: { UCX_TLS: 'posix,self' } });
    assert.deepEqual([pml, transports], ['ucx', ['posix/memory']]);
    assert.match(ucx ?? '', /^1\.\d+/);
  });
  for (const [name, env, expected] of [
    ['shared memory', { UCX_TLS: 'posix,self' }, ['posix/memory']],
    ['TCP', { UCX_TLS: 'tcp', UCX_NET_DEVICES: 'lo' }, ['tcp/lo']],
  ] as const) {
    it(`on 2 ranks of MPICH over ch4:ucx and ${name}`, async () => {
      const selection = await selected({ mpi: 'mpich', np: 2, env });
      const { family, device, pml, transports, library, version, ucx } = selection;
      assert.deepEqual([family, device, pml, transports], ['mpich', 'ch4:ucx', null, expected]);
      assert.match(library, /^MPICH Version: 4/);
      assert.match(version, /^4\.\d$/);
      assert.match(ucx ?? '', /^1\.\d+/);
    });
  }
  it('on 2 ranks over UCX and TCP', async () => {
    const { pml, transports } = await selected({ np: 2, pml: 'ucx', env: { UCX_TLS: 'tcp', UCX_NET_DEVICES: 'lo' } });
    assert.deepEqual([pml, transports], ['ucx', ['tcp/lo']]);
  });
  it('on 4 ranks, where some have a communicator of their own', async () => {
    assert.equal((await selected({ np: 4 })).family, 'openmpi');
  });
  it('on 2 ranks with MPI_THREAD_MULTIPLE', async () => {
    assert.equal((await selected({ np: 2 }, ['threads'])).family, 'openmpi');
  });
  for (const np of [1, 2, 4]) {
    it(`on ${np} ${np === 1 ? 'rank' : 'ranks'} of MPICH, in the world and in a session`, async () => {
      for (const how of [[], ['session']]) {
        const { family, version } = await selected({ np, mpi: 'mpich' }, how);
        assert.deepEqual([family, version], ['mpich', '4.0']);
      }
    });
  }
  it('on 2 ranks of MPICH with MPI_THREAD_MULTIPLE, in the world and in a session', async () => {
    for (const how of [['threads'], ['session', 'threads']]) {
      assert.equal((await selected({ np: 2, mpi: 'mpich' }, how)).family, 'mpich');
    }
  });
  it('in a session where MPI has none: a sentence that says what has', async () => {
    const { code, stderr, report } = await launchCase('seams', ['session'], { np: 2 });
    assert.notEqual(code, 0, report);
    assert.match(stderr, /UnsupportedError: a session needs MPI-4, and Open MPI v4\S+ has MPI 3\.1: use one that has/);
  });
});

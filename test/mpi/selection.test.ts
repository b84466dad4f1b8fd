import { assert } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pmlAdvice, pmlRefusal } from '../../src/mpi/advice.js';
import { parameter } from '../../src/mpi/parameters.js';
import { openMpiVersion, swapRefusal } from '../../src/mpi/defects.js';
import { mpi4Refusal } from '../../src/mpi/mpi4.js';
import type { Mpi } from '../../src/mpi/types.js';
import { deviceOf, libraryName, ob1Transports, transportsOf, ucxTransports } from '../../src/mpi/selection.js';

/** As ucp_ep_print_info of UCX 1.13 prints it. */
function endpoint(...lanes: readonly string[]): string {
  const text = lanes.map(
    (lane, i) => `#                 lane[${i}]:  ${i + 2}:${lane}.0 md[2]           -> md[2]/x/sysdev[255] am am_bw#0`,
  );
  return ['#', '# UCP endpoint ', '#', '#               peer: <no debug data>', ...text, '#', ''].join('\n');
}

describe('transports that were used', () => {
  it("are the lanes of UCX's endpoints to other ranks", () => {
    const self = endpoint('self/memory0', 'cma/memory');
    const peer = endpoint('sysv/memory', 'cma/memory');
    assert.deepEqual(ucxTransports([self, peer, peer]), ['cma/memory', 'sysv/memory']);
    assert.deepEqual(ucxTransports([self, endpoint('rc_mlx5/mlx5_0:1')]), ['rc_mlx5/mlx5_0:1']);
    assert.deepEqual(ucxTransports([self]), ['cma/memory', 'self/memory0']);
    assert.isNull(ucxTransports([]));
    assert.isNull(ucxTransports(['# UCP endpoint\n# no lanes']));
  });
  it("are ob1's byte transfer layers that reach the ranks there are", () => {
    const btls = ['self', 'tcp', 'vader'];
    assert.deepEqual(ob1Transports(btls, { size: 4, localSize: 4 }), ['vader']);
    assert.deepEqual(ob1Transports(btls, { size: 4, localSize: 2 }), ['tcp', 'vader']);
    assert.deepEqual(ob1Transports(btls, { size: 4, localSize: 1 }), ['tcp']);
    assert.deepEqual(ob1Transports(btls, { size: null, localSize: null }), ['tcp', 'vader']);
    assert.deepEqual(ob1Transports(['self', 'tcp'], { size: 4, localSize: 4 }), ['tcp']);
    assert.deepEqual(ob1Transports(btls, { size: 1, localSize: 1 }), ['self']);
    assert.isNull(ob1Transports([], { size: 4, localSize: 4 }));
  });
  it('go by the component', () => {
    const facts = { osc: [], btls: ['self', 'vader'], endpoints: [endpoint('tcp/eth0')], ucx: '1.13.1' };
    const here = { size: 2, localSize: 2 };
    assert.deepEqual(transportsOf({ ...facts, pml: 'ob1' }, here), ['vader']);
    assert.deepEqual(transportsOf({ ...facts, pml: 'ucx' }, here), ['tcp/eth0']);
    assert.deepEqual(transportsOf({ ...facts, pml: null }, here), ['tcp/eth0']); // MPICH over UCX
    assert.isNull(transportsOf({ ...facts, pml: 'cm' }, here));
  });
});

describe("the library's name", () => {
  it('is one line, without how it was configured', () => {
    assert.equal(
      libraryName('Open MPI v4.1.4, package: Debian OpenMPI, May 26, 2022'),
      'Open MPI v4.1.4, package: Debian OpenMPI, May 26, 2022',
    );
    const text =
      'MPICH Version:      4.0.2\nMPICH Device:       ch4:ucx\nMPICH configure: --prefix=/usr\nMPICH CC: gcc\n';
    assert.equal(libraryName(text), 'MPICH Version: 4.0.2 MPICH Device: ch4:ucx');
    assert.equal(deviceOf(text), 'ch4:ucx');
    assert.isUndefined(deviceOf('Open MPI v4.1.4'));
  });
});

describe('advice on the PML', () => {
  const ob1 = { family: 'openmpi', pml: 'ob1', transports: ['vader'] };
  it('says how to measure UCX where another component carried the messages', () => {
    assert.equal(
      pmlAdvice(ob1),
      'Open MPI carried the messages by its PML ob1 over vader, not by UCX; to measure UCX run ' +
        'OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any mpirun --mca pml ucx ...',
    );
    assert.match(pmlAdvice({ ...ob1, transports: null }) ?? '', /by its PML ob1, not by UCX/);
  });
  it('has nothing to say otherwise', () => {
    assert.isNull(pmlAdvice({ ...ob1, pml: 'ucx' }));
    assert.isNull(pmlAdvice({ ...ob1, pml: null }));
    assert.isNull(pmlAdvice({ ...ob1, family: 'mpich' }));
  });

  const library = 'Open MPI v4.1.4, package: Debian OpenMPI';
  const bare = { infiniband: '/nonexistent', accelerators: [] };
  const refusal = (env: NodeJS.ProcessEnv, hardware: object = bare, text = library): string | null =>
    pmlRefusal(text, { env, files: [] }, hardware);

  it('refuses UCX over transports whose hardware is missing', () => {
    assert.match(
      refusal({ OMPI_MCA_pml: 'ucx' }) ?? '',
      /takes InfiniBand alone, and this host has no such hardware; set OMPI_MCA/,
    );
    assert.match(
      refusal({ OMPI_MCA_pml: 'ucx', OMPI_MCA_pml_ucx_tls: 'rc_mlx5,ud' }) ?? '',
      /it may use rc_mlx5,ud only/,
    );
  });
  it('refuses nothing that may work', () => {
    for (const env of [{}, { OMPI_MCA_pml: '^ucx' }, { OMPI_MCA_pml: 'ob1,ucx' }, { OMPI_MCA_pml: 'ob1' }]) {
      assert.isNull(refusal(env));
    }
    assert.isNull(refusal({ OMPI_MCA_pml: 'ucx', OMPI_MCA_pml_ucx_tls: 'any' }));
    assert.isNull(refusal({ OMPI_MCA_pml: 'ucx', OMPI_MCA_opal_common_ucx_tls: 'rc,tcp' }));
    assert.isNull(refusal({ OMPI_MCA_pml: 'ucx' }, { infiniband: tmpdir() })); // a folder with something in it
    assert.isNull(refusal({ OMPI_MCA_pml: 'ucx' }, { ...bare, accelerators: ['/dev/null'] }));
    assert.isNull(refusal({ OMPI_MCA_pml: 'ucx' }, bare, 'Open MPI v4.0.3'));
  });
});

describe("Open MPI's parameters", () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'parameters-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('come from the environment, then from the files in their order', () => {
    const files = ['user', 'system', 'missing'].map((name) => join(folder, name));
    writeFileSync(files[0] ?? '', '# pml = cm\n  pml=ucx  \nbtl = tcp,self # not cut off\n');
    writeFileSync(files[1] ?? '', 'pml = ^ucx\nosc = ^ucx,pt2pt\nmtl = ^ofi');
    const read = (name: string, env = {}): string | undefined => parameter(name, { env, files });
    assert.equal(read('pml', { OMPI_MCA_pml: 'ob1' }), 'ob1');
    assert.equal(read('pml'), 'ucx');
    assert.equal(read('osc'), '^ucx,pt2pt');
    assert.equal(read('mtl'), '^ofi');
    assert.isUndefined(read('coll'));
  });
});

describe('what an MPI can not do', () => {
  it('is told by the version of Open MPI', () => {
    assert.deepEqual(openMpiVersion('Open MPI v4.1.4, package: Debian OpenMPI'), [4, 1, 4]);
    assert.deepEqual(openMpiVersion('Open MPI v5.0.10rc1, package: x'), [5, 0, 10]);
    assert.isNull(openMpiVersion('MPICH Version:      4.0.2'));
  });

  it('is a swap of 8 bytes in memory of MPI_Win_allocate, by osc rdma before 4.1.5', () => {
    const refusal = (version: string, osc: string | null) => swapRefusal({ library: `Open MPI v${version}, x`, osc });
    for (const version of ['4.0.7', '4.1.0', '4.1.4', '3.1.6']) {
      assert.match(
        refusal(version, 'rdma') ?? '',
        /^MPI_Compare_and_swap of 8 bytes .* osc rdma: use -w create, /,
        version,
      );
      assert.match(refusal(version, 'pt2pt, rdma') ?? '', /osc rdma/, version);
      for (const osc of ['ucx', 'sm', 'pt2pt, sm', null]) assert.isNull(refusal(version, osc), `${version} ${osc}`);
    }
    for (const version of ['4.1.5', '4.1.10', '4.2.0', '5.0.0']) assert.isNull(refusal(version, 'rdma'), version);
    assert.isNull(swapRefusal({ library: 'MPICH Version:      4.0.2', osc: 'rdma' }));
  });

  it('is what the build left out where Open MPI 5 has it, though it says MPI 3.1', () => {
    const without = (library: string, version: number) =>
      mpi4Refusal(
        { Get_version: () => ({ version, subversion: 1 }), Get_library_version: () => library } as Mpi,
        'a session',
      );
    assert.match(
      without('Open MPI v5.0.3, x', 3) ?? '',
      /^a session needs MPI-4, which Open MPI v5\.0\.3 has and this build/,
    );
    assert.match(without('MPICH Version: 4.1', 4) ?? '', /has and this build does not: run npm run build again$/);
    assert.match(without('Open MPI v4.1.4, x', 3) ?? '', /v4\.1\.4 has MPI 3\.1: use one that has, such as MPICH 4$/);
  });
});

/** What is said of ranks that run different things. */
import { assert } from 'chai';
import { compareMakes, type Make } from '../../src/bench/make.js';
import { componentFolders, ucxProblem } from '../../src/mpi/components.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPEN_MPI = 'Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4';

function make(host: string, more: Partial<Make> = {}): Make {
  return { host, fabricbench: '0.1.0', mpi: OPEN_MPI, ucx: '1.13.1', node: 'v20.20.0', ...more };
}

const many = (count: number, from: number, more: Partial<Make> = {}): Make[] =>
  Array.from({ length: count }, (_, i) => make(`node${from + i}`, more));

describe('what ranks run', () => {
  it('is nothing to speak of where it is the same', () => {
    assert.deepEqual(compareMakes(many(3, 1)), { refusal: null, warnings: [] });
  });

  it('is refused where versions of fabricbench differ: the most frequent first, few hosts named', () => {
    const all = [...many(2, 1, { fabricbench: '0.2.0' }), ...many(5, 3)];
    assert.equal(
      compareMakes(all).refusal,
      'the ranks run different versions of fabricbench: 0.1.0 on node3 (rank 2), node4 (rank 3), node5 (rank 4) and 2 more, 0.2.0 on node1 (rank 0) and node2 (rank 1); install one and the same on all nodes',
    );
  });

  it('names a host once, by its first rank', () => {
    const all = [make('a'), make('b', { fabricbench: '9' }), make('b', { fabricbench: '9' }), make('a')];
    assert.include(compareMakes(all).refusal ?? '', ': 0.1.0 on a (rank 0), 9 on b (rank 1);');
  });

  for (const [mine, other, shown] of [
    [
      OPEN_MPI,
      'Open MPI v4.1.5, package: Debian OpenMPI',
      'Open MPI v4.1.4 on a (rank 0), Open MPI v4.1.5 on b (rank 1)',
    ],
    [
      'MPICH Version: 4.0.2 MPICH Release date: Thu MPICH ABI: 14:2:2 MPICH Device: ch4:ucx',
      'MPICH Version: 4.1 MPICH Release date: Fri MPICH Device: ch4:ucx',
      'MPICH Version: 4.0.2 on a (rank 0), MPICH Version: 4.1 on b (rank 1)',
    ],
  ] as const) {
    it(`is refused where versions of MPI differ: ${shown}`, () => {
      const { refusal } = compareMakes([make('a', { mpi: mine }), make('b', { mpi: other })]);
      assert.equal(refusal, `the ranks run different versions of MPI: ${shown}; install one and the same on all nodes`);
    });
  }

  it('is told where builds, UCX or Node differ', () => {
    const odd = make('b', { mpi: `${OPEN_MPI} built elsewhere`, ucx: null, node: 'v22.1.0' });
    assert.deepEqual(compareMakes([make('a'), odd]), {
      refusal: null,
      warnings: [
        `the ranks run different builds of MPI: ${OPEN_MPI} on a (rank 0), ${OPEN_MPI} built elsewhere on b (rank 1)`,
        'the ranks run different versions of UCX: 1.13.1 on a (rank 0), none on b (rank 1)',
        'the ranks run different versions of Node: v20.20.0 on a (rank 0), v22.1.0 on b (rank 1)',
      ],
    });
  });
});

describe("Open MPI's components", () => {
  let folder = '';
  before(() => (folder = mkdtempSync(join(tmpdir(), 'fabricbench-components-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const problem = (load: (path: string) => string | null = () => null) =>
    ucxProblem({ folders: ['/nowhere', folder], load });

  it('are looked for beside the library that is loaded', () => {
    const maps =
      '7f00-7f01 r-xp 0 08:01 1 /usr/lib/x/libmpich.so.12\n7f02-7f03 r-xp 0 08:01 2 /opt/ompi/lib/libmpi.so.40.30.4\n';
    const sources = { env: { OMPI_MCA_mca_base_component_path: '/a:USER_DEFAULT:/b' }, files: [] };
    assert.deepEqual(componentFolders(maps, sources).slice(0, 3), ['/a', '/b', '/opt/ompi/lib/openmpi']);
    assert.deepEqual(componentFolders('', { env: {}, files: [] }), []);
  });

  it('leave it open where there are no files of them, which may be parts of the library', () => {
    assert.isNull(problem(() => 'not asked'));
  });

  it('lack UCX where others are there, or where the file of it is refused', () => {
    writeFileSync(join(folder, 'mca_pml_ob1.so'), '');
    assert.equal(problem(), 'this Open MPI was built without it');
    const file = join(folder, 'mca_pml_ucx.so');
    writeFileSync(file, '');
    assert.isNull(problem());
    assert.equal(
      problem((path) => `${path}: no libucp`),
      `${file}: no libucp`,
    );
  });
});

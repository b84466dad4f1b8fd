import { assert } from 'chai';
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsPmix } from '../../src/mpi/slurm.js';
import { checkPmix, checkSize, readLauncher, type Launcher } from '../../src/rendezvous/launcher.js';

const none: Launcher = { launcher: null, rank: null, size: null, localRank: null, localSize: null };

describe('what the launcher says', () => {
  const mpirun = {
    OMPI_COMM_WORLD_RANK: '3',
    OMPI_COMM_WORLD_SIZE: '8',
    OMPI_COMM_WORLD_LOCAL_RANK: '1',
    OMPI_COMM_WORLD_LOCAL_SIZE: '2',
    PMIX_RANK: '3',
  };
  const byMpirun: Launcher = { launcher: 'openmpi', rank: 3, size: 8, localRank: 1, localSize: 2 };

  it('nothing', () => assert.deepEqual(readLauncher({ HOME: '/root', SLURM_NTASKS: '4' }), none));
  it('a batch script of Slurm, and the shell of an interactive job, as started by nobody', () => {
    const env = { SLURM_JOB_ID: '7', SLURM_PROCID: '0', SLURM_NTASKS: '4', SLURM_LOCALID: '0' };
    assert.deepEqual(readLauncher(env), none);
    assert.deepEqual(readLauncher({ ...env, SLURM_STEP_ID: '4294967290' }), none);
    assert.equal(readLauncher({ ...env, SLURM_STEP_ID: '0' }).launcher, 'slurm');
  });
  it("Open MPI's mpirun", () => assert.deepEqual(readLauncher(mpirun), byMpirun));
  it("Open MPI's mpirun in a Slurm job, whose own variables describe its daemon", () => {
    const slurm = { SLURM_PROCID: '0', SLURM_LOCALID: '0', SLURM_NTASKS: '1', SLURM_NODEID: '0' };
    assert.deepEqual(readLauncher({ ...mpirun, ...slurm }), byMpirun);
  });
  it("Open MPI 5's mpirun", () => {
    const env = { ...mpirun, PRTE_LAUNCHED: '1', PMIX_NAMESPACE: 'prterun-node1-4711@1' };
    assert.deepEqual(readLauncher(env), byMpirun);
  });
  it('prun of a PRRTE that serves any MPI, which tells no size', () => {
    const env = { PMIX_RANK: '1', PMIX_NAMESPACE: 'prun.node1.4711@1', PRTE_LAUNCHED: '1' };
    assert.deepEqual(readLauncher(env), { ...none, launcher: 'pmix', rank: 1 });
  });
  it('srun --mpi=pmix', () => {
    const env = {
      PMIX_RANK: '5',
      SLURM_PROCID: '5',
      SLURM_NTASKS: '6',
      SLURM_LOCALID: '1',
      SLURM_NODEID: '2',
      SLURM_STEP_TASKS_PER_NODE: '2(x3)',
    };
    assert.deepEqual(readLauncher(env), { launcher: 'slurm-pmix', rank: 5, size: 6, localRank: 1, localSize: 2 });
  });
  it('srun --mpi=pmi2', () => {
    const env = { PMI_RANK: '1', PMI_SIZE: '4', SLURM_PROCID: '1', SLURM_LOCALID: '1', SLURM_NTASKS: '4' };
    assert.deepEqual(readLauncher(env), { launcher: 'slurm-pmi2', rank: 1, size: 4, localRank: 1, localSize: null });
  });
  it("MPICH's mpirun, in a Slurm job too", () => {
    const env = { PMI_RANK: '2', PMI_SIZE: '3', MPI_LOCALRANKID: '0', MPI_LOCALNRANKS: '1' };
    const expected: Launcher = { launcher: 'mpich', rank: 2, size: 3, localRank: 0, localSize: 1 };
    assert.deepEqual(readLauncher(env), expected);
    assert.deepEqual(readLauncher({ ...env, SLURM_PROCID: '0', SLURM_LOCALID: '7', SLURM_NTASKS: '1' }), expected);
  });
  it('srun --mpi=none, and a step smaller than its job', () => {
    const env = { SLURM_PROCID: '1', SLURM_NTASKS: '8', SLURM_STEP_NUM_TASKS: '2', SLURM_LOCALID: '0' };
    assert.deepEqual(readLauncher(env), { launcher: 'slurm', rank: 1, size: 2, localRank: 0, localSize: null });
  });
  it('numbers that are none count as missing', () => {
    const env = { ...mpirun, OMPI_COMM_WORLD_SIZE: 'many', OMPI_COMM_WORLD_LOCAL_SIZE: '' };
    assert.deepEqual(readLauncher(env), { ...byMpirun, size: null, localSize: null });
  });
  it("tasks per node in Slurm's short form", () => {
    const runs = fc.array(
      fc.record({ tasks: fc.integer({ min: 1, max: 99 }), nodes: fc.integer({ min: 1, max: 5 }) }),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(runs, fc.nat(), (parts, pick) => {
        const perNode = parts.flatMap(({ tasks, nodes }) => Array<number>(nodes).fill(tasks));
        const node = pick % perNode.length;
        const text = parts.map(({ tasks, nodes }) => (nodes === 1 ? `${tasks}` : `${tasks}(x${nodes})`)).join(',');
        const env = { PMIX_RANK: '0', SLURM_PROCID: '0', SLURM_NODEID: `${node}`, SLURM_TASKS_PER_NODE: text };
        assert.equal(readLauncher(env).localSize, perNode[node]);
      }),
    );
  });
  it('a node beyond the list, or a list that is none, tell nothing', () => {
    const env = { PMIX_RANK: '0', SLURM_PROCID: '0', SLURM_NODEID: '3' };
    for (const text of ['2(x3)', 'two', '2(y3)', '']) {
      assert.isNull(readLauncher({ ...env, SLURM_TASKS_PER_NODE: text }).localSize);
    }
  });
});

describe('ranks started against ranks that MPI sees', () => {
  const of = (launcher: Launcher['launcher'], size: number | null): Launcher => ({ ...none, launcher, size });

  it('agree, or nothing is known', () => {
    assert.isNull(checkSize(of('openmpi', 4), 4, 'openmpi'));
    assert.isNull(checkSize(of('openmpi', null), 1, 'openmpi'));
    assert.isNull(checkSize(none, 1, 'openmpi'));
  });
  it('a launcher of the other MPI', () => {
    assert.equal(
      checkSize(of('mpich', 4), 1, 'openmpi'),
      "MPICH's mpirun started 4 ranks, but each process sees itself alone: it does not belong to the MPI in use " +
        '(openmpi); start it with the mpirun of Open MPI, or with srun --mpi=pmix, or set FABRICBENCH_MPI=mpich',
    );
    assert.match(
      checkSize(of('openmpi', 2), 1, 'mpich') ?? '',
      /^Open MPI's mpirun started 2 .* set FABRICBENCH_MPI=openmpi$/,
    );
  });
  it('Slurm without the right --mpi', () => {
    assert.match(checkSize(of('slurm', 2), 1, 'mpich') ?? '', /^Slurm started 2 ranks.*srun --mpi=pmi2$/);
    assert.match(checkSize(of('slurm-pmi2', 2), 1, 'openmpi') ?? '', /^srun --mpi=pmi2 started 2 .*srun --mpi=pmix$/);
  });
  it('a rank that there can not be, of a launcher that tells no size', () => {
    const started: Launcher = { ...none, launcher: 'pmix', rank: 1 };
    assert.isNull(checkSize({ ...started, rank: 0 }, 1, 'mpich'));
    assert.isNull(checkSize(started, 2, 'mpich'));
    assert.match(checkSize(started, 1, 'mpich') ?? '', /^a PMIx launcher started rank 1, but each process sees itself/);
  });
  it('some, but not all', () => {
    assert.match(checkSize(of('pmix', 4), 2, 'openmpi') ?? '', /a PMIx launcher started 4 ranks, but MPI sees 2 ranks/);
  });
});

describe('an Open MPI that knows PMIx alone', () => {
  const of = (launcher: Launcher['launcher'], size: number | null): Launcher => ({ ...none, launcher, size });

  it('is refused before it starts where Slurm started the ranks without', () => {
    assert.equal(
      checkPmix(of('slurm', 2)),
      'Slurm started 2 ranks without PMIx, and this Open MPI knows no other way for them to meet; start it with the ' +
        'mpirun of Open MPI, or with srun --mpi=pmix',
    );
    assert.match(checkPmix(of('slurm-pmi2', 4)) ?? '', /^srun --mpi=pmi2 started 4 ranks without PMIx/);
    assert.match(checkPmix(of('mpich', 2)) ?? '', /^MPICH's mpirun started 2 ranks.* set FABRICBENCH_MPI=mpich$/);
  });
  it('may start otherwise', () => {
    for (const launcher of ['openmpi', 'slurm-pmix', 'pmix', null] as const) assert.isNull(checkPmix(of(launcher, 2)));
    assert.isNull(checkPmix(of('slurm', 1)));
    assert.isNull(checkPmix(of('slurm', null)));
  });

  describe('is known by its components', () => {
    let root: string;
    before(() => void (root = mkdtempSync(join(tmpdir(), 'components-'))));
    after(() => rmSync(root, { recursive: true }));

    function withComponents(folder: string, ...names: readonly string[]): string {
      const libraries = mkdtempSync(join(root, 'lib-'));
      mkdirSync(join(libraries, folder), { recursive: true });
      for (const name of names) writeFileSync(join(libraries, folder, name), '');
      return `7f00-7f10 r-xp 0 fe:00 4711   ${libraries}/libopen-pal.so.40.30.2\n`;
    }

    it('as it comes, and as Debian packs it', () => {
      for (const folder of ['openmpi', 'openmpi/lib/openmpi3']) {
        assert.isTrue(needsPmix(withComponents(folder, 'mca_pmix_ext3x.so', 'mca_pmix_isolated.so')));
        assert.isFalse(needsPmix(withComponents(folder, 'mca_pmix_ext3x.so', 'mca_pmix_s1.so')));
        assert.isFalse(needsPmix(withComponents(folder, 'mca_pmix_s2.so')));
      }
    });
    it('or not at all', () => {
      assert.isFalse(needsPmix(withComponents('openmpi', 'mca_btl_tcp.so'))); // Open MPI 5 has no such components
      assert.isFalse(needsPmix(withComponents('elsewhere', 'mca_pmix_ext3x.so')));
      assert.isFalse(needsPmix('7f00-7f10 r-xp 0 fe:00 4711   /usr/lib/libc.so.6\n'));
    });
  });
});

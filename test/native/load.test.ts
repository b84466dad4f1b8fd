import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { builtAddons, chooseMpiFamily, loadAddon, LoadError } from '../../src/engine/index.js';
import { explainLoadFailure } from '../../src/engine/load.js';
import { caseFile, runCase } from './run-case.js';

describe('loading addons', () => {
  it('finds those that are built', () => {
    expect(builtAddons()).to.include('engine');
    expect(loadAddon('engine')).to.equal(loadAddon('engine'));
  });

  it('tells an addon that is not built from a library that is missing', () => {
    expect(() => loadAddon('nothing')).to.throw(
      LoadError,
      /^nothing\.node is not built \(looked for .*nothing\.node\): /,
    );
    const library = explainLoadFailure(
      'mpi-openmpi',
      '/x/mpi-openmpi.node',
      new Error('libmpi.so.40: cannot open shared object file: No such file or directory'),
    );
    expect(library).to.include({ addon: 'mpi-openmpi', reason: 'library' });
    expect(library.message).to.equal(
      'mpi-openmpi.node needs the library libmpi.so.40, which this machine does not have: ' +
        'install it (on Debian: apt-get install libopenmpi-dev openmpi-bin), then npm run build',
    );
    const other = explainLoadFailure('engine', '/x/engine.node', new Error('/x/engine.node: invalid ELF header'));
    expect(other).to.include({ reason: 'other' });
    expect(other.message).to.match(/^engine\.node can't be loaded \(.*invalid ELF header\): build it again/);
  });

  it('refuses Workers in a sentence', async () => {
    const worker = new Worker(caseFile('worker'));
    const [message] = (await once(worker, 'message')) as [string];
    expect(message).to.equal("engine.node works on Node's main thread only: load it there, not in a Worker");
  });

  const hooks: [string, Record<string, string>, Record<string, string | null>][] = [
    ['sets both of UCX’s hooks', {}, { mmap: 'reloc', malloc: 'n', setBy: 'fabricbench' }],
    [
      'leaves a user’s mmap hook alone',
      { UCX_MEM_MMAP_HOOK_MODE: 'none' },
      { mmap: 'none', malloc: null, setBy: 'user' },
    ],
    [
      'completes a user’s reloc, which alone would hang,',
      { UCX_MEM_MMAP_HOOK_MODE: 'reloc' },
      { mmap: 'reloc', malloc: 'n', setBy: 'user' },
    ],
    ['leaves a user’s malloc hook alone', { UCX_MEM_MALLOC_RELOC: 'y' }, { mmap: null, malloc: 'y', setBy: 'user' }],
  ];
  for (const [name, env, expected] of hooks) {
    it(`${name} before a stack is loaded, and none for the engine`, () => {
      const { stdout, stderr } = runCase('hooks', { env });
      expect(stderr).to.equal('');
      const seen = JSON.parse(stdout) as { engine: unknown; stack: unknown };
      const mmap = env['UCX_MEM_MMAP_HOOK_MODE'] ?? null;
      expect(seen.engine).to.deep.equal({ mmap, malloc: env['UCX_MEM_MALLOC_RELOC'] ?? null, setBy: null });
      expect(seen.stack).to.deep.equal(expected);
    });
  }

  it('chooses the MPI that was asked for, the launcher’s, or the one that is built', () => {
    const both = ['engine', 'mpi-openmpi', 'mpi-mpich'];
    expect(chooseMpiFamily('mpich', { OMPI_COMM_WORLD_SIZE: '2' }, both)).to.equal('mpich');
    expect(chooseMpiFamily(undefined, { FABRICBENCH_MPI: 'openmpi', PMI_SIZE: '2' }, both)).to.equal('openmpi');
    expect(chooseMpiFamily(undefined, { OMPI_COMM_WORLD_SIZE: '2', PMI_SIZE: '2' }, both)).to.equal('openmpi');
    expect(chooseMpiFamily(undefined, { PMI_SIZE: '2' }, both)).to.equal('mpich');
    expect(chooseMpiFamily(undefined, {}, both)).to.equal('openmpi');
    expect(chooseMpiFamily(undefined, {}, ['engine', 'mpi-mpich'])).to.equal('mpich');
    expect(chooseMpiFamily(undefined, { FABRICBENCH_MPI: '', PMI_SIZE: '2' }, both)).to.equal('mpich');
    expect(chooseMpiFamily(undefined, { FABRICBENCH_MPI: '' }, both)).to.equal('openmpi');
    expect(() => chooseMpiFamily('lam', {}, both)).to.throw(
      LoadError,
      'there is no MPI family "lam": use openmpi or mpich',
    );
  });

  const launchers: Record<string, NodeJS.ProcessEnv> = {
    "Open MPI's mpirun": { OMPI_COMM_WORLD_SIZE: '2', OMPI_COMM_WORLD_RANK: '0', PMIX_RANK: '0' },
    "Open MPI 5's mpirun": { PRTE_LAUNCHED: '1', OMPI_COMM_WORLD_SIZE: '2', OMPI_COMM_WORLD_RANK: '0', PMIX_RANK: '0' },
    "Open MPI's mpirun in a Slurm job": { OMPI_COMM_WORLD_SIZE: '2', PMIX_RANK: '0', SLURM_PROCID: '0' },
    'srun --mpi=pmix': { PMIX_RANK: '0', SLURM_PROCID: '0' },
    prun: { PMIX_RANK: '0', PRTE_LAUNCHED: '1' },
    "MPICH's mpiexec": { PMI_SIZE: '2', PMI_RANK: '0', MPI_LOCALRANKID: '0', HYDI_CONTROL_FD: '7' },
    "MPICH's mpiexec in a Slurm job": { PMI_SIZE: '2', PMI_RANK: '0', MPI_LOCALRANKID: '0', SLURM_PROCID: '0' },
    'srun --mpi=pmi2': { PMI_SIZE: '2', PMI_RANK: '0', SLURM_PROCID: '0' },
    'srun --mpi=none': { SLURM_PROCID: '0' },
    nobody: {},
  };
  const choices: [launcher: string, both: string, openmpi: string, mpich: string][] = [
    ["Open MPI's mpirun", 'openmpi', 'openmpi', 'refused'],
    ["Open MPI 5's mpirun", 'openmpi', 'openmpi', 'refused'],
    ["Open MPI's mpirun in a Slurm job", 'openmpi', 'openmpi', 'refused'],
    ['srun --mpi=pmix', 'openmpi', 'openmpi', 'mpich'],
    ['prun', 'openmpi', 'openmpi', 'mpich'],
    ["MPICH's mpiexec", 'mpich', 'refused', 'mpich'],
    ["MPICH's mpiexec in a Slurm job", 'mpich', 'refused', 'mpich'],
    ['srun --mpi=pmi2', 'mpich', 'openmpi', 'mpich'],
    ['srun --mpi=none', 'openmpi', 'openmpi', 'mpich'],
    ['nobody', 'openmpi', 'openmpi', 'mpich'],
  ];
  for (const [launcher, both, openmpi, mpich] of choices) {
    it(`chooses for ${launcher}: ${both} of both, with one built ${openmpi} or ${mpich}`, () => {
      const chosen = (...built: string[]): string => {
        try {
          return chooseMpiFamily(undefined, launchers[launcher], built);
        } catch (error) {
          return error instanceof LoadError && error.reason === 'choice' ? 'refused' : String(error);
        }
      };
      expect(chosen('engine', 'mpi-openmpi', 'mpi-mpich')).to.equal(both);
      expect(chosen('engine', 'mpi-openmpi')).to.equal(openmpi);
      expect(chosen('engine', 'mpi-mpich')).to.equal(mpich);
    });
  }

  it('says whose launcher it was, and how to mend it', () => {
    const env = { PMI_SIZE: '2', PMI_RANK: '0', MPI_LOCALRANKID: '0' };
    expect(() => chooseMpiFamily(undefined, env, ['mpi-openmpi'])).to.throw(
      LoadError,
      "MPICH's mpirun started this process, but only mpi-openmpi.node is built: start it with Open MPI's mpirun, or " +
        'install MPICH (on Debian: apt-get install libmpich-dev mpich), then npm run build',
    );
  });
});

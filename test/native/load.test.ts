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
    expect(() => chooseMpiFamily('lam', {}, both)).to.throw(
      LoadError,
      'there is no MPI family "lam": use openmpi or mpich',
    );
  });
});

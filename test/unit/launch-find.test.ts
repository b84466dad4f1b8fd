/** Which launcher is taken, and what is said where there is none. */
import { expect } from 'chai';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Impossible, WrongUse } from '../../src/cli/commands/command.js';
import { findBenchmark } from '../../src/launch/benchmark.js';
import { familyOf, componentsOf, findLauncher, versionOf, type Surroundings } from '../../src/launch/find.js';
import type { LauncherName } from '../../src/launch/types.js';
import { withFolder } from './project.js';

const OPEN_MPI = 'mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n';
const DEBIAN = 'mpirun.openmpi (OpenRTE) 4.1.4\n';
const MPICH = 'HYDRA build details:\n    Version:                                 4.0.2\n';
const INTEL = 'Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307\n';

describe("a launcher's family", () => {
  it('is told by its version', () => {
    expect([OPEN_MPI, DEBIAN, 'prterun (PRRTE) 3.0.2', MPICH, INTEL, 'slurm 22.05.8', ''].map(familyOf)).to.deep.equal([
      ...['openmpi', 'openmpi', 'openmpi', 'mpich', 'mpich', undefined, undefined],
    ]);
  });
});

/** Programs by their paths below a folder, with the version that each tells. */
type Programs = Readonly<Record<string, string>>;

function find(programs: Programs, more: Partial<Surroundings> = {}, asked?: LauncherName) {
  return withFolder((folder) => {
    const folders = [...new Set(Object.keys(programs).map((path) => join(folder, path.split('/')[0] ?? '')))];
    for (const path of folders) mkdirSync(path);
    for (const path of Object.keys(programs)) writeFileSync(join(folder, path), '', { mode: 0o755 });
    const version = (program: string): string | undefined => programs[program.slice(folder.length + 1)];
    const built = ['engine', 'mpi-openmpi', 'mpi-mpich'];
    const found = findLauncher(asked, { path: folders.join(':'), built, version, ...more });
    return { ...found, program: found.program.slice(folder.length + 1) };
  });
}

describe('the launcher', () => {
  const debian: Programs = {
    'bin/mpirun': OPEN_MPI,
    'bin/mpirun.openmpi': DEBIAN,
    'bin/mpirun.mpich': MPICH,
    'bin/mpiexec.hydra': MPICH,
  };

  it("is Open MPI's where nothing else is asked for", () => {
    expect(find(debian)).to.deep.equal({ launcher: 'openmpi', program: 'bin/mpirun', family: 'openmpi' });
    expect(find(debian, { asked: '' }).program).to.equal('bin/mpirun');
  });

  it('is the one asked for', () => {
    const wanted = { launcher: 'mpich', program: 'bin/mpiexec.hydra', family: 'mpich' };
    expect(find(debian, {}, 'mpich')).to.deep.equal(wanted);
    expect(find(debian, { asked: 'mpich' })).to.deep.equal(wanted);
    expect(find(debian, { asked: 'mpich' }, 'openmpi').family).to.equal('openmpi');
  });

  it('is whose mpirun really is, by its version and not by its name', () => {
    const other: Programs = { 'bin/mpirun': MPICH, 'bin/mpirun.openmpi': DEBIAN };
    expect(find(other).program).to.equal('bin/mpirun.openmpi');
    expect(find(other, {}, 'mpich').program).to.equal('bin/mpirun');
    expect(find({ 'own/mpirun': OPEN_MPI, 'bin/mpirun': MPICH }).program).to.equal('own/mpirun');
  });

  it('is of the MPI that an addon was built for', () => {
    expect(find(debian, { built: ['mpi-mpich'] }).family).to.equal('mpich');
  });

  it('is impossible, with the mend, where there is none', () => {
    const openmpi = 'apt-get install libopenmpi-dev openmpi-bin';
    expect(() => find({})).to.throw(Impossible, openmpi);
    expect(() => find({})).to.throw(Impossible, 'no MPI is here that can start ranks');
    expect(() => find(debian, { built: ['engine'] }, 'openmpi')).to.throw(
      Impossible,
      /mpirun is Open MPI's, for which mpi-openmpi\.node is not built: /,
    );
    expect(() => find({ 'bin/mpirun': MPICH }, {}, 'openmpi')).to.throw(
      Impossible,
      /^PATH has no mpirun of Open MPI: install it/,
    );
    expect(() => find(debian, {}, 'srun')).to.throw(Impossible, 'PATH has no srun');
  });

  it("of Slurm serves the MPI that is built, or the one that the user's variable names", () => {
    const slurm: Programs = { ...debian, 'bin/srun': '' };
    expect(find(slurm, {}, 'srun')).to.deep.equal({ launcher: 'srun', program: 'bin/srun', family: 'openmpi' });
    expect(find(slurm, { asked: 'mpich' }, 'srun').family).to.equal('mpich');
    expect(find(slurm, { built: ['mpi-mpich'] }, 'srun').family).to.equal('mpich');
    expect(() => find(slurm, { built: [] }, 'srun')).to.throw(Impossible, 'there is no addon of an MPI');
  });
});

describe('what programs say of themselves', () => {
  /** Runs `use` with the path of a shell script of this name. */
  const withScript = <T>(name: string, text: string, use: (path: string, folder: string) => T): T =>
    withFolder((folder) => {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${text}\n`);
      chmodSync(path, 0o755);
      return use(path, folder);
    });

  it('is their version, or nothing where they fail', () => {
    withScript('mpirun', 'echo "version of $1"', (path) => {
      expect(versionOf(path)).to.equal('version of --version\n');
    });
    withScript('mpirun', 'echo broken; exit 3', (path) => {
      expect(versionOf(path)).to.equal(undefined);
    });
  });

  it("tells Open MPI's components", () => {
    const found = (program: string) => ({ launcher: 'openmpi', program, family: 'openmpi' }) as const;
    withScript(
      'ompi_info',
      'echo "mca:pml:ob1:version:4"; echo "mca:osc:ucx:version:4"; echo "bindings:c:yes"',
      (_, folder) => {
        const both = new Set(['pml:ob1', 'osc:ucx']);
        expect(componentsOf(found(join(folder, 'mpirun')), '')).to.deep.equal(both);
        expect(componentsOf({ ...found('/nowhere/srun'), launcher: 'srun' }, folder)).to.deep.equal(both);
        expect(componentsOf(found('/nowhere/mpirun'), '/nowhere').size).to.equal(0);
      },
    );
    withScript('ompi_info', 'exit 1', (_, folder) => {
      expect(componentsOf(found(join(folder, 'mpirun')), '').size).to.equal(0);
    });
  });
});

describe('a benchmark', () => {
  it('is a program in dist, or a script', () => {
    expect(findBenchmark('osu_bw').script).to.match(/\/dist\/osu_bw\.js$/);
    expect(findBenchmark('ib_write_lat')).to.deep.include({ name: 'ib_write_lat', megabyte: 1048576 });
    withFolder((folder) => {
      const path = join(folder, 'own.js');
      writeFileSync(path, '');
      expect(findBenchmark(path)).to.deep.include({ name: path, script: path, takesBind: false });
    });
  });

  it('that there is not is refused, with those that may have been meant', () => {
    expect(() => findBenchmark('nothing')).to.throw(WrongUse, /^there is no benchmark named nothing; /);
    expect(() => findBenchmark('latency')).to.throw(WrongUse, '(there is osu_latency, ');
    expect(() => findBenchmark('./none.js')).to.throw(WrongUse, 'there is no script ./none.js');
  });
});

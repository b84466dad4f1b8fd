/** What is refused under mpirun and without it: one sentence, the right exit code, and no rank that waits for another. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../unit/project.js';
import { testFolder } from './folder.js';
import { describeUnder, launch, type LaunchOptions } from './mpirun.js';
import { assertFailed, ownLines, program } from './output.js';
import { messagePrograms } from './programs.js';

/** Runs a program that no launcher has started. */
function alone(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
    env: { ...process.env, ...env },
  } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(name), ...args], options);
  return { status, stdout, lines: stderr.split('\n').filter((line) => line !== '') };
}

/** Runs a program that is refused, and returns what it says on stderr. */
async function refused(name: string, args: readonly string[], options: LaunchOptions = {}, code = 1) {
  const launched = await launch(program(name), args, options);
  assertFailed(launched, code);
  return { lines: ownLines(launched), stdout: launched.stdout };
}

describe('without mpirun', () => {
  for (const name of messagePrograms) {
    it(`${name} shows help and version`, () => {
      for (const option of ['-h', '--help']) {
        const { status, stdout, lines } = alone(name, [option]);
        assert.equal(status, 0);
        assert.match(stdout, new RegExp(`^Usage: ${name} `));
        assert.deepEqual(lines, []);
      }
      for (const option of ['-v', '--version']) {
        const { status, stdout, lines } = alone(name, [option]);
        assert.equal(status, 0);
        assert.match(stdout, /^# OSU MPI .* Test v7\.4\n$/);
        assert.deepEqual(lines, []);
      }
    });

    it(`${name} says in one sentence how to run it`, () => {
      const { status, stdout, lines } = alone(name, ['-m', '8']);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.lengthOf(lines, 1);
      assert.include(lines[0], `start it with mpirun -np 2 node ${program(name)}`);
    });
  }
});

describe('the wrong launcher', () => {
  it('is refused in one sentence: its ranks would not see each other', () => {
    const env = { PMI_RANK: '0', PMI_SIZE: '2', FABRICBENCH_MPI: 'openmpi' };
    const { status, stdout, lines } = alone('osu_latency', ['-m', '8'], env);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.lengthOf(lines, 1);
    assert.match(lines[0] ?? '', /MPICH's mpirun started 2 ranks, but each process sees itself alone.*start it with/);
  });

  it('is refused by the other ranks too, so that none goes on alone', () => {
    const env = { PMI_RANK: '1', PMI_SIZE: '2', FABRICBENCH_MPI: 'openmpi' };
    const { status, stdout } = alone('osu_latency', ['-m', '8'], env);
    assert.equal(status, 1);
    assert.equal(stdout, '');
  });
});

const names = { openmpi: 'Open MPI', mpich: 'MPICH' } as const;

describeUnder('mpich')('the launcher of the other MPI', () => {
  const file = testFolder();
  const mpis = ['openmpi', 'mpich'] as const;

  for (const mpi of mpis) {
    const other = mpi === 'openmpi' ? 'mpich' : 'openmpi';

    it(`${names[mpi]}'s, with FABRICBENCH_MPI=${other}: one sentence, exit 1`, async () => {
      const { lines, stdout } = await refused('osu_mbw_mr', ['-m', '8'], {
        mpi,
        np: 4,
        env: { FABRICBENCH_MPI: other },
      });
      assert.equal(stdout, '');
      assert.lengthOf(lines, 1);
      const says = `osu_mbw_mr: ${names[mpi]}'s mpirun started 4 ranks, but each process sees itself alone: it does not`;
      assert.include(lines[0], says);
      assert.match(lines[0] ?? '', new RegExp(`; start it with .*, or set FABRICBENCH_MPI=${mpi}$`));
    });

    it(`${names[mpi]}'s, where only ${names[other]}'s part is built: one sentence, exit 1`, async () => {
      const dist = join(file(`only-${other}`), 'dist');
      const isMissing = (path: string): boolean => path.endsWith(`mpi-${mpi}.node`);
      cpSync(join(projectRoot, 'dist'), dist, { recursive: true, filter: (path) => !isMissing(path) });
      const launched = await launch(join(dist, 'osu_bw.js'), ['-m', '8'], { mpi, np: 3 });
      assertFailed(launched);
      assert.equal(launched.stdout, '');
      const [line = '', ...more] = ownLines(launched);
      assert.deepEqual(more, []);
      assert.include(
        line,
        `osu_bw: ${names[mpi]}'s mpirun started this process, but only mpi-${other}.node is built: `,
      );
      assert.include(
        line,
        `start it with ${names[other]}'s mpirun, or install ${names[mpi]} (on Debian: apt-get install `,
      );
    });
  }

  it('and an MPI that there is not', async () => {
    const { lines } = await refused('osu_bw', [], { mpi: 'mpich', env: { FABRICBENCH_MPI: 'lam' } });
    assert.deepEqual(lines, ['osu_bw: there is no MPI family "lam": use openmpi or mpich']);
  });
});

describeUnder('mpich')('wrong use under MPICH', () => {
  const cases = [
    ['osu_latency', 3, '', 'needs exactly two ranks, and this run has 3'],
    ['osu_bw', 1, '', 'needs exactly two ranks, and this run has 1'],
    ['osu_mbw_mr', 3, '', 'needs an even number of ranks, because they work in pairs, and this run has 3'],
    ['osu_mbw_mr', 4, '-p 3', '3 pairs need 6 ranks, and this run has 4'],
    ['osu_latency', 2, '--bind 0,4095', 'core 4095 does not exist: there are 0-'],
    ['osu_latency', 2, '--json /proc/record.json', "The record can't be written to /proc/record.json: /proc takes no"],
  ] as const;
  for (const [name, np, options, says] of cases) {
    it(`${name} ${options} on ${np}: one sentence, exit 1, no hang`, async () => {
      const args = ['-m', '8', ...options.split(' ').filter(Boolean)];
      const { lines, stdout } = await refused(name, args, { mpi: 'mpich', np });
      assert.lengthOf(lines, 1);
      assert.include(lines[0], says);
      assert.equal(stdout, '');
    });
  }

  it('is told once, with the help', async () => {
    const { lines, stdout } = await refused('osu_bibw', ['-M', '8'], { mpi: 'mpich', np: 8 });
    assert.deepEqual(lines, ['Invalid option [-M]']);
    assert.equal(stdout.split('Usage: ').length, 2);
  });
});

describe('wrong use under mpirun', () => {
  const cases = [
    ['osu_latency', '-m abc', 'Invalid Message Size'],
    ['osu_bw', '-m 8:1', 'MIN (8) is above MAX (1)'],
    ['osu_bibw', '-M 8', 'Invalid option [-M]'],
    ['osu_mbw_mr', '-T mpi_bogus', 'Invalid Type'],
    ['osu_latency', '-i', 'Option Missing Required Argument [-i]'],
    ['osu_latency', '-c -D cont', 'does not support validation'],
    ['osu_bw', '--samples', 'add --json FILE'],
    ['osu_latency', '-G tty,png', 'give svg or html instead'],
    ['osu_mbw_mr', '-P PAPI_TOT_CYC:', 'Invalid Events'],
  ] as const;
  for (const [name, options, says] of cases) {
    it(`${name} ${options}: told once, with the help, exit 1`, async () => {
      const { lines, stdout } = await refused(name, options.split(' '));
      assert.lengthOf(lines, 1);
      assert.include(lines[0], says);
      assert.equal(stdout.split(`Usage: ${name} `).length, 2, stdout);
    });
  }

  it('is told once whatever the number of ranks, and whichever ends first', async () => {
    for (let round = 0; round < 3; ++round) {
      const { lines, stdout } = await refused('osu_mbw_mr', ['-M'], { np: 16 });
      assert.deepEqual(lines, ['Invalid option [-M]']);
      assert.equal(stdout.split('Usage: ').length, 2);
    }
  });
});

describe('wrong numbers of ranks', () => {
  const cases = [
    ['osu_latency', 1, '', 'needs exactly two ranks, and this run has 1'],
    ['osu_bw', 3, '', 'needs exactly two ranks, and this run has 3'],
    ['osu_bibw', 4, '', 'needs exactly two ranks, and this run has 4'],
    ['osu_mbw_mr', 1, '', 'needs at least two ranks, and this run has 1'],
    ['osu_mbw_mr', 3, '', 'needs an even number of ranks, because they work in pairs, and this run has 3'],
    ['osu_mbw_mr', 4, '-p 3', '3 pairs need 6 ranks, and this run has 4'],
    ['osu_allreduce', 3, '--comm-size 2,1', '--comm-size 1 is too few, as this program needs at least two ranks'],
  ] as const;
  for (const [name, np, options, says] of cases) {
    it(`${name} ${options} on ${np}: one sentence with the mend, exit 1, no hang`, async () => {
      const { lines, stdout } = await refused(name, ['-m', '8', ...options.split(' ').filter(Boolean)], { np });
      assert.lengthOf(lines, 1);
      assert.include(lines[0], says);
      assert.match(lines[0] ?? '', /: (start it with|give) /);
      assert.equal(stdout, '');
    });
  }
});

describe('what can not be had', () => {
  const file = testFolder();

  // Where there is InfiniBand the UCX PML can be selected.
  const unlessInfiniband = existsSync('/sys/class/infiniband/') ? it.skip : it;

  unlessInfiniband('says why the UCX PML can not be selected, and the mend', async () => {
    const env = { OMPI_MCA_pml_ucx_tls: 'rc_verbs', OMPI_MCA_pml_ucx_devices: 'mlx5_0:1' };
    const { lines, stdout } = await refused('osu_latency', ['-m', '8'], { env });
    assert.equal(stdout, '');
    assert.lengthOf(lines, 1);
    assert.include(lines[0], "Open MPI's PML ucx can't be selected");
    assert.include(lines[0], 'set OMPI_MCA_pml_ucx_tls=any and OMPI_MCA_pml_ucx_devices=any');
  });

  unlessInfiniband('says so too where UCX has its default transports', async () => {
    const env = { OMPI_MCA_pml_ucx_tls: undefined, OMPI_MCA_pml_ucx_devices: undefined };
    const { lines } = await refused('osu_bw', ['-m', '8'], { env });
    assert.lengthOf(lines, 1);
    assert.match(lines[0] ?? '', /by default it takes InfiniBand alone, and this host has no such hardware; set OMPI_/);
  });

  it('finds out before the run that the record can not be written', async () => {
    const folder = file('folder');
    mkdirSync(folder);
    const places = [
      [file('missing/record.json'), 'there is no folder'],
      [folder, 'it is a folder'],
      ['/proc/record.json', '/proc takes no new files'],
    ] as const;
    for (const [place, says] of places) {
      const { lines, stdout } = await refused('osu_latency', ['-m', '8', '--json', place]);
      assert.lengthOf(lines, 1);
      assert.include(lines[0], `The record can't be written to ${place}: ${says}`);
      assert.equal(stdout, '');
    }
  });

  it('refuses an index file that is none', async () => {
    const index = file('blocks.txt');
    writeFileSync(index, '0,2\n1,2\n');
    for (const [path, says] of [
      [index, 'overlaps'],
      [file('missing.txt'), 'no such file'],
    ] as const) {
      // prettier-ignore
      const { lines } = await refused('osu_latency', ['-m', '8', '-D', `indx:${path}`]);
      assert.lengthOf(lines, 1);
      assert.include(lines[0], says);
      assert.include(lines[0], 'give a file of "displacement,length" lines');
    }
  });
});

/** `fabricbench slurm`: the scripts that it writes, and what it refuses. */
import { assert } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../src/cli/commands/index.js';
import { kindNames } from '../../src/slurm/kinds.js';
import { slurmTime } from '../../src/slurm/time.js';
import { projectRoot, withFolder } from './project.js';

const program = join(projectRoot, 'dist', 'fabricbench.js');

function slurm(...words: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'slurm', ...words], { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** Lines that tell sbatch something, without `#SBATCH`. */
const directivesOf = (text: string): string[] => [...text.matchAll(/^#SBATCH (.*)$/gm)].map(([, line = '']) => line);

/** Values of settings as the script has them. */
const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^: "\$\{(\w+):=(.*)\}"/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );

describe('fabricbench slurm', () => {
  for (const kind of kindNames) {
    it(`writes what is shipped as ${kind}.sbatch`, () => {
      const shipped = readFileSync(join(projectRoot, 'scripts', 'slurm', `${kind}.sbatch`), 'utf8');
      const { code, stdout, stderr } = slurm(kind, '--home', '.');
      assert.deepEqual([code, stderr], [0, '']);
      assert.equal(stdout, shipped);
    });

    it(`writes a ${kind} script that bash understands`, () => {
      const { stdout } = slurm(kind);
      execFileSync('bash', ['-n'], { input: stdout });
      const directives = directivesOf(stdout);
      for (const wanted of ['--exclusive', '--requeue', '--open-mode=append', '--output=%x-%j.out'])
        assert.include(directives, wanted);
      assert.isTrue(directives.some((line) => line.startsWith('--ntasks-per-node=')));
    });
  }

  it('is a command of fabricbench', () => assert.isTrue(commands.some(({ usage }) => usage.startsWith('slurm '))));

  it('takes nodes, ranks, time and what a site asks for', () => {
    const words = [
      'osu_allreduce',
      'osu_bcast',
      '-N',
      '8',
      '--ranks-per-node',
      '48',
      '--time',
      '90m',
      '--account',
      'a1',
    ];
    const { stdout } = slurm(
      ...words,
      '--partition',
      'fast,slow',
      '--qos',
      'q',
      '--constraint',
      'a&b',
      '--job-name',
      'mine',
    );
    assert.includeMembers(directivesOf(stdout), [
      ...['--job-name=mine', '--nodes=8', '--ntasks-per-node=48', '--time=01:30:00', '--account=a1'],
      ...['--partition=fast,slow', '--qos=q', '--constraint=a&b'],
    ]);
    assert.match(stdout, /set -- osu_allreduce osu_bcast$/m);
  });

  it('takes sizes, iterations, modules, launcher and MPI as settings', () => {
    const words = [
      'pt2pt',
      '--sizes',
      '8:64K',
      '--iterations',
      '7',
      '--modules',
      'gcc/12,openmpi/4',
      '--launcher',
      'mpirun',
    ];
    assert.include(settingsOf(slurm(...words, '--mpi', 'mpich', '--cpu-bind', 'none').stdout), {
      ...{ FABRICBENCH_SIZES: '8:64K', FABRICBENCH_ITERATIONS: '7', FABRICBENCH_MODULES: 'gcc/12 openmpi/4' },
      ...{ FABRICBENCH_LAUNCHER: 'mpirun', FABRICBENCH_MPI: 'mpich', FABRICBENCH_CPU_BIND: 'none' },
    });
    const scan = slurm('scan', '--pairs', '1,2,32', '--windows', '8,64', '--sizes', '8,4K').stdout;
    assert.include(settingsOf(scan), {
      FABRICBENCH_PAIRS: '1,2,32',
      FABRICBENCH_WINDOWS: '8,64',
      FABRICBENCH_SIZES: '8,4K',
    });
    assert.include(directivesOf(scan), '--ntasks-per-node=32');
  });

  it('counts the nodes of a list, which is the list to test of an acceptance', () => {
    const listed = directivesOf(slurm('collectives', '--nodelist', 'n[01-04,7]').stdout);
    assert.includeMembers(listed, ['--nodes=5', '--nodelist=n[01-04,7]']);
    const { stdout } = slurm('acceptance', '--nodelist', 'n[1-64]', '--nodes', '4');
    assert.include(directivesOf(stdout), '--nodes=1');
    assert.notMatch(stdout, /--nodelist=/);
    assert.include(settingsOf(stdout), { FABRICBENCH_NODES: 'n[1-64]', FABRICBENCH_NODES_PER_TEST: '4' });
  });

  it('names its own folder, whatever that is called', () => {
    assert.equal(settingsOf(slurm('pt2pt').stdout)['FABRICBENCH_HOME'], projectRoot);
    withFolder((folder) => {
      const home = join(folder, 'of-`mine`-$x'.replaceAll(/[`$]/g, ''));
      const script = slurm('pt2pt', '--home', home).stdout;
      const shown = execFileSync('bash', ['-c', script.replace(/^if [^]*$/m, 'echo "$FABRICBENCH_HOME"')], {
        encoding: 'utf8',
      });
      assert.equal(shown.trim(), home);
    });
  });

  it('writes an executable file, and says how to submit it', () => {
    withFolder((folder) => {
      const file = join(folder, 'mine.sbatch');
      const { code, stdout, stderr } = slurm('pt2pt', '-o', file);
      assert.deepEqual([code, stdout, stderr], [0, '', `fabricbench: ${file} is written: sbatch ${file}\n`]);
      assert.equal(statSync(file).mode & 0o111, 0o111);
      assert.equal(readFileSync(file, 'utf8'), slurm('pt2pt').stdout);
    });
  });

  it("says in a sentence that the file can't be written", () => {
    const refused = slurm('pt2pt', '-o', '/nowhere/a');
    assert.deepEqual(refused.code, 2);
    assert.match(
      refused.stderr,
      /^fabricbench: The script can't be written to \/nowhere\/a: there is no folder [^\n]*\n$/,
    );
    const full = slurm('pt2pt', '-o', '/dev/full');
    assert.deepEqual(full.code, 1);
    assert.match(full.stderr, /^fabricbench: The script can't be written to \/dev\/full: no space is left [^\n]*\n$/);
  });

  const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['nothing', [], /at least 1/],
    [
      'an unknown benchmark',
      ['osu_nothing'],
      /osu_nothing is neither a kind of script \(pt2pt, .*\) nor an osu_\* program/,
    ],
    ['a kind with benchmarks', ['pt2pt', 'osu_bw'], /pt2pt measures what it measures/],
    ['no nodes', ['pt2pt', '--nodes', '0'], /--nodes 0: give a whole number from 1/],
    ['part of a node', ['pt2pt', '--nodes', '1.5'], /--nodes 1.5/],
    ['a time that is none', ['pt2pt', '--time', 'soon'], /--time soon: give minutes/],
    ['no time', ['pt2pt', '--time', '0'], /--time 0/],
    ['sizes that are none', ['pt2pt', '--sizes', 'big'], /--sizes big/],
    ['a range of a scan', ['scan', '--sizes', '1:4M'], /--sizes 1:4M: give bytes with commas between/],
    ['pairs that are none', ['scan', '--pairs', '1,x'], /--pairs 1,x/],
    ['windows of others', ['pt2pt', '--windows', '4'], /--windows is of scan alone/],
    ['a device of others', ['scan', '--device', 'eth0'], /--device is of near-far alone/],
    ['a reference of others', ['pt2pt', '--expect', 'x'], /--expect is of acceptance alone/],
    ['a list that is none', ['pt2pt', '--nodelist', 'n[1-'], /--nodelist n\[1-/],
    ['a node twice', ['pt2pt', '--nodelist', 'n1,n[1-2]'], /give each node once/],
    [
      'fewer nodes than listed',
      ['pt2pt', '--nodelist', 'n[1-4]', '--nodes', '2'],
      /--nodelist names 4 nodes and --nodes 2/,
    ],
    [
      'a test larger than the list',
      ['acceptance', '--nodelist', 'n1', '--nodes', '2'],
      /a test takes 2 nodes, and --nodelist names 1/,
    ],
    ['a second line of the script', ['pt2pt', '--partition', 'a\n#SBATCH --x'], /give it without blanks and quotes/],
    ['a module that is a command', ['pt2pt', '--modules', 'a;reboot'], /is no name of a module/],
    ['another launcher', ['pt2pt', '--launcher', 'aprun'], /--launcher aprun: give srun or mpirun/],
    ['binding of near-far', ['near-far', '--cpu-bind', 'cores'], /leave --cpu-bind out/],
    ['a verdict on nothing', ['verdict'], /verdict needs the folder/],
    ['an unknown option', ['pt2pt', '--wings'], /wings/],
  ];
  for (const [what, words, text] of refusals) {
    it(`refuses ${what} in one sentence`, () => {
      const { code, stdout, stderr } = slurm(...words);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, text);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    });
  }
});

describe('a time limit', () => {
  it('is what Slurm and people write', () => {
    const pairs = {
      '30': '00:30:00',
      '90': '01:30:00',
      '10:30': '00:10:30',
      '1:00:00': '01:00:00',
      '2-12': '2-12:00:00',
    };
    const more = {
      '1-00:30': '1-00:30:00',
      '90s': '00:01:30',
      '45m': '00:45:00',
      '36h': '1-12:00:00',
      '1d': '1-00:00:00',
    };
    for (const [text, time] of Object.entries({ ...pairs, ...more })) assert.equal(slurmTime(text), time, text);
    for (const text of ['', '0', '-5', '1:99', '1:2:3:4', '9999d', '1.5h', 'x'])
      assert.isUndefined(slurmTime(text), text);
  });
});

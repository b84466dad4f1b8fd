/** What `fabricbench run` refuses, and what it makes of its options. */
import { expect } from 'chai';
import { answer } from '../../src/cli/fabricbench.js';
import type { Given } from '../../src/cli/commands/command.js';
import { readOptions } from '../../src/launch/options.js';

const read = (given: Given = {}) => readOptions({ benchmark: 'osu_bw', '--': [], ...given });

describe('options of fabricbench run', () => {
  it('have their types', () => {
    const given = {
      ...{ mpi: 'mpich', ranks: '8', hosts: 'n1, n2', 'ranks-per-node': '4', 'bind-to': 'none', pml: 'ob1' },
      ...{ env: ['A=1', 'B'], 'launcher-args': ['--mca btl  self', '-v'], timeout: '2.5', launches: '10' },
      ...{ 'target-ci': '2%', 'time-limit': '60', json: 'r.json', 'dry-run': true, oversubscribe: true },
      '--': ['-m', '1:64', '007'],
    };
    expect(read(given)).to.deep.equal({
      ...{ benchmark: 'osu_bw', args: ['-m', '1:64', '007'], mpi: 'mpich', ranks: 8, hosts: ['n1', 'n2'] },
      ...{ ranksPerNode: 4, bindTo: 'none', bind: undefined, pml: 'ob1', oversubscribe: true, env: ['A=1', 'B'] },
      ...{ launcherArgs: ['--mca', 'btl', 'self', '-v'], timeout: 2.5, launches: 10, targetCi: 0.02 },
      ...{ timeLimit: 60, json: 'r.json', dryRun: true },
    });
    expect(read({ near: 'mlx5_0' }).bind).to.equal('near:mlx5_0');
    expect(read({ far: 'mlx5_0' }).bind).to.equal('far:mlx5_0');
    expect(read({ ranks: ['2', '4'] }).ranks).to.equal(4); // the last counts
  });

  it('are refused in one sentence, before anything is looked for', async () => {
    const cases: [words: string, problem: string][] = [
      ['--ranks 0', '--ranks 0: give a whole number above 0'],
      ['-n 2x', '--ranks 2x: give a whole number above 0'],
      ['--launches 1.5', '--launches 1.5: give a whole number above 0'],
      ['--timeout 0', '--timeout 0: give seconds above 0, as 60 or 2.5'],
      ['--timeout -1', '--timeout -1: give seconds above 0, as 60 or 2.5'],
      ['--mpi lam', '--mpi lam: give openmpi or mpich or srun'],
      ['--bind-to socket', '--bind-to socket: give core or hwthread or none'],
      ['--hosts a,,b', '--hosts a,,b: give names with commas between, as node1,node2'],
      ['--hosts a:2', '--hosts a:2: give names with commas between, as node1,node2'],
      ['--hosts a,a', '--hosts a,a: give each host once, and how many ranks it gets by --ranks-per-node'],
      ['--near a --far b', 'give --near or --far, not both'],
      ['--near a --bind-to core', '--near and --far bind the ranks themselves: leave --bind-to out'],
      ['--env 1=2', '--env 1=2: give NAME=VALUE, or the name of a variable that is set'],
      ['--json=', '--json is empty'],
      ['--target-ci 100%', '--target-ci 100%: give a percentage above 0 and below 100, as 2%'],
      ['--time-limit 5', '--time-limit is of --launches and --target-ci: end a single launch by --timeout'],
      ['--json a -- --json b', 'give --json before the --: there it takes the records of all launches'],
      ['--launches 2 -- --js=b', 'give --json before the --: there it takes the records of all launches'],
    ];
    for (const [words, problem] of cases) {
      const { exitCode, stdout, stderr } = await answer(['run', 'osu_bw', ...words.split(' ')]);
      expect([exitCode, stdout], words).to.deep.equal([2, '']);
      expect(stderr.split(';')[0]?.trimEnd(), words).to.equal(`fabricbench: ${problem}`);
    }
  });

  it('that are the benchmark’s own are told where to stand', async () => {
    const { exitCode, stderr } = await answer(['run', 'osu_bw', '-m', '8']);
    expect([exitCode, stderr]).to.deep.equal([
      2,
      "fabricbench: unknown argument: m; fabricbench run --help names its options, and the benchmark's own follow --\n",
    ]);
    expect((await answer(['run', 'osu'])).stderr).to.match(
      /^fabricbench: there is no benchmark named osu \(there is osu_/,
    );
  });

  it('stand in its help', async () => {
    const { exitCode, stdout } = await answer(['run', '--help']);
    expect(exitCode).to.equal(0);
    for (const name of ['--ranks', '--launches', '--timeout', '--dry-run', '--near']) expect(stdout).to.contain(name);
    for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(80);
  });
});

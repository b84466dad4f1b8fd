import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs } from '../../src/bench/suites/index.js';
import type { OsuRow } from '../../src/bench/suites/osu.js';
import { perftestNames } from '../../src/bench/suites/perftest.js';
import { VERSION } from '../../src/bench/version.js';
import { answer } from '../../src/cli/fabricbench.js';
import { listJson, listPrograms, listText, type ListedProgram } from '../../src/cli/program-list.js';
import { projectRoot } from './project.js';

const rows: readonly OsuRow[] = [...programs.values()];

const program = (name: string, more: Partial<ListedProgram> = {}): ListedProgram => ({
  ...{ name, family: 'collective', ranks: '2', measures: 'time of a broadcast', needs: [] },
  ...more,
});

describe('fabricbench', () => {
  it('list names every program, with all that is known of it', async () => {
    const { exitCode, stdout, stderr } = await answer(['list']);
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    const flat = stdout.replace(/\s+/g, ' ');
    for (const { name, family, measures, needs = [] } of rows) {
      expect(stdout).to.match(new RegExp(`^  ${name}  +\\S`, 'm'));
      expect(stdout).to.contain(`\n\n${family}\n`);
      expect(flat).to.contain(measures);
      for (const need of needs) expect(flat).to.contain(need);
    }
    expect(stdout).to.match(/[^\n]\n$/);
  });

  it('list --json has one object for each program, in order', async () => {
    const { exitCode, stdout } = await answer(['list', '--json']);
    expect(exitCode).to.equal(0);
    const all = JSON.parse(stdout) as ListedProgram[];
    const others = ['ucx_perftest', ...perftestNames];
    expect(all.map(({ name }) => name)).to.deep.equal([...rows.map(({ name }) => name), ...others]);
    expect(all.find(({ name }) => name === 'osu_mbw_mr')).to.deep.equal({
      name: 'osu_mbw_mr',
      family: 'point-to-point',
      ranks: 'even',
      measures: 'bandwidth and message rate of many pairs',
      needs: [],
    });
  });

  it('has help and version', async () => {
    for (const argv of [['--help'], ['-h']]) {
      const { exitCode, stdout } = await answer(argv);
      expect(exitCode).to.equal(0);
      expect(stdout)
        .to.match(/^Usage: fabricbench COMMAND \[options\]\n/)
        .and.to.contain('fabricbench list');
      for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(80);
    }
    expect((await answer(['list', '--help'])).stdout).to.contain('--json');
    for (const argv of [['--version'], ['-v']]) {
      expect(await answer(argv)).to.deep.equal({ exitCode: 0, stdout: `${VERSION}\n`, stderr: '' });
    }
  });

  it('refuses what it does not know in one sentence', async () => {
    const cases: [string[], string][] = [
      [['measure'], 'unknown command: measure'],
      [['lis'], 'unknown command: lis'],
      [['list', 'osu_bw'], 'unknown command: osu_bw'],
      [['list', '--jsn'], 'unknown argument: jsn'],
      [['list', '--no-json'], 'unknown argument: no-json'],
      [['list', '--json=no'], '--json takes no value'],
      [['--json'], 'unknown argument: json'],
      [['list', '--', 'osu_bw'], 'nothing may follow --'],
      [[], 'a command is missing'],
    ];
    for (const [argv, problem] of cases) {
      const stderr = `fabricbench: ${problem}; fabricbench --help names what there is\n`;
      expect(await answer(argv), argv.join(' ')).to.deep.equal({ exitCode: 2, stdout: '', stderr });
    }
  });
});

describe('the list of programs', () => {
  it('stands in families, in 80 columns, whose last is broken at blanks', () => {
    const text = listText([
      program('osu_bcast'),
      program('osu_bcast_persistent', { family: 'persistent', ranks: '2 or more', needs: ['MPI-4'] }),
      program('osu_reduce', {
        measures: 'time of a sum whose result one rank has in the end',
        needs: ['2 nodes', 'luck'],
      }),
    ]);
    expect(text.split('\n')).to.deep.equal([
      'program                 ranks      what it measures, and what it needs',
      '',
      'collective',
      '  osu_bcast             2          time of a broadcast',
      '  osu_reduce            2          time of a sum whose result one rank has in',
      '                                   the end; needs 2 nodes, luck',
      '',
      'persistent',
      '  osu_bcast_persistent  2 or more  time of a broadcast; needs MPI-4',
      '',
    ]);
  });

  it('is wider where a name leaves no room', () => {
    const text = listText([program(`osu_${'x'.repeat(70)}`)]);
    expect(text).to.match(/^ {2}osu_x{70} {2}2 {6}time of a broadcast$/m);
  });

  it('takes needs from the rows', () => {
    const [row] = rows;
    if (!row) throw new Error('there are no rows');
    const [listed] = listPrograms([{ ...row, needs: ['MPI-4', '2 nodes'] }]);
    expect(listed).to.deep.include({ needs: ['MPI-4', '2 nodes'], ranks: '2' });
    expect(JSON.parse(listJson(listed ? [listed] : []))).to.deep.equal([listed]);
  });

  it('takes - as standard input where a file is meant', () => {
    const module = new URL('../../src/cli/fabricbench.js', import.meta.url).href;
    const script = `import { answer } from '${module}'; process.stdout.write(JSON.stringify(await answer(['plot', '-'])))`;
    const input = readFileSync(join(projectRoot, 'test/fixtures/captured/edr-ib.uct.bw.near.txt'));
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { input, encoding: 'utf8' });
    expect(JSON.parse(stdout)).to.include({ exitCode: 0, stderr: '' });
    expect(stdout).to.contain('put_bw');
  });
});

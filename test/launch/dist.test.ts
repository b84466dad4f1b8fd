/** dist/ as it is copied to other machines: no node_modules, and few files for each rank to open. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, realpathSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programNames } from '../../src/bench/suites/index.js';
import { projectRoot } from '../unit/project.js';
import { testFolder } from './folder.js';
import { launch } from './mpirun.js';
import { assertDone, column, ownLines } from './output.js';
import { messagePrograms } from './programs.js';

/** Files below a folder that a trace of strace shows as opened. */
function openedBelow(folder: string, trace: string): string[] {
  const opened = [...trace.matchAll(/open(?:at)?\([^"]*"([^"]+)"[^)]*\)\s+= \d+/g)].map(([, path = '']) => path);
  return [...new Set(opened.filter((path) => path.startsWith(`${folder}/`)))].sort();
}

describe('a copy of dist/ elsewhere', () => {
  const file = testFolder();
  const copy = (): string => join(file('copy'), 'dist');
  before(() => {
    cpSync(join(projectRoot, 'dist'), copy(), { recursive: true });
  });

  it('has a launcher for each program', () => {
    const launchers = readdirSync(copy()).filter((name) => name.startsWith('osu_'));
    assert.deepEqual(launchers.sort(), programNames.map((name) => `${name}.js`).sort());
  });

  it('shows the help of each program without node_modules', () => {
    for (const name of programNames) {
      const help = spawnSync(process.execPath, [join(copy(), `${name}.js`), '-h'], { encoding: 'utf8', cwd: '/' });
      assert.equal(help.status, 0, help.stderr);
      assert.match(help.stdout, new RegExp(`^Usage: ${name} `));
    }
  });

  for (const name of messagePrograms) {
    it(`runs ${name} without node_modules`, async () => {
      const script = join(copy(), `${name}.js`);
      const launched = await launch(script, ['-m', '4', '-i', '5', '-x', '1', '-c'], { cwd: '/' });
      assertDone(launched);
      assert.deepEqual(column(launched.stdout, 0), ['1', '2', '4']);
      assert.deepEqual(ownLines(launched), []);
    });
  }

  it('runs fabricbench without node_modules, and without MPI', () => {
    const bare = join(file('list'), 'dist');
    cpSync(copy(), bare, { recursive: true, filter: (path) => !path.endsWith('.node') });
    const fabricbench = (...args: string[]) =>
      spawnSync(join(bare, 'fabricbench.js'), args, { encoding: 'utf8', cwd: '/' });
    const list = fabricbench('list');
    assert.deepEqual([list.status, list.stderr], [0, '']);
    for (const name of programNames) assert.match(list.stdout, new RegExp(`^  ${name} `, 'm'));
    assert.match(fabricbench('--version').stdout, /^\d+\.\d+\.\d+\n$/);
    const unknown = fabricbench('measure');
    assert.deepEqual([unknown.status, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /^fabricbench: unknown command: measure; .*\n$/);
  });

  it('ends with 77 and one sentence where its MPI part is missing', async () => {
    const bare = join(file('bare'), 'dist');
    cpSync(copy(), bare, { recursive: true, filter: (path) => !/mpi-\w+\.node$/.test(path) });
    const launched = await launch(join(bare, 'osu_bw.js'), []);
    assert.equal(launched.code, 77, launched.report);
    assert.lengthOf(ownLines(launched), 1, launched.report);
    assert.match(ownLines(launched)[0] ?? '', /^osu_bw: mpi-openmpi\.node is not built .*: install it/);
  });

  it('shows its help to a reader that goes, and says so where it can not be written', () => {
    const help = (to: string) => {
      const command = `"$0" "$1" -h ${to}; exit \${PIPESTATUS[0]}`;
      return spawnSync('bash', ['-c', command, process.execPath, join(copy(), 'osu_bw.js')], { encoding: 'utf8' });
    };
    const unread = help('| true');
    assert.deepEqual([unread.status, unread.stderr], [0, '']);
    const full = help('>/dev/full');
    assert.equal(full.status, 1);
    assert.match(full.stderr, /^Writing to stdout failed: no space is left on the device/);
    assert.lengthOf(full.stderr.trim().split('\n'), 1);
  });

  describe('with the code that V8 made at the build', () => {
    const programs = [
      { script: 'osu_bw.js', bundle: 'core', args: ['-v'] },
      { script: 'ib_write_bw.js', bundle: 'ib-core', args: ['-V'] },
      { script: 'ucx_perftest.js', bundle: 'ucx-perftest-core', args: ['-h'] },
      { script: 'fabricbench.js', bundle: 'fabricbench-core', args: ['--version'] },
    ];
    const spy = (): string => file('spy.cjs');
    before(() => {
      const told = '`${options.filename.split("/").at(-1)} ${this.cachedDataRejected}\\n`';
      writeFileSync(
        spy(),
        `const vm = require('node:vm');
        vm.Script = class extends vm.Script {
          constructor(source, options) {
            super(source, options);
            process.stderr.write(${told});
          }
        };`,
      );
    });

    /** A program's first line, and of each bundle whether V8 rejected its code; undefined where it got none. */
    function loads(folder: string, { script, args }: (typeof programs)[number]) {
      const done = spawnSync(process.execPath, ['--require', spy(), join(folder, script), ...args], {
        encoding: 'utf8',
      });
      return { line: done.stdout.split('\n')[0], rejected: done.stderr.trim().split('\n'), status: done.status };
    }

    for (const program of programs) {
      const { script, bundle } = program;
      const bundles = (word: string): string[] => ['stacks', bundle].map((name) => `${name}.js ${word}`);

      it(`starts ${script}, and without it, where it is cut off, and where it is another bundle's`, () => {
        const whole = loads(copy(), program);
        assert.deepEqual([whole.status, whole.rejected], [0, bundles('false')]);
        // Else stack traces would not name the file.
        assert.notInclude(readFileSync(join(copy(), `${bundle}.code`), 'latin1'), 'evalmachine');
        const broken = join(file(`broken-${bundle}`), 'dist');
        cpSync(copy(), broken, { recursive: true, filter: (path) => !path.endsWith('.node') });
        const code = join(broken, `${bundle}.code`);
        truncateSync(code, 100_000);
        assert.deepEqual(loads(broken, program), { ...whole, rejected: ['stacks.js true', `${bundle}.js undefined`] });
        truncateSync(code, 10);
        assert.deepEqual(loads(broken, program), { ...whole, rejected: bundles('undefined') });
        cpSync(join(copy(), `${bundle}.code`), code);
        const source = join(broken, `${bundle}.js`);
        const other = readFileSync(source, 'utf8').replace(/[0-9a-f]{16}$/, '0123456789abcdef');
        writeFileSync(source, other);
        assert.deepEqual(loads(broken, program), { ...whole, rejected: ['stacks.js false', `${bundle}.js undefined`] });
        renameSync(code, `${code}.away`);
        assert.deepEqual(loads(broken, program), { ...whole, rejected: bundles('undefined') });
      });
    }
  });

  it('has each rank open at most 8 files', async () => {
    const trace = file('trace');
    const strace = `exec strace -f -e trace=open,openat -o '${trace}.'$OMPI_COMM_WORLD_RANK "$@"`;
    const script = join(realpathSync(copy()), 'osu_bw.js');
    const options = ['-m', '4', '-i', '2', '-x', '0', '-c', '--report-binding', '--json', file('record.json')];
    assertDone(await launch(script, options, { wrapRank: ['bash', '-c', strace, 'bash'] }));
    for (const rank of [0, 1]) {
      const opened = openedBelow(realpathSync(copy()), readFileSync(`${trace}.${rank}`, 'latin1'));
      for (const part of ['osu_bw.js', 'core.js', 'core.code', 'native/engine.node']) {
        assert.include(opened, join(realpathSync(copy()), part));
      }
      assert.isAtMost(opened.length, 8, opened.join('\n'));
    }
  });
});

/** `scripts/softroce` from this side: what goes into its machine, what comes back, and how it ends. */
import { assert } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../unit/project.js';
import { testFolder } from './folder.js';
import { commandOf, withVariable } from './processes.js';

const softroce = join(projectRoot, 'scripts/softroce');
const minutes = 60_000;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = projectRoot): Ended {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', timeout: 8 * minutes } as const;
  const { status, stdout, stderr } = spawnSync(softroce, args, options);
  return { code: status, stdout, stderr };
}

const findInPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, name))
    .find((path) => existsSync(path));

const works = run(['check']).code === 0;

describe('scripts/softroce', () => {
  const file = testFolder();

  for (const [args, says] of [
    [[], 'say what to do: run, prepare or check'],
    [['start'], "don't know 'start'"],
    [['run'], 'no command given'],
    [['run', '--'], 'no command given'],
    [['run', '--three-devices', 'true'], 'no option --three-devices'],
    [['run', '--timeout', 'soon', 'true'], '--timeout needs a whole number above 0'],
    [['run', '--memory'], '--memory needs a whole number above 0'],
  ] as const) {
    it(`refuses '${args.join(' ')}'`, () => {
      const { code, stdout, stderr } = run(args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.equal(stderr, `softroce: ${says}; \`scripts/softroce --help\` explains\n`);
    });
  }

  it('says what is missing and how to install it, with exit code 77', () => {
    const bin = file('bin');
    mkdirSync(bin);
    // Enough for the script itself; QEMU and cpio are not among them.
    for (const name of ['bash', 'dirname', 'uname', 'cat', 'grep', 'ldd', 'id', 'mkdir', 'depmod', 'ip', 'rdma']) {
      const path = findInPath(name);
      if (path !== undefined) symlinkSync(path, join(bin, name));
    }
    for (const args of [['check'], ['prepare'], ['run', 'true']]) {
      const { code, stdout, stderr } = run(args, { PATH: bin });
      assert.deepEqual([code, stdout], [77, ''], stderr);
      assert.match(
        stderr,
        /^Soft-RoCE can't be had here: packages are missing: apt-get install --no-install-recommends qemu-system-x86 .*\bcpio\b.*\n$/,
      );
    }
  });
});

(works ? describe : describe.skip)('a command in the Soft-RoCE machine', () => {
  const file = testFolder();
  const odd = ['a b', `it's "quoted"`, 'two\nlines', '', '*', '$HOME', '--timeout'];
  const script = [
    'printf "<%s>\\n" "$@"',
    'pwd',
    'echo "$UCX_ODD|$FABRICBENCH_ODD|$CI|${ELSE-none}"',
    'cat',
    'echo written > "$FABRICBENCH_LAB_OUT/file"',
    'echo lost > "$2/lost"',
    'cat "$2/lost"',
    'ls /sys/class/infiniband',
    'echo wrong >&2',
    'exit 7',
  ].join('; ');
  let here = '';
  let ended: Ended = { code: null, stdout: '', stderr: '' };

  before(function () {
    // The first use downloads a kernel, and says so.
    this.timeout(10 * minutes);
    const prepared = run(['prepare']);
    assert.equal(prepared.code, 0, prepared.stderr);
    here = file('with space');
    mkdirSync(here);
    const env = {
      UCX_ODD: "a 'b'\nc",
      FABRICBENCH_ODD: '$(false)',
      CI: 'true',
      ELSE: 'x',
      FABRICBENCH_LAB_OUT: file('out'),
    };
    ended = run(['run', '--', 'bash', '-c', script, odd[0] ?? '', odd[1] ?? '', here, ...odd.slice(2)], env, here);
  });

  it('gets its arguments, folder, environment and an empty stdin, and sees the device', () => {
    const args = [odd[1], here, ...odd.slice(2)].map((arg) => `<${arg}>\n`).join('');
    assert.equal(ended.stdout, `${args}${here}\na 'b'\nc|$(false)|true|none\nlost\nrxe0\n`, ended.stderr);
  });

  it('gives back its exit code and keeps the streams apart', () => {
    assert.deepEqual([ended.code, ended.stderr], [7, 'wrong\n']);
  });

  it('shares the folder of FABRICBENCH_LAB_OUT, and no other', () => {
    assert.equal(readFileSync(join(file('out'), 'file'), 'utf8'), 'written\n');
    assert.isFalse(existsSync(join(here, 'lost')));
  });

  it('is stopped when its time is up, with exit code 124', function () {
    this.timeout(minutes);
    const { code, stderr } = run(['run', '--timeout', '2', 'sleep', '100']);
    assert.equal(code, 124, stderr);
    assert.match(stderr, /^softroce: stopped after 2 s \(--timeout\)$/m);
  });

  it('is told of a machine that died, with exit code 125 and its console', function () {
    this.timeout(3 * minutes);
    const { code, stderr } = run(['run', 'sh', '-c', 'echo c > /proc/sysrq-trigger']);
    assert.equal(code, 125, stderr);
    assert.match(stderr, /^softroce: the machine died before the command had ended/m);
    assert.match(stderr, /^softroce: the console's last lines:\n.*Kernel Offset/ms);
  });

  it('takes QEMU with it when it is stopped', async function () {
    this.timeout(minutes);
    const mark = `${process.pid}-${Date.now()}`;
    const env = { ...process.env, FABRICBENCH_TEST_SOFTROCE: mark };
    const child = spawn(softroce, ['run', 'sleep', '100'], { env, stdio: 'ignore' });
    const over = new Promise<number | null>((resolve) => child.once('close', resolve));
    const qemu = (): boolean =>
      withVariable('FABRICBENCH_TEST_SOFTROCE', mark).some((pid) => commandOf(pid)[0] === 'qemu-system-x86_64');
    while (!qemu()) await sleep(20);
    child.kill('SIGTERM');
    assert.equal(await over, 143);
    while (withVariable('FABRICBENCH_TEST_SOFTROCE', mark).length > 0) await sleep(50);
  });
});

/** scripts/slurm-lab: a Slurm with several nodes that starts, runs jobs, and ends without a trace. */
import { assert } from 'chai';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { testFolder } from '../launch/folder.js';
import { withVariable } from '../launch/processes.js';
import { labCommand, withSlurm } from './lab.js';

const NOBODY = 65534;

describe('a Slurm on one machine', () => {
  const slurm = withSlurm(2);

  it('has the nodes that were asked for', async () => {
    const { stdout, report } = await slurm.run(['srun', '--nodes=2', 'sh', '-c', 'echo $SLURMD_NODENAME']);
    assert.sameMembers(stdout.trim().split('\n'), ['node1', 'node2'], report);
    assert.match(slurm.lab('status').stdout, /is up.*\nnode1 .* idle.*\nnode2 /);
  });

  it('gives a command its arguments, and gives back its exit code', async () => {
    const done = await slurm.run(['sh', '-c', 'printf "%s\\n" "$@"; exit 7', 'sh', 'a b', '', "it's"]);
    assert.deepEqual([done.code, done.stdout], [7, "a b\n\nit's\n"], done.report);
  });

  it('is left alone by a second up', async () => {
    const before = await slurm.run(['scontrol', 'show', 'config']);
    const { code, stdout } = slurm.lab('up', '2');
    assert.deepEqual([code, stdout], [0, `Slurm is up already in ${slurm.state}\n`]);
    const booted = (text: string): string | undefined => /BOOT_TIME.*/.exec(text)?.[0];
    assert.equal(booted((await slurm.run(['scontrol', 'show', 'config'])).stdout), booted(before.stdout));
  });

  it('stands beside another one', () => {
    const other = `${slurm.state}-other`;
    const up = labCommand(['up', '1', '--state', other]);
    assert.equal(up.code, 0, up.report);
    assert.equal(labCommand(['down', '--state', other]).code, 0);
    assert.isFalse(existsSync(other));
    assert.match(slurm.lab('status').stdout, /is up/);
  });

  it('ends its jobs, its daemons and its folder', async () => {
    const other = `${slurm.state}-ending`;
    assert.equal(labCommand(['up', '2', '--state', other]).code, 0);
    const ours = (): number[] => withVariable('SLURM_CONF', join(other, 'slurm.conf'));
    const stubborn = "--wrap=trap '' TERM; srun sh -c 'trap \"\" TERM; sleep 300'; sleep 300";
    const job = labCommand(['run', '--state', other, 'sbatch', '--output=/dev/null', '--nodes=2', stubborn]);
    assert.equal(job.code, 0, job.report);
    await slurm.until('the job', () => (ours().length >= 6 ? true : undefined));
    assert.equal(labCommand(['down', '--state', other]).code, 0);
    assert.deepEqual([existsSync(other), ours()], [false, []]);
    assert.match(labCommand(['down', '--state', other]).stdout, /^no Slurm is up/);
    assert.equal(labCommand(['status', '--state', other]).code, 1);
  });

  it('needs no root', function () {
    if (process.getuid?.() !== 0) this.skip(); // then all of this ran without
    const state = '/tmp/fabricbench-slurm-of-nobody';
    const as = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    const script = `cd / && "$0" up 2 --state ${state} && "$0" run --state ${state} -- srun --nodes=2 id -u; "$0" down --state ${state}`;
    const { code, stdout, report } = labCommand(['--help']);
    assert.deepEqual([code, stdout.split('\n')[0]?.slice(0, 6)], [0, 'Usage:'], report);
    return slurm.run([...as, 'sh', '-c', script, slurmLab()]).then((done) => {
      assert.deepEqual(done.stdout.split('\n').filter((line) => /^\d+$/.test(line)), [String(NOBODY), String(NOBODY)], done.report); // prettier-ignore
      assert.isFalse(existsSync(state));
    });
  });
});

const slurmLab = (): string => join(process.cwd(), 'scripts', 'slurm-lab');

describe('slurm-lab refuses in one sentence', () => {
  const file = testFolder();
  const refused = (words: readonly string[], code: number, text: RegExp, env = {}): void => {
    const done = labCommand(words, env);
    assert.equal(done.code, code, done.report);
    assert.match(done.stderr, text);
    assert.equal(done.stderr.trim().split('\n').length, 1, done.report);
  };

  it('what makes no sense', () => {
    refused([], 2, /say what to do/);
    refused(['fly'], 2, /don't know 'fly'/);
    refused(['up', '0'], 2, /NODES is a whole number/);
    refused(['up', '2', '3'], 2, /don't know what 3 is for/);
    refused(['up', '--wings'], 2, /no option --wings/);
    refused(['up', '--cpus', 'x'], 2, /--cpus needs a whole number/);
    refused(['up', '2', '--hosts', '/tmp'], 2, /leave NODES out/);
    refused(['up', '--state', `/tmp/${'x'.repeat(90)}`], 2, /too long for a socket/);
    refused(['up', '--state', '/tmp/a b'], 2, /Slurm takes only letters/);
    refused(['run', '--state', '/tmp/none'], 2, /no command given/);
    refused(['run', '--state', '/tmp/none', 'true'], 1, /no Slurm is up in \/tmp\/none/);
    refused(['up', '--hosts', '/tmp/none', '--state', '/tmp/none'], 1, /no hosts are up in \/tmp\/none/);
  });

  it('a folder that is not its own', () => {
    const folder = dirname(file('x'));
    writeFileSync(file('precious'), '');
    refused(['up', '--state', folder], 1, /is no folder of slurm-lab/);
    assert.isTrue(existsSync(file('precious')));
    assert.equal(labCommand(['down', '--state', folder]).code, 0);
    assert.isTrue(existsSync(file('precious')));
  });

  it('a machine without Slurm, with exit code 77 and the mend', () => {
    const bin = file('bin');
    mkdirSync(bin);
    for (const name of ['bash', 'env', 'dirname', 'id', 'realpath', 'grep'])
      symlinkSync(`/usr/bin/${name}`, join(bin, name));
    refused(['up', '--state', file('s')], 77, /there is no .*: apt-get install .*slurm-wlm munge/, { PATH: bin });
  });
});

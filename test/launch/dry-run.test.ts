/** `--dry-run`: no MPI is started, and nothing is bound. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../unit/project.js';
import { launch, type LaunchOptions } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program } from './output.js';

const XML = join('test', 'fixtures', 'topologies', '32em64t-2n8c2t-pci-normalio.xml');
const HEAD = `on the topology of ${XML} (2 packages, 2 NUMA nodes, 16 cores):`;

interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** Where its stdout goes. */
  readonly stdout?: 'pipe' | 'full';
}

function alone(name: string, args: readonly string[], { env = {}, stdout: to = 'pipe' }: Circumstances = {}) {
  const full = to === 'full' ? openSync('/dev/full', 'w') : null;
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program(name), ...args], {
      cwd: projectRoot,
      encoding: 'utf8',
      timeout: 30_000,
      env: { ...process.env, ...env },
      stdio: ['ignore', full ?? 'pipe', 'pipe'],
    });
    return { status, stdout, stderr };
  } finally {
    if (full !== null) closeSync(full);
  }
}

const NEAR = [
  `--bind near:mlx5_0 for 2 ranks ${HEAD}`,
  'local rank 0: core 8, hardware thread 8, NUMA node 1 (mlx5_0: near)',
  'local rank 1: core 9, hardware thread 9, NUMA node 1 (mlx5_0: near)',
  '',
].join('\n');

describe('--dry-run without a launcher', () => {
  for (const name of ['osu_latency', 'osu_init', 'osu_allreduce', 'ib_write_bw', 'ucx_perftest']) {
    it(`${name} names the cores near a NIC of another machine`, () => {
      const args = ['--topology', XML, '--bind', 'near:mlx5_0', '--dry-run'];
      assert.deepEqual(alone(name, args), { status: 0, stdout: NEAR, stderr: '' });
    });
  }

  it('takes the number of ranks', () => {
    const { stdout } = alone('osu_bw', ['--topology', XML, '--bind', 'spread', '--dry-run', '--ranks', '4']);
    assert.deepEqual(
      stdout.split('\n').flatMap((line) => /hardware thread (\d+)/.exec(line)?.[1] ?? []),
      ['0', '4', '8', '12'],
    );
  });

  it('takes as many ranks as hardware threads are named, where nobody says how many', () => {
    for (const [name, bind, cores] of [
      ['ib_write_bw', '30', '14'],
      ['ucx_perftest', 'core:9', '9'],
      ['osu_allreduce', '1-3', '1 2 3'],
    ] as const) {
      const { status, stdout, stderr } = alone(name, ['--topology', XML, '--bind', bind, '--dry-run']);
      assert.deepEqual([status, stderr], [0, ''], bind);
      assert.equal([...stdout.matchAll(/^local rank \d+: core (\d+)/gm)].map(([, core]) => core).join(' '), cores);
    }
  });

  it('is of this machine without a file', () => {
    const { status, stdout } = alone('osu_bw', ['--bind', 'compact', '--dry-run', '--ranks', '1']);
    assert.equal(status, 0);
    assert.match(
      stdout,
      /^--bind compact for 1 rank on this machine \(.*\):\nlocal rank 0: core \d+, hardware thread \d+/,
    );
  });

  it('takes a description in place of a file, and what hwloc is told by its own variables', () => {
    const described = ['osu_bw', 'ib_read_lat', 'ucx_perftest'].map((name) =>
      alone(name, ['--topology', 'package:8 core:2 pu:2', '--bind', 'spread', '--dry-run', '--ranks', '8']),
    );
    const cores = [0, 4, 8, 12, 16, 20, 24, 28];
    const stdout = [
      '--bind spread for 8 ranks on the topology "package:8 core:2 pu:2" (8 packages, 1 NUMA node, 16 cores):',
      ...cores.map((cpu, rank) => `local rank ${rank}: core ${cpu}, hardware thread ${cpu}, NUMA node 0`),
      '',
    ].join('\n');
    for (const outcome of described) assert.deepEqual(outcome, { status: 0, stdout, stderr: '' });
    const env = { HWLOC_SYNTHETIC: 'package:8 core:2 pu:2' };
    const args = ['--bind', 'spread', '--dry-run', '--ranks', '8'];
    assert.deepEqual(alone('osu_bw', args, { env }), { status: 0, stdout, stderr: '' });
    const near = alone('osu_bw', ['--bind', 'near:mlx5_0', '--dry-run'], { env: { HWLOC_XMLFILE: XML } });
    assert.deepEqual(near, { status: 0, stdout: NEAR, stderr: '' });
  });

  for (const name of ['osu_bw', 'osu_init', 'ib_read_lat', 'ucx_perftest']) {
    it(`${name} says where its answer can't be written, and ends with 1`, () => {
      // ucx_perftest has no --version.
      const texts = name === 'ucx_perftest' ? [['--help']] : [['--help'], ['--version']];
      for (const args of [['--bind', 'compact', '--dry-run', '--ranks', '1'], ...texts]) {
        const { status, stderr } = alone(name, args, { stdout: 'full' });
        assert.deepEqual(
          [status, stderr],
          [1, 'Writing to stdout failed: no space is left on the device; free some.\n'],
          args.join(' '),
        );
      }
    });
  }

  const refusals: readonly [string, readonly string[], RegExp][] = [
    ['osu_latency', ['--topology', XML, '--bind', 'near:mlx5_9'], /^osu_latency: --bind near:mlx5_9 can't be had: .* has no device "mlx5_9": use one of /],
    ['ib_send_bw', ['--topology', XML, '--bind', '0,16'], /^ib_send_bw: --bind 0,16 can't be had: local ranks 0 and 1 would share core 0: /],
    ['ucx_perftest', ['--topology', 'none.xml', '--bind', 'compact'], /^ucx_perftest: the topology none\.xml can't be read: there is no such file$/],
  ]; // prettier-ignore
  for (const [name, args, says] of refusals) {
    it(`${name} ${args.slice(2).join(' ')}: exits 1 with one sentence`, () => {
      const { status, stdout, stderr } = alone(name, [...args, '--dry-run']);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.match(stderr.trimEnd(), says);
      assert.lengthOf(stderr.trimEnd().split('\n'), 1);
    });
  }
});

describe('--dry-run under a launcher', () => {
  const unbound: LaunchOptions = { place: ['--oversubscribe', '--bind-to', 'none'], cwd: projectRoot };

  it('is of the ranks that were started, and told once', async () => {
    const args = ['--topology', XML, '--bind', 'far:mlx5_0', '--dry-run'];
    const launched = await launch(program('osu_allreduce'), args, { ...unbound, np: 3 });
    assertDone(launched);
    const lines = launched.stdout.trimEnd().split('\n');
    assert.lengthOf(lines, 4, launched.report);
    assert.equal(lines[3], 'local rank 2: core 2, hardware thread 2, NUMA node 0 (mlx5_0: distance 20)');
  });

  it('is refused once', async () => {
    const launched = await launch(program('ib_send_bw'), ['--bind', 'numa:4095', '--dry-run'], unbound);
    assertFailed(launched);
    const [line, ...more] = ownLines(launched);
    assert.isEmpty(more);
    assert.match(
      line ?? '',
      /^ib_send_bw: --bind numa:4095 can't be had: this machine has no NUMA node 4095: it has 0/,
    );
  });
});

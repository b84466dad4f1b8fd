/** `--layer verbs` on a device, beside the other layers that reach it. Runs in the Soft-RoCE machine. */
import { assert } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, start, type LaunchOptions } from '../launch/mpirun.js';
import { assertFailed, ownLines, parseRecord, program, rowsOf } from '../launch/output.js';

const programs = ['osu_latency', 'osu_bw', 'osu_bibw', 'osu_multi_lat', 'osu_mbw_mr'];
const ways = ['verbs', 'verbs:write', 'verbs:read'];
// MPI carries barriers alone, and must leave the device to the layer.
const plain = { pml: 'ob1', limit: 200 } as const;
const few = ['-i', '4', '-x', '1', '-u', '0'];
/** How UCX works over rxe: see docs/softroce.md. */
const overRc = { UCX_TLS: 'rc_v,self', UCX_NET_DEVICES: 'rxe0:1', UCX_UD_VERBS_ETH_DGID_CHECK: 'n' };

/** Runs a program, which must end well with all data right; returns its record. */
async function run(name: string, args: readonly string[], options: LaunchOptions = plain) {
  const launched = await launch(program(name), [...args, '-c', ...few, '--json', '-'], options);
  assert.equal(launched.code, 0, launched.report);
  const record = parseRecord(launched.stdout);
  assert.isNotEmpty(record.rows, launched.report);
  assert.isTrue(
    record.rows.every(({ validation }) => validation?.passed),
    launched.report,
  );
  return { ...launched, record };
}

/** The words of a layer's name in a record, which has the device. */
const recorded = (layer: string): string => `${layer}/rxe0`;

for (const layer of ways) {
  describe(`--layer ${layer}`, () => {
    for (const name of programs) {
      it(`carries ${name}'s data, and its record says by what`, async () => {
        const window = name === 'osu_latency' || name === 'osu_multi_lat' ? [] : ['-W', '4'];
        const { record } = await run(name, ['--layer', layer, '--sizes', '1,8,1000,8K,256K', ...window]);
        assert.equal(record.run.layer, recorded(layer));
        assert.deepInclude(record.environment.verbs, {
          ...{ device: 'rxe0', port: 1, linkLayer: 'Ethernet', mtu: 4096 },
          gid: { index: 1, address: '::ffff:10.9.0.1', type: 'RoCE v2' },
        });
      });
    }

    for (const window of ['1', '128']) {
      it(`carries windows of ${window}, in one buffer for each message`, async () => {
        await run('osu_bw', ['--layer', `${layer}/rxe0`, '-W', window, '-b', 'multiple', '--sizes', '8,1000,8K']);
      });
    }

    it('lets ranks without a peer keep the barriers', async () => {
      const { record } = await run('osu_mbw_mr', ['--layer', layer, '-p', '1', '--sizes', '8', '-W', '4'], {
        ...plain,
        np: 4,
      });
      assert.deepEqual(
        record.rows.map(({ parameters }) => parameters.pairs),
        [1],
      );
    });

    it('leaves out messages that are longer than the device carries', async () => {
      const { record } = await run('osu_latency', ['--layer', layer, '-m', '8M:16M']);
      assert.deepEqual(
        record.rows.map(({ parameters }) => parameters.size),
        [1 << 23],
      );
      assert.match(record.warnings.join(), /sizes 16777216 are left out: the device carries 8388608 bytes at most/);
    });

    it('ends within its time when a rank is killed', async () => {
      const running = start(program('osu_latency'), ['--layer', layer, '-m', '8:8', '-i', '100000000'], plain);
      const victim = await running.until(() => running.ranks().get(1));
      await sleep(3000);
      process.kill(victim, 'SIGKILL');
      const ended = await running.ended;
      assert.isFalse(ended.hung, ended.report);
      assert.notEqual(ended.code, 0, ended.report);
    });
  });
}

describe('layers on one device', () => {
  const layers: readonly (readonly [layer: string, options: LaunchOptions])[] = [
    ['verbs', plain],
    ['uct:rc_verbs/rxe0:1', plain],
    ['uct:ud_verbs/rxe0:1', { ...plain, env: { UCX_UD_VERBS_ETH_DGID_CHECK: 'n' } }],
    ['ucp', { ...plain, env: overRc }],
    ['mpi', { limit: 200, env: { ...overRc, UCX_LOG_LEVEL: 'info', UCX_LOG_FILE: 'stderr' } }],
  ];
  for (const [layer, options] of layers) {
    it(`${layer} carries osu_latency's data over verbs`, async () => {
      const { record, stderr } = await run('osu_latency', ['--layer', layer, '--sizes', '8,4K'], options);
      const { verbs, ucx } = record.environment;
      if (layer === 'verbs') assert.equal(verbs?.device, 'rxe0');
      else if (layer === 'mpi') assert.match(stderr, /tag\(rc_verbs\/rxe0:1\)/);
      else if (layer === 'ucp') assert.include(ucx?.transports ?? [], 'rc_verbs/rxe0:1');
      else assert.deepEqual(ucx?.transports ?? [], [layer.slice('uct:'.length)]);
    });
  }
});

describe('--layer verbs that is refused', () => {
  it('names the devices that there are', async () => {
    const launched = await launch(program('osu_bw'), ['--layer', 'verbs/mlx5_9', ...few], plain);
    assertFailed(launched, 77);
    assert.deepEqual(rowsOf(launched.stdout), [], launched.report);
    assert.include(
      ownLines(launched).join('\n'),
      'osu_bw: --layer verbs/mlx5_9: there is no RDMA device mlx5_9: there is rxe0',
    );
  });
});

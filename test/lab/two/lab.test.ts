/** The lab with two devices: what one sends to the other goes over the wire between them. */
import { assert } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { runPair } from '../processes.js';

const packets = (): number => Number(readFileSync('/sys/class/net/v0/statistics/tx_packets', 'utf8'));

describe('the lab with two devices', () => {
  it('has both, each with a GID of its IPv4 address', () => {
    assert.deepEqual(readdirSync('/sys/class/infiniband').sort(), ['rxe0', 'rxe1']);
    assert.equal(process.env['FABRICBENCH_LAB'], 'rxe0 rxe1');
    const gids = ['rxe0', 'rxe1'].map((device) =>
      readFileSync(`/sys/class/infiniband/${device}/ports/1/gids/1`, 'utf8').trim().slice(-9),
    );
    assert.deepEqual(gids, ['0a09:0001', '0a09:0102']);
  });

  for (const [way, options, host] of [
    ['tcp', [], 'localhost'],
    ['rdma_cm', ['-R'], 'rxe1'],
  ] as const) {
    it(`joins them by a wire, with connections by ${way}`, async () => {
      const before = packets();
      const side = (device: string): string[] => ['ib_write_lat', '-F', '-n', '100', '-d', device, ...options];
      const { server, client, report } = await runPair(side('rxe1'), [...side('rxe0'), host], { way });
      assert.deepEqual([server.code, client.code], [0, 0], report);
      assert.isAtLeast(packets() - before, 100, 'a packet of each message');
    });
  }
});

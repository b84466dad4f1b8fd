/** What becomes of ib_* runs whose packets are lost on the wire. Runs in the Soft-RoCE machine with two devices. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginSides, bothEnds, longRun, measuring, ours, printing, rows, sentenceOf } from '../ib-sides.js';

/** From now on nothing that the client sends gets through, and its link stays up. */
function loseAll(): void {
  const { status, stderr } = spawnSync('tc', ['qdisc', 'replace', 'dev', 'v0', 'root', 'blackhole'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
}

/** Soft-RoCE tries for ever with 7, the default. */
const RETRIES = ['-u', '14', '--retry_count', '2'];

/** The two talk past the wire. */
const from = (command: readonly string[]) =>
  beginSides([...command, '-d', 'rxe1'], [...command, '-d', 'rxe0', '--watchdog', '5'], { address: 'localhost' });

describe('packets that are lost', () => {
  afterEach(() => {
    assert.equal(spawnSync('tc', ['qdisc', 'del', 'dev', 'v0', 'root']).status, 0);
  });

  for (const name of ['ib_send_bw', 'ib_write_bw', 'ib_write_lat', 'ib_read_lat'] as const) {
    it(`end both sides of ${name} after the last retry, and rows are kept`, async () => {
      const sides = await from([...ours(name), ...longRun(name), ...RETRIES]);
      await measuring(sides.client);
      loseAll();
      const { server, client } = await bothEnds(sides);
      const sentences = [sentenceOf(server), sentenceOf(client)];
      for (const sentence of sentences)
        assert.match(sentence, /transport retry counter exceeded: the other side does not answer: /);
      assert.lengthOf(rows(client.stdout), 1, client.report);
    });
  }

  it('of UD hang a latency test, which the watchdog tells', async () => {
    const sides = await from([...ours('ib_send_lat'), '-c', 'UD', '-s', '4K', '-n', '1000000']);
    await printing(sides.client, /#bytes/);
    await sleep(500);
    loseAll();
    const { server, client } = await bothEnds(sides);
    assert.match(client.stderr, /^.* no progress for 5 s in .*ib_send_lat, size 4096.*\n$/, client.report);
    assert.equal(client.code, 1, client.report);
    assert.match(sentenceOf(server), /has ended without a word$/);
  });

  it('of UD are counted by a bandwidth test', async () => {
    const sides = await from([...ours('ib_send_bw'), '-c', 'UD', '-s', '4K', '-n', '20000']);
    await printing(sides.client, /#bytes/);
    await sleep(500);
    loseAll();
    const { server, client } = await bothEnds(sides);
    assert.deepEqual([server.code, client.code], [0, 0], `${server.report}\n--\n${client.report}`);
    assert.match(server.stderr, /^ib_send_bw: \d+ messages of 4096 bytes never arrived: UD does not send again/);
  });
});

/** What ends a run of the ib_* programs on real verbs in its middle. Runs in the Soft-RoCE machine. */
import { assert } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { launch, start } from '../launch/mpirun.js';
import { assertFailed, ownLines, program, readRecord, rowsOnce, sizesOf } from '../launch/output.js';
import { testFolder } from '../launch/folder.js';
import {
  ADDRESS,
  beginSides,
  bothEnds,
  freshPort,
  longRun,
  measuring,
  ours,
  printing,
  rows,
  sentenceOf,
} from './ib-sides.js';
import { linkUp, setLink } from './link.js';
import { run, type Running } from './processes.js';

const GONE = /^the peer \(10\.9\.0\.1:\d+\) has ended without a word$/;

function kill({ child }: Running): void {
  assert.isTrue(child.kill('SIGKILL'));
}

describe('a peer that is killed', () => {
  const file = testFolder();
  const cases: readonly (readonly [PerftestName, ...string[]])[] = [
    ['ib_send_bw'],
    ['ib_send_bw', '-e'],
    ['ib_write_bw'],
    ['ib_write_lat'],
    ['ib_read_lat'],
    ['ib_read_lat', '-e'],
  ];
  for (const [name, ...options] of cases) {
    const side = [...ours(name), ...longRun(name), ...options];
    const title = [name, ...options].join(' ');

    it(`ends the client of ${title}, whose rows are kept`, async () => {
      const json = file();
      const { server, client } = await beginSides(side, [...side, '--json', json]);
      await measuring(client);
      kill(server);
      const ended = await client.ended;
      assert.match(sentenceOf(ended), GONE);
      assert.lengthOf(rows(ended.stdout), 1, ended.report);
      const record = readRecord(json);
      assert.deepEqual(sizesOf(record), [64]);
      assert.equal(record.status.state, 'failed');
      assert.match(record.status.message ?? '', GONE);
    });

    it(`ends the server of ${title}`, async () => {
      const { server, client } = await beginSides(side, side);
      await measuring(client);
      kill(client);
      const ended = await server.ended;
      assert.match(sentenceOf(ended), GONE);
      // Who is read from has nothing to show.
      assert.lengthOf(rows(ended.stdout), name === 'ib_read_lat' ? 0 : 1, ended.report);
    });
  }

  it('leaves a server with --serve to the next', async () => {
    const side = [...ours('ib_send_bw'), '-s', '1M', '-n', '300'];
    const { port, server, client } = await beginSides([...side, '--serve'], side);
    await printing(client, /#bytes/);
    kill(client);
    await client.ended;
    await printing(server, /has ended without a word/);
    const next = await run([...side, '-p', String(port), ADDRESS], { cpu: 1 });
    assert.equal(next.code, 0, next.report);
    assert.lengthOf(rows(next.stdout), 1, next.report);
    assert.isNull(server.child.exitCode);
    server.child.kill('SIGTERM');
    await server.ended;
  });
});

describe('a stock perftest that is killed', () => {
  for (const name of ['ib_send_bw', 'ib_write_lat'] as const) {
    const long = ['-s', '1M', '-n', '5000'];
    const stock = [name, '-F', ...long];
    const side = [...ours(name), ...long, '--peer', 'perftest'];

    it(`ends our client of ${name}`, async () => {
      const { server, client } = await beginSides(stock, side);
      await printing(client, /#bytes/);
      await sleep(1000);
      kill(server);
      assert.match(sentenceOf(await client.ended), /the peer \(10\.9\.0\.1:\d+\) has ended/);
    });

    it(`ends our server of ${name}`, async () => {
      const { server, client } = await beginSides(side, stock);
      await printing(server, /#bytes/);
      await sleep(1000);
      kill(client);
      assert.match(sentenceOf(await server.ended), /the peer \(10\.9\.0\.1:\d+\) has ended/);
    });
  }
});

describe('a rank that is killed', () => {
  const file = testFolder();

  it('ends the job of two pairs, and no row is lost', async () => {
    const json = file();
    const running = start(program('ib_write_bw'), [...longRun('ib_write_bw'), '--json', json], {
      ...{ np: 4, limit: 150, env: { UCX_TLS: 'shm,self' } },
    });
    const before = await running.until(() => rowsOnce(json, 1));
    process.kill(await running.until(() => running.ranks().get(3)), 'SIGKILL');
    const launched = await running.ended;
    assert.isFalse(launched.hung, launched.report);
    assert.notEqual(launched.code, 0, launched.report);
    assert.equal(launched.strays, 0, launched.report);
    const record = readRecord(json);
    assert.deepEqual(record.rows.slice(0, before.length), before);
    assert.notEqual(record.status.state, 'done');
  });
});

/** Soft-RoCE refuses to send over such a link; what it has sent before may wait for its answer in vain. */
const DOWN =
  /(local QP operation error: .*link is down|transport retry counter exceeded: ).*; the device says: port error \(port 1\), so its link went down$/;

describe('a link that goes down', () => {
  const file = testFolder();
  afterEach(linkUp);

  for (const name of ['ib_send_bw', 'ib_write_bw', 'ib_write_lat', 'ib_read_lat'] as const) {
    it(`ends both sides of ${name} within the retry timeout, and rows are kept`, async () => {
      const json = file();
      const side = [...ours(name), ...longRun(name), '-u', '14'];
      const sides = await beginSides(side, [...side, '--json', json]);
      await measuring(sides.client);
      setLink('down');
      const { server, client } = await bothEnds(sides);
      const sentences = [sentenceOf(server), sentenceOf(client)];
      const found = sentences.filter((sentence) => DOWN.test(sentence));
      assert.isNotEmpty(found, `${server.report}\n--\n${client.report}`);
      assert.lengthOf(rows(client.stdout), 1, client.report);
      const record = readRecord(json);
      assert.deepEqual(sizesOf(record), [64]);
      assert.equal(record.status.state, 'failed');
    });
  }
});

describe('a link that is down', () => {
  before(() => {
    setLink('down');
  });
  after(linkUp);

  it('is told by each side before anybody is met', async () => {
    for (const address of [[], [ADDRESS]]) {
      const ended = await run([...ours('ib_send_lat'), '-p', String(freshPort()), ...address]);
      assert.equal(sentenceOf(ended), 'port 1 of rxe0 is DOWN: bring its link up, or name another (-d, -i)');
    }
  });

  it('is told by --layer verbs', async () => {
    const launched = await launch(program('osu_latency'), ['--layer', 'verbs'], { pml: 'ob1', limit: 100 });
    assertFailed(launched, 77);
    assert.include(
      ownLines(launched).join('\n'),
      'osu_latency: --layer verbs: no RDMA device has an active port: port 1 of rxe0 is DOWN; bring its link up',
    );
  });
});

describe('a message that never comes', () => {
  it('is told by the watchdog of the client, and the server hears of its end', async () => {
    const side = [...ours('ib_send_lat'), '-c', 'UD', '-s', '4K', '-n', '1000000'];
    const { server, client } = await beginSides(side, [...side, '--watchdog', '3']);
    await printing(client, /#bytes/);
    await sleep(500);
    assert.isTrue(server.child.kill('SIGSTOP'));
    const ended = await client.ended;
    server.child.kill('SIGCONT');
    assert.match(ended.stderr, /^.* no progress for 3 s in .*ib_send_lat, size 4096.*\n$/, ended.report);
    assert.equal(ended.code, 1, ended.report);
    assert.match(sentenceOf(await server.ended), GONE);
  });
});

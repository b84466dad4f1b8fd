/** What the ib_* programs refuse on real verbs, each in one sentence on each side that must know. Runs in the Soft-RoCE machine. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { launch } from '../launch/mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord } from '../launch/output.js';
import { testFolder } from '../launch/folder.js';
import { ADDRESS, beginSides, bothEnds, freshPort, ours, printing, rows, sentenceOf } from './ib-sides.js';
import { begin, isListening, listening, run, type RunOptions } from './processes.js';

const NOT_POSSIBLE_HERE = 77;
const FEW = ['-n', '20'];
const side = (...options: string[]): string[] => [...ours('ib_send_bw'), ...FEW, ...options];

/** The sentences of both sides. */
async function refusedOnBoth(
  server: readonly string[],
  client: readonly string[],
  options: { readonly server?: RunOptions; readonly client?: RunOptions } = {},
): Promise<{ readonly server: string; readonly client: string }> {
  const ends = await bothEnds(await beginSides(server, client, options));
  return { server: sentenceOf(ends.server), client: sentenceOf(ends.client) };
}

describe('what the device lacks', () => {
  const cases: readonly (readonly [options: readonly string[], sentence: RegExp, code: number])[] = [
    [['-c', 'XRC'], /^rxe0 has no XRC queue pairs: give another -c$/, NOT_POSSIBLE_HERE],
    [['--odp'], /^rxe0 has no on-demand paging: leave out --odp$/, NOT_POSSIBLE_HERE],
    [['-d', 'nope'], /^there is no RDMA device nope: there is rxe0$/, 1],
    [['-i', '7'], /^rxe0 has no port 7: it has port 1 only$/, 1],
    [['-I', '100000'], /"100000" is no integer from 0 to 1024$/, 1],
    [['-c', 'UD', '-s', '8192'], /^A message of 8192 bytes does not fit in one packet of UD, which has 4096/, 1],
  ];
  for (const [options, sentence, code] of cases) {
    it(`is told before anybody is met: ${options.join(' ')}`, async () => {
      const port = freshPort();
      for (const address of [[], [ADDRESS]]) {
        const ended = await run([...side(...options), '-p', String(port), ...address]);
        assert.match(sentenceOf(ended, code), sentence);
      }
    });
  }

  it('is told on both sides where it shows later: DC', async () => {
    const ends = await bothEnds(await beginSides(side('-c', 'DC'), side('-c', 'DC')));
    for (const ended of [ends.server, ends.client])
      assert.match(sentenceOf(ended, NOT_POSSIBLE_HERE), /^rxe0 has no DC: /);
  });

  it('is told on both sides where one asks for it: a GID', async () => {
    const { server, client } = await refusedOnBoth(side(), side('-x', '99'));
    assert.match(client, /there is no GID of index 99: the port has 0, 1$/);
    assert.equal(server, `the other side: ${client}`);
  });

  it('is told on both sides where one asks for it: huge pages', async () => {
    const { server, client } = await refusedOnBoth(side('--use_hugepages'), side());
    assert.match(server, /1 huge pages? of 2048 KiB (is|are) needed and 0 are free: raise vm\.nr_hugepages/);
    assert.equal(client, `the other side: ${server}`);
  });

  it('is told of an MTU that the port does not carry', async () => {
    const ip = (bytes: number): number | null =>
      spawnSync('ip', ['link', 'set', 'dummy0', 'mtu', String(bytes)]).status;
    assert.equal(ip(1500), 0);
    try {
      const ended = await run(side('-m', '4096'));
      assert.equal(sentenceOf(ended), 'port 1 of rxe0 takes packets of 1024 bytes: give -m no more');
    } finally {
      assert.equal(ip(4200), 0);
    }
  });
});

describe('memory that may not be locked', () => {
  const nobody: RunOptions = { user: 65534, lockable: 64 };
  const needs = /it needs \d+ KiB of locked memory.* this process may lock 64 KiB: raise the limit with ulimit -l/;
  const large = side('-s', '1M');

  it('is told on both sides where it is the client', async () => {
    const { server, client } = await refusedOnBoth(large, large, { client: nobody });
    assert.match(client, needs);
    assert.equal(server, `the other side: ${client}`);
  });

  it('is told on both sides where it is the server', async () => {
    const { server, client } = await refusedOnBoth(large, large, { server: nobody });
    assert.match(server, needs);
    assert.equal(client, `the other side: ${server}`);
  });

  it('is told on both sides with queue pairs of rdma_cm', async () => {
    const { server, client } = await refusedOnBoth([...large, '-R'], [...large, '-R'], { client: nobody });
    assert.match(client, needs);
    assert.equal(server, `the other side: ${client}`);
  });

  it('is told on both sides with queue pairs of rdma_cm where it is the server', async () => {
    const side = [...large, '-R', '-q', '3'];
    const { server, client } = await refusedOnBoth(side, side, { server: nobody });
    assert.match(server, needs);
    assert.equal(client, `the other side: ${server}`);
  });
});

describe('two sides that do not go together', () => {
  const cases: readonly (readonly [options: readonly string[], named: string, here: string, there: string])[] = [
    [['-s', '64'], 'message size (-s)', '64', '65536'],
    [['-n', '40'], 'iterations (-n)', '40', '20'],
    [['-c', 'UC'], 'connection (-c)', 'UC', 'RC'],
    [['-q', '2'], 'queue pairs (-q)', '2', '1'],
    [['-R'], 'queue pairs by rdma_cm (-R)', 'on', 'off'],
  ];
  for (const [options, named, own, other] of cases) {
    it(`name what differs: ${options.join(' ')}`, async () => {
      const { server, client } = await refusedOnBoth(side(), side(...options));
      const mend = 'give both the same options';
      assert.equal(client, `the two sides differ: ${named} is ${own} here and ${other} there; ${mend}`);
      assert.equal(server, `the two sides differ: ${named} is ${other} here and ${own} there; ${mend}`);
    });
  }

  it('name two tests', async () => {
    const { server, client } = await refusedOnBoth([...ours('ib_write_bw'), ...FEW], [...ours('ib_send_lat'), ...FEW]);
    assert.match(client, /test is ib_send_lat here and ib_write_bw there/);
    assert.match(server, /test is ib_write_bw here and ib_send_lat there/);
  });

  it('name a stock perftest without --peer', async () => {
    const { server, client } = await beginSides(side(), ['ib_send_bw', '-F', ...FEW]);
    // The server goes on: it has not met a client of its own make.
    await printing(server, /give --peer perftest/);
    await client.ended;
    server.child.kill('SIGTERM');
    const ended = await server.ended;
    assert.match(ended.stderr, /^ib_send_bw: .* \(to talk to a stock perftest give --peer perftest\)\n$/);
  });
});

describe('ports', () => {
  it('that another has', async () => {
    const port = freshPort();
    const first = begin(side('-p', String(port)));
    await listening(first, port);
    const ended = await run(side('-p', String(port)));
    assert.match(sentenceOf(ended), new RegExp(`port ${port} `));
    first.child.kill('SIGTERM');
    await first.ended;
  });

  it('where nobody listens', async () => {
    const ended = await run([...side('-p', '19999'), ADDRESS]);
    assert.equal(sentenceOf(ended), `nobody listens at ${ADDRESS} port 19999: start the server there first`);
  });

  it('that a stranger finds, who keeps no client out', async () => {
    const port = freshPort();
    const server = begin(side('-p', String(port)), { cpu: 0 });
    await listening(server, port);
    const stranger: Socket = connect(port, ADDRESS);
    stranger.on('error', () => stranger.destroy());
    stranger.write('GET / HTTP/1.1\r\nHost: nobody\r\n\r\n'.repeat(100));
    await printing(server, /^ib_send_bw: .*\n/m);
    stranger.destroy();
    assert.isTrue(isListening(port));
    const client = await run([...side('-p', String(port)), ADDRESS], { cpu: 1 });
    const ended = await server.ended;
    assert.deepEqual([client.code, ended.code], [0, 0], `${client.report}\n--\n${ended.report}`);
    assert.lengthOf(ended.stderr.trimEnd().split('\n'), 1, ended.report);
  });
});

describe('ranks', () => {
  const file = testFolder();
  const many = ['-n', '50'];
  // UCX itself would take Soft-RoCE, whose UD gives up between processes that share a processor.
  const MANY = { limit: 200, env: { UCX_TLS: 'shm,self' } };

  it('that are two pairs show their sum', async () => {
    const json = file();
    const launched = await launch(program('ib_write_bw'), [...many, '--json', json], { ...MANY, np: 4 });
    assertDone(launched);
    const shown = rows(launched.stdout);
    assert.lengthOf(shown, 1, launched.report);
    assert.match(shown[0] ?? '', /^ 65536 +100 /, launched.report);
    assert.lengthOf(readRecord(json).rows, 1);
  });

  it('that are three work with --incast', async () => {
    const launched = await launch(program('ib_write_bw'), [...many, '--incast'], { ...MANY, np: 3 });
    assertDone(launched);
    assert.lengthOf(rows(launched.stdout), 1, launched.report);
  });

  it('that are three are no pairs', async () => {
    const launched = await launch(program('ib_write_bw'), many, { ...MANY, np: 3 });
    assertFailed(launched);
    const mend = 'start it with an even number, or with --incast';
    assert.deepEqual(ownLines(launched), [`ib_write_bw: ranks work in pairs, and this run has 3: ${mend}`]);
  });
});

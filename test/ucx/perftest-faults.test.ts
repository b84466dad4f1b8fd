/** What goes wrong between a server and a client: both learn of it, nobody hangs, and a server goes on to the next client. */
import { assert } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertServes, client, endAll, raw, serving, waiting } from './perftest-peers.js';
import { EXIT, Run, sentences, type Ended, type Server } from './perftest.js';

afterEach(endAll);

/** Seconds: 2 are promised, and the machine may be busy. */
const SOON = 10;
/** A process that is killed before it has read all takes that from its peer too. */
const GONE = /^the peer \(127\.0\.0\.1:\d+\) has ended without a word|^the connection to 127\.0\.0\.1:\d+ broke: /;
const ENDLESS = ['-n', '0', '-w', '0'];
const POSIX = ['-x', 'posix', '-d', 'memory'];
const KINDS = [
  { name: 'UCT over posix', options: [...POSIX, '-t', 'am_lat'], env: {} },
  { name: 'UCT streams over tcp', options: ['-x', 'tcp', '-d', 'lo', '-t', 'am_bw'], env: {} },
  { name: 'UCT puts, with a server that only waits', options: [...POSIX, '-t', 'put_bw'], env: {} },
  { name: 'UCP over tcp', options: ['-t', 'tag_lat'], env: { UCX_TLS: 'tcp' } },
  { name: 'UCP over shared memory', options: ['-t', 'ucp_am_bw'], env: { UCX_TLS: 'posix,cma,self' } },
  { name: 'UCP that sleeps', options: ['-t', 'tag_lat', '-E', 'sleep'], env: { UCX_TLS: 'tcp' } },
  { name: 'two threads of UCP', options: ['-t', 'tag_bw', '-T', '2'], env: { UCX_TLS: 'posix,cma,self' } },
] as const;

function assertEnded(ended: Ended, since: number): void {
  assert.isFalse(ended.hung, ended.report);
  assert.isBelow((ended.at - since) / 1000, SOON, ended.report);
}

/** A pair in the midst of a test without end. */
async function running(
  { options, env }: (typeof KINDS)[number],
  serverArgs: readonly string[] = [],
): Promise<{ server: Server; one: Run }> {
  const server = await serving(serverArgs, env);
  const one = client(server, [...options, ...ENDLESS], env);
  // The first row of a client comes after a second; of two threads there is none.
  if ((options as readonly string[]).includes('-T')) await sleep(1500);
  else await one.until(/\[thread 0\]/);
  return { server, one };
}

describe('ucx_perftest whose client is killed', () => {
  for (const kind of KINDS) {
    it(`${kind.name}: the server says so and serves the next one`, async () => {
      const { server, one } = await running(kind);
      const since = one.kill('SIGKILL');
      await waiting(server, 2);
      assert.isBelow((performance.now() - since) / 1000, SOON);
      const [told = ''] = sentences(server.run.stderr);
      assert.match(told, GONE);
      await assertServes(server, kind.env);
    });
  }

  it('ends a server with --once', async () => {
    const { server, one } = await running(KINDS[0], ['--once']);
    const since = one.kill('SIGKILL');
    const ended = await server.run.ended;
    assertEnded(ended, since);
    assert.equal(ended.code, EXIT.failed, ended.report);
    assert.lengthOf(sentences(ended.stderr), 1);
  });

  it('is told of a client that was interrupted as well', async () => {
    const { server, one } = await running(KINDS[3]);
    one.kill('SIGINT');
    await waiting(server, 2);
    await assertServes(server, { UCX_TLS: 'posix,tcp' });
  });
});

describe('ucx_perftest whose server is killed', () => {
  for (const kind of KINDS) {
    it(`${kind.name}: the client says so and ends`, async () => {
      const { server, one } = await running(kind);
      const since = server.run.kill('SIGKILL');
      const ended = await one.ended;
      assertEnded(ended, since);
      assert.equal(ended.code, EXIT.failed, ended.report);
      assert.match(sentences(ended.stderr).join('\n'), GONE);
    });
  }
});

describe('a server of ucx_perftest that waits', () => {
  it('ends at once by SIGTERM', async () => {
    const { run } = await serving();
    const since = run.kill('SIGTERM');
    const ended = await run.ended;
    assertEnded(ended, since);
    assert.equal(ended.signal, 'SIGTERM', ended.report);
  });

  it('says that the port is in use', async () => {
    const { port } = await serving();
    const second = await new Run(['-p', String(port)]).ended;
    assert.equal(second.code, EXIT.refused, second.report);
    assert.match(sentences(second.stderr).join('\n'), new RegExp(`^port ${port} is in use: choose another`));
  });

  it('goes on after one that connects and closes', async () => {
    const server = await serving();
    await raw(server, (socket) => socket.end());
    await waiting(server, 2);
    await assertServes(server);
  });

  it('goes on after one that resets the connection', async () => {
    const server = await serving();
    await raw(server, (socket) => socket.resetAndDestroy());
    await waiting(server, 2);
    await assertServes(server);
  });

  for (const [what, bytes] of [
    ['random bytes', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 197 + 13) % 256))],
    ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['zeros', Buffer.alloc(100_000)],
  ] as const) {
    it(`goes on after ${what}`, async () => {
      const server = await serving();
      await raw(server, (socket) => socket.write(bytes));
      await waiting(server, 2);
      assert.lengthOf(sentences(server.run.stderr), 1, server.run.stderr);
      await assertServes(server);
    });
  }

  it('goes on after one that says nothing, or not enough', async () => {
    await Promise.all(['', 'F'].map(assertNotHeldUp));
  });

  /** A client that comes while another one is silent has its turn. */
  async function assertNotHeldUp(bytes: string): Promise<void> {
    const server = await serving();
    await raw(server, (socket) => socket.write(bytes));
    const next = client(server, [...POSIX, '-t', 'am_lat', '-n', '100']);
    await waiting(server, 2);
    assert.match(sentences(server.run.stderr).join('\n'), /^127\.0\.0\.1:\d+ has sent nothing for 10 s$/);
    const ended = await next.ended;
    assert.equal(ended.code, EXIT.done, ended.report);
    assert.equal((await server.run.ended).code, EXIT.done);
  }

  it('with --once ends after one that is no client', async () => {
    const server = await serving(['--once']);
    await raw(server, (socket) => socket.end('hello'));
    const ended = await server.run.ended;
    assert.isFalse(ended.hung, ended.report);
    assert.equal(ended.code, EXIT.failed, ended.report);
  });
});

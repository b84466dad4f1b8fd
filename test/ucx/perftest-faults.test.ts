/** What goes wrong between a server and a client: both learn of it, nobody hangs, and a server goes on to the next client. */
import { assert } from 'chai';
import { once } from 'node:events';
import { connect as rawConnect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, listen } from '../../src/engine/control.js';
import { describeUnder, launch, unbound } from '../launch/mpirun.js';
import {
  EXIT,
  freePort,
  PERFTEST,
  Run,
  sentences,
  startClient,
  startServer,
  type Ended,
  type Server,
} from './perftest.js';

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

const runs: Run[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const run of runs.splice(0)) {
    run.kill('SIGKILL');
    await run.ended;
  }
});

async function serving(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const server = await startServer(args, { env });
  runs.push(server.run);
  return server;
}

function client(
  server: { readonly port: number },
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const run = startClient(server, args, { env });
  runs.push(run);
  return run;
}

function assertEnded(ended: Ended, since: number): void {
  assert.isFalse(ended.hung, ended.report);
  assert.isBelow((ended.at - since) / 1000, SOON, ended.report);
}

/** Waits until the server waits for so many clients, one after the other. */
async function waiting(server: Server, times: number): Promise<void> {
  await server.run.until(new RegExp(`(?:Waiting for connection[^]*){${times}}`));
}

/** A server still works: one that comes to its end is the last. */
async function assertServes(server: Server, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const last = await client(server, [...POSIX, '-t', 'put_lat', '-n', '100', '-V'], env).ended;
  assert.equal(last.code, EXIT.done, last.report);
  const served = await server.run.ended;
  assert.equal(served.code, EXIT.done, served.report);
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

/** A plain TCP client. */
async function raw({ port }: Server, say: (socket: Socket) => unknown): Promise<void> {
  const socket = rawConnect({ port, host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  say(socket);
}

const fake = (protocol: number): string => JSON.stringify({ program: 'ucx_perftest', protocol, version: '99.0.0' });
const OTHER =
  /^the other side is ucx_perftest of fabricbench 99\.0\.0 with protocol 999, and this is ucx_perftest of \S+ with protocol \d+: run the same version on both$/;

describe('ucx_perftest of another version', () => {
  it('is refused by a server, which goes on', async () => {
    const server = await serving();
    const peer = connect({ host: '127.0.0.1', port: server.port });
    peer.send(fake(999));
    assert.property(JSON.parse(peer.receive({ timeoutSeconds: 30 })), 'protocol');
    assert.throws(() => peer.receive({ timeoutSeconds: 30 }), /run the same version on both/);
    peer.close();
    await waiting(server, 2);
    assert.match(sentences(server.run.stderr).join('\n'), OTHER);
    await assertServes(server);
  });

  it('is refused by a client, which ends', async () => {
    const listener = listen({ port: 0 });
    const run = client(listener, ['-t', 'tag_lat']);
    const peer = listener.accept({ timeout: 30 });
    peer?.send(fake(999));
    const ended = await run.ended;
    peer?.close();
    listener.close();
    assert.isFalse(ended.hung, ended.report);
    assert.equal(ended.code, EXIT.refused, ended.report);
    assert.match(sentences(ended.stderr).join('\n'), OTHER);
  });

  it('is told from another program', async () => {
    const server = await serving(['--once']);
    const peer = connect({ host: '127.0.0.1', port: server.port });
    peer.send('"hello"');
    const ended = await server.run.ended;
    peer.close();
    assert.equal(ended.code, EXIT.refused, ended.report);
    assert.match(sentences(ended.stderr).join('\n'), /^the other side is another program, and this is ucx_perftest of/);
  });
});

describe('a client of ucx_perftest', () => {
  it('says that there is no server', async () => {
    const port = await freePort();
    const ended = await client({ port }, ['-t', 'tag_lat']).ended;
    assert.equal(ended.code, EXIT.refused, ended.report);
    const told = `nobody listens at 127.0.0.1 port ${port}: start the server there first`;
    assert.deepEqual(sentences(ended.stderr), [told]);
  });

  it('says that a host is unknown', async () => {
    const run = new Run(['no-such-host.invalid', '-t', 'tag_lat']);
    runs.push(run);
    const ended = await run.ended;
    assert.equal(ended.code, EXIT.refused, ended.report);
    assert.match(sentences(ended.stderr).join('\n'), /^no IPv4 address is known for the host no-such-host\.invalid/);
  });

  it('says that the other end closed without a word', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ended = await client({ port }, ['-t', 'tag_lat']).ended;
    server.close();
    assert.equal(ended.code, EXIT.failed, ended.report);
    assert.lengthOf(sentences(ended.stderr), 1, ended.report);
  });

  it('reaches a server by IPv6', async function () {
    const probe = createServer();
    const there = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true));
    });
    probe.close();
    if (!there) this.skip();
    const server = await serving(['-6']);
    const run = new Run(['::1', '-6', '-p', String(server.port), '-t', 'tag_lat', '-n', '100']);
    runs.push(run);
    const ended = await run.ended;
    assert.equal(ended.code, EXIT.done, ended.report);
    const served = await server.run.ended;
    assert.match(served.stdout, /^Accepted connection from \[::1\]:\d+$/m);
    assert.equal(served.code, EXIT.done, served.report);
  });

  it('that can not be bound leaves the server waiting', async () => {
    const server = await serving();
    const ended = await client(server, ['-t', 'tag_lat', '-c', '4000']).ended;
    assert.equal(ended.code, EXIT.refused, ended.report);
    assert.match(sentences(ended.stderr).join('\n'), /4000/);
    await assertServes(server);
  });
});

describe('a refusal on one side of ucx_perftest only', () => {
  const lacking = { UCX_TLS: 'bogus' };

  it('by the server is told on both sides', async () => {
    const server = await serving([], lacking);
    await assertRefused(server, client(server, ['-t', 'tag_lat']));
  });

  it('by the client is told on both sides', async () => {
    const server = await serving();
    await assertRefused(server, client(server, ['-t', 'tag_lat'], lacking));
  });

  it('by a server without the device is told on both sides', async () => {
    const server = await serving([], { UCX_NET_DEVICES: 'none0', UCX_TLS: 'tcp' });
    await assertRefused(server, client(server, ['-t', 'tag_lat'], { UCX_TLS: 'tcp' }));
  });

  it('because the sides have nothing in common is told on both', async () => {
    const server = await serving([], { UCX_TLS: 'posix' });
    await assertRefused(server, client(server, ['-t', 'tag_lat'], { UCX_TLS: 'tcp' }));
  });

  async function assertRefused({ run }: Server, other: Run): Promise<void> {
    const ends = await Promise.all([run.ended, other.ended]);
    for (const ended of ends) {
      assert.isFalse(ended.hung, ended.report);
      assert.equal(ended.code, EXIT.refused, ended.report);
      assert.lengthOf(sentences(ended.stderr), 1, ended.report);
    }
  }
});

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`ucx_perftest under the launcher of ${mpi}`, () => {
    const where = { mpi, pml: 'ob1', place: unbound({ mpi }) } as const;

    it('refuses an odd number of ranks', async () => {
      const launched = await launch(PERFTEST, ['-t', 'tag_lat', '-n', '10'], { ...where, np: 3 });
      assert.isFalse(launched.hung, launched.report);
      assert.notEqual(launched.code, 0, launched.report);
      const told = 'ranks work in pairs, and this run has 3: start it with an even number, or with -l';
      assert.include(sentences(launched.stderr), told);
      assert.equal(launched.strays, 0);
    });

    it('tells a wrong option once', async () => {
      const launched = await launch(PERFTEST, ['-t', 'no_such_test'], where);
      assert.equal(launched.code, EXIT.wrongOption, launched.report);
      assert.lengthOf(launched.stderr.match(/Invalid option argument for -t/g) ?? [], 1, launched.report);
    });
  });
}

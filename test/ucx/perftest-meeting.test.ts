/** Two sides of ucx_perftest that can't do together what they should, and a client that finds no server. */
import { assert } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect, listen } from '../../src/engine/control.js';
import { clearCancel } from '../../src/engine/operations.js';
import { describeUnder, launch, unbound } from '../launch/mpirun.js';
import { assertServes, client, endAll, runs, serving, waiting } from './perftest-peers.js';
import { EXIT, freePort, PERFTEST, Run, sentences, type Server } from './perftest.js';

afterEach(endAll);
// The peers of these tests are in this process: what gives up on them cancels all that it runs.
afterEach(clearCancel);

const fake = (protocol: number): string => JSON.stringify({ program: 'ucx_perftest', protocol, version: '99.0.0' });
const OTHER =
  /^the other side is ucx_perftest of fabricbench 99\.0\.0 with protocol 999, and this is ucx_perftest of \S+ with protocol \d+: run the same version on both$/;

describe('ucx_perftest of another version', () => {
  it('is refused by a server, which goes on', async () => {
    const server = await serving();
    const peer = connect({ host: '127.0.0.1', port: server.port });
    peer.send(fake(999));
    // Its greeting may be overtaken by its giving up.
    assert.throws(() => {
      for (;;) assert.property(JSON.parse(peer.receive({ timeoutSeconds: 30 })), 'protocol');
    }, /run the same version on both/);
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

/** The dialogue with a stock perftest, ours with ours: over TCP of this host, one side in a process of its own. */
import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  clearCancel,
  connectRaw,
  ControlError,
  listenRaw,
  nativeExecutor,
  noop,
  OperationError,
  type RawConnection,
  type RawListener,
} from '../../src/engine/index.js';
import { stockExchange, type StockOptions } from '../../src/bench/perftest/stock-peer.js';
import { StockWireError } from '../../src/bench/perftest/stock-wire.js';
import { caseFile } from './run-case.js';
import { runOneSide, tests, type Told } from './cases/stock-side.js';

const opened: { close(): void }[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) one.close();
  clearCancel();
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
});

function listening(): RawListener {
  const listener = listenRaw({ port: 0 });
  opened.push(listener);
  return listener;
}

function accepted(listener: RawListener): RawConnection {
  const connection = listener.accept({ timeout: 30 });
  if (connection === null) throw new Error('nobody has connected');
  opened.push(connection);
  return connection;
}

/** A process that does `scenario` as the client of this one, and this side of the connection. */
function withChild(...scenario: readonly string[]): { child: ChildProcess; connection: RawConnection } {
  const listener = listening();
  const child = spawn(process.execPath, [caseFile('stock-peer'), String(listener.port), ...scenario]);
  children.push(child);
  return { child, connection: accepted(listener) };
}

async function output(child: ChildProcess): Promise<string> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (text += piece.toString()));
  await once(child, 'close');
  return text;
}

const latency: StockOptions = { verb: 'send', kind: 'lat', bidirectional: false, all: false, duration: false };
const facts = { pageSize: 4096, cacheLine: 64, mtu: 4096 } as const;

describe('the dialogue with a stock perftest', () => {
  for (const [name, options] of Object.entries(tests)) {
    it(`goes through the same steps on both sides: ${name}`, async () => {
      const { child, connection } = withChild(name);
      const said = output(child);
      const here = runOneSide(connection, 'server', options);
      const there = JSON.parse(await said) as Told;
      // The smaller MTU, the greater page and cache line; each the other's queue pairs and figures.
      expect([here.mtu, here.pageSize, here.cacheLine]).to.deep.equal([1024, 65536, 128]);
      expect([there.mtu, there.pageSize, there.cacheLine]).to.deep.equal([1024, 65536, 128]);
      const qps = options.kind === 'lat' ? 1 : 2;
      expect(here.qpns).to.deep.equal(Array.from({ length: qps }, (_, index) => 200 + index));
      expect(there.qpns).to.deep.equal(Array.from({ length: qps }, (_, index) => 100 + index));
      const bothWays = options.kind === 'bw' && options.bidirectional && !(options.verb === 'send' && options.duration);
      const each = bothWays ? (options.all ? ['2', '4', '8'] : ['8']) : [];
      const alone = options.kind === 'bw' && options.verb !== 'send' && !options.bidirectional;
      expect(here.reports).to.deep.equal(alone ? ['200 of 8'] : each.map((size) => `200 of ${size}`));
      expect(there.reports).to.deep.equal(each.map((size) => `100 of ${size}`));
    });
  }

  it('says who has told nothing, and what', () => {
    const { connection } = withChild('silence');
    const dialogue = stockExchange(connection, 'server', { ...latency, stepSeconds: 0.2 });
    expect(() => dialogue.greet(facts)).to.throw(
      ControlError,
      /has sent 0 of 16 bytes within 0\.2 s where it should tell its version: see what it says itself/,
    );
  });

  it('tells a peer that runs another test', () => {
    const { connection } = withChild('send bw');
    const dialogue = stockExchange(connection, 'server', { ...latency, verb: 'write', kind: 'bw', stepSeconds: 10 });
    dialogue.greet(facts);
    const gid = new Uint8Array(16);
    dialogue.exchangeKeys([{ lid: 0, outReads: 1, qpn: 1, psn: 1, rkey: 1, address: 1n, gid, srqn: 0 }]);
    dialogue.connected();
    // A bandwidth test of sends goes on with a record where one of writes tells figures.
    expect(() => dialogue.afterAll(null)).to.throw(StockWireError, /tells figures that can't be/);
  });

  it('refuses what is no perftest, and versions that are too old', () => {
    for (const [scenario, text] of [
      ['web', /begins with "GET \/ HTTP/],
      ['old', /perftest 5\.60, which exchanges other things/],
    ] as const) {
      const { connection } = withChild(scenario);
      const dialogue = stockExchange(connection, 'server', latency);
      expect(() => dialogue.greet(facts)).to.throw(StockWireError, text);
    }
  });

  it("ends what executes when the peer is killed, and not when it isn't watched", async () => {
    const { child, connection } = withChild('silence');
    connection.watch(true);
    child.kill('SIGKILL');
    const run = nativeExecutor.start({ timed: [noop()] });
    const error = (() => {
      try {
        for (;;) run.advance({ iterations: 1_000_000 });
      } catch (failure) {
        return failure;
      }
    })();
    expect(error).to.be.instanceOf(OperationError);
    expect((error as Error).message).to.match(/cancelled: (the peer|the connection)/);
    clearCancel();
    const second = withChild('silence');
    second.child.kill('SIGKILL');
    await once(second.child, 'exit');
    expect(() => second.connection.read(1)).to.throw(ControlError, /ended|broke/);
    expect(() => {
      second.connection.watch(true);
    }).to.throw(ControlError);
  });
});

describe('a connection of bytes', () => {
  it('carries bytes as they are, in any pieces', () => {
    const listener = listening();
    const client = connectRaw({ host: '127.0.0.1', port: listener.port });
    opened.push(client);
    const server = accepted(listener);
    const all = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    client.write(all.subarray(0, 7));
    client.write(all.subarray(7));
    expect(server.read(3)).to.deep.equal(Buffer.from(all.subarray(0, 3)));
    expect(server.read(99_997)).to.deep.equal(Buffer.from(all.subarray(3)));
    expect(server.read(0)).to.have.length(0);
    expect(server.peer).to.match(/^127\.0\.0\.1:\d+$/);
    server.write(Buffer.from('last words'));
    server.close();
    expect(Buffer.from(client.read(10)).toString()).to.equal('last words');
    expect(() => client.read(1)).to.throw(ControlError, /has ended the connection/);
    expect(() => server.write(all)).to.throw(ControlError, 'this side has closed the connection');
  });

  it('checks its arguments, and names who refuses', async () => {
    const listener = listening();
    const { port } = listener;
    const client = connectRaw({ host: '127.0.0.1', port });
    opened.push(client);
    accepted(listener);
    expect(() => client.read(-1)).to.throw(RangeError);
    expect(() => {
      client.write('text' as unknown as Uint8Array);
    }).to.throw(TypeError, 'bytes must be a Uint8Array');
    expect(listener.accept({ timeout: 0.05 })).to.equal(null);
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const free = (gone.address() as AddressInfo).port;
    gone.close();
    await once(gone, 'close');
    expect(() => connectRaw({ host: '127.0.0.1', port: free })).to.throw(ControlError, /nobody listens/);
  });
});

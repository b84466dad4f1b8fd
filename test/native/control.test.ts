import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect as rawConnect, createServer } from 'node:net';
import {
  clearCancel,
  connect,
  ControlError,
  jsExecutor,
  listen,
  nativeExecutor,
  noop,
  startThreads,
  until,
  type Connection,
  type Listener,
} from '../../src/engine/index.js';
import { OperationError } from '../../src/engine/errors.js';
import { tcpRendezvous } from '../../src/rendezvous/tcp.js';
import { caseFile } from './run-case.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
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

function listening(options: { ipv6?: boolean } = {}): Listener {
  const listener = listen({ port: 0, ...options });
  opened.push(listener);
  return listener;
}

function accepted(listener: Listener): Connection {
  const connection = listener.accept({ timeout: 30 });
  if (connection === null) throw new Error('nobody has connected');
  opened.push(connection);
  return connection;
}

/** Both ends in this process. */
function pair(): [Connection, Connection] {
  const listener = listening();
  const client = connect({ host: '127.0.0.1', port: listener.port });
  opened.push(client);
  return [accepted(listener), client];
}

/** A process that runs a scenario of cases/control.ts, and this side of its connection. */
function withChild(scenario: string): { child: ChildProcess; connection: Connection } {
  const listener = listening();
  const child = spawn(process.execPath, [caseFile('control'), scenario, String(listener.port)]);
  children.push(child);
  return { child, connection: accepted(listener) };
}

async function output(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()));
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return text;
}

function thrown<E extends Error>(type: new (...args: never[]) => E, action: () => unknown): E {
  try {
    action();
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const CANCELLED = -(2 ** 31);

describe('control connection: making one', () => {
  it('tells each side whom it talks to', () => {
    const listener = listening();
    const client = connect({ host: 'localhost', port: listener.port });
    opened.push(client);
    expect(client.peer).to.equal(`127.0.0.1:${listener.port}`);
    expect(accepted(listener).peer).to.match(/^127\.0\.0\.1:\d+$/);
    expect(client.lost).to.equal(null);
  });

  it('works over IPv6', function () {
    let listener: Listener;
    try {
      listener = listening({ ipv6: true });
    } catch {
      this.skip(); // a host without it
    }
    const client = connect({ host: '::1', port: listener.port, ipv6: true });
    opened.push(client);
    expect(client.peer).to.equal(`[::1]:${listener.port}`);
    client.send('six');
    expect(accepted(listener).receive()).to.equal('six');
  });

  it('says why there is none', () => {
    const listener = listening();
    const inUse = thrown(ControlError, () => listen({ port: listener.port }));
    expect(inUse).to.include({ name: 'ControlError', reason: 'in-use' });
    expect(inUse.message).to.match(new RegExp(`^port ${listener.port} is in use: choose another`));
    listener.close();
    const { port } = listener;
    const refused = thrown(ControlError, () => connect({ host: '127.0.0.1', port }));
    expect(refused.reason).to.equal('refused');
    expect(refused.message).to.equal(`nobody listens at 127.0.0.1 port ${port}: start the server there first`);
    const unknown = thrown(ControlError, () => connect({ host: 'no-such-host.invalid', port }));
    expect(unknown.reason).to.equal('unknown-host');
    expect(unknown.message).to.match(
      /^no IPv4 address is known for the host no-such-host\.invalid \(.+\): check its name$/,
    );
    expect(thrown(ControlError, () => listener.accept()).reason).to.equal('closed');
  });

  it('gives a port back at once', () => {
    const first = listening();
    const client = connect({ host: '127.0.0.1', port: first.port });
    opened.push(client);
    const server = accepted(first);
    first.close();
    server.close();
    client.close();
    const again = listen({ port: first.port });
    opened.push(again);
    expect(again.port).to.equal(first.port);
  });

  it('waits for a client only as long as it is to', () => {
    const start = performance.now();
    expect(listening().accept({ timeout: 0.15 })).to.equal(null);
    expect(performance.now() - start).to.be.at.least(149);
    expect(listening().accept({ timeout: 0 })).to.equal(null);
  });

  it('gives up on a host that does not answer', async () => {
    // A full backlog leaves further callers without an answer.
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
    opened.push(server);
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const attempt = (): ControlError | undefined => {
      try {
        opened.push(connect({ host: '127.0.0.1', port, timeout: 0.3 }));
      } catch (error) {
        return error as ControlError;
      }
      return undefined;
    };
    let error: ControlError | undefined;
    for (let callers = 0; callers < 10 && error === undefined; callers++) error = attempt();
    expect(error?.reason).to.equal('timeout');
    expect(error?.message).to.equal(`127.0.0.1 port ${port} has not answered within 0.3 s`);
  });

  it('refuses what makes no sense', () => {
    for (const port of [-1, 70000, 1.5]) expect(() => listen({ port })).to.throw(RangeError, /^port must be/);
    expect(() => connect({ host: 'localhost', port: 0 })).to.throw(RangeError, /^port must be/);
    expect(() => listening().accept({ timeout: NaN })).to.throw(RangeError, /^timeout must be/);
  });
});

describe('control connection: texts', () => {
  it('come in order, whatever they hold', () => {
    const [server, client] = pair();
    const texts = ['', 'a', 'grüße 🙂\u0000x', JSON.stringify({ a: [1, 2] }), 'x'.repeat(3_000_000)];
    for (const text of texts) client.send(text);
    expect(texts.map(() => server.receive())).to.deep.equal(texts);
    server.send('back');
    expect(client.receive({ timeoutSeconds: 10 })).to.equal('back');
  });

  it('pass through another process', async () => {
    const { child, connection } = withChild('echo');
    for (let i = 0; i < 50; i++) {
      connection.send(`text ${i}`);
      expect(connection.receive()).to.equal(`text ${i}`);
    }
    connection.send('end');
    expect(thrown(ControlError, () => connection.receive()).reason).to.equal('closed');
    expect(connection.lost).to.match(/^the peer \(127\.0\.0\.1:\d+\) has closed the connection$/);
    await output(child);
    expect(child.exitCode).to.equal(0);
  });

  it('may be too long', () => {
    const [server, client] = pair();
    const most = 'x'.repeat(64 * 2 ** 20);
    expect(thrown(ControlError, () => client.send(`${most}x`)).reason).to.equal('too-long');
    client.send(most);
    expect(server.receive().length).to.equal(most.length);
  });

  it('may not come in time', () => {
    const [server] = pair();
    const error = thrown(ControlError, () => server.receive({ timeoutSeconds: 0.1 }));
    expect(error.reason).to.equal('timeout');
    expect(error.message).to.match(/has sent nothing for 0\.1 s$/);
    expect(server.lost).to.equal(null);
  });
});

describe('control connection: its end', () => {
  it('in good order is no failure: what was sent before still comes', async () => {
    const { child, connection } = withChild('leave');
    await output(child);
    expect(child.exitCode).to.equal(0);
    expect(connection.receive()).to.equal('last words');
    expect(thrown(ControlError, () => connection.receive()).reason).to.equal('closed');
    expect(thrown(ControlError, () => connection.send('x')).reason).to.equal('closed');
    const wait = until(connection.signalled(), []);
    wait();
    expect(thrown(OperationError, wait).text).to.match(/^the peer \(.+\) has closed the connection$/);
    expect(() => nativeExecutor.start({ timed: [noop()] }).advance({ iterations: 1 })).not.to.throw();
  });

  it('is known on both sides', () => {
    const [server, client] = pair();
    server.close();
    server.close();
    expect(server.lost).to.equal('this side has closed the connection');
    expect(thrown(ControlError, () => client.receive()).reason).to.equal('closed');
    expect(thrown(ControlError, () => server.receive()).reason).to.equal('closed');
    client.close();
  });

  for (const executor of [nativeExecutor, jsExecutor]) {
    it(`by an abort ends what waits (${executor.name} executor)`, () => {
      const { connection } = withChild('abort');
      const run = executor.start({ timed: [until(connection.signalled(), [noop()])] });
      connection.send('go');
      const error = thrown(OperationError, () => run.advance({ iterations: 1 }));
      expect(error.text).to.match(/the peer \(127\.0\.0\.1:\d+\) has given up: the disk is full$/);
      run.finish();
      expect(thrown(ControlError, () => connection.receive())).to.include({ reason: 'aborted' });
    });

    it(`without a word ends what waits (${executor.name} executor)`, () => {
      const { connection } = withChild('vanish');
      const run = executor.start({ timed: [test.spin()] });
      connection.send('go');
      const error = thrown(OperationError, () => run.advance({ iterations: 1 }));
      expect(error.code).to.equal(CANCELLED);
      expect(error.text).to.match(/^it was cancelled: the peer \(127\.0\.0\.1:\d+\) has ended without a word$/);
      run.finish();
      expect(thrown(ControlError, () => connection.receive()).reason).to.equal('lost');
    });
  }

  it('ends what waits on threads, and operations that JavaScript calls', () => {
    const { connection } = withChild('vanish');
    const run = startThreads([{ timed: [test.spin()] }, { timed: [noop()] }]);
    connection.send('go');
    expect(thrown(OperationError, () => run.advance({ iterations: 1e12 })).text).to.match(/has ended without a word$/);
    run.finish();
    expect(thrown(OperationError, test.spin()).text).to.match(/has ended without a word$/);
  });

  it('is no good order where a process exits without closing', () => {
    const { connection } = withChild('exit');
    connection.send('go');
    expect(thrown(ControlError, () => connection.receive()).reason).to.equal('lost');
    expect(thrown(ControlError, () => connection.send('x')).reason).to.equal('lost');
  });

  it('is told to a peer that waits in a native operation', async () => {
    const { child, connection } = withChild('wait');
    expect(connection.receive()).to.equal('waiting');
    connection.abort('enough');
    expect(connection.lost).to.equal('this side has given up: enough');
    expect(thrown(ControlError, () => connection.send('x')).reason).to.equal('aborted');
    const [first, second] = (await output(child)).split('\n');
    expect(first).to.match(/^\w+ failed in iteration 0: .*the peer \(127\.0\.0\.1:\d+\) has given up: enough/);
    expect(second).to.match(/has given up: enough$/);
  });

  it('comes for a peer that speaks otherwise', async () => {
    const listener = listening();
    const stranger = rawConnect(listener.port, '127.0.0.1');
    await once(stranger, 'connect');
    const connection = accepted(listener);
    stranger.write('GET / HTTP/1.1\r\n\r\n');
    await once(stranger, 'close');
    const error = thrown(ControlError, () => connection.receive());
    expect(error.reason).to.equal('lost');
    expect(error.message).to.match(/does not speak fabricbench's protocol/);
  });

  for (const [scenario, signal] of [
    ['accept', 'SIGTERM'],
    ['accept', 'SIGINT'],
    ['receive', 'SIGTERM'],
  ] as const) {
    it(`comes by ${signal} while a process waits in ${scenario}`, async () => {
      const listener = listening();
      const child = spawn(process.execPath, [caseFile('control'), scenario, String(listener.port)]);
      children.push(child);
      await once(child.stdout, 'data');
      child.kill(signal);
      await once(child, 'exit');
      expect(child.signalCode).to.equal(signal);
    });
  }
});

describe('control connection: signals', () => {
  it('are counted, each for one test', () => {
    const [server, client] = pair();
    const test1 = server.signalled();
    expect(thrown(OperationError, test1).text).to.equal('it is not complete yet');
    const signal = client.signal();
    for (let i = 0; i < 3; i++) signal();
    const wait = until(server.signalled(), [noop()]);
    for (let i = 0; i < 3; i++) wait();
    expect(thrown(OperationError, test1).text).to.equal('it is not complete yet');
  });

  it('make barriers in which progress is made', async () => {
    const { child, connection } = withChild('barriers');
    const meeting = tcpRendezvous(connection, 0);
    const progress = test.count();
    const run = nativeExecutor.start({ timed: [meeting.progressBarrier?.(progress) ?? noop()] });
    run.advance({ iterations: 200 });
    meeting.barrier();
    run.finish();
    expect(test.counted(progress).executed).to.be.at.least(200 * 64);
    meeting.close();
    await output(child);
    expect(child.exitCode).to.equal(0);
  });
});

describe('rendezvous over TCP', () => {
  /** What both ranks of a pair return; the first speaks before the second, and reads after it. */
  it('agrees as the others do', () => {
    const [server, client] = pair();
    const first = tcpRendezvous(server, 0);
    const second = tcpRendezvous(client, 1);
    expect([first.kind, first.rank, first.size, second.rank]).to.deep.equal(['tcp', 0, 2, 1]);
    expect(second.gather({ a: 1 })).to.deep.equal([]);
    expect(first.gather({ b: undefined, c: 2 })).to.deep.equal([{ c: 2 }, { a: 1 }]);
    expect(first.broadcast(['x'])).to.deep.equal(['x']);
    expect(second.broadcast(null)).to.deep.equal(['x']);
    expect(second.broadcast('y', 1)).to.equal('y');
    expect(first.broadcast('', 1)).to.equal('y');
    const numbers = Float64Array.of(0.1, -0, NaN, Infinity, 5e-324);
    expect(second.gatherNumbers(numbers.subarray(1))).to.deep.equal([]);
    const all = first.gatherNumbers(numbers);
    expect(all.map((each) => [...each])).to.deep.equal([[...numbers], [...numbers.subarray(1)]]);
  });

  it('says so where the two are at different places', () => {
    const [server, client] = pair();
    const second = tcpRendezvous(client, 1);
    second.gather(1);
    expect(() => tcpRendezvous(server, 0).broadcast(0, 1)).to.throw(
      'the peer is at gather where this side is at broadcast',
    );
  });

  it('ends with the connection', async () => {
    const { child, connection } = withChild('abort-run');
    const meeting = tcpRendezvous(connection, 0);
    const error = thrown(ControlError, () => {
      meeting.barrier();
      meeting.allgather(1);
    });
    expect(error.reason).to.equal('aborted');
    expect(error.message).to.match(/has given up: it ended with exit code 3$/);
    await output(child);
    expect(child.exitCode).to.equal(3);
  });
});

/** Connections by rdma_cm, each with a process at its other end. Runs in the Soft-RoCE machine. */
import { expect } from 'chai';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clearCancel, ControlError, nativeExecutor, noop, OperationError } from '../../src/engine/index.js';
import { cmRendezvous } from '../../src/rendezvous/cm.js';
import { rdmaCm, type CmId, type CmListener } from '../../src/verbs/index.js';
import { texts, walkThrough, type Walked } from './cases/cm-rendezvous.js';
import { asServer, hear, HOST, say } from './cases/cm-side.js';
import { begin, type Running } from './processes.js';

const file = join(dirname(fileURLToPath(import.meta.url)), 'cases', 'cm.js');
const opened: { close(): void }[] = [];
const running: Running[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) one.close();
  clearCancel();
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

/** A process that is this one's client. */
function client(port: number, scenario: string): Running {
  const one = begin([process.execPath, file, String(port), scenario], { limit: 60 });
  running.push(one);
  return one;
}

async function said<T>({ ended }: Running): Promise<T> {
  const { code, stdout, report } = await ended;
  expect(code, report).to.equal(0);
  return JSON.parse(stdout) as T;
}

function listening(ud = false): CmListener {
  const listener = rdmaCm().listen({ port: 0 }, { ud });
  opened.push(listener);
  return listener;
}

function asked(listener: CmListener): CmId {
  const id = listener.accept({ timeout: 40 });
  if (id === null) throw new Error('nobody has asked');
  return id;
}

function failure(action: () => unknown): ControlError {
  try {
    action();
  } catch (error) {
    if (error instanceof ControlError) return error;
    throw error;
  }
  throw new Error('it has not failed');
}

/** Executes until it is cancelled. */
function cancelled(): OperationError {
  const run = nativeExecutor.start({ timed: [noop()] });
  try {
    for (;;) run.advance({ iterations: 1_000_000 });
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
}

describe('connections by rdma_cm', () => {
  for (const type of ['RC', 'UD'] as const) {
    it(`carry messages both ways between two processes: ${type}`, async () => {
      const listener = listening(type === 'UD');
      const other = client(listener.port, type);
      const met = asServer(asked(listener), type);
      expect(met.heard).to.equal('from the client');
      expect(met.id.context.device.name).to.equal('rxe0');
      expect(met.id.port).to.equal(1);
      expect(met.made.qp.state()).to.equal('RTS');
      say(met, 'a word');
      expect(hear(met)).to.equal('the client has heard: a word');
      const told = await said<{ heard: string; text: string; peer: string }>(other);
      expect(told).to.deep.equal({ heard: 'from the server', text: 'a word', peer: `${HOST}:${listener.port}` });
      if (type === 'RC') expect(met.id.gone()).to.match(/^the peer \(10\.9\.0\.1:\d+\) has disconnected$/);
      expect(() => met.id.destroy()).to.throw('destroy its queue pair first');
      met.made.close();
      expect(() => met.id.gone()).to.throw('the connection by rdma_cm was destroyed');
    });
  }

  it('are refused with a reason', async () => {
    const listener = listening();
    const other = client(listener.port, 'refused');
    const id = asked(listener);
    id.reject('all places are taken');
    id.destroy();
    const told = await said<{ name: string; reason: string; text: string }>(other);
    expect(told).to.deep.equal({
      name: 'ControlError',
      reason: 'aborted',
      text: `${HOST} port ${listener.port} has rejected the connection: all places are taken`,
    });
  });

  it('say what is wrong, and how to mend it', () => {
    const cm = rdmaCm();
    const listener = listening();
    expect(listener.accept({ timeout: 0.1 })).to.equal(null);
    const inUse = failure(() => cm.listen({ port: listener.port }, { ud: false }));
    expect([inUse.reason, inUse.message]).to.deep.equal([
      'in-use',
      `port ${listener.port} is in use by rdma_cm: choose another port, or end what listens there`,
    ]);
    const port = listener.port;
    listener.close();
    for (const ud of [false, true]) {
      const id = cm.resolve({ host: HOST, port }, { ud, timeout: 10 });
      const refused = failure(() => id.connect({ responderResources: 0, initiatorDepth: 0, timeout: 20 }));
      expect([refused.reason, refused.message]).to.deep.equal([
        'refused',
        `nobody listens at ${HOST} port ${port} with rdma_cm: start the server there first`,
      ]);
      id.destroy();
    }
    const timeout = 10;
    const unknown = failure(() => cm.resolve({ host: 'no.such.host.invalid', port: 1 }, { ud: false, timeout }));
    expect(unknown.reason).to.equal('unknown-host');
    expect(unknown.message).to.match(
      /^no IPv4 address is known for the host no\.such\.host\.invalid \(.*check its name$/,
    );
    const nowhere = failure(() => cm.resolve({ host: '192.0.2.7', port: 1 }, { ud: false, timeout }));
    expect(nowhere.reason).to.equal('unreachable');
    expect(nowhere.message).to.match(/192\.0\.2\.7 port 1/);
    const source = failure(() => cm.resolve({ host: HOST, port: 1, source: '192.0.2.8' }, { ud: false, timeout }));
    expect(source.message).to.match(/source 192\.0\.2\.8/);
    const local = failure(() => cm.listen({ host: '192.0.2.9', port: 0 }, { ud: false }));
    expect(local.message).to.match(/192\.0\.2\.9/);
  });

  it('check their arguments', () => {
    const cm = rdmaCm();
    const at = { host: HOST, port: 4711 };
    const options = { ud: false, timeout: 5 };
    expect(() => cm.resolve({ ...at, port: 0 }, options)).to.throw(RangeError, /port/);
    expect(() => cm.resolve({ ...at, tos: 256 }, options)).to.throw(RangeError, /tos/);
    expect(() => cm.resolve({ ...at, qpTimeout: 32 }, options)).to.throw(RangeError, /qpTimeout/);
    const id = cm.resolve(at, options);
    const limits = { responderResources: 1, initiatorDepth: 1 };
    expect(() => id.connect({ ...limits, privateData: new Uint8Array(57) })).to.throw(RangeError, /0 to 56/);
    expect(() => id.connect({ ...limits, initiatorDepth: 256 })).to.throw(RangeError, /initiatorDepth/);
    expect(() => id.udPeer(id.context.allocPd())).to.throw(TypeError, /datagrams/);
    const { context } = id;
    const pd = context.allocPd();
    const cq = context.createCq({ entries: 4 });
    const qp = { sendCq: cq, recvCq: cq, maxSendWr: 1, maxRecvWr: 1 };
    expect(() => id.createQp(pd, { ...qp, type: 'UD' })).to.throw(RangeError, 'makes RC, not UD');
    cq.destroy();
    pd.dealloc();
    id.destroy();
  });

  it('notice a peer that is killed', async () => {
    const listener = listening();
    const other = client(listener.port, 'stay');
    const met = asServer(asked(listener), 'RC');
    expect(met.id.gone()).to.equal(null);
    other.child.kill('SIGKILL');
    await once(other.child, 'exit');
    let gone = met.id.gone();
    for (let tries = 0; gone === null && tries < 100; ++tries) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      gone = met.id.gone();
    }
    expect(gone).to.match(/has disconnected/);
    met.made.close();
  });
});

describe('texts by rdma_cm', () => {
  it('are a rendezvous, long ones too', async () => {
    const listener = rdmaCm().listenTexts({ port: 0 });
    opened.push(listener);
    const other = client(listener.port, 'rendezvous');
    const connection = listener.accept({ timeout: 40 });
    if (connection === null) throw new Error('nobody has asked');
    expect(connection.peer).to.match(/^10\.9\.0\.1:\d+$/);
    const here = walkThrough(cmRendezvous(connection, 1), texts.server);
    const there = await said<Walked>(other);
    const both = { kind: 'rdma_cm', lengths: [texts.client.length, texts.server.length], same: true, passed: 20 };
    const broadcast = ['client', 'server'];
    expect(here).to.deep.equal({ ...both, broadcast, gathered: [], numbers: [] });
    expect(there).to.deep.equal({ ...both, broadcast, gathered: [10, 11], numbers: [0, Math.PI, 1, Math.PI] });
    expect(connection.lost).to.match(/closed the connection/);
  });

  it('end what executes when the peer is killed', async () => {
    const listener = rdmaCm().listenTexts({ port: 0 });
    opened.push(listener);
    const other = client(listener.port, 'stay with texts');
    const connection = listener.accept({ timeout: 40 });
    if (connection === null) throw new Error('nobody has asked');
    expect(connection.receive({ timeoutSeconds: 20 })).to.equal('here');
    other.child.kill('SIGKILL');
    expect(cancelled().text).to.match(/the peer \(10\.9\.0\.1:\d+\) has ended without a word/);
    expect(failure(() => connection.receive()).reason).to.equal('lost');
    await other.ended;
  });

  it('tell why a peer has given up', async () => {
    const listener = rdmaCm().listenTexts({ port: 0 });
    opened.push(listener);
    const other = client(listener.port, 'abort');
    const connection = listener.accept({ timeout: 40 });
    if (connection === null) throw new Error('nobody has asked');
    expect(cancelled().text).to.match(/has given up: it ended with exit code 3/);
    expect(failure(() => connection.receive()).reason).to.equal('aborted');
    expect((await other.ended).code).to.equal(3);
    clearCancel();
  });

  it('are refused like connections', () => {
    const cm = rdmaCm();
    const refused = failure(() => cm.connectTexts({ host: HOST, port: 4712 }, { timeout: 20 }));
    expect(refused.reason).to.equal('refused');
    const listener = cm.listenTexts({ port: 0 });
    expect(listener.accept({ timeout: 0.1 })).to.equal(null);
    listener.close();
    expect(failure(() => listener.accept({ timeout: 0.1 })).reason).to.equal('closed');
  });
});

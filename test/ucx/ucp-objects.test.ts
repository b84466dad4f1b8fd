import { expect } from 'chai';
import { join } from 'node:path';
import { EngineBuffer, nativeExecutor, releaseOperation, startThreads } from '../../src/engine/index.js';
import { runCase } from '../native/run-case.js';
import { projectRoot } from '../unit/project.js';
import { allTags, bind, bufferOf, filled, Pair } from './ucp-pair.js';

describe('objects of UCP', () => {
  let pair: Pair;
  beforeEach(() => {
    pair = new Pair('posix');
  });
  afterEach(() => {
    pair.close();
  });

  it('say what they are', () => {
    const { context, a } = pair;
    expect(context.query()).to.include({ threadMode: 'multi' });
    expect(context.query().memoryTypes).to.include('host');
    expect(context.query().requestSize).to.be.greaterThan(0);
    expect(context.resources()).to.deep.equal(['posix/memory']);
    expect(context.info()).to.include('UCP context');
    expect(a.worker.info()).to.include('UCP worker');
    expect(a.endpoint.info()).to.include('UCP endpoint');
    expect(a.worker.threadMode).to.equal('single');
    expect(a.inFlight).to.include({ limit: 64, count: 0 });
    expect(a.endpoint.failure()).to.be.null;
    const [lane] = a.endpoint.lanes();
    expect(lane?.name).to.equal('posix/memory');
    expect(lane?.uses).to.include('am');
  });

  it('refuse to go while others need them', () => {
    const { context, a } = pair;
    const { remote, memory } = pair.target(64);
    const message = { ...a, buffer: bufferOf(memory), length: 8 };
    expect(() => {
      a.endpoint.close();
    }).to.throw('ucp_ep_close_nbx: keys or channels of the endpoint live');
    const put = bind.put({ ...message, memory, remote });
    expect(() => {
      remote.key.destroy();
    }).to.throw('operations hold the key; release them first');
    expect(() => {
      a.endpoint.close();
    }).to.throw('operations hold the endpoint; release them first');
    expect(() => {
      memory.free();
    }).to.throw('an operation or memory region still holds it; release first');
    expect(() => {
      a.worker.destroy();
    }).to.throw('endpoints of the worker live');
    expect(() => {
      context.cleanup();
    }).to.throw('workers or memory of the context live');
    const own = filled(64);
    const registered = context.memMap({ buffer: own });
    expect(() => {
      own.free();
    }).to.throw('still holds it');
    registered.free();
    own.free();
    releaseOperation(put);
    expect(put).to.throw('released');
  });

  it('are gone when they are destroyed', () => {
    const memory = pair.context.memMap({ length: 5000 });
    const buffer = bufferOf(memory);
    const view = buffer.view();
    expect(view.byteLength).to.equal(5000);
    expect(view.every((byte) => byte === 0)).to.be.true;
    expect(buffer.address).to.equal(memory.address);
    expect(memory.address % 4096n).to.equal(0n);
    memory.free();
    expect(view.byteLength).to.equal(0);
    memory.free();
    expect(() => memory.packKey()).to.throw('the memory was destroyed');
    const worker = pair.context.workerCreate();
    worker.destroy();
    expect(() => worker.progress()).to.throw('the worker was destroyed');
    expect(() => {
      worker.destroy();
    }).to.throw('the worker was destroyed');
  });

  it('keep memory that calls in flight use, though their operations were released', () => {
    const { a, b, context } = pair;
    const length = 1 << 20;
    const [sending, receiving] = [context.memMap({ length }), context.memMap({ length })];
    const send = bind.tagSend({ ...a, buffer: bufferOf(sending), length, tag: 1n });
    send();
    releaseOperation(send);
    expect(() => {
      sending.free();
    }).to.throw('calls in flight use the memory; complete them first');
    expect(bufferOf(sending).freed).to.be.false;
    pair.run(bind.tagReceive({ ...b, buffer: bufferOf(receiving), length, memory: receiving, tag: 1n, mask: allTags }));
    pair.settle();
    pair.release();
    sending.free();
    receiving.free();
  });

  it('close by force only where errors are handled', () => {
    expect(() => {
      pair.a.endpoint.close({ force: true });
    }).to.throw(RangeError, "errorHandling 'peer'");
    expect(() => {
      pair.a.endpoint.close({ timeout: -1 });
    }).to.throw(RangeError, 'timeout');
  });

  it('wait for a place in the counter', () => {
    const { a, b } = pair;
    const inFlight = a.worker.inFlight(2);
    const buffer = filled(1 << 20);
    const into = EngineBuffer.allocate(1 << 20);
    const send = pair.bound(bind.tagSend({ ...a, buffer, length: 1 << 20, tag: 1n, inFlight }));
    const receive = pair.bound(bind.tagReceive({ ...b, buffer: into, length: 1 << 20, tag: 1n, mask: allTags }));
    const complete = pair.bound(bind.complete(b.worker, b.inFlight));
    send();
    send();
    expect(inFlight.count).to.equal(2);
    const run = startThreads([{ timed: [send] }, { timed: [receive, complete] }]);
    run.advance({ iterations: 10 });
    expect(inFlight.count).to.be.within(1, 2);
    run.finish();
    receive();
    receive();
    pair.until(() => inFlight.count === 0 && b.inFlight.count === 0);
  });

  for (const sleep of [false, true]) {
    it(`run blocking operations on threads${sleep ? ', asleep between events' : ''}`, () => {
      const { a, b } = pair;
      const messages = b.worker.amMessages({ id: 5 });
      const buffer = filled(64);
      const into = EngineBuffer.allocate(64);
      const one = { ...a, buffer, length: 64, blocking: true };
      const two = { ...b, buffer: into, length: 64, blocking: true, sleep };
      const sends = [
        bind.tagSend({ ...one, tag: 1n }),
        bind.tagSend({ ...one, tag: 1n, sync: true }),
        bind.streamSend(one),
        bind.streamSend(one),
        bind.amSend({ ...one, id: 5 }),
        bind.complete(a.worker, a.inFlight),
        bind.flush(a.endpoint),
      ];
      const receives = [
        bind.tagReceive({ ...two, tag: 1n, mask: allTags }),
        bind.tagReceive({ ...two, tag: 1n, mask: allTags, probe: true }),
        bind.streamReceive(two),
        bind.streamReceive({ ...two, data: true }),
        bind.amReceive(b.worker, messages, { sleep }),
        bind.complete(b.worker, b.inFlight, { sleep }),
      ];
      const run = startThreads([{ timed: sends }, { timed: receives }]);
      run.advance({ iterations: 50 });
      run.finish();
      expect(messages.arrived).to.equal(50);
      expect(Buffer.compare(into.view(), buffer.view())).to.equal(0);
      [...sends, ...receives].forEach(releaseOperation);
      messages.close();
    });
  }

  it('give up waiting when another program of the run fails, and can be used again', () => {
    const { a, b } = pair;
    const into = EngineBuffer.allocate(8);
    const receive = { ...b, buffer: into, length: 8, tag: 1n, mask: allTags, blocking: true };
    const waits = [
      bind.tagReceive(receive),
      bind.tagReceive({ ...receive, sleep: true }),
      bind.tagReceive({ ...receive, probe: true }),
      bind.streamReceive(receive),
      bind.waitByte(b.worker, { buffer: into, offset: 0 }),
    ].map((operation) => pair.bound(operation));
    // The handler of active messages refuses what is too long for it: that fails the other program.
    const tooLong = new Uint8Array(100);
    for (const wait of waits) {
      const messages = a.worker.amMessages({ id: 1, into: new Uint8Array(1) });
      pair.run(bind.amSend({ ...b, buffer: tooLong, length: 100, id: 1 }));
      pair.settle();
      const failing = bind.amReceive(a.worker, messages);
      const run = startThreads([{ timed: [failing] }, { timed: [wait] }]);
      expect(() => run.advance({ iterations: 1 })).to.throw('Message truncated');
      run.finish();
      releaseOperation(failing);
      messages.close();
    }
    const sent = filled(8, 77);
    pair.run(bind.tagSend({ ...a, buffer: sent, length: 8, tag: 1n }));
    const run = nativeExecutor.start({ timed: waits.slice(0, 1) });
    run.advance({ iterations: 1 });
    run.finish();
    expect(Buffer.compare(into.view(), sent.view())).to.equal(0);
  });

  it('tell the protocol of an operation that was asked for it', () => {
    const { a, b } = pair;
    const buffer = filled(64);
    const send = pair.bound(bind.tagSend({ ...a, buffer, length: 64, tag: 1n }));
    const blocking = pair.bound(bind.tagSend({ ...a, buffer, length: 64, tag: 1n, blocking: true }));
    for (const operation of [send, blocking]) {
      expect(bind.protocolOf(operation)).to.be.null;
      operation();
      operation();
      expect(bind.protocolOf(operation)).to.be.a('string').that.is.not.empty;
    }
    const into = EngineBuffer.allocate(64);
    const receive = pair.bound(bind.tagReceive({ ...b, buffer: into, length: 64, tag: 1n, mask: allTags }));
    for (let i = 0; i < 4; i++) receive();
    pair.settle();
    expect(a.inFlight.count).to.equal(0);
  });

  it('survive garbage collection in any order, with messages in flight', () => {
    const { code, signal, stdout, stderr } = runCase('../../ucx/cases/ucp-garbage', { node: ['--expose-gc'] });
    expect([code, signal, stdout], stderr).to.deep.equal([0, null, 'messages arrive: true\nbuffers go: true\n']);
  });

  it('live beside topologies, whose plugins stay: UCX crashes where libraries come and go', () => {
    const xml = join(projectRoot, 'test/fixtures/topologies/32em64t-2n8c2t-pci-normalio.xml');
    const { code, signal, stdout, stderr } = runCase('../../ucx/cases/topologies', { args: [xml] });
    expect([code, signal], stderr).to.deep.equal([0, null]);
    const { plugins, alone, beside } = JSON.parse(stdout) as Record<'plugins' | 'alone' | 'beside', string[]>;
    expect({ alone, beside }).to.deep.equal({ alone: [], beside: plugins });
  });
});

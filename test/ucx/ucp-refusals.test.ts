import { expect } from 'chai';
import { EngineBuffer, noop, OperationError } from '../../src/engine/index.js';
import { ucp, ucpChannel, type AtomicName, type UcpFeature } from '../../src/ucx/index.js';
import { allTags, bind, Pair } from './ucp-pair.js';

const buffer = EngineBuffer.allocate(64);

describe('UCP refuses', () => {
  let pair: Pair;
  before(() => {
    pair = new Pair('posix');
  });
  after(() => {
    pair.close();
  });

  it('settings that UCX does not have, or that say nothing', () => {
    const init = (config: Record<string, string>) => () => ucp().init({ features: ['TAG'], config });
    expect(init({ TLS: 'posix', NO_SUCH_THING: '1' })).to.throw(RangeError, 'UCX has no setting UCX_NO_SUCH_THING');
    expect(init({ ZCOPY_THRESH: 'much' })).to.throw(RangeError, "UCX_ZCOPY_THRESH can't be much: Invalid parameter");
    expect(init({ TLS: 'nonsense' }))
      .to.throw(OperationError, 'No such device')
      .with.property('stackName', 'ucp');
    const context = ucp().init({ features: ['TAG'], config: { TLS: 'tcp', TCP_TX_SEG_SIZE: '4k' } });
    expect(context.resources()).to.include('tcp/lo');
    context.cleanup();
  });

  it('features and modes that there are not, and calls without their feature', () => {
    const features = (names: readonly string[]) => () => ucp().init({ features: names as UcpFeature[] });
    expect(features(['TAGS'])).to.throw(RangeError, 'features must be one of TAG, RMA,');
    expect(features([])).to.throw(TypeError);
    const context = ucp().init({ features: ['RMA'], config: { TLS: 'posix' } });
    const worker = context.workerCreate({ threadMode: 'multi' });
    expect(worker.threadMode).to.equal('multi');
    expect(() => context.workerCreate({ threadMode: 'many' as 'multi' })).to.throw(RangeError, 'threadMode');
    expect(() => worker.amMessages({ id: 0 })).to.throw(RangeError, 'AM');
    const endpoint = worker.epCreate({ address: worker.address() });
    const message = { endpoint, worker, buffer, length: 8, inFlight: worker.inFlight() };
    expect(() => bind.tagSend({ ...message, tag: 0n })).to.throw(RangeError, 'tagSend needs the feature TAG');
    expect(() => bind.streamSend(message)).to.throw(RangeError, 'STREAM');
    expect(() => ucpChannel({ worker, endpoint, by: 'am', id: 0 })).to.throw(RangeError, 'AM');
    expect(() => bind.complete(worker, message.inFlight, { sleep: true })).to.throw(RangeError, 'WAKEUP');
    endpoint.close();
    worker.destroy();
    context.cleanup();
  });

  it('messages that do not fit', () => {
    const { a, b } = pair;
    const send =
      (length: number, more: object = {}) =>
      () =>
        bind.tagSend({ ...a, buffer, length, tag: 1n, ...more });
    expect(send(65)).to.throw(RangeError, 'the buffer has 64 bytes, too few for 65');
    expect(send(-1)).to.throw(RangeError, 'length');
    expect(send(1.5)).to.throw(RangeError, 'length');
    expect(send(8, { buffer: 'text' })).to.throw(TypeError, 'buffer must be');
    expect(send(8, { tag: 1 })).to.throw(TypeError, 'tag must be a bigint');
    expect(send(8, { tag: 1n << 64n })).to.throw(RangeError, 'tag');
    expect(send(8, { tag: -1n })).to.throw(RangeError, 'tag');
    expect(send(8, { pieces: { lengths: [4, 3], stride: 0 } })).to.throw(RangeError, '7 bytes together');
    expect(send(8, { pieces: { lengths: [4, 4], stride: 61 } })).to.throw(RangeError, 'from byte 61 on');
    expect(send(8, { pieces: { lengths: [], stride: 0 } })).to.throw(TypeError, 'pieces.lengths');
    expect(send(8, { inFlight: b.inFlight })).to.throw(TypeError, 'belongs to another worker');
    expect(send(8, { inFlight: {} })).to.throw(TypeError, 'inFlight');
    expect(send(8, { endpoint: {} })).to.throw(TypeError, 'endpoint');
    const memory = pair.context.memMap({ length: 4096 });
    expect(send(8, { memory })).to.throw(RangeError, 'does not lie in the registered memory');
    memory.free();
    expect(() => a.worker.inFlight(0)).to.throw(RangeError, 'limit');
  });

  it('streams of 0 bytes, headers without bytes, ids beyond 16 bits', () => {
    const { a } = pair;
    expect(() => bind.streamSend({ ...a, buffer, length: 0 })).to.throw(RangeError, '0 bytes');
    expect(() => bind.streamReceive({ ...a, buffer, length: 0 })).to.throw(RangeError, '0 bytes');
    const am = (more: object) => () => bind.amSend({ ...a, buffer, length: 8, id: 1, ...more });
    expect(am({ headerLength: 8 })).to.throw(TypeError, 'header');
    expect(am({ header: new Uint8Array(4), headerLength: 8 })).to.throw(RangeError, 'the header has 4 bytes');
    expect(am({ id: 65536 })).to.throw(RangeError, 'id');
    const messages = a.worker.amMessages({ id: 3 });
    expect(() => a.worker.amMessages({ id: 3 })).to.throw('handler of active messages with id 3 already');
    expect(() => bind.amReceive(pair.b.worker, messages)).to.throw(TypeError, 'another worker');
    messages.close();
    expect(() => bind.amReceive(a.worker, messages)).to.throw('the message handler was destroyed');
  });

  it('remote places and atomics that make no sense', () => {
    const { a, b } = pair;
    const target = pair.target(64);
    const { address, key } = target.remote;
    const foreign = b.endpoint.rkeyUnpack(target.memory.packKey());
    const put = (remote: unknown) => () =>
      bind.put({ ...a, buffer, length: 8, remote: remote as typeof target.remote });
    expect(put({ address, key: foreign })).to.throw(TypeError, 'another endpoint');
    expect(put({ address: Number(address), key })).to.throw(TypeError, 'the remote address must be a bigint');
    expect(put({ address, key: {} })).to.throw(TypeError, 'the remote key');
    const inPieces = { ...a, buffer, length: 8, pieces: { lengths: [4, 4], stride: 0 }, remote: { address, key } };
    expect(() => bind.put(inPieces)).to.throw(RangeError, 'put: UCX puts and gets no');
    expect(() => bind.get(inPieces)).to.throw(RangeError, 'get: UCX puts and gets no');
    foreign.destroy();
    expect(put({ address, key: foreign })).to.throw('the key was destroyed');
    const atomic = (more: object) => () =>
      bind.atomic({ ...a, remote: target.remote, name: 'add', size: 8, value: 1n, ...more });
    expect(atomic({ name: 'sub' as AtomicName })).to.throw(RangeError, 'name');
    expect(atomic({ size: 2 })).to.throw(RangeError, 'size');
    expect(atomic({ size: 4, value: 1n << 32n })).to.throw(RangeError, 'value');
    expect(atomic({ name: 'swap' })).to.throw(TypeError, 'swap needs a result');
    expect(atomic({ name: 'cswap', result: buffer })).to.throw(TypeError, 'compare');
    expect(atomic({ compare: 1n })).to.throw(TypeError, 'compare');
    expect(atomic({ result: new Uint8Array(4) })).to.throw(RangeError, 'the result has 4 bytes');
    expect(atomic({ remote: { address: address + 4n, key } })).to.throw(RangeError, 'multiple of');
    expect(() => bind.waitByte(b.worker, { buffer, offset: 64 })).to.throw(RangeError, 'the buffer');
    expect(() => a.endpoint.rkeyUnpack(new Uint8Array(0))).to.throw(RangeError, 'the packed key is empty');
    expect(() => a.worker.epCreate({ address: new Uint8Array(0) })).to.throw(RangeError, 'address is empty');
  });

  it('memory of types that are not here, and of no length', () => {
    const map = (length: number, memoryType: string) => () => pair.context.memMap({ length, memoryType });
    expect(map(64, 'cuda')).to.throw(RangeError, 'there is no memory of type cuda');
    expect(map(64, 'paper')).to.throw(RangeError, 'use host');
    expect(map(0, 'host')).to.throw(RangeError, 'length');
    expect(() => pair.context.memMap({ buffer: new Uint8Array(0) })).to.throw(RangeError, 'length');
  });

  it('to ask other operations for their protocol', () => {
    expect(() => bind.protocolOf(noop())).to.throw(TypeError, 'posts no single UCP call');
    expect(() => bind.protocolOf(pair.bound(bind.progress(pair.a.worker)))).to.throw(TypeError);
  });

  it('a message that is longer than its receive, at the next operation', () => {
    const { a, b } = pair;
    const receive = pair.bound(bind.tagReceive({ ...b, buffer, length: 8, tag: 9n, mask: allTags }));
    receive();
    pair.run(bind.tagSend({ ...a, buffer, length: 16, tag: 9n }));
    pair.settle();
    const complete = pair.bound(bind.complete(b.worker, b.inFlight));
    expect(complete).to.throw(OperationError, 'Message truncated').with.property('code', -9);
    complete();
  });
});

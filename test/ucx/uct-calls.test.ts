/** Every call and layout that this host's transports have, by two interfaces of one process. */
import { expect } from 'chai';
import { releaseOperation, startThreads } from '../../src/engine/index.js';
import { uctAtomicRefusal, uctBind, uctChannel, uctMost } from '../../src/ucx/index.js';
import type { AtomicName, Memory, Pieces, UctEp, UctLayout } from '../../src/ucx/index.js';
import { testOperations } from '../native/test-addon.js';
import { fillBytes, openPair, resourceOf, type Pair } from './uct-pair.js';

const test = testOperations();
const ROOM = 1 << 17;
const layouts: readonly UctLayout[] = ['short', 'shortiov', 'bcopy', 'zcopy'];

/** Sizes to try up to a limit, and the limit itself where it is not endless. */
function sizesUpTo(most: number, least: number): number[] {
  const sizes = [1, 8, 9, 64, 100, 1000, 4096, 8192, 65536, ROOM, most];
  return [...new Set(sizes.filter((size) => size >= least && size <= Math.min(most, ROOM)))];
}

/** Expects a call to be refused when it is bound. */
function expectNone(pair: Pair, call: 'am' | 'put' | 'get', layout: UctLayout, pieces?: Pieces): void {
  const { iface, endpoint } = pair.here;
  const memory = pair.there.iface.memAlloc(64);
  const remote = { address: memory.address, key: iface.rkeyUnpack(memory.packKey()) };
  const shape = { layout, length: 32, ...(pieces && { pieces }) };
  const request = { ...shape, endpoint, buffer: new Uint8Array(32), inFlight: iface.inFlight(), id: 1, remote };
  expect(() => uctBind()[call](request)).to.throw(
    RangeError,
    new RegExp(`has no ${call} ${layout}$|${call} ${layout} takes no pieces$`),
  );
  remote.key.release();
  memory.free();
}

function view(memory: Memory, length: number): Uint8Array {
  return memory.buffer?.view(0, length) ?? new Uint8Array();
}

for (const transport of ['posix', 'sysv', 'self', 'tcp', 'cma']) {
  describe(`UCT calls over ${transport}`, () => {
    let pair: Pair, source: Memory, target: Memory;

    before(function () {
      const resource = resourceOf(transport);
      if (resource === undefined) return this.skip();
      pair = openPair(resource);
      source = pair.here.iface.memAlloc(ROOM);
      target = pair.there.iface.memAlloc(ROOM);
    });

    after(() => {
      if (pair === undefined) return;
      source.free();
      target.free();
      pair.close();
    });

    /** Runs `use` with the target's key, unpacked. */
    function withRemote(
      use: (remote: { address: bigint; key: ReturnType<typeof pair.here.iface.rkeyUnpack> }) => void,
    ) {
      const key = pair.here.iface.rkeyUnpack(target.packKey());
      use({ address: target.address, key });
      key.release();
    }

    function sendAndCompare(layout: UctLayout, length: number, headerLength: number, pieces?: Pieces) {
      const { here, there } = pair;
      const into = new Uint8Array(ROOM);
      const messages = there.iface.amMessages({ id: 3, into });
      const inFlight = here.iface.inFlight(4);
      const data = fillBytes(source, length + headerLength);
      const { buffer } = source;
      if (buffer === null) throw new Error('no buffer');
      const endpoint = here.endpoint;
      const more = { ...(pieces === undefined ? {} : { pieces }), ...(layout === 'zcopy' ? { headerLength } : {}) };
      pair.run(uctBind().am({ endpoint, layout, buffer, length, memory: source, inFlight, id: 3, ...more }));
      pair.until(() => messages.arrived === 1 && inFlight.count === 0);
      const expected =
        pieces === undefined
          ? data.slice(0, length)
          : Buffer.concat(pieces.lengths.map((each, i) => data.slice(i * pieces.stride, i * pieces.stride + each)));
      expect(Buffer.compare(into.subarray(0, length), expected), `${layout} ${length} ${headerLength}`).to.equal(0);
      expect(into.subarray(length).every((byte) => byte === 0)).to.equal(true);
      messages.close();
    }

    for (const layout of layouts) {
      it(`am ${layout} carries every byte, at every size`, () => {
        const most = uctMost(pair.here.iface, 'am', layout);
        if (most === null) return expectNone(pair, 'am', layout);
        for (const length of sizesUpTo(most, 8)) sendAndCompare(layout, length, 8);
        if (layout === 'zcopy') sendAndCompare(layout, 4096, 0);
        if (layout === 'zcopy') sendAndCompare(layout, 64, 64);
      });

      it(`am ${layout} takes pieces where it should`, () => {
        if (uctMost(pair.here.iface, 'am', layout) === null) return expectNone(pair, 'am', layout);
        if (layout === 'short') return expectNone(pair, 'am', layout, { lengths: [16, 16], stride: 0 });
        sendAndCompare(layout, 48, layout === 'zcopy' ? 16 : 0, { lengths: [16, 24, 8], stride: 32 });
      });

      for (const call of ['put', 'get'] as const) {
        it(`${call} ${layout} moves every byte, at every size`, () => {
          const { here, there } = pair;
          const most = uctMost(here.iface, call, layout);
          if (most === null) return expectNone(pair, call, layout);
          withRemote((remote) => {
            for (const length of sizesUpTo(most, 1)) {
              const [from, to] = call === 'put' ? [source, target] : [target, source];
              const data = fillBytes(from, length);
              view(to, ROOM).fill(0);
              const inFlight = here.iface.inFlight();
              const { buffer } = source;
              if (buffer === null) throw new Error('no buffer');
              const endpoint = here.endpoint;
              pair.run(uctBind()[call]({ endpoint, layout, buffer, length, memory: source, inFlight, remote }));
              pair.until(() => inFlight.count === 0);
              pair.until(() => Buffer.compare(view(to, length), data.subarray(0, length)) === 0);
              expect(
                view(to, ROOM)
                  .subarray(length)
                  .every((byte) => byte === 0),
              ).to.equal(true);
            }
          });
          there.iface.progress();
        });
      }
    }

    it('put stamps numbers, for which waitByte waits', () => {
      const { here, there } = pair;
      const layout = here.iface.attributes.put.short === null ? 'zcopy' : 'short';
      view(target, ROOM).fill(0);
      withRemote((remote) => {
        const inFlight = here.iface.inFlight(1);
        const { buffer: from } = source;
        const { buffer: to } = target;
        if (from === null || to === null) throw new Error('no buffer');
        const endpoint = here.endpoint;
        const request = { endpoint, layout, buffer: from, length: 24, memory: source, inFlight, remote } as const;
        const put = uctBind().put({ ...request, stamp: true });
        const wait = uctBind().waitByte(there.iface, { buffer: to, offset: 23 });
        for (let i = 1; i <= 600; i++) {
          put();
          pair.until(() => view(target, 24)[23] === (i & 255));
          wait();
        }
        pair.until(() => inFlight.count === 0);
        releaseOperation(put);
        releaseOperation(wait);
      });
    });

    for (const size of [4, 8] as const) {
      it(`does the ${size * 8}-bit atomics that it says it has`, () => {
        const { here } = pair;
        const offered = here.iface.attributes[size === 4 ? 'atomic32' : 'atomic64'];
        if (offered.fop.length + offered.op.length === 0) {
          return expect(uctAtomicRefusal(here.iface, 'add', size, true)).to.match(/has no (32|64)-bit atomic/);
        }
        const bits = BigInt(size * 8);
        const words = new DataView(view(target, 8).buffer, view(target, 8).byteOffset, 8);
        const write = (value: bigint) =>
          size === 8 ? words.setBigUint64(0, value, true) : words.setUint32(0, Number(value), true);
        const read = () => (size === 8 ? words.getBigUint64(0, true) : BigInt(words.getUint32(0, true)));
        const start = BigInt.asUintN(size * 8, 0xf0f0_1234_ffff_fff0n);
        const value = BigInt.asUintN(size * 8, 0x1111_0000_f0f0_0055n);
        const after: Record<AtomicName, bigint> = {
          add: BigInt.asUintN(Number(bits), start + value),
          and: start & value,
          or: start | value,
          xor: start ^ value,
          swap: value,
          cswap: value,
        };
        // What UCX 1.13's shared memory makes of the fetching forms: the old value with itself.
        const wrong: Partial<Record<AtomicName, bigint[]>> = { and: [start], or: [start], xor: [0n] };
        withRemote((remote) => {
          const inFlight = here.iface.inFlight();
          const attempt = (name: AtomicName, result?: Uint8Array, compare?: bigint) => {
            write(start);
            const more = { ...(result && { result }), ...(compare !== undefined && { compare }) };
            pair.run(
              uctBind().atomic({ endpoint: here.endpoint, remote, name, size, value, inFlight, ...more }),
              uctBind().flush(here.iface),
              uctBind().complete(here.iface, inFlight),
            );
          };
          for (const name of offered.op as AtomicName[]) {
            attempt(name);
            expect(read(), `posted ${name}`).to.equal(after[name]);
          }
          for (const name of offered.fop as AtomicName[]) {
            const result = new Uint8Array(8);
            attempt(name, result, name === 'cswap' ? start : undefined);
            expect(read(), `fetching ${name}`).to.be.oneOf([after[name], ...(wrong[name] ?? [])]);
            const old = new DataView(result.buffer).getBigUint64(0, true);
            expect(old, `old value of ${name}`).to.equal(start);
          }
          attempt('cswap', new Uint8Array(8), start ^ 1n);
          expect(read()).to.equal(start);
        });
      });
    }

    it('fence and flush and progress do no harm', () => {
      const { here } = pair;
      pair.run(uctBind().fence(here.endpoint), uctBind().flush(here.iface), uctBind().progress(here.iface));
    });
  });
}

describe('UCT active messages', () => {
  const resource = () => resourceOf('posix') ?? resourceOf('sysv');
  const bound = (pair: Pair, endpoint: UctEp, id: number, length: number) => {
    const inFlight = (endpoint === pair.here.endpoint ? pair.here : pair.there).iface.inFlight();
    return { endpoint, layout: 'short', buffer: new Uint8Array(length), length, inFlight, id } as const;
  };

  it('are paced by acknowledgements, on two threads', function () {
    const found = resource();
    if (found === undefined) return this.skip();
    const pair = openPair(found);
    const { here, there } = pair;
    const messages = there.iface.amMessages({ id: 1 });
    const pacing = here.iface.pacing({ id: 2, window: 16 });
    const send = uctBind().am({ ...bound(pair, here.endpoint, 1, 32), pacing });
    const acknowledged = uctBind().acknowledged(here.iface, pacing);
    const receive = uctBind().amReceive(there.iface, messages, {
      acknowledge: { endpoint: there.endpoint, id: 2, every: 8 },
    });
    const last = uctBind().acknowledge(messages, { endpoint: there.endpoint, id: 2 });
    const run = startThreads([{ timed: [send], drain: [acknowledged] }, { timed: [receive] }]);
    run.advance({ iterations: 1003 });
    expect(messages.arrived).to.equal(1003);
    last();
    run.finish();
    pair.until(() => pacing.acknowledged === 1003);
    [send, acknowledged, receive, last].forEach(releaseOperation);
    messages.close();
    pacing.close();
    pair.close();
  });

  it('are counted once by all that wait for them, and cut where there is no room', function () {
    const found = resource();
    if (found === undefined) return this.skip();
    const pair = openPair(found);
    const { here, there } = pair;
    const into = new Uint8Array(12);
    const messages = there.iface.amMessages({ id: 1, into });
    const request = bound(pair, here.endpoint, 1, 40);
    request.buffer.fill(7);
    const send = uctBind().am(request);
    for (let i = 0; i < 3; i++) send();
    pair.until(() => messages.arrived === 3);
    expect([...into]).to.deep.equal(new Array(12).fill(7));
    const receives = [1, 2, 3].map(() => uctBind().amReceive(there.iface, messages));
    pair.run(...receives);
    expect(messages.arrived).to.equal(3);
    releaseOperation(send);
    messages.close();
    pair.close();
  });

  it('and all else that waits end when the run is cancelled', function () {
    const found = resource();
    if (found === undefined) return this.skip();
    const pair = openPair(found);
    const { here, there } = pair;
    const messages = there.iface.amMessages({ id: 1 });
    const pacing = here.iface.pacing({ id: 2, window: 1 });
    const channel = uctChannel({ ...here, id: 3 });
    const paced = uctBind().am({ ...bound(pair, here.endpoint, 1, 8), pacing });
    paced(); // fills the window, and nobody acknowledges it
    const waiting = [
      paced,
      uctBind().acknowledged(here.iface, pacing),
      uctBind().amReceive(there.iface, messages),
      uctBind().waitByte(here.iface, { buffer: Uint8Array.of(0), offset: 0 }),
      channel.receive(new Uint8Array(8), 8),
      channel.completeReceives(),
    ];
    pair.until(() => messages.arrived === 1);
    uctBind().amReceive(there.iface, messages)();
    for (const operation of waiting) {
      const run = startThreads([{ timed: [operation] }, { timed: [test.failAt(0, 6)] }]);
      expect(() => run.advance({ iterations: 1 }), operation.operationName).to.throw('failAt failed');
      run.finish();
    }
    // Nobody takes what is sent here: it stops when there is no room, and goes on asking for some.
    const endless = uctBind().am(bound(pair, here.endpoint, 1, 8));
    const run = startThreads([{ timed: [endless] }, { timed: [test.sleepAt(0, 50), test.failAt(0, 6)] }]);
    expect(() => run.advance({ iterations: 1_000_000_000 })).to.throw('failAt failed');
    run.finish();
  });
});

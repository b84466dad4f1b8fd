import { expect } from 'chai';
import { EngineBuffer, releaseOperation, startThreads } from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import { ucpChannel, type MessageChannel } from '../../src/ucx/index.js';
import { bind, expectSame, filled, Pair } from './ucp-pair.js';

const sizes = [1, 8, 200, 8192, 65536, 1 << 20];

/** Runs a list on each side at once, each on a thread of its own. */
function together(one: readonly Operation[], two: readonly Operation[], iterations = 1): void {
  const run = startThreads([{ timed: one }, { timed: two }]);
  run.advance({ iterations });
  run.finish();
  [...one, ...two].forEach(releaseOperation);
}

for (const tls of ['posix', 'sysv', 'tcp']) {
  for (const by of ['tag', 'stream', 'am'] as const) {
    describe(`a channel by ${by} over ${tls}`, () => {
      let pair: Pair;
      let a: MessageChannel;
      let b: MessageChannel;
      beforeEach(() => {
        pair = new Pair(tls);
        a = ucpChannel({ ...pair.a, by, id: 21 });
        b = ucpChannel({ ...pair.b, by, id: 21 });
      });
      afterEach(() => {
        a.close();
        b.close();
        pair.close();
      });

      it('carries messages back and forth', () => {
        for (const size of by === 'stream' ? sizes : [0, ...sizes]) {
          const sent = filled(size, size);
          const between = EngineBuffer.allocate(size);
          const got = EngineBuffer.allocate(size);
          together([a.send(sent, size), a.receive(got, size)], [b.receive(between, size), b.send(between, size)], 5);
          expectSame(got, sent);
        }
      });

      for (const early of [0, 3, 8]) {
        it(`gives windows of messages to receives in order, ${early} of 8 before their receives`, () => {
          for (const size of sizes) {
            const sent = Array.from({ length: 8 }, (_, index) => filled(size, index));
            const got = sent.map(() => EngineBuffer.allocate(size));
            const first = a.startSends(sent, size, Math.max(early, 1));
            const last = a.startSends([...sent.slice(early), ...sent.slice(0, early)], size, Math.max(8 - early, 1));
            const receives = b.startReceives(got, size, 8);
            if (early > 0) first();
            for (let i = 0; i < 100; i++) pair.b.worker.progress();
            receives();
            if (early < 8) last();
            together([a.completeSends()], [b.completeReceives()]);
            sent.forEach((buffer, index) => {
              expectSame(got[index] ?? buffer, buffer);
            });
            [first, last, receives].forEach(releaseOperation);
          }
        });
      }

      it('takes windows and single messages in turn', () => {
        const buffers = [1, 2, 3].map((seed) => filled(64, seed));
        const got = [0, 0].map(() => EngineBuffer.allocate(64));
        const [one, two] = [EngineBuffer.allocate(64), filled(64, 9)];
        together(
          [a.startSends(buffers, 64, 2), a.send(two, 64), a.completeSends()],
          [b.startReceives(got, 64, 2), b.receive(one, 64), b.completeReceives()],
          50,
        );
        expectSame(one, two);
        got.forEach((buffer, index) => {
          expectSame(buffer, buffers[index] ?? two);
        });
      });

      it('refuses what it could not carry', () => {
        const buffer = new Uint8Array(8);
        expect(() => a.send(buffer, 9)).to.throw(RangeError, 'the buffer has 8 bytes, too few for 9');
        expect(() => a.receive(buffer, -1)).to.throw(RangeError, 'size');
        expect(() => a.startSends([], 8, 1)).to.throw(TypeError, 'buffers');
        expect(() => a.startReceives([buffer], 8, 0)).to.throw(RangeError, 'window');
        if (by === 'stream') expect(() => a.send(buffer, 0)).to.throw(RangeError, '0 bytes');
        const again = () => ucpChannel({ ...pair.a, by, id: 21 });
        if (by !== 'tag') expect(again).to.throw(/already/);
        expect(() => ucpChannel({ ...pair.a, endpoint: pair.b.endpoint, by, id: 22 })).to.throw(TypeError, 'worker');
      });

      it('closes with messages and receives that found no partner, but not below its operations', () => {
        const send = a.startSends([filled(100)], 100, 3);
        send();
        pair.settle();
        for (let i = 0; i < 1000; i++) pair.b.worker.progress();
        const receive = a.startReceives([new Uint8Array(100)], 100, 2);
        if (by !== 'stream') receive();
        expect(() => a.close()).to.throw('operations hold the channel; release them first');
        releaseOperation(send);
        releaseOperation(receive);
      });
    });
  }
}

/** Runs an operation that waits for ever on b, while a program on a fails. */
function giveUp({ a, b }: Pair, waiting: Operation): void {
  const messages = a.worker.amMessages({ id: 99, into: new Uint8Array(1) });
  const send = bind.amSend({ ...b, buffer: new Uint8Array(100), length: 100, id: 99, blocking: true });
  const receive = bind.amReceive(a.worker, messages);
  const run = startThreads([{ timed: [receive] }, { timed: [send, waiting] }]);
  expect(() => run.advance({ iterations: 1 })).to.throw('Message truncated');
  run.finish();
  [send, receive, waiting].forEach(releaseOperation);
  messages.close();
}

for (const by of ['tag', 'am'] as const) {
  describe(`a channel by ${by}`, () => {
    it('takes a receive back whose run was stopped', () => {
      const pair = new Pair('posix');
      const a = ucpChannel({ ...pair.a, by, id: 1 });
      const b = ucpChannel({ ...pair.b, by, id: 1 });
      const [sent, old, got] = [filled(32), EngineBuffer.allocate(32), EngineBuffer.allocate(32)];
      giveUp(pair, b.receive(old, 32));
      together([a.send(sent, 32)], [b.receive(got, 32)]);
      expectSame(got, sent);
      expect(old.view().every((byte) => byte === 0)).to.be.true;
      a.close();
      b.close();
      pair.close();
    });
  });
}

describe('a channel by am', () => {
  it('refuses a message that is longer than its receive, once', () => {
    const pair = new Pair('posix');
    for (const size of [100, 1 << 20]) {
      const a = ucpChannel({ ...pair.a, by: 'am', id: 1 });
      const b = ucpChannel({ ...pair.b, by: 'am', id: 1 });
      const buffer = filled(size);
      const send = a.startSends([buffer], size, 1);
      const receive = b.receive(EngineBuffer.allocate(10), 10);
      send();
      pair.until(() => pair.a.worker.progress() + pair.b.worker.progress() === 0);
      expect(receive).to.throw('Message truncated');
      releaseOperation(send);
      releaseOperation(receive);
      pair.until(() => pair.a.worker.progress() + pair.b.worker.progress() === 0);
      together([a.send(buffer, 4)], [b.receive(buffer, 4)]);
      a.close();
      b.close();
    }
    pair.close();
  });
});

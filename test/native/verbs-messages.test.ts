/** Messages over verbs: their order, data, windows and failures, between two ends in memory on two threads. */
import { expect } from 'chai';
import { check, checkResult, EngineBuffer, fill, startThreads } from '../../src/engine/index.js';
import type { Operation, Program } from '../../src/engine/types.js';
import { WiredPair, wireIsBuilt, type WiredEnd } from './verbs-wire.js';

const ways = ['send', 'write', 'read'] as const;
/** Around what a frame carries, inline and not, and large ones. */
const sizes = [0, 1, 8, 96, 97, 1000, 4095, 4096, 4097, 8192, 300_000];

/** Runs a program on each end, on threads; ends within the tests' limit or is cancelled. */
function runBoth(a: Program, b: Program, iterations = 20): void {
  const run = startThreads([a, b]);
  try {
    run.advance({ iterations });
  } finally {
    run.finish();
  }
}

interface Traffic {
  readonly size: number;
  readonly window: number;
  /** One for all messages of a window, or one each. */
  readonly buffers: number;
}

/** Sends windows that are checked where they arrive, and then an answer the other way. */
function windows([a, b]: readonly [WiredEnd, WiredEnd], { size, window, buffers }: Traffic) {
  const make = () => Array.from({ length: buffers }, () => EngineBuffer.allocate(Math.max(size, 1)));
  const [out, into, answer] = [make(), make(), [EngineBuffer.allocate(4)]];
  const checks = size === 0 ? [] : into.map((buffer, slot) => check(buffer, { sender: 3, length: size, slot }));
  const fills = size === 0 ? [] : out.map((buffer, slot) => fill(buffer, { sender: 3, length: size, slot }));
  const sender: Operation[] = [...fills, a.startSends(out, size, window), a.completeSends(), a.receive(answer, 4)];
  const receiver = [b.startReceives(into, size, window), b.completeReceives(), ...checks, b.send(answer, 4)];
  return { sender: { timed: sender }, receiver: { timed: receiver }, checks };
}

const suite = wireIsBuilt() ? describe : describe.skip;

for (const by of ways) {
  suite(`messages over verbs by ${by}`, () => {
    for (const size of sizes) {
      it(`carry ${size} bytes there and back`, () => {
        const { ends } = new WiredPair(by);
        const [a, b] = ends;
        const [here, there] = [EngineBuffer.allocate(size + 1), EngineBuffer.allocate(size + 1)];
        const [onA, onB] = [check(here, { sender: 2, length: size }), check(there, { sender: 1, length: size })];
        runBoth(
          { timed: [fill(here, { sender: 1, length: size }), a.send([here], size), a.receive([here], size), onA] },
          { timed: [b.receive([there], size), onB, fill(there, { sender: 2, length: size }), b.send([there], size)] },
          300,
        );
        expect([checkResult(onA), checkResult(onB)]).to.deep.equal(
          [0, 0].map(() => ({ checked: 300 * size, errors: 0 })),
        );
      });
    }

    for (const window of [1, 64, 128, 1000]) {
      for (const size of [0, 8, 4096, 8192]) {
        it(`carry windows of ${window} messages of ${size} bytes`, () => {
          const pair = new WiredPair(by);
          const { sender, receiver, checks } = windows(pair.ends, { size, window, buffers: window });
          runBoth(sender, receiver, 5);
          expect(checks.map((one) => checkResult(one).errors)).to.deep.equal(checks.map(() => 0));
        });
      }
    }

    it('carry both ways at once', () => {
      const { ends } = new WiredPair(by);
      for (const size of [8, 8192]) {
        const programs = ends.map((end): Program => {
          const [out, into] = [[EngineBuffer.allocate(size)], [EngineBuffer.allocate(size)]];
          const start = [end.startReceives(into, size, 300), end.startSends(out, size, 300)];
          return { timed: [...start, end.completeSends(), end.completeReceives()] };
        });
        runBoth(programs[0] ?? { timed: [] }, programs[1] ?? { timed: [] }, 10);
      }
    });

    it('match in the order of sending, small and large ones mixed, whenever receives are posted', () => {
      const { ends } = new WiredPair(by);
      const [a, b] = ends;
      const mixed = [8, 9000, 0, 4096, 5000, 8, 8, 70_000, 1];
      const pieces = mixed.map((size, slot) => {
        const [out, into] = [EngineBuffer.allocate(70_000), EngineBuffer.allocate(70_000)];
        const pattern = { sender: 1, length: size, slot };
        return { size, out, into, fill: fill(out, pattern), check: check(into, pattern) };
      });
      const starts = pieces.map(({ size, out }) => a.startSends([out], size, 1));
      const answer = [EngineBuffer.allocate(1)];
      runBoth(
        { timed: [...pieces.map((one) => one.fill), ...starts, a.completeSends(), a.receive(answer, 1, 1)] },
        {
          timed: [
            ...pieces.map(({ size, into }) => b.receive([into], size)),
            ...pieces.map((one) => one.check),
            b.send(answer, 1, 1),
          ],
        },
        100,
      );
      expect(pieces.map((one) => checkResult(one.check).errors)).to.deep.equal(mixed.map(() => 0));
    });

    it('come in order to receives that are posted late', () => {
      const { ends } = new WiredPair(by);
      const [a, b] = ends;
      const bytes = EngineBuffer.allocate(8);
      // Small ones need nobody at the other end; by reads the sender would wait.
      const size = by === 'read' ? 0 : 8;
      const sends = a.startSends([bytes], size, 50);
      const got = EngineBuffer.allocate(8);
      bytes.view().fill(7);
      sends();
      bytes.view().fill(9);
      const receive = b.receive([got], size);
      for (let n = 0; n < 50; n += 1) receive();
      expect([...got.view()]).to.deep.equal(Array.from({ length: 8 }, () => (size === 0 ? 0 : 7)));
      a.flush()();
    });

    for (const [sent, expected] of [
      [8, 16],
      [8, 9000],
      [9000, 8],
      [9000, 10_000],
    ] as const) {
      it(`fail on both ends where ${sent} bytes are sent and ${expected} expected`, () => {
        const { ends } = new WiredPair(by);
        const [a, b] = ends;
        const memory = [EngineBuffer.allocate(10_000)];
        const run = startThreads([
          { timed: [a.send(memory, sent), a.receive(memory, 1)] },
          { timed: [b.receive(memory, expected), b.receive(memory, 1)] },
        ]);
        expect(() => run.advance({ iterations: 1 })).to.throw(/a message and its receive differ in size/);
        run.finish();
        for (const operation of [a.receive(memory, 1), b.receive(memory, 1)]) {
          expect(operation).to.throw(/a message and its receive differ in size/);
        }
      });
    }

    it('fail with the words of a work request’s status', () => {
      const pair = new WiredPair(by);
      const [a] = pair.ends;
      pair.break();
      const memory = [EngineBuffer.allocate(8)];
      expect(() => {
        a.startSends(memory, 8, 1)();
        a.receive(memory, 8)();
      }).to.throw(/Flushed/);
    });
  });
}

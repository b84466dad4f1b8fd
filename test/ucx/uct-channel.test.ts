/** Channels of messages over UCT. */
import { expect } from 'chai';
import { releaseOperation, startThreads } from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import { uctChannel } from '../../src/ucx/index.js';
import type { MessageChannel } from '../../src/ucx/index.js';
import { fillBytes, openPair, resourceOf, type Pair } from './uct-pair.js';

const SIZES = [0, 1, 7, 8, 92, 93, 100, 8184, 8185, 8248, 8249, 100_000, 1 << 20, 4 << 20];

/** Numbers that are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

for (const transport of ['posix', 'sysv', 'tcp']) {
  describe(`a UCT channel over ${transport}`, () => {
    let pair: Pair, here: MessageChannel, there: MessageChannel;
    let made: Operation[];
    const keep = (operation: Operation): Operation => {
      made.push(operation);
      return operation;
    };

    beforeEach(function () {
      const resource = resourceOf(transport);
      if (resource === undefined) return this.skip();
      made = [];
      pair = openPair(resource);
      here = uctChannel({ ...pair.here, id: 5 });
      there = uctChannel({ ...pair.there, id: 5 });
    });

    afterEach(() => {
      if (pair === undefined) return;
      made.forEach(releaseOperation);
      here.close();
      there.close();
      pair.close();
    });

    /** Runs both sides' operations at the same time. */
    function exchange(ours: Operation[], theirs: Operation[]): void {
      const run = startThreads([{ timed: ours }, { timed: theirs }]);
      run.advance({ iterations: 1 });
      run.finish();
    }

    it('carries every size both ways', () => {
      for (const size of SIZES) {
        const sent = fillBytes(new Uint8Array(size), size);
        const between = new Uint8Array(size + 1).fill(99);
        const back = new Uint8Array(size + 1).fill(99);
        exchange(
          [keep(here.send(sent, size)), keep(here.receive(back, size))],
          [keep(there.receive(between, size)), keep(there.send(between, size))],
        );
        expect(Buffer.compare(back.subarray(0, size), sent), String(size)).to.equal(0);
        expect([between[size], back[size]]).to.deep.equal([99, 99]);
      }
    });

    it('keeps messages that nobody has asked for yet, in order, also half of one', () => {
      const next = random(transport.length);
      for (let round = 0; round < 30; round++) {
        const sizes = Array.from({ length: 1 + Math.floor(next() * 12) }, () => SIZES[Math.floor(next() * 11)] ?? 0);
        const sent = sizes.map((size, i) => fillBytes(new Uint8Array(size), round * 16 + i));
        const taken = sizes.map((size) => new Uint8Array(size));
        // Some receives come before the messages, the others while or after they arrive.
        const early = Math.floor(next() * (sizes.length + 1));
        const receives = sizes.map((size, i) => keep(there.startReceives([taken[i] ?? new Uint8Array()], size, 1)));
        receives.slice(0, early).forEach((receive) => {
          receive();
        });
        const sends = sizes.map((size, i) => keep(here.send(sent[i] ?? new Uint8Array(), size)));
        const late = receives.slice(early);
        if (next() < 0.5) for (let i = 0; i < 3; i++) pair.there.iface.progress();
        exchange([...sends, keep(here.completeSends())], [...late, keep(there.completeReceives())]);
        taken.forEach((bytes, i) => {
          expect(Buffer.compare(bytes, sent[i] ?? new Uint8Array()), `round ${round}, message ${i}`).to.equal(0);
        });
      }
    });

    it('carries windows both ways at once', () => {
      for (const [size, window] of [
        [8, 1000],
        [5000, 64],
        [300_000, 8],
      ] as const) {
        const sent = Array.from({ length: 3 }, (_, i) => fillBytes(new Uint8Array(size), i));
        const taken = [0, 1].map(() => Array.from({ length: window }, () => new Uint8Array(size)));
        const program = (channel: MessageChannel, into: Uint8Array[]) => [
          keep(channel.startReceives(into, size, window)),
          keep(channel.startSends(sent, size, window)),
          keep(channel.completeSends()),
          keep(channel.completeReceives()),
        ];
        exchange(program(here, taken[0] ?? []), program(there, taken[1] ?? []));
        for (const side of taken) {
          side.forEach((bytes, i) => {
            expect(Buffer.compare(bytes, sent[i % 3] ?? bytes), `${size} ${i}`).to.equal(0);
          });
        }
      }
    });

    it('says so where a message has another size than its receive', () => {
      const receive = keep(there.receive(new Uint8Array(16), 16));
      const send = keep(here.send(new Uint8Array(8), 8));
      const run = startThreads([{ timed: [receive] }, { timed: [send] }]);
      expect(() => run.advance({ iterations: 1 })).to.throw(/^receive failed.*Message truncated/);
      run.finish();
    });

    it('refuses what makes no sense', () => {
      expect(() => here.send(new Uint8Array(4), 5)).to.throw(RangeError, 'the buffer has 4 bytes');
      expect(() => here.receive(new Uint8Array(4), -1)).to.throw(RangeError, 'size must be a whole number');
      expect(() => here.startSends([], 0, 1)).to.throw(RangeError, 'at least one buffer');
      expect(() => here.startReceives([new Uint8Array(4)], 4, 0)).to.throw(RangeError, 'window');
      expect(() => uctChannel({ ...pair.here, id: 5 })).to.throw(RangeError, 'has a handler already');
      expect(() => uctChannel({ ...pair.here, id: 32 })).to.throw(RangeError, 'from 0 to 31');
      expect(() => uctChannel({ iface: pair.here.iface, endpoint: pair.there.endpoint, id: 6 })).to.throw(TypeError);
      const send = here.send(new Uint8Array(4), 4);
      expect(() => {
        here.close();
      }).to.throw("the channel can't be closed: an operation still uses it; release first");
      releaseOperation(send);
      expect(() => {
        pair.here.endpoint.destroy();
      }).to.throw('close its channel first');
    });
  });
}

describe('a UCT channel', () => {
  it('needs active messages', function () {
    const resource = resourceOf('cma');
    if (resource === undefined) return this.skip();
    const pair = openPair(resource);
    expect(() => uctChannel({ ...pair.here, id: 1 })).to.throw(RangeError, 'cma/memory has no am short or bcopy');
    pair.close();
  });
});

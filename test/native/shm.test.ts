import { expect } from 'chai';
import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { OperationError } from '../../src/engine/errors.js';
import {
  check,
  checkResult,
  EngineBuffer,
  fill,
  noop,
  ShmSegments,
  startThreads,
  type CheckOperation,
  type Operation,
  type ShmLine,
} from '../../src/engine/index.js';
import { loopbackRendezvous } from '../../src/rendezvous/loopback.js';
import { mockTransport, linearModel, VirtualClock } from '../../src/transport/mock.js';
import { LayerRefusal } from '../../src/transport/messages.js';
import { shmTransport } from '../../src/transport/shm.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const ours = (): string[] => readdirSync('/dev/shm').filter((name) => name.startsWith('fabricbench-'));

/** The two ends of a node with two ranks. */
function ranks(): [ShmSegments, ShmSegments] {
  const both: [ShmSegments, ShmSegments] = [new ShmSegments(0, 2), new ShmSegments(1, 2)];
  const paths = both.map(({ path }) => path);
  for (const segments of both) segments.open(paths);
  for (const segments of both) segments.unlink();
  return both;
}

function lines(): [ShmLine, ShmLine] {
  const [first, second] = ranks();
  return [first.line(1).line, second.line(0).line];
}

/** One side's part: what it does in an iteration, and what it then checks. */
interface Side {
  readonly fills: Operation[];
  readonly timed: Operation[];
  readonly checks: CheckOperation[];
  /** Of what each check looks at. */
  readonly lengths: number[];
}
const side = (): Side => ({ fills: [], timed: [], checks: [], lengths: [] });

/** Buffers for messages of one direction: filled where they go out, checked where they come in. */
let slot = 0;
function message(from: Side, to: Side, size: number): { out: EngineBuffer; into: EngineBuffer } {
  const out = EngineBuffer.allocate(size + 8);
  const into = EngineBuffer.allocate(size + 8);
  const pattern = { sender: 1, length: size, slot: slot++ };
  from.fills.push(fill(out, pattern));
  to.checks.push(check(into, pattern));
  to.lengths.push(size);
  return { out, into };
}

/** Runs both sides at once, and expects every byte to be right in every iteration. */
function run(sides: readonly Side[], iterations: number): void {
  const threads = startThreads(
    sides.map(({ fills, timed, checks }) => ({ timed: [...timed, noop()], untimed: { before: fills, after: checks } })),
  );
  threads.advance({ iterations });
  threads.finish();
  for (const { checks, lengths } of sides) {
    const found = checks.map((each) => checkResult(each));
    expect(found).to.deep.equal(lengths.map((length) => ({ checked: length * iterations, errors: 0 })));
  }
}

const sizes = [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 56, 247, 248, 249, 500, 8191, 8192, 8193, 8440, 8441, 20000];
const longSizes = [262144, 262145, 1 << 20, (4 << 20) + 3];

describe('shared memory: messages', () => {
  for (const size of [...sizes, ...longSizes]) {
    it(`of ${size} bytes go to and fro`, () => {
      const [a, b] = lines();
      const [first, second] = [side(), side()];
      const [ping, pong] = [message(first, second, size), message(second, first, size)];
      first.timed.push(a.send(ping.out, size), a.receive(pong.into, size));
      second.timed.push(b.receive(ping.into, size), b.send(pong.out, size));
      run([first, second], size > 100000 ? 5 : 300);
    });
  }

  for (const [size, window] of [
    ...[0, 1, 8, 100, 248].map((each) => [each, 64] as const),
    ...[249, 4096, 8193, 65536].map((each) => [each, 64] as const),
    [1 << 20, 16],
    [8, 1000],
  ] as const) {
    it(`of ${size} bytes go in windows of ${window}, one way and both ways`, () => {
      const [a, b] = lines();
      const [first, second] = [side(), side()];
      const to = Array.from({ length: Math.min(window, 4) }, () => message(first, second, size));
      const back = Array.from({ length: Math.min(window, 3) }, () => message(second, first, size));
      const outs = (list: typeof to) => list.map(({ out }) => out);
      const intos = (list: typeof to) => list.map(({ into }) => into);
      // As many of each buffer as there are, so that the last one is the one of its place.
      first.timed.push(a.startSends(outs(to), size, window), a.completeSends());
      second.timed.push(b.startReceives(intos(to), size, window), b.completeReceives());
      first.timed.push(
        a.startReceives(intos(back), size, window),
        a.startSends(outs(to), size, window),
        a.completeSends(),
        a.completeReceives(),
      );
      second.timed.push(
        b.startSends(outs(back), size, window),
        b.startReceives(intos(to), size, window),
        b.completeSends(),
        b.completeReceives(),
      );
      run([first, second], size * window > 1e6 ? 3 : 30);
    });
  }

  it('shorter than the buffer leave the rest alone; longer ones are refused', () => {
    const [a, b] = lines();
    const out = EngineBuffer.allocate(1000);
    const into = EngineBuffer.allocate(1000);
    out.view().fill(7);
    a.send(out, 5)();
    b.receive(into, 1000)();
    expect([...into.view(0, 7)]).to.deep.equal([7, 7, 7, 7, 7, 0, 0]);
    for (const [sent, room] of [
      [9, 8],
      [300, 299],
      [200, 0],
    ] as const) {
      a.send(out, sent)();
      expect(b.receive(into, room)).to.throw(
        OperationError,
        'a message was longer than the buffer that it was received into',
      );
      a.send(out, 8)();
      b.receive(into, 8)();
    }
    expect(() => a.send(out, 1001)).to.throw(RangeError, /too few for 1001 bytes/);
    expect(() => a.startSends([], 1, 1)).to.throw(RangeError, /at least one buffer/);
  });

  it('keep apart those of several lines, and go on when a line is used again', () => {
    const [first, second] = ranks();
    const buffer = EngineBuffer.allocate(8);
    const bytes = buffer.view();
    const send = (line: ShmLine, value: number): void => {
      bytes[0] = value;
      line.send(buffer, 8)();
    };
    const received = (line: ShmLine): number => {
      line.receive(buffer, 8)();
      return bytes[0] ?? -1;
    };
    for (let row = 0; row < 100; row++) {
      const ends = [first.line(1), first.line(1), second.line(0), second.line(0)] as const;
      const [dataA, controlA, dataB, controlB] = ends;
      send(dataA.line, 1);
      send(controlA.line, 2);
      send(dataA.line, 3);
      expect([received(controlB.line), received(dataB.line), received(dataB.line)]).to.deep.equal([2, 1, 3]);
      send(controlB.line, 4);
      expect(received(controlA.line)).to.equal(4);
      for (const { close } of ends) close();
    }
  });

  it('hold whatever order windows and messages come in', () => {
    const size = fc.oneof(fc.constantFrom(...sizes), fc.nat(30000));
    const window = fc.record({ size, count: fc.integer({ min: 1, max: 100 }) });
    const round = fc.record({
      kind: fc.constantFrom('message', 'window', 'both' as const),
      flip: fc.boolean(),
      late: fc.boolean(),
      sendsFirst: fc.tuple(fc.boolean(), fc.boolean()),
      there: window,
      back: window,
    });
    const property = fc.property(fc.array(round, { minLength: 1, maxLength: 8 }), (rounds) => {
      const ends = lines();
      const sides = [side(), side()] as const;
      for (const { kind, flip, late, sendsFirst, there, back } of rounds) {
        const [x, y] = flip ? ([1, 0] as const) : ([0, 1] as const);
        const one = message(sides[x], sides[y], there.size);
        if (kind === 'message') {
          sides[x].timed.push(ends[x].send(one.out, there.size));
          sides[y].timed.push(ends[y].receive(one.into, there.size));
          continue;
        }
        const sends = ends[x].startSends([one.out], there.size, there.count);
        const receives = ends[y].startReceives([one.into], there.size, there.count);
        if (kind === 'window') {
          sides[x].timed.push(sends);
          // Late: the sends go while the line waits for something else.
          if (!late) sides[x].timed.push(ends[x].completeSends());
          sides[y].timed.push(receives, ends[y].completeReceives());
          continue;
        }
        const other = message(sides[y], sides[x], back.size);
        const otherSends = ends[y].startSends([other.out], back.size, back.count);
        const otherReceives = ends[x].startReceives([other.into], back.size, back.count);
        sides[x].timed.push(...(sendsFirst[0] ? [sends, otherReceives] : [otherReceives, sends]));
        sides[y].timed.push(...(sendsFirst[1] ? [otherSends, receives] : [receives, otherSends]));
        sides[x].timed.push(ends[x].completeSends(), ends[x].completeReceives());
        sides[y].timed.push(ends[y].completeReceives(), ends[y].completeSends());
      }
      sides.forEach(({ timed }, i) => timed.push(ends[i === 0 ? 0 : 1].completeSends()));
      run(sides, 4);
    });
    fc.assert(property, { numRuns: 40 });
  });
});

describe('shared memory: ends', () => {
  it('leaves no file behind', () => {
    const before = ours();
    const both = ranks();
    expect(ours()).to.deep.equal(before);
    expect(both.map(({ path }) => path)).to.deep.equal(['', '']);
  });

  it('is cancelled while it waits, and says later what was cut off', () => {
    const buffer = EngineBuffer.allocate(1 << 20);
    const failing = (timed: Operation[]): void => {
      const threads = startThreads([{ timed }, { timed: [test.sleepAt(undefined, 20), test.failAt(undefined, 6)] }]);
      expect(() => threads.advance({ iterations: 1 })).to.throw(OperationError, 'test failure 6');
      threads.finish();
    };
    const waits: ((line: ShmLine) => Operation[])[] = [
      (line) => [line.receive(buffer, 8)],
      (line) => [line.startReceives([buffer], 8, 3), line.completeReceives()],
      (line) => [line.send(buffer, 1 << 20)],
      (line) => [line.startSends([buffer], 1 << 20, 3), line.completeSends()],
    ];
    for (const wait of waits) {
      const [line] = lines();
      failing(wait(line));
      expect(line.send(buffer, 8)).to.throw(OperationError, 'a message was cut off earlier on this channel');
    }
    const [b] = lines();
    failing([b.send(buffer, 1 << 20)]);
    for (const operation of [
      b.send(buffer, 8),
      b.receive(buffer, 8),
      b.startSends([buffer], 8, 1),
      b.completeSends(),
    ]) {
      expect(operation).to.throw(OperationError, 'a message was cut off earlier on this channel');
    }
  });

  it('lets go of buffers when closed', () => {
    const [first] = ranks();
    const { line, close } = first.line(1);
    const buffer = EngineBuffer.allocate(1 << 20);
    line.startSends([buffer], 1 << 20, 2)();
    close();
    close();
    const again = first.line(1).line;
    expect(again.completeSends()).to.throw(OperationError, 'a message was cut off earlier');
  });

  it('refuses what makes no sense', () => {
    const [first] = ranks();
    for (const peer of [0, 2, -1]) expect(() => first.line(peer)).to.throw(RangeError);
    for (let i = 0; i < 16; i++) first.line(1);
    expect(() => first.line(1)).to.throw('there are 16 channels to rank 1 already');
    expect(() => new ShmSegments(2, 2)).to.throw(RangeError, 'there is no rank 2 among 2');
    const alone = new ShmSegments(0, 2);
    expect(() => {
      alone.open(['', '/dev/shm/fabricbench-nothing']);
    }).to.throw(/^the memory of rank 1 can't be opened: No such file/);
    alone.unlink();
  });
});

describe('shared memory: transport', () => {
  const base = mockTransport(new VirtualClock(), linearModel(1, 1));

  it('refuses ranks of other hosts, and leaves nothing behind', () => {
    const before = ours();
    const meeting = loopbackRendezvous(2);
    const apart = {
      ...meeting,
      allgather: <T>(value: T): T[] => [value, { ...value, host: 'elsewhere' }],
    };
    expect(() => shmTransport({ rendezvous: apart, base })).to.throw(
      LayerRefusal,
      /^it works between ranks of one host: rank 0 is on .+ and rank 1 on elsewhere$/,
    );
    const failing = {
      ...meeting,
      allgather: <T>(value: T): T[] => [value, { ...value, problem: 'there is no room' }],
    };
    expect(() => shmTransport({ rendezvous: failing, base })).to.throw(
      LayerRefusal,
      'rank 1 says that there is no room',
    );
    expect(ours()).to.deep.equal(before);
  });

  it('refuses what only MPI has', () => {
    const transport = shmTransport({ rendezvous: loopbackRendezvous(2), base });
    expect(transport.layer).to.equal('shm');
    const options = { peer: 1, datatype: 'MPI_INT' };
    const layout = { kind: 'vect', stride: 2, block: 1 } as const;
    expect(() => transport.channel({ ...options, layout })).to.throw(LayerRefusal, /without the layouts of -D/);
    expect(() => transport.channel({ ...options, datatype: 'MPI_NONE' })).to.throw(RangeError, /no datatype MPI_NONE/);
    const channel = transport.channel({ ...options, layout: { kind: 'cont' } });
    expect([channel.transmitSize(7), channel.transmitSize(8)]).to.deep.equal([4, 8]);
    const buffers = [transport.allocate(8)];
    expect(() => channel.prepareSends(buffers, 8, 1)).to.throw(LayerRefusal, /no persistent requests/);
    expect(() => channel.prepareReceives(buffers, 8, 1)).to.throw(LayerRefusal, /no persistent requests/);
    const collective = { name: 'barrier', size: 0, datatype: 'MPI_CHAR', root: 0, inPlace: false } as const;
    expect(() => transport.collective(collective)).to.throw(LayerRefusal, /no barrier: use --layer mpi/);
    channel.close();
  });
});

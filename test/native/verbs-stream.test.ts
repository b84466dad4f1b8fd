import { expect } from 'chai';
import fc from 'fast-check';
import { cancelRuns, clearCancel, nativeExecutor, releaseOperation, startThreads } from '../../src/engine/index.js';
import type { Stream, StreamRequest } from '../../src/verbs/bind-types.js';
import { testOperations } from './test-addon.js';
import { bind, MockDevice, type Behaviour, type QpSettings, type Sent } from './verbs-mock.js';

const SIGNALED = 2;
const ACCESS_ERROR = 10;
const ENOMEM = 12;
const EINVAL = 22;
const REMOTE = 0x5000_0000n;

type Settings = Omit<StreamRequest, 'wrs' | 'cqePoll'> & { readonly qps: number; readonly cqePoll?: number };

/** A stream of writes over queue pairs of a fake device, each with memory of its own. */
function streamOver(
  { qps, cqePoll = 4, ...settings }: Settings,
  behaviour: Behaviour = {},
  { events, ...qpSettings }: QpSettings & { readonly events?: boolean } = {},
) {
  const device = new MockDevice({ events: events ?? false });
  device.behave(behaviour);
  const mrs = Array.from({ length: qps }, () => device.mr());
  const wrs = mrs.map((mr, i) => ({
    qp: device.qp(qpSettings),
    opcode: 'RDMA_WRITE' as const,
    local: { mr, offset: 64, length: 16 },
    remote: { address: REMOTE + BigInt(i << 20), rkey: 50 + i },
  }));
  const stream = bind.stream({ wrs, cqePoll, ...settings });
  return { device, stream, wrs, mrs };
}

/** Posts so many chains, and ends the stream; gives what failed. */
function run(stream: Stream, chains: number): unknown {
  const program = nativeExecutor.start({ timed: [stream.post], closing: [stream.end] });
  try {
    program.advance({ iterations: chains, close: true });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    program.finish();
  }
}

/** What must be posted, from the rules alone. */
function expected({ qps, postList, cqMod, total, walk }: Settings, chains: number) {
  return Array.from({ length: chains * postList }, (_, i) => {
    const chain = Math.floor(i / postList);
    const inChain = i % postList;
    const number = Math.floor(chain / qps) * postList + inChain;
    const place = walk ? ((postList === 1 ? number : inChain) * walk.step) % walk.span : 0;
    const signaled = (number + 1) % cqMod === 0 || number === total - 1;
    return { call: chain, qp: chain % qps, number, place, signaled };
  });
}

function seen(sent: readonly Sent[], mrs: readonly { readonly address: bigint }[]) {
  return sent.map(({ call, qp, id, local, remote, flags }) => {
    const place = Number(local - 64n - (mrs[qp - 100]?.address ?? 0n));
    expect(remote - REMOTE - BigInt((qp - 100) << 20)).to.equal(BigInt(place));
    return { call, qp: qp - 100, number: Number(id >> 16n), place, signaled: (flags & SIGNALED) !== 0 };
  });
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const settings = fc
  .record({
    qps: fc.integer({ min: 1, max: 4 }),
    postList: fc.integer({ min: 1, max: 8 }),
    cqMod: fc.integer({ min: 1, max: 20 }),
    spare: fc.integer({ min: 0, max: 20 }),
    rounds: fc.integer({ min: 1, max: 30 }),
    cqePoll: fc.integer({ min: 1, max: 16 }),
    walk: fc.option(fc.record({ step: fc.constant(64), steps: fc.integer({ min: 1, max: 16 }) }), { nil: undefined }),
    perPoll: fc.integer({ min: 1, max: 10 }),
    emptyPolls: fc.integer({ min: 0, max: 3 }),
    wrApi: fc.boolean(),
    open: fc.boolean(),
  })
  .map(({ spare, rounds, walk, open, ...rest }) => ({
    ...rest,
    chains: rounds * rest.qps,
    total: open ? 0 : rounds * rest.postList,
    txDepth: rest.cqMod - gcd(rest.cqMod, rest.postList) + rest.postList + spare,
    ...(walk && { walk: { step: walk.step, span: walk.step * walk.steps } }),
  }));

describe('a stream of verbs', () => {
  it('posts what its numbers say, in any combination of them', () => {
    fc.assert(
      fc.property(settings, ({ chains, perPoll, emptyPolls, wrApi, ...numbers }) => {
        const { device, stream, mrs } = streamOver(numbers, { perPoll, emptyPolls }, { wrApi });
        expect(run(stream, chains)).to.equal(undefined);
        const plan = expected(numbers, chains);
        const { sent, counts } = device;
        expect(seen(sent, mrs).slice(0, plan.length)).to.deep.equal(plan);
        const extra = sent.slice(plan.length);
        const silent = plan.slice(-numbers.qps * numbers.postList).filter(({ number, signaled }) => {
          return number === (chains / numbers.qps) * numbers.postList - 1 && !signaled;
        });
        expect(extra.map(({ qp, flags }) => [qp - 100, flags])).to.deep.equal(silent.map(({ qp }) => [qp, SIGNALED]));
        expect(Math.max(...counts.most)).to.be.at.most(numbers.txDepth);
        expect(stream.completed()).to.equal(sent.length);
      }),
      { numRuns: 300 },
    );
  });

  it('uses the whole depth', () => {
    const { device, stream } = streamOver({ qps: 2, postList: 2, cqMod: 4, txDepth: 8, total: 100 });
    expect(run(stream, 100)).to.equal(undefined);
    expect(device.counts.most).to.deep.equal([8, 8]);
  });

  it('polls for places alone', () => {
    const { device, stream } = streamOver({ qps: 1, postList: 1, cqMod: 1, txDepth: 8, total: 100 });
    for (let i = 0; i < 8; ++i) stream.post();
    expect(device.counts.polls).to.equal(0);
    stream.post();
    expect(device.counts.polls).to.equal(1);
  });

  it('goes on after its end, again and again', () => {
    const { device, stream } = streamOver({ qps: 1, postList: 1, cqMod: 3, txDepth: 8, total: 0 });
    for (const chains of [4, 3, 2, 5]) expect(run(stream, chains)).to.equal(undefined);
    const signals = device.sent.map(({ flags }) => (flags === SIGNALED ? 'S' : '.')).join('');
    // Behind each last one that was signaled out of turn the places are counted anew.
    expect(signals).to.equal('..S.S..S..S..S..S');
    expect(device.sent.map(({ id }) => Number(id >> 16n))).to.deep.equal([...signals].map((_, i) => i));
    expect(stream.completed()).to.equal(signals.length);
  });

  it('begins anew when it is restarted', () => {
    const walk = { step: 64, span: 256 };
    const { device, stream, mrs } = streamOver({ qps: 2, postList: 1, cqMod: 4, txDepth: 8, total: 6, walk });
    expect(run(stream, 2 * 6)).to.equal(undefined);
    stream.restart(10);
    expect(stream.completed()).to.equal(0);
    expect(run(stream, 2 * 10)).to.equal(undefined);
    const plan = expected({ qps: 2, postList: 1, cqMod: 4, txDepth: 8, total: 10, walk }, 20);
    expect(seen(device.sent.slice(12), mrs)).to.deep.equal(plan.map((each) => ({ ...each, call: each.call + 12 })));
    expect(stream.completed()).to.equal(20);
  });

  it('is not restarted while anything is outstanding', () => {
    const { stream } = streamOver({ qps: 1, postList: 1, cqMod: 4, txDepth: 8, total: 6 });
    stream.post();
    expect(() => {
      stream.restart(6);
    }).to.throw('work requests are outstanding; run its end first');
  });

  for (const wrApi of [false, true]) {
    it(`waits where the device has less room than it was asked for${wrApi ? ', by ibv_wr_*' : ''}`, () => {
      const numbers: Settings = { qps: 2, postList: 4, cqMod: 4, txDepth: 16, total: 40 };
      const { device, stream, mrs } = streamOver(numbers, { perPoll: 3 }, { capacity: 10, wrApi });
      expect(run(stream, 20)).to.equal(undefined);
      const places = (all: ReturnType<typeof expected>) =>
        all.map(({ call, ...rest }) => ({ ...rest, isCall: call >= 0 }));
      expect(places(seen(device.sent, mrs))).to.deep.equal(places(expected(numbers, 20)));
      // A chain goes in parts where it is a list, and whole where it is made of calls.
      expect(Math.max(...device.counts.most)).to.equal(wrApi ? 8 : 10);
    });
  }

  it('fails where the device has no room and nothing is under way', () => {
    const { stream } = streamOver({ qps: 1, postList: 4, cqMod: 4, txDepth: 4, total: 4 }, {}, { capacity: 2 });
    expect(run(stream, 1)).to.include({ operation: 'ibv_post_send', code: ENOMEM, text: 'Cannot allocate memory' });
  });

  it('says at once what a call refused, and again', () => {
    const refusal = { refuseAt: 5, refusal: EINVAL };
    const { stream } = streamOver({ qps: 1, postList: 1, cqMod: 2, txDepth: 4, total: 20 }, refusal);
    expect(run(stream, 20)).to.include({ operation: 'ibv_post_send', code: EINVAL, iteration: 5 });
    expect(() => {
      stream.end();
    }).to.throw('Invalid argument');
  });

  for (const [failAt, qp, number] of [
    [0, 100, 0],
    [7, 101, 3],
    [38, 100, 19],
    [39, 101, 19],
  ] as const) {
    it(`says which work request failed: ${failAt} of all`, () => {
      const numbers: Settings = { qps: 2, postList: 1, cqMod: 10, txDepth: 16, total: 20, cqePoll: 16 };
      const { stream } = streamOver(numbers, { failAt, status: ACCESS_ERROR, perPoll: 2 });
      const where = `work request ${number} of queue pair ${qp}: remote access error: the other side's region`;
      const error = run(stream, 40);
      expect(error).to.include({ stackName: 'verbs', code: 0x10000 + ACCESS_ERROR });
      expect((error as { text: string }).text).to.contain(where);
      // What was flushed after it is not what failed, and nothing waits any more.
      for (const again of [stream.end, stream.post]) expect(again).to.throw(where);
      expect(() => {
        stream.restart(20);
      }).to.throw('it has failed; bind a new one');
    });
  }

  it('fails where polls do', () => {
    const { stream } = streamOver({ qps: 1, postList: 1, cqMod: 1, txDepth: 1, total: 2 }, { failPolls: true });
    expect(run(stream, 2)).to.include({
      text: "Input/output error: the device has gone or has failed: see the kernel's log",
    });
  });

  it('gives up when runs are cancelled', () => {
    const { stream } = streamOver({ qps: 1, postList: 1, cqMod: 1, txDepth: 2, total: 3 }, { perPoll: 0 });
    stream.post();
    stream.post();
    cancelRuns('the peer has gone');
    try {
      expect(stream.post).to.throw('it was cancelled: the peer has gone');
      expect(stream.end).to.throw('it was cancelled: the peer has gone');
    } finally {
      clearCancel();
    }
  });

  it('notes when completions were seen', () => {
    const completions = new Float64Array(2 * 6);
    const { stream } = streamOver({ qps: 2, postList: 1, cqMod: 5, txDepth: 5, total: 25, completions, cqePoll: 1 });
    expect(run(stream, 50)).to.equal(undefined);
    expect(stream.noted()).to.equal(6);
    const [times, counts] = [0, 1].map((part) => [...completions].filter((_, i) => i % 2 === part));
    expect(counts).to.deep.equal([5, 10, 15, 20, 25, 30]);
    expect(times).to.deep.equal([...(times ?? [])].sort((a, b) => a - b));
    expect(times?.[0]).to.be.greaterThan(0);
    stream.restart(25);
    expect(stream.noted()).to.equal(0);
  });
});

describe('a stream of verbs that sleeps', () => {
  const numbers: Settings = { qps: 2, postList: 1, cqMod: 4, txDepth: 8, total: 400, events: true };

  for (const afterMs of [0, 1]) {
    it(`is woken by events, ${afterMs} ms after it asked for them`, () => {
      const chains = afterMs === 0 ? 800 : 40;
      const { device, stream } = streamOver(
        { ...numbers, total: chains / 2 },
        { onEvents: true, afterMs, perPoll: 4 },
        { events: true },
      );
      expect(run(stream, chains)).to.equal(undefined);
      const { events, acknowledged, unacknowledged } = device.counts;
      expect(stream.completed()).to.equal(chains);
      expect(events).to.be.at.least(chains / 8 - 1);
      expect(acknowledged + unacknowledged).to.be.within(events - 1, events);
      expect(unacknowledged).to.be.below(64);
    });
  }

  it('hears of a cancelling while it sleeps', () => {
    const { stream } = streamOver({ ...numbers, txDepth: 4 }, { onEvents: true, perPoll: 0 }, { events: true });
    const end = testOperations().failAt(0, 9);
    const sleep = testOperations().sleepAt(undefined, 20);
    const threads = startThreads([{ timed: [stream.post] }, { timed: [sleep, end] }]);
    expect(() => threads.advance({ iterations: 100 })).to.throw('test failure 9');
    threads.finish();
  });
});

describe('what a stream of verbs uses', () => {
  it('can’t be destroyed before both its operations are released', () => {
    const { device, stream, wrs, mrs } = streamOver({ qps: 1, postList: 1, cqMod: 1, txDepth: 1, total: 1 });
    const objects = [wrs[0]?.qp, device.sendCq, mrs[0]];
    const refusals = () =>
      objects.map((object) => {
        try {
          object?.destroy();
          return 'destroyed';
        } catch (error) {
          return (error as Error).message;
        }
      });
    expect(refusals()[0]).to.equal("the queue pair can't be destroyed: 2 operations use it; release first");
    releaseOperation(stream.post);
    expect(refusals()[2]).to.equal("the memory region can't be destroyed: one operation uses it; release first");
    releaseOperation(stream.end);
    expect(refusals()).to.deep.equal(['destroyed', 'destroyed', 'destroyed']);
    expect(stream.post).to.throw('it was released: build a new one');
    expect(stream.completed()).to.equal(0);
  });
});

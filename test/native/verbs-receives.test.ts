import { expect } from 'chai';
import { cancelRuns, clearCancel, nativeExecutor, releaseOperation, repeat, until } from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import { bind, MockDevice, type Behaviour } from './verbs-mock.js';

const FLUSHED = 5;

function receiving({ qps = 1, postList = 1, cqePoll = 16, recvCapacity = 1000 } = {}) {
  const device = new MockDevice();
  const mr = device.mr();
  const queuePairs = Array.from({ length: qps }, () => device.qp({ recvCapacity }));
  const wrs = queuePairs.map((to, i) => ({ to, local: { mr, offset: 100 * i, length: 50 } }));
  const receives = bind.receives({ cq: device.recvCq, wrs, postList, cqePoll });
  return { device, mr, qps: queuePairs, receives };
}

function execute(operation: Operation, times: number): void {
  const run = nativeExecutor.start({ timed: [operation] });
  run.advance({ iterations: times });
  run.finish();
}

describe('receives of verbs', () => {
  it('are filled with so many of each', () => {
    const { device, mr, receives } = receiving({ qps: 2 });
    receives.fill(3);
    const each = (id: number) => ({ id, local: mr.address + BigInt(100 * id), length: 50, lkey: 7000, pieces: 1 });
    expect(device.received.map(({ call, ...rest }) => ({ ...rest, fits: call < 6 }))).to.deep.equal(
      [0, 0, 0, 1, 1, 1].map((id) => ({ ...each(id), fits: true })),
    );
  });

  it('are not filled beyond the queue', () => {
    const { receives } = receiving({ recvCapacity: 2 });
    expect(() => {
      receives.fill(3);
    }).to.throw('ibv_post_recv failed: Cannot allocate memory: the queue holds no more receives');
  });

  it('are taken one by one, and posted again as they are found', () => {
    const { device, qps, receives } = receiving({ qps: 2, cqePoll: 4 });
    receives.fill(10);
    for (const qp of qps) device.deliver(qp, 5);
    receives.take();
    expect([receives.taken(), receives.arrived()]).to.deep.equal([1, 4]);
    expect(device.received).to.have.length(24);
    execute(receives.take, 9);
    expect([receives.taken(), receives.arrived()]).to.deep.equal([10, 10]);
    expect(device.received.slice(20).map(({ id }) => id)).to.deep.equal([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    receives.restart();
    expect([receives.taken(), receives.arrived()]).to.deep.equal([0, 0]);
  });

  it('are posted again in lists', () => {
    const { device, qps, receives } = receiving({ qps: 2, postList: 3 });
    receives.fill(9);
    for (const qp of qps) device.deliver(qp, 8);
    execute(receives.take, 16);
    const calls = device.received.slice(18).map(({ call, id }) => `${id}${call}`);
    expect(calls).to.deep.equal(['018', '018', '018', '019', '019', '019', '120', '120', '120', '121', '121', '121']);
  });

  it('come from a shared queue', () => {
    const device = new MockDevice();
    const srq = device.srq();
    const qps = [device.qp({ srq }), device.qp({ srq })] as const;
    const local = { mr: device.mr(), length: 48 };
    const receives = bind.receives({ cq: device.recvCq, wrs: [{ to: srq, local }], postList: 2, cqePoll: 16 });
    receives.fill(4);
    device.deliver(qps[0], 2);
    device.deliver(qps[1], 2);
    execute(receives.take, 4);
    expect(device.received).to.have.length(8);
    expect(device.counts.missed).to.equal(0);
  });

  it('are counted alone where there is nothing to post', () => {
    const { device, qps } = receiving();
    bind
      .receives({
        cq: device.recvCq,
        wrs: [{ to: qps[0] ?? device.qp(), local: { mr: device.mr(), length: 0 } }],
        cqePoll: 1,
      })
      .fill(3);
    device.deliver(qps[0] ?? device.qp(), 3);
    const receives = bind.receives({ cq: device.recvCq, wrs: [], cqePoll: 2 });
    execute(receives.take, 3);
    expect(receives.taken()).to.equal(3);
    expect(device.received.map(({ pieces }) => pieces)).to.deep.equal([0, 0, 0]);
    expect(() => {
      receives.fill(1);
    }).to.throw('there is nothing to fill: wrs is empty');
  });

  it('can be tested for', () => {
    const { device, qps, receives } = receiving();
    receives.fill(4);
    expect(receives.test).to.throw('it is not complete yet');
    device.deliver(qps[0] ?? device.qp(), 2);
    until(receives.test, [])();
    receives.test();
    expect(receives.taken()).to.equal(2);
    expect(receives.test).to.throw('it is not complete yet');
  });

  it('give out what came before a failure, and then tell that', () => {
    const { device, qps, receives } = receiving();
    const qp = qps[0] ?? device.qp();
    receives.fill(4);
    device.deliver(qp, 2);
    device.deliver(qp, 1, FLUSHED);
    receives.take();
    receives.test();
    for (let i = 0; i < 3; ++i) expect(receives.take).to.throw('receive failed: Work Request Flushed Error');
    expect(receives.test).to.throw('receiveTest failed: Work Request Flushed Error');
  });

  it('end when runs are cancelled', () => {
    const { receives } = receiving();
    cancelRuns('the peer has gone');
    try {
      expect(receives.take).to.throw('it was cancelled: the peer has gone');
    } finally {
      clearCancel();
    }
  });

  it('keep their queue pair', () => {
    const { device, qps, receives } = receiving();
    expect(() => qps[0]?.destroy()).to.throw('2 operations use it');
    for (const operation of [receives.take, receives.test]) releaseOperation(operation);
    qps[0]?.destroy();
    expect(() => {
      receives.fill(1);
    }).to.throw('what receives are posted to is destroyed: bind new ones');
    device.recvCq.destroy();
  });
});

describe('sending while receiving', () => {
  /** Sends arrive in the queue pair's own receives. */
  function both(behaviour: Behaviour, { after = false, events = false, total = 100, rx = 8 } = {}) {
    const device = new MockDevice({ events });
    device.behave({ loops: true, ...behaviour });
    const qp = device.qp();
    const local = { mr: device.mr(), length: 8 };
    const bound = bind.bothWays({
      stream: { wrs: [{ qp, opcode: 'SEND', local }], postList: 2, txDepth: 4, cqMod: 2, cqePoll: 4, total, events },
      receives: { cq: device.recvCq, wrs: [{ to: qp, local }], cqePoll: 4, events },
      after,
    });
    bound.receives.fill(rx);
    return { device, qp, ...bound };
  }

  for (const events of [false, true]) {
    it(`posts receives again while it waits for places${events ? ' asleep' : ''}`, () => {
      const { device, stream, receives } = both({ perPoll: 2, onEvents: events }, { events });
      const run = nativeExecutor.start({ timed: [stream.post], closing: [stream.end, repeat([receives.take], 100)] });
      run.advance({ iterations: 50, close: true });
      run.finish();
      expect(device.counts.missed).to.equal(0);
      expect([stream.completed(), receives.arrived(), receives.taken()]).to.deep.equal([100, 100, 100]);
      expect(device.received).to.have.length(108);
    });
  }

  it('sends nothing before the first message, where that is asked for', () => {
    const { device, qp, stream, receives } = both({ perPoll: 2 }, { after: true });
    cancelRuns('nothing came');
    try {
      expect(stream.post).to.throw('nothing came');
    } finally {
      clearCancel();
    }
    stream.end();
    expect(device.sent).to.deep.equal([]);
    device.deliver(qp, 1);
    stream.post();
    expect(device.sent).to.have.length(2);
    stream.end();
    stream.restart(100);
    cancelRuns('nothing came');
    try {
      for (let i = 0; i < 3; ++i) expect(stream.post).to.throw('nothing came');
    } finally {
      clearCancel();
    }
    expect(device.sent).to.have.length(2);
    expect(receives.arrived()).to.be.at.least(1);
  });

  it('goes on after a first message that was taken before', () => {
    const { device, qp, stream, receives } = both({}, { after: true });
    device.deliver(qp, 1);
    receives.take();
    stream.post();
    expect(device.sent).to.have.length(2);
  });

  it('tells of receives that failed', () => {
    const { device, qp, stream } = both({ perPoll: 0 });
    stream.post();
    stream.post();
    device.deliver(qp, 1, FLUSHED);
    expect(stream.post).to.throw('ibv_post_send failed: Work Request Flushed Error');
    expect(stream.end).to.throw('Work Request Flushed Error');
    expect(device.sent).to.have.length(4);
  });
});

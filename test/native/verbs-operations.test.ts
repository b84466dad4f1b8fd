import { expect } from 'chai';
import { EngineBuffer } from '../../src/engine/buffer.js';
import {
  cancelRuns,
  clearCancel,
  nativeExecutor,
  releaseOperation,
  startThreads,
  type OperationError,
} from '../../src/engine/index.js';
import type { Opcode, SendWr } from '../../src/verbs/bind-types.js';
import { opcodes } from '../../src/verbs/bind-wr.js';
import { testOperations } from './test-addon.js';
import { bind, MockDevice, type QpSettings, type Sent } from './verbs-mock.js';

const SIGNALED = 2;
const REM_ACCESS_ERR = 10;
const REMOTE = 0x7f00_0000_1000n;

/** As ibv_wr_opcode numbers them. */
const numbers: Record<Opcode, number> = {
  RDMA_WRITE: 0,
  RDMA_WRITE_WITH_IMM: 1,
  SEND: 2,
  SEND_WITH_IMM: 3,
  RDMA_READ: 4,
  ATOMIC_CMP_AND_SWP: 5,
  ATOMIC_FETCH_AND_ADD: 6,
};

type Wr = Omit<SendWr, 'qp' | 'local'>;

/** The fields that a call needs. */
const fieldsOf: Record<Opcode, Omit<Wr, 'opcode'>> = {
  SEND: {},
  SEND_WITH_IMM: { imm: 0xdead_beef },
  RDMA_WRITE: { remote: { address: REMOTE, rkey: 0xffff_fff0 } },
  RDMA_WRITE_WITH_IMM: { remote: { address: REMOTE, rkey: 9 }, imm: 1 },
  RDMA_READ: { remote: { address: REMOTE, rkey: 9 } },
  ATOMIC_FETCH_AND_ADD: { remote: { address: REMOTE, rkey: 9 }, compareAdd: 2n ** 64n - 1n },
  ATOMIC_CMP_AND_SWP: { remote: { address: REMOTE, rkey: 9 }, compareAdd: 5n, swap: 6n },
};

function only(sent: readonly Sent[]): Sent {
  expect(sent).to.have.length(1);
  return sent[0] as Sent;
}

/** Posts one work request of 8 bytes at 16, and gives what the device saw. */
function posted(wr: Wr, settings: QpSettings = {}, length = 8): Sent & { readonly at: number } {
  const device = new MockDevice();
  const mr = device.mr();
  bind.post({ qp: device.qp(settings), local: { mr, offset: 16, length }, ...wr })();
  const sent = only(device.sent);
  return { ...sent, at: Number(sent.local - mr.address) };
}

describe('posting one work request', () => {
  for (const wrApi of [false, true]) {
    const by = wrApi ? 'ibv_wr_* calls' : 'ibv_post_send';

    for (const opcode of opcodes) {
      it(`by ${by}: ${opcode}`, () => {
        const fields = fieldsOf[opcode];
        expect(posted({ opcode, ...fields }, { wrApi })).to.include({
          opcode: numbers[opcode],
          flags: SIGNALED,
          inline: false,
          at: 16,
          length: 8,
          lkey: 7000,
          pieces: 1,
          remote: fields.remote?.address ?? 0n,
          rkey: fields.remote?.rkey ?? 0,
          imm: fields.imm ?? 0,
          compareAdd: fields.compareAdd ?? 0n,
          swap: fields.swap ?? 0n,
        });
      });

      it(`by ${by}: ${opcode} to an SRQ of XRC`, () => {
        const wr = { opcode, ...fieldsOf[opcode], srqn: 77 };
        expect(posted(wr, { wrApi, type: 'XRC_SEND' })).to.include({ srqn: 77, opcode: numbers[opcode] });
      });
    }

    for (const opcode of ['SEND', 'SEND_WITH_IMM'] as const) {
      it(`by ${by}: ${opcode} of UD`, () => {
        const device = new MockDevice();
        const ah = device.ah();
        const local = { mr: device.mr(), length: 100 };
        const ud = { ah, qpn: 0xab_cdef, qkey: 0x1111_1111 };
        const qp = device.qp({ wrApi, type: 'UD', maxInline: 200 });
        bind.post({ qp, opcode, local, ud, ...fieldsOf[opcode] })();
        const address = { ah: ah.address, qpn: ud.qpn, qkey: ud.qkey };
        expect(only(device.sent)).to.include({ ...address, inline: true, imm: fieldsOf[opcode].imm ?? 0 });
      });
    }

    it(`by ${by}: inline where it fits, unless told otherwise`, () => {
      const write = { opcode: 'RDMA_WRITE' as const, ...fieldsOf.RDMA_WRITE };
      const settings = { wrApi, maxInline: 8 };
      expect(posted(write, settings, 8).inline).to.equal(true);
      expect(posted(write, settings, 9).inline).to.equal(false);
      expect(posted({ ...write, inline: false }, settings, 8).inline).to.equal(false);
      expect(posted({ ...write, inline: true }, settings, 1).inline).to.equal(true);
      expect(posted({ opcode: 'RDMA_READ', ...fieldsOf.RDMA_READ }, settings).inline).to.equal(false);
      expect(posted({ opcode: 'ATOMIC_FETCH_AND_ADD', ...fieldsOf.ATOMIC_FETCH_AND_ADD }, settings).inline).to.equal(
        false,
      );
    });

    it(`by ${by}: without a piece where there are no bytes`, () => {
      for (const maxInline of [0, 8]) {
        const sent = posted({ opcode: 'SEND' }, { wrApi, maxInline }, 0);
        expect(sent).to.include({ pieces: 0, length: 0, inline: false });
      }
    });

    it(`by ${by}: stamped with its number`, () => {
      const device = new MockDevice();
      const mr = device.mr();
      const wr = { qp: device.qp({ wrApi }), opcode: 'SEND' as const, local: { mr, offset: 3, length: 5 } };
      const run = nativeExecutor.start({ timed: [bind.post(wr, { stamp: true })] });
      run.advance({ iterations: 300 });
      run.finish();
      expect(device.sent.map(({ lastByte }) => lastByte)).to.deep.equal(
        Array.from({ length: 300 }, (_, i) => (i + 1) % 256),
      );
      expect([...mr.buffer.view(0, 10)]).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 44, 0, 0]);
    });
  }

  it('names the call that failed', () => {
    const names = [false, true].map((wrApi) => {
      const device = new MockDevice();
      device.behave({ refuseAt: 0, refusal: 22 });
      const wr = { qp: device.qp({ wrApi }), local: { mr: device.mr(), length: 1 }, ...fieldsOf.RDMA_WRITE };
      try {
        bind.post({ ...wr, opcode: 'RDMA_WRITE' })();
      } catch (error) {
        return (error as Error).message;
      }
      return 'posted';
    });
    expect(names).to.deep.equal([
      'ibv_post_send failed: Invalid argument (verbs code 22)',
      'ibv_wr_rdma_write failed: Invalid argument (verbs code 22)',
    ]);
  });
});

describe('waiting for a completion', () => {
  function posting(settings: { readonly events?: boolean } = {}) {
    const device = new MockDevice(settings);
    const post = bind.post({ qp: device.qp(), opcode: 'SEND', local: { mr: device.mr(), length: 1 } });
    return { device, post, complete: bind.complete(device.sendCq, settings) };
  }

  it('polls until one is there', () => {
    const { device, post, complete } = posting();
    device.behave({ emptyPolls: 3 });
    const run = nativeExecutor.start({ timed: [post, complete] });
    run.advance({ iterations: 10 });
    run.finish();
    expect(device.counts.polls).to.equal(40);
  });

  it('tells its status in words', () => {
    const { device, post, complete } = posting();
    device.behave({ failAt: 1, status: REM_ACCESS_ERR });
    post();
    complete();
    post();
    expect(complete).to.throw('ibv_poll_cq failed: remote access error: the other side');
    post();
    expect(complete).to.throw('Work Request Flushed Error');
  });

  it('fails where the poll fails', () => {
    const { device, complete } = posting();
    device.behave({ failPolls: true });
    expect(complete).to.throw('ibv_poll_cq failed: Input/output error');
  });

  it('ends when runs are cancelled', () => {
    const { complete } = posting();
    cancelRuns('the peer has gone');
    try {
      expect(complete).to.throw('it was cancelled: the peer has gone');
    } finally {
      clearCancel();
    }
  });

  for (const afterMs of [0, 1]) {
    it(`sleeps until an event comes, ${afterMs} ms later`, () => {
      const { device, post, complete } = posting({ events: true });
      device.behave({ onEvents: true, afterMs });
      const run = nativeExecutor.start({ timed: [post, complete] });
      run.advance({ iterations: 100 });
      run.finish();
      const { events, acknowledged, unacknowledged, polls } = device.counts;
      expect(events).to.equal(100);
      expect(acknowledged + unacknowledged).to.be.within(99, 100);
      expect(acknowledged).to.equal(64);
      expect(polls).to.be.below(500);
    });
  }

  it('keeps apart the events of two queues of one channel', () => {
    const device = new MockDevice({ events: true });
    device.behave({ onEvents: true, loops: true });
    const qp = device.qp();
    const local = { mr: device.mr(), length: 1 };
    const post = bind.post({ qp, opcode: 'SEND', local });
    const receives = bind.receives({ cq: device.recvCq, wrs: [{ to: qp, local }], cqePoll: 1, events: true });
    receives.fill(2);
    const sent = bind.complete(device.sendCq, { events: true });
    const run = nativeExecutor.start({ timed: [post, sent, receives.take] });
    run.advance({ iterations: 200 });
    run.finish();
    expect(receives.taken()).to.equal(200);
  });

  it('hears of a cancelling while it sleeps', () => {
    const { complete } = posting({ events: true });
    const test = testOperations();
    const threads = startThreads([{ timed: [complete] }, { timed: [test.sleepAt(undefined, 20), test.failAt(0, 9)] }]);
    expect(() => threads.advance({ iterations: 1 })).to.throw('test failure 9');
    threads.finish();
  });
});

describe('waiting for a byte', () => {
  it('takes the number of each execution, modulo 256', () => {
    const buffer = EngineBuffer.allocate(16);
    const run = nativeExecutor.start({ timed: [testOperations().increment(buffer), bind.waitByte(buffer, 0)] });
    run.advance({ iterations: 1000 });
    run.finish();
    expect(buffer.view()[0]).to.equal(1000 % 256);
  });

  it('spins for another value, and ends when runs are cancelled', () => {
    const buffer = EngineBuffer.allocate(16);
    buffer.view()[5] = 2;
    const test = testOperations();
    const threads = startThreads([
      { timed: [bind.waitByte(buffer, 5)] },
      { timed: [test.sleepAt(undefined, 5), test.failAt(0, 9)] },
    ]);
    expect(() => threads.advance({ iterations: 1 })).to.throw('test failure 9');
    threads.finish();
  });

  it('uses its buffer', () => {
    const buffer = EngineBuffer.allocate(16);
    const wait = bind.waitByte(buffer, 5);
    expect(() => {
      buffer.free();
    }).to.throw("the buffer can't be freed: an operation or memory region still holds it");
    releaseOperation(wait);
    buffer.free();
    expect(wait).to.throw('it was released');
  });
});

describe('an operation of verbs', () => {
  it('keeps what it uses until it is released', () => {
    const device = new MockDevice();
    const [qp, mr, ah] = [device.qp({ type: 'UD' }), device.mr(), device.ah()];
    const post = bind.post({ qp, opcode: 'SEND', local: { mr, length: 1 }, ud: { ah, qpn: 1, qkey: 1 } });
    const objects = [qp, mr, ah, device.sendCq];
    for (const object of objects) {
      expect(() => {
        object.destroy();
      }).to.throw("can't be destroyed: one operation uses it; release first");
    }
    releaseOperation(post);
    for (const object of objects) object.destroy();
    expect(() => bind.complete(device.sendCq)).to.throw('was destroyed');
  });

  it('is an error of its stack when it fails', () => {
    const device = new MockDevice();
    device.behave({ failPolls: true });
    let caught: OperationError | undefined;
    try {
      bind.complete(device.sendCq)();
    } catch (error) {
      caught = error as OperationError;
    }
    expect(caught).to.include({ name: 'OperationError', stackName: 'verbs', operation: 'ibv_poll_cq', code: 5 });
  });
});

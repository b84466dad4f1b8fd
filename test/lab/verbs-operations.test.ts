/** Operations of verbs over a real device: two queue pairs of this process that are connected. Runs in the Soft-RoCE machine. */
import { expect } from 'chai';
import { EngineBuffer, nativeExecutor, OperationError, releaseOperation } from '../../src/engine/index.js';
import type { Operation, Program } from '../../src/engine/types.js';
import {
  bind,
  GRH_BYTES,
  verbs,
  type Opcode,
  type QpType,
  type QueuePair,
  type SendWr,
  type StreamRequest,
} from '../../src/verbs/index.js';

const PORT = 1;
/** Of the IPv4 address. */
const GID = 1;
const HALF = 65_536;
const ACCESS = ['LOCAL_WRITE', 'REMOTE_WRITE', 'REMOTE_READ', 'REMOTE_ATOMIC'] as const;
const REM_ACCESS_ERR = 0x1_0000 + 10;
const QKEY = 0x1111_1111;

interface Options {
  readonly type?: QpType;
  readonly qps?: number;
  readonly events?: boolean;
  readonly srq?: boolean;
  readonly maxInline?: number;
  readonly wrApi?: boolean;
}

/** Two sides of pairs, each with its queues and 64 KiB of memory of its own. */
class Sides {
  readonly context = verbs().open('rxe0');
  readonly pd = this.context.allocPd();
  readonly options: Required<Options>;
  readonly left;
  readonly right;
  readonly ah;
  readonly #operations: Operation[] = [];

  constructor(options: Options = {}) {
    this.options = { type: 'RC', qps: 1, events: false, srq: false, maxInline: 0, wrApi: true, ...options };
    this.left = this.#side();
    this.right = this.#side();
    this.ah = this.options.type === 'UD' ? this.pd.createAh(this.#path()) : undefined;
    this.left.qps.forEach((qp, i) => {
      const peer = this.right.qps[i];
      if (peer === undefined) throw new Error('the other side has fewer queue pairs');
      this.#connect(qp, peer);
      this.#connect(peer, qp);
    });
  }

  #path() {
    const entry = this.context.gids(PORT).find(({ index }) => index === GID);
    if (entry === undefined) throw new Error('rxe0 has no GID of an IPv4 address');
    return { port: PORT, lid: 0, gid: { gid: entry.gid, index: GID } };
  }

  #side() {
    const { type, qps, events, srq: shares, maxInline, wrApi } = this.options;
    const channel = events ? this.context.createCompChannel() : undefined;
    const cq = () => this.context.createCq({ entries: 1000, ...(channel && { channel }) });
    const [sendCq, recvCq] = [cq(), cq()];
    const srq = shares ? this.pd.createSrq({ maxWr: 100 }) : undefined;
    const buffer = EngineBuffer.allocate(HALF);
    const mr = this.pd.regMr(buffer, ACCESS);
    const queues = { sendCq, recvCq, maxSendWr: 128, maxRecvWr: 128, maxInline, wrApi, ...(srq && { srq }) };
    const all = Array.from({ length: qps }, () => this.pd.createQp({ type, ...queues }));
    return { channel, sendCq, recvCq, srq, buffer, mr, qps: all, qp: all[0] as QueuePair };
  }

  #connect(qp: QueuePair, peer: QueuePair): void {
    const numbers = { destQpn: peer.number, rqPsn: 1000 + peer.number, sqPsn: 1000 + qp.number, qkey: QKEY };
    qp.connect({ path: this.#path(), mtu: 1024, ...numbers, maxRdAtomic: 4, maxDestRdAtomic: 4 });
  }

  /** A work request from the left, to the same place on the right. */
  wr(opcode: Opcode, length: number, more: Partial<SendWr> = {}): SendWr {
    const remote = { address: this.right.mr.address, rkey: this.right.mr.rkey };
    const ud = this.ah && { ud: { ah: this.ah, qpn: this.right.qp.number, qkey: QKEY } };
    const to = opcode.startsWith('SEND') ? ud : { remote };
    return { qp: this.left.qp, opcode, local: { mr: this.left.mr, length }, ...to, ...more };
  }

  /** Receives on the right. */
  receives(length: number, settings: { readonly postList?: number } = {}) {
    const { mr, qps, recvCq, srq } = this.right;
    const wrs = (srq === undefined ? qps : [srq]).map((to) => ({ to, local: { mr, length } }));
    const { events } = this.options;
    const receives = bind.receives({ cq: recvCq, wrs, cqePoll: 16, events, ...settings });
    this.#operations.push(receives.take, receives.test);
    return receives;
  }

  stream(request: Omit<StreamRequest, 'cqePoll'>) {
    const stream = bind.stream({ cqePoll: 16, events: this.options.events, ...request });
    this.#operations.push(stream.post, stream.end);
    return stream;
  }

  post(wr: SendWr, options: { readonly stamp?: boolean } = {}): Operation {
    return this.#kept(bind.post(wr, options));
  }

  complete(): Operation {
    return this.#kept(bind.complete(this.left.sendCq, { events: this.options.events }));
  }

  waitByte(offset: number): Operation {
    return this.#kept(bind.waitByte(this.right.buffer, offset));
  }

  #kept(operation: Operation): Operation {
    this.#operations.push(operation);
    return operation;
  }

  /** Gives all back: proves that nothing is held too long. */
  close(): void {
    for (const operation of this.#operations) releaseOperation(operation);
    for (const side of [this.left, this.right]) {
      for (const qp of side.qps) qp.destroy();
      for (const queue of [side.srq, side.sendCq, side.recvCq, side.channel]) queue?.destroy();
      side.mr.dereg();
      side.buffer.free();
    }
    this.ah?.destroy();
    this.pd.dealloc();
    this.context.close();
  }
}

function execute(program: Program, iterations: number): void {
  const run = nativeExecutor.start(program);
  try {
    run.advance({ iterations, close: true });
  } finally {
    run.finish();
  }
}

function failureOf(action: () => void): OperationError {
  try {
    action();
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

const fill = (buffer: EngineBuffer, length: number): void => {
  buffer.view(0, length).forEach((_, i, bytes) => (bytes[i] = (i * 7 + 3) % 256));
};

for (const wrApi of [true, false])
  describe(`operations of verbs over rxe0, by ${wrApi ? 'ibv_wr_* calls' : 'ibv_post_send'}`, () => {
    let sides: Sides | undefined;
    const open = (options?: Options): Sides => (sides = new Sides({ wrApi, ...options }));
    afterEach(() => {
      sides?.close();
      sides = undefined;
    });

    for (const [opcode, imm] of [
      ['SEND', undefined],
      ['SEND_WITH_IMM', 5],
      ['RDMA_WRITE_WITH_IMM', 6],
    ] as const) {
      for (const type of ['RC', 'UC'] as const) {
        it(`${opcode} of ${type} arrives, and is received`, () => {
          const { left, right } = open({ type });
          fill(left.buffer, 5000);
          const receives = sides?.receives(5000);
          receives?.fill(4);
          const wr = sides?.wr(opcode, 5000, imm === undefined ? {} : { imm });
          if (wr === undefined || receives === undefined) return;
          execute(
            { timed: [sides?.post(wr), sides?.complete(), receives.take].filter((each) => each !== undefined) },
            20,
          );
          expect(receives.taken()).to.equal(20);
          expect(right.buffer.view(0, 5000)).to.deep.equal(left.buffer.view(0, 5000));
        });
      }
    }

    it('writes with a stamp are seen by whoever waits for it', () => {
      const both = open({ maxInline: 0 });
      execute(
        { timed: [both.post(both.wr('RDMA_WRITE', 100), { stamp: true }), both.waitByte(99), both.complete()] },
        300,
      );
      expect(both.right.buffer.view(99, 1)[0]).to.equal(300 % 256);
    });

    it('small messages arrive, that go with the call', () => {
      const both = open({ maxInline: 64 });
      expect(both.left.qp).to.include({ wrApi });
      expect(both.left.qp.maxInline).to.be.at.least(64);
      fill(both.left.buffer, 64);
      const receives = both.receives(64);
      receives.fill(4);
      execute({ timed: [both.post(both.wr('SEND', 64, { inline: true })), both.complete(), receives.take] }, 10);
      expect(both.right.buffer.view(0, 64)).to.deep.equal(both.left.buffer.view(0, 64));
    });

    it('reads bring what the other side has', () => {
      const both = open();
      fill(both.right.buffer, 3000);
      execute({ timed: [both.post(both.wr('RDMA_READ', 3000)), both.complete()] }, 3);
      expect(both.left.buffer.view(0, 3000)).to.deep.equal(both.right.buffer.view(0, 3000));
    });

    it('atomics add and swap, and bring the old value', () => {
      const both = open();
      const words = [both.left, both.right].map(
        ({ buffer }) => new BigUint64Array(buffer.view().buffer, buffer.view().byteOffset, 1),
      );
      const add = both.post(both.wr('ATOMIC_FETCH_AND_ADD', 8, { compareAdd: 3n }));
      execute({ timed: [add, both.complete()] }, 10);
      expect(words.map(([word]) => word)).to.deep.equal([27n, 30n]);
      for (const compareAdd of [29n, 30n]) {
        execute(
          { timed: [both.post(both.wr('ATOMIC_CMP_AND_SWP', 8, { compareAdd, swap: 99n })), both.complete()] },
          1,
        );
      }
      expect(words.map(([word]) => word)).to.deep.equal([30n, 99n]);
    });

    it('datagrams arrive behind their header', () => {
      const both = open({ type: 'UD' });
      fill(both.left.buffer, 500);
      const receives = both.receives(500 + GRH_BYTES);
      receives.fill(4);
      execute({ timed: [both.post(both.wr('SEND_WITH_IMM', 500, { imm: 1 })), both.complete(), receives.take] }, 10);
      expect(both.right.buffer.view(GRH_BYTES, 500)).to.deep.equal(both.left.buffer.view(0, 500));
    });

    it('messages to several queue pairs come from a shared queue', () => {
      const both = open({ srq: true, qps: 3 });
      const receives = both.receives(64, { postList: 4 });
      receives.fill(64);
      const wrs = both.left.qps.map((qp) => both.wr('SEND', 64, { qp }));
      const stream = both.stream({ wrs, postList: 2, txDepth: 8, cqMod: 4, total: 40 });
      execute({ timed: [stream.post, receives.take, receives.take], closing: [stream.end] }, 60);
      expect([stream.completed(), receives.taken()]).to.deep.equal([120, 120]);
    });

    for (const events of [false, true]) {
      it(`streams end complete${events ? ', asleep until events come' : ''}`, () => {
        const both = open({ qps: 2, events });
        const wrs = both.left.qps.map((qp) => both.wr('RDMA_WRITE', 64, { qp }));
        const completions = new Float64Array(2000);
        const walk = { step: 64, span: 4096 };
        const stream = both.stream({ wrs, walk, postList: 1, txDepth: 64, cqMod: 20, total: 500, completions });
        fill(both.left.buffer, 4096);
        execute({ timed: [stream.post], closing: [stream.end] }, 1000);
        expect(stream.completed()).to.equal(1000);
        expect(both.right.buffer.view(0, 4096)).to.deep.equal(both.left.buffer.view(0, 4096));
        const last = completions.subarray(2 * stream.noted() - 2, 2 * stream.noted());
        expect(last[1]).to.equal(1000);
        stream.restart(0);
        execute({ timed: [stream.post], closing: [stream.end] }, 50);
        expect(stream.completed()).to.equal(52);
      });
    }

    it('both ways of one side send and receive at once, asleep too', () => {
      const both = open({ events: true });
      const { left, right } = both;
      const way = (from: typeof left, after: boolean) => {
        const local = { mr: from.mr, length: 32 };
        const numbers = { postList: 1, txDepth: 16, cqMod: 4, cqePoll: 8, total: 100, events: true };
        const bound = bind.bothWays({
          stream: { wrs: [{ qp: from.qp, opcode: 'SEND', local }], ...numbers },
          receives: { cq: from.recvCq, wrs: [{ to: from.qp, local }], cqePoll: 8, events: true },
          after,
        });
        bound.receives.fill(64);
        return bound;
      };
      const first = way(left, false);
      const second = way(right, true);
      execute({ timed: [first.stream.post, second.stream.post, first.receives.take, second.receives.take] }, 100);
      execute({ timed: [first.stream.end, second.stream.end] }, 1);
      for (const { stream, receives } of [first, second]) {
        expect([stream.completed(), receives.taken()]).to.deep.equal([100, 100]);
        for (const each of [stream.post, stream.end, receives.take, receives.test]) releaseOperation(each);
      }
    });

    it('a wrong key is told in words, by whatever meets it', () => {
      const both = open();
      const remote = { address: both.right.mr.address, rkey: (both.right.mr.rkey ^ 0x5a5a00) >>> 0 };
      both.post(both.wr('RDMA_WRITE', 8, { remote }))();
      const complete = both.complete();
      const error = failureOf(complete);
      expect(error).to.include({ code: REM_ACCESS_ERR, stackName: 'verbs', operation: 'ibv_poll_cq' });
      expect(error.text).to.contain('remote access error').and.to.contain('check rkey, address and length');
      expect(both.left.qp.state()).to.equal('ERR');
      both.post(both.wr('SEND', 8))();
      expect(failureOf(complete).text).to.contain('Work Request Flushed Error');
    });

    it('a stream that fails says where, and ends', () => {
      const both = open();
      const remote = { address: both.right.mr.address + BigInt(HALF - 64 * 10), rkey: both.right.mr.rkey };
      const wr = both.wr('RDMA_WRITE', 64, { remote });
      // The eleventh message of the walk lies outside the other side's memory.
      const walk = { step: 64, span: 2048 };
      const stream = both.stream({ wrs: [wr], walk, postList: 1, txDepth: 32, cqMod: 8, total: 100 });
      const error = failureOf(() => {
        execute({ timed: [stream.post], closing: [stream.end] }, 100);
      });
      expect(error.code).to.equal(REM_ACCESS_ERR);
      expect(error.text).to.contain(`work request 10 of queue pair ${both.left.qp.number}: remote access error`);
      expect(failureOf(stream.end).code).to.equal(REM_ACCESS_ERR);
    });

    it('a message without a receive is no error while the sender may retry for ever', () => {
      const both = open();
      const receives = both.receives(8);
      const complete = both.complete();
      both.post(both.wr('SEND', 8))();
      receives.fill(1);
      execute({ timed: [complete, receives.take] }, 1);
      expect(receives.taken()).to.equal(1);
    });
  });

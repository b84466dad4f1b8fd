/** Two sides of verbs in one process, for tests in the Soft-RoCE machine. */
import { EngineBuffer, releaseOperation } from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import {
  bind,
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
/** Bytes of each side's memory. */
export const HALF = 65_536;
const ACCESS = ['LOCAL_WRITE', 'REMOTE_WRITE', 'REMOTE_READ', 'REMOTE_ATOMIC'] as const;
const QKEY = 0x1111_1111;

export interface Options {
  readonly type?: QpType;
  readonly qps?: number;
  readonly events?: boolean;
  readonly srq?: boolean;
  readonly maxInline?: number;
  readonly wrApi?: boolean;
}

/** Two sides of pairs, each with its queues and 64 KiB of memory of its own. */
export class Sides {
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

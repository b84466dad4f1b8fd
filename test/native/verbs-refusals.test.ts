import { expect } from 'chai';
import type { ReceivesRequest, SendWr, StreamRequest } from '../../src/verbs/bind-types.js';
import { bind, MockDevice } from './verbs-mock.js';

const device = new MockDevice();
const mr = device.mr(256);
const qp = device.qp({ maxInline: 8 });
const local = { mr, length: 8 };
const remote = { address: 0x1000n, rkey: 1 };
const write: SendWr = { qp, opcode: 'RDMA_WRITE', local, remote };
const ud = { ah: device.ah(), qpn: 1, qkey: 1 };

describe('binding a work request refuses', () => {
  const refusals: [string, object, string][] = [
    [
      'a length beyond the region',
      { local: { mr, offset: 250, length: 8 } },
      'has 256 bytes, and the message reaches to byte 258',
    ],
    ['a length that is none', { local: { mr, length: 1.5 } }, 'length must be a whole number from 0 to 2147483648'],
    ['a negative offset', { local: { mr, offset: -1, length: 8 } }, 'offset must be a whole number of at least 0'],
    ['an unknown opcode', { opcode: 'LOCAL_INV' }, 'opcode must be one of SEND, SEND_WITH_IMM, RDMA_WRITE'],
    ['a queue pair of another make', { qp: {} }, 'qp must be what fabricbench/verbs made, not object'],
    ['a region of another make', { local: { mr: device.ah(), length: 8 } }, 'mr must be what fabricbench/verbs made'],
    ['a write to nowhere', { remote: undefined }, 'RDMA_WRITE needs remote'],
    ['a send to an address', { opcode: 'SEND' }, 'SEND takes no remote'],
    ['an address that is no bigint', { remote: { address: 5, rkey: 1 } }, 'the remote address must be a bigint'],
    ['a key of more than 32 bits', { remote: { address: 5n, rkey: 2 ** 32 } }, 'rkey must be a whole number from 0 to'],
    ['imm where none goes', { imm: 1 }, 'RDMA_WRITE takes no imm'],
    [
      'more inline than the queue pair carries',
      { local: { mr, length: 9 }, inline: true },
      'carries 8 bytes inline, and the message has 9',
    ],
    ['inline reads', { opcode: 'RDMA_READ', inline: true }, "RDMA_READ can't be inline: its data come back"],
    ['datagrams of RC', { ud }, 'a queue pair of type RC takes no ud'],
    [
      'UD without an address',
      { qp: device.qp({ type: 'UD' }), opcode: 'SEND', remote: undefined },
      'a queue pair of type UD needs ud',
    ],
    ['writes of UD', { qp: device.qp({ type: 'UD' }), ud }, "a queue pair of type UD can't post RDMA_WRITE"],
    [
      'reads of UC',
      { qp: device.qp({ type: 'UC' }), opcode: 'RDMA_READ' },
      "a queue pair of type UC can't post RDMA_READ",
    ],
    [
      'sends of XRC_RECV',
      { qp: device.qp({ type: 'XRC_RECV' }) },
      "a queue pair of type XRC_RECV can't post RDMA_WRITE",
    ],
    ['XRC without its SRQ', { qp: device.qp({ type: 'XRC_SEND' }) }, 'a queue pair of type XRC_SEND needs srqn'],
    [
      'atomics of 4 bytes',
      { opcode: 'ATOMIC_FETCH_AND_ADD', compareAdd: 1n, local: { mr, length: 4 } },
      'works on 8 bytes, not 4',
    ],
    ['atomics without a number', { opcode: 'ATOMIC_FETCH_AND_ADD' }, 'ATOMIC_FETCH_AND_ADD needs compareAdd'],
    ['an addition with a swap', { opcode: 'ATOMIC_FETCH_AND_ADD', compareAdd: 1n, swap: 1n }, 'takes no swap'],
    [
      'atomics at odd addresses',
      { opcode: 'ATOMIC_FETCH_AND_ADD', compareAdd: 1n, remote: { address: 4n, rkey: 1 } },
      'must be a multiple of 8',
    ],
    [
      'atomics to odd memory',
      { opcode: 'ATOMIC_FETCH_AND_ADD', compareAdd: 1n, local: { mr, offset: 4, length: 8 } },
      'must be aligned to 8 bytes',
    ],
  ];
  for (const [what, change, sentence] of refusals) {
    it(what, () => {
      expect(() => bind.post({ ...write, ...change })).to.throw(sentence);
    });
  }

  it('stamps where there is nothing to stamp', () => {
    expect(() => bind.post({ ...write, local: { mr, length: 0 } }, { stamp: true })).to.throw('no byte of its own');
    expect(() => bind.post({ ...write, opcode: 'RDMA_READ' }, { stamp: true })).to.throw('no byte of its own');
  });
});

describe('binding a stream refuses', () => {
  const stream: StreamRequest = { wrs: [write], postList: 1, txDepth: 8, cqMod: 4, cqePoll: 16, total: 0 };
  const other = device.qp({ sendCq: device.cq() });
  const refusals: [string, object, string][] = [
    ['no queue pair', { wrs: [] }, 'wrs must have at least one work request'],
    ['two completion queues', { wrs: [write, { ...write, qp: other }] }, 'must have one completion queue'],
    [
      'two ways to post',
      { wrs: [write, { ...write, qp: device.qp({ wrApi: true }) }] },
      'all post by ibv_wr_* calls, or none',
    ],
    ['a total of broken chains', { postList: 4, total: 10 }, 'total (10) must be a multiple of postList (4)'],
    ['what would wait for ever', { postList: 3, total: 30 }, 'it must be at least 6'],
    ['what would wait for ever, too', { cqMod: 9 }, 'it must be at least 9, or cqMod smaller'],
    [
      'a walk that ends within a step',
      { walk: { step: 64, span: 100 } },
      'span (100) must be a multiple of its step (64)',
    ],
    [
      'a walk out of the region',
      { walk: { step: 64, span: 320 } },
      'has 256 bytes, and the message reaches to byte 264',
    ],
    ['events without a channel', { events: true }, 'events need a completion queue with a channel'],
    ['notes elsewhere', { completions: [] }, 'completions must be a Float64Array'],
    ['no depth', { txDepth: 0 }, 'txDepth must be a whole number of at least 1'],
  ];
  for (const [what, change, sentence] of refusals) {
    it(what, () => {
      const broken = { ...stream, ...change };
      if (what === 'what would wait for ever') Object.assign(broken, { txDepth: 5, cqMod: 4 });
      expect(() => bind.stream(broken)).to.throw(sentence);
    });
  }

  it('neither what ends before it could wait, nor a longer run of it', () => {
    const short = bind.stream({ ...stream, cqMod: 100, total: 8 });
    expect(() => {
      short.restart(9);
    }).to.throw('it must be at least 100, or cqMod smaller');
  });
});

describe('binding receives refuses', () => {
  const receives: ReceivesRequest = { cq: device.recvCq, wrs: [{ to: qp, local }], cqePoll: 16 };
  const refusals: [string, object, string][] = [
    ['another object for its queue', { cq: qp }, 'cq must be what fabricbench/verbs made'],
    [
      'receives of UD without room for the header',
      { wrs: [{ to: device.qp({ type: 'UD' }), local }] },
      'a receive of UD needs 40 bytes more than its message, and has 8',
    ],
    [
      'two SRQs',
      {
        wrs: [
          { to: device.srq(), local },
          { to: device.srq(), local },
        ],
      },
      'receives go to one SRQ, or to queue pairs',
    ],
    ['events without a channel', { events: true }, 'events need a completion queue with a channel'],
  ];
  for (const [what, change, sentence] of refusals) {
    it(what, () => {
      expect(() => bind.receives({ ...receives, ...change })).to.throw(sentence);
    });
  }

  it('a byte outside its buffer', () => {
    expect(() => bind.waitByte(mr.buffer, 256)).to.throw('the buffer has 256 bytes, and the byte is number 256');
  });

  it('both ways that wait differently', () => {
    const slept = new MockDevice({ events: true });
    const both = {
      stream: {
        wrs: [{ ...write, qp: slept.qp() }],
        postList: 1,
        txDepth: 1,
        cqMod: 1,
        cqePoll: 1,
        total: 0,
        events: true,
      },
      receives,
      after: false,
    };
    expect(() => bind.bothWays(both)).to.throw('both ways sleep for events, or neither');
  });
});

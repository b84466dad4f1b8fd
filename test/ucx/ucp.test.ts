import { expect } from 'chai';
import { EngineBuffer } from '../../src/engine/index.js';
import { bind, expectSame, filled, makePair, type Pair } from './ucp-pair.js';

const sizes = [1, 8, 100, 4096, 65536, 1 << 20];

for (const tls of ['posix', 'sysv', 'tcp', 'self']) {
  describe(`UCP over ${tls}`, () => {
    let pair: Pair;
    beforeEach(() => {
      pair = makePair(tls);
    });
    afterEach(() => {
      pair.close();
    });

    for (const sync of [false, true]) {
      it(`sends and receives tagged messages${sync ? ', synchronously' : ''}`, () => {
        const { a, b } = pair;
        const sends = a.worker.inFlight(4);
        const receives = b.worker.inFlight(4);
        for (const length of [0, ...sizes]) {
          const sent = filled(length, length);
          const got = EngineBuffer.allocate(length);
          const tag = 0xffff_ffff_ffff_0000n + BigInt(length % 7);
          pair.run(bind.tagReceive({ worker: b.worker, buffer: got, length, tag, mask: ~0n & 0xffff_ffff_ffff_ffffn, inFlight: receives }));
          pair.run(bind.tagSend({ endpoint: a.endpoint, buffer: sent, length, tag, sync, inFlight: sends }));
          pair.until(() => sends.count === 0 && receives.count === 0);
          expectSame(got, sent);
        }
      });
    }

    it('puts and gets', () => {
      const { a, b } = pair;
      const inFlight = a.worker.inFlight();
      const memory = pair.context.memMap({ length: 1 << 20 });
      const key = a.endpoint.rkeyUnpack(memory.packKey());
      const remote = { address: memory.address, key };
      const target = memory.buffer!;
      for (const length of sizes) {
        const sent = filled(length, 3);
        const got = EngineBuffer.allocate(length);
        pair.run(bind.put({ endpoint: a.endpoint, buffer: sent, length, remote, inFlight }));
        pair.until(() => inFlight.count === 0);
        pair.run(bind.get({ endpoint: a.endpoint, buffer: got, length, remote, inFlight }));
        pair.until(() => inFlight.count === 0);
        expectSame(target, sent, length);
        expectSame(got, sent);
      }
      console.log(a.endpoint.lanes(), pair.context.resources(), b.worker.info().length);
    });
  });
}

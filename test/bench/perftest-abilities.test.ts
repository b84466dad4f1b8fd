/** What the ib_* programs refuse before anybody is met, by a device's attributes. */
import { expect } from 'chai';
import { requireAbilities } from '../../src/bench/perftest/abilities.js';
import { PerftestRefusal } from '../../src/bench/perftest/types.js';
import type { DeviceAttributes, VerbsContext } from '../../src/verbs/types.js';

const PLAIN = { connection: 'RC', odp: false, verb: 'send', useSrq: false } as const;
const ABLE = { xrc: true, odp: true, atomicCap: 'HCA', maxSrqWr: 10 } as const;

function deviceWith(attributes: Partial<DeviceAttributes>): Pick<VerbsContext, 'device' | 'attributes'> {
  return { device: { name: 'dev0' }, attributes: { ...ABLE, ...attributes } } as VerbsContext;
}

describe('what a device lacks', () => {
  const cases = [
    [{ xrc: false }, { connection: 'XRC' }, 'dev0 has no XRC queue pairs: give another -c'],
    [{ odp: false }, { odp: true }, 'dev0 has no on-demand paging: leave out --odp'],
    [{ atomicCap: 'NONE' }, { verb: 'atomic' }, 'dev0 has no atomics: take another test'],
    [{ maxSrqWr: 0 }, { useSrq: true }, 'dev0 has no shared receive queues: leave out --use-srq'],
  ] as const;
  for (const [attributes, wanted, sentence] of cases) {
    it(`is refused where it is needed: ${sentence}`, () => {
      const lacking = deviceWith(attributes);
      expect(() => requireAbilities(lacking, { ...PLAIN, ...wanted }))
        .to.throw(PerftestRefusal, sentence)
        .with.property('exitCode', 77);
      expect(() => requireAbilities(lacking, PLAIN)).not.to.throw();
      expect(() => requireAbilities(deviceWith({}), { ...PLAIN, ...wanted })).not.to.throw();
    });
  }
});

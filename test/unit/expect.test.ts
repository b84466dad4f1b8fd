import { expect } from 'chai';
import { checkExpectations } from '../../src/analysis/expect.js';
import { parseExpectations, readExpectations } from '../../src/analysis/expect-file.js';
import { WrongUse } from '../../src/cli/commands/command.js';
import { captured, recordOf, sideOf } from './analysis-records.js';

const side = sideOf('here', [
  recordOf({ rows: [8, 4096].map((size) => ({ size, value: size === 8 ? 1.5e-6 : 3e-6 })) }),
  recordOf({ name: 'osu_bw', figure: 'bandwidth', unit: 'B/s', rows: [{ size: 2 ** 20, value: 12e9 }] }),
  recordOf({ name: 'osu_barrier', rows: [{ size: null, value: 2e-6 }] }),
]);

const checked = (text: string): { within: boolean; text: string }[] =>
  checkExpectations(parseExpectations(text, 'expect.yaml'), [side]).map(({ within, text: told }) => ({
    within,
    text: told,
  }));

describe('a file of expectations', () => {
  it('has values with relative bounds, as ReFrame has them', () => {
    const latency = (tuple: string): boolean | undefined =>
      checked(`osu_latency: {8: {latency: [${tuple}]}}`)[0]?.within;
    expect(latency('1.5, -0.05, 0.1, us')).to.equal(true);
    expect(latency('1.4, -0.05, 0.1, us')).to.equal(true);
    expect(latency('1.3, -0.05, 0.1, us')).to.equal(false);
    expect(latency('1.3, -0.05, null, us')).to.equal(true);
    expect(latency('1.6, -0.05, 0.1, us')).to.equal(false);
    expect(latency('1.6, null, 0.1, us')).to.equal(true);
    // On the bound itself.
    expect(latency('1, null, 0.5, us')).to.equal(true);
    expect(latency('2, -0.25, null, us')).to.equal(true);
    // Of a value of 0 bounds are absolute.
    expect(latency('0, null, 1.6, us')).to.equal(true);
    expect(latency('0, null, 1.4, us')).to.equal(false);
  });

  it('knows units of time, of bandwidth and of rate', () => {
    const all = ['1.5e-6, 0, 0, s', '1.5e-3, 0, 0, ms', '1500, 0, 0, ns', '1.5, 0, 0, usec'];
    for (const tuple of all)
      expect(checked(`osu_latency: {8: {latency: [${tuple}]}}`)[0], tuple).to.include({ within: true });
    const bandwidth = ['12, 0, 0, GB/s', '12000, 0, 0, MB/s', '96, 0, 0, Gb/s', '11444.091796875, 0, 0, MiB/s'];
    for (const tuple of bandwidth)
      expect(checked(`osu_bw: {1M: {bandwidth: [${tuple}]}}`)[0], tuple).to.include({ within: true });
  });

  it('says what was measured and what was expected', () => {
    expect(checked('osu_bw: {1M: {bandwidth: [13, -0.05, null, GB/s]}}')).to.deep.equal([
      { within: false, text: 'bandwidth of osu_bw at 1 MiB is 12 GB/s, and not as expected: at least 12.35' },
    ]);
    expect(checked('osu_barrier: {"-": {latency: [2, -0.05, 0.5, us]}}')).to.deep.equal([
      { within: true, text: 'latency of osu_barrier is 2 us, as expected: at least 1.9 and at most 3' },
    ]);
  });

  it('misses what is not in the record, and what is in another unit', () => {
    expect(checked('osu_latency: {16: {latency: [1, null, 1, us]}}')).to.deep.equal([
      { within: false, text: 'latency of osu_latency at 16 bytes is not in the record' },
    ]);
    expect(checked('osu_latency: {8: {p99: [1, null, 1, us]}}')[0]).to.include({ within: false });
    expect(checked('osu_latency: {8: {latency: [1, null, 1, MB/s]}}')[0]?.text).to.equal(
      'latency of osu_latency at 8 bytes is in s, which MB/s is no unit of',
    );
  });

  it('may be a list that names options too, and JSON', () => {
    const near = captured('near', ['uct.bw']);
    const entry = {
      benchmark: 'put_bw',
      size: '4K',
      figure: 'bandwidth',
      value: 10_000,
      lower: -0.05,
      upper: 0.1,
      unit: 'MiB/s',
    };
    const found = (more: object): boolean[] =>
      checkExpectations(parseExpectations(JSON.stringify([{ ...entry, ...more }]), 'x.json'), [near]).map(
        ({ within }) => within,
      );
    expect(found({ layout: 'bcopy' })).to.deep.equal([true]);
    expect(found({ layout: 'zcopy' })).to.deep.equal([false]);
    // Without the layout both rows fit, and both are checked.
    expect(found({})).to.deep.equal([true, false]);
    expect(found({ layout: 'iov' })).to.deep.equal([false]);
  });

  it('is refused in one sentence where it is wrong', () => {
    const cases: [string, string][] = [
      ['', 'x is no table of benchmarks'],
      ['[]', 'x expects nothing'],
      ['3', 'x is no table of benchmarks'],
      ['a: [1', 'x is neither YAML nor JSON: '],
      ['a: 1', 'x: a is no table of sizes'],
      ['a: {8: 1}', 'x: a, size 8 is no table of figures'],
      ['a: {8: {latency: 1}}', 'x: a, size 8, latency: a reference has four parts: value, lower, upper, unit'],
      ['a: {8: {latency: [x, 0, 0, us]}}', 'x: a, size 8, latency: its value is no number'],
      ['a: {8: {latency: [.nan, 0, 0, us]}}', 'x: a, size 8, latency: its value is no number'],
      [
        'a: {8: {latency: [1, 0.1, 0, us]}}',
        'x: a, size 8, latency: its lower bound must be a number up to 0, as -0.05, or null',
      ],
      [
        'a: {8: {latency: [1, 0, -1, us]}}',
        'x: a, size 8, latency: its upper bound must be a number from 0 on, as 0.1, or null',
      ],
      ['a: {8: {latency: [1, 0, 0, furlong]}}', 'x: a, size 8, latency: its unit must be one of s, ms, us, '],
      ['a: {8x: {latency: [1, 0, 0, us]}}', 'x: a, size 8x: "8x" is no size: bytes, with K, M or G, or -'],
      ['- {figure: latency}', 'x: entry 1 names no benchmark'],
      ['- 7', 'x: entry 1 is no table'],
    ];
    for (const [text, sentence] of cases) {
      const read = (): unknown => parseExpectations(text, 'x');
      expect(read, text).to.throw(WrongUse, sentence);
      expect(read, text).to.throw(/^[^\n]*$/);
    }
    expect(() => readExpectations('/no/such/file')).to.throw(WrongUse, "/no/such/file can't be read: ");
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { compareRows, type RowComparison } from '../../src/analysis/compare-rows.js';
import { seriesOf, type SeriesRow } from '../../src/analysis/series.js';
import { recordOf, type RowRequest } from './analysis-records.js';
import { exampleStatistics } from './records.js';
import { seeded } from './random.js';

const LATENCY = { figure: 'latency', unit: 's', better: 'lower' } as const;
const BANDWIDTH = { figure: 'bandwidth', unit: 'B/s', better: 'higher' } as const;

type Figure = typeof LATENCY | typeof BANDWIDTH;

/** A row of one launch for each request. */
function rowOf(launches: readonly Omit<RowRequest, 'size'>[], { figure, unit }: Figure = LATENCY): SeriesRow {
  const name = unit === 's' ? 'osu_latency' : 'osu_bw';
  const records = launches.map((launch) => recordOf({ name, figure, unit, rows: [{ size: 8, ...launch }] }));
  const row = seriesOf(records)[0]?.rows[0];
  if (!row) throw new Error('no row');
  return row;
}

const sampled = (samples: readonly number[], figure: Figure = LATENCY): SeriesRow =>
  rowOf([{ value: 1, samples }], figure);
const launched = (values: readonly number[], figure: Figure = LATENCY): SeriesRow =>
  rowOf(
    values.map((value) => ({ value })),
    figure,
  );
const compared = (a: SeriesRow, b: SeriesRow, threshold = 0.03, figure: Figure = LATENCY): RowComparison =>
  compareRows(a, b, figure, { threshold });

/** Values around 1 us that scatter by some 10 %, with a tail. */
function draw(random: () => number, n: number, factor = 1): number[] {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: n }, () => factor * 1e-6 * Math.exp(0.1 * normal()) * (random() < 0.02 ? 5 : 1));
}

describe('two rows', () => {
  it('are told apart by the threshold alone where there are figures only', () => {
    const verdict = (a: number, b: number, figure: Figure = LATENCY): string =>
      compared(launched([a], figure), launched([b], figure), 0.03, figure).verdict;
    expect(verdict(1e-6, 1e-6)).to.equal('no change');
    expect(verdict(1e-6, 1.029e-6)).to.equal('within noise');
    expect(verdict(1e-6, 1.031e-6)).to.equal('regressed');
    expect(verdict(1.031e-6, 1e-6)).to.equal('improved');
    expect(verdict(1e9, 1.031e9, BANDWIDTH)).to.equal('improved');
    expect(verdict(1.031e9, 1e9, BANDWIDTH)).to.equal('regressed');
    expect(compared(launched([1e-6]), launched([2e-6]))).to.deep.include({
      ratio: 2,
      ratioOnly: true,
      basis: 'figures',
      p: null,
      interval: null,
    });
  });

  it('have no ratio where a figure is 0', () => {
    const { ratio, verdict } = compared(launched([0]), launched([1e-6]));
    expect([ratio, verdict]).to.deep.equal([null, 'unknown']);
  });

  it('with medians and their intervals have an interval, and a verdict by the ratio', () => {
    const statistics = (median: number): typeof exampleStatistics => ({
      ...exampleStatistics,
      median,
      medianInterval: { low: median / 1.01, high: median * 1.01, level: 0.95 },
    });
    const row = (median: number): SeriesRow => rowOf([{ value: 9, statistics: statistics(median) }]);
    const found = compared(row(1e-6), row(1.2e-6));
    expect(found).to.include({ basis: 'medians', ratioOnly: true, verdict: 'regressed' });
    expect(found.ratio).to.be.closeTo(1.2, 1e-12);
    // Both halves are log(1.01): together sqrt(2) of it.
    expect(found.interval?.high).to.be.closeTo(1.2 * 1.01 ** Math.SQRT2, 1e-9);
    expect(found.interval?.low).to.be.closeTo(1.2 / 1.01 ** Math.SQRT2, 1e-9);
  });

  it('use samples in the unit of the figure, of times and of rates', () => {
    const samples = Array.from({ length: 101 }, (_, index) => 1e9 + index * 1e6);
    const up = samples.map((sample) => 1.2 * sample);
    const found = compared(sampled(samples, BANDWIDTH), sampled(up, BANDWIDTH), 0.03, BANDWIDTH);
    expect(found).to.include({ basis: 'samples', verdict: 'improved', ratioOnly: false });
    expect(found.ratio).to.be.closeTo(1.2, 1e-6);
    expect(found.a.value).to.be.closeTo(1.05e9, 1);
    expect(found.b.value).to.be.closeTo(1.26e9, 1);
    expect([found.a.n, found.b.n]).to.deep.equal([101, 101]);
  });

  it('use launches where both sides have several, each by the median of its samples', () => {
    const factors = [1, 1.01, 1.02, 1.03, 1.04];
    // One sample in ten is far off, and the figure, a mean, with it.
    const samples = (median: number): number[] => [...Array<number>(9).fill(median), 1000 * median];
    const side = (factor: number): SeriesRow =>
      rowOf(factors.map((value, index) => ({ value: (index + 1) * 1e-3, samples: samples(factor * value * 1e-6) })));
    const found = compared(side(1), side(1.5));
    expect(found).to.include({ basis: 'launches', verdict: 'regressed', test: 'exact' });
    expect(found.ratio).to.be.closeTo(1.5, 1e-6);
    expect(found.a).to.deep.include({ n: 5 });
    expect(found.a.value).to.be.closeTo(1.02e-6, 1e-12);
    expect(found.p).to.be.closeTo(2 / 252, 1e-12);
  });

  it('use the figures of launches where one has no statistics', () => {
    const side = (factor: number, more: object): SeriesRow =>
      rowOf([1, 1.01, 1.02, 1.03].map((value) => ({ value: factor * value * 1e-6, ...more })));
    const found = compared(side(1, { samples: [5e-6, 5e-6, 5e-6] }), side(1.5, {}));
    expect(found).to.include({ basis: 'launches', verdict: 'regressed' });
    expect(found.a.value).to.be.closeTo(1.015e-6, 1e-12);
  });

  it('of too few launches for any proof are told apart by the ratio', () => {
    const found = compared(launched([1e-6, 1.1e-6, 1e-6]), launched([2e-6, 2.1e-6, 2e-6]));
    expect(found).to.include({ basis: 'launches', ratioOnly: true, verdict: 'regressed', interval: null });
    expect(compared(launched([1, 1.1, 1, 1.2]), launched([2, 2.1, 2, 2.2])).ratioOnly).to.equal(false);
  });

  it('that differ surely, but not surely by more than the threshold, are within noise', () => {
    const random = seeded(3);
    const [a, b] = [draw(random, 2000), draw(random, 2000, 1.02)];
    expect(compared(sampled(a), sampled(b))).to.include({ verdict: 'within noise' });
    expect(compared(sampled(a), sampled(b), 0)).to.include({ verdict: 'regressed' });
  });
});

describe('verdicts of samples', () => {
  const positive = fc.array(fc.double({ min: 1e-7, max: 1e-5, noNaN: true }), { minLength: 5, maxLength: 60 });

  it('depend neither on the order of the samples nor on the scale of both sides', () => {
    fc.assert(
      fc.property(positive, positive, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (a, b, factor) => {
        const found = compared(sampled(a), sampled(b));
        expect(compared(sampled(a.toReversed()), sampled(b.toSorted((x, y) => y - x)))).to.deep.equal(found);
        const scaled = compared(sampled(a.map((x) => factor * x)), sampled(b.map((x) => factor * x)));
        expect(scaled.ratio).to.be.closeTo(found.ratio ?? NaN, 1e-6 * (found.ratio ?? NaN));
      }),
      { numRuns: 60 },
    );
  });

  it('turn round with the sides', () => {
    const opposite = { improved: 'regressed', regressed: 'improved' } as Record<string, string>;
    fc.assert(
      fc.property(positive, positive, (a, b) => {
        const [there, back] = [compared(sampled(a), sampled(b)), compared(sampled(b), sampled(a))];
        expect((there.ratio ?? NaN) * (back.ratio ?? NaN)).to.be.closeTo(1, 1e-6);
        expect(back.verdict).to.equal(opposite[there.verdict] ?? there.verdict);
      }),
      { numRuns: 60 },
    );
  });

  it('of a side with itself are no change', () => {
    fc.assert(
      fc.property(positive, (a) => {
        expect(compared(sampled(a), sampled(a), 0)).to.include({ verdict: 'no change' });
      }),
      { numRuns: 60 },
    );
  });

  /** How many of the trials come out as each verdict. */
  function count(
    trials: number,
    request: { n: number; factor: number; threshold: number; launches?: true },
  ): Record<string, number> {
    const { n, factor, threshold, launches } = request;
    const random = seeded(n);
    const counts: Record<string, number> = { improved: 0, regressed: 0 };
    for (let trial = 0; trial < trials; ++trial) {
      const [a, b] = [draw(random, n), draw(random, n, factor)];
      const make = launches ? launched : sampled;
      const { verdict } = compared(make(a), make(b), threshold);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
    }
    return counts;
  }

  // 2.5 % of 1000 on each side are 25; 45 is four standard deviations above.
  for (const n of [8, 15, 40]) {
    it(`regress by chance no more often than the test allows: two times ${n} values of one distribution`, () => {
      const { regressed = 0, improved = 0 } = count(1000, { n, factor: 1, threshold: 0 });
      expect(regressed).to.be.at.most(45);
      expect(improved).to.be.at.most(45);
      expect(regressed + improved).to.be.at.least(15);
    });
  }

  it('hardly ever regress by chance beyond a threshold', () => {
    const { regressed = 0, improved = 0 } = count(500, { n: 40, factor: 1, threshold: 0.03 });
    expect(regressed + improved).to.be.at.most(5);
  });

  it('of launches keep to the same error', () => {
    const { regressed = 0, improved = 0 } = count(1000, { n: 6, factor: 1, threshold: 0, launches: true });
    expect(regressed + improved).to.be.within(10, 90);
  });

  it('see what is there', () => {
    expect(count(200, { n: 40, factor: 1.2, threshold: 0.03 })['regressed']).to.be.at.least(190);
    expect(count(200, { n: 40, factor: 1 / 1.2, threshold: 0.03 })['improved']).to.be.at.least(190);
  });

  it('come with intervals that hold the true ratio in 95 % of all cases', () => {
    for (const n of [10, 30]) {
      const random = seeded(17);
      let held = 0;
      for (let trial = 0; trial < 1000; ++trial) {
        const { interval } = compared(sampled(draw(random, n)), sampled(draw(random, n, 1.3)));
        if (interval && interval.low <= 1.3 && interval.high >= 1.3) held += 1;
      }
      // 950 and four standard deviations; exact tests are a little on the safe side.
      expect(held).to.be.within(922, 990);
    }
  });
});

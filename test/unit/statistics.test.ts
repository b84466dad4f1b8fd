import { expect } from 'chai';
import fc from 'fast-check';
import { Histogram } from '../../src/bench/measure/histogram.js';
import { Ordered } from '../../src/bench/measure/ordered.js';
import { medianIntervalRanks, nearestRank } from '../../src/bench/measure/quantiles.js';
import { SampleStore } from '../../src/bench/measure/samples.js';
import type { Statistics, Tail } from '../../src/bench/measure/types.js';
import { seeded } from './random.js';

interface Asked {
  readonly tail?: Tail;
  readonly percentiles?: readonly number[];
  readonly limit?: number;
}

function statisticsOf(values: readonly number[], { limit, ...asked }: Asked = {}): Statistics {
  const store = new SampleStore(limit === undefined ? {} : { limit });
  store.add(values);
  return store.statistics(asked);
}

/** As `value` where it must be known. */
function known(value: number | null | undefined): number {
  if (value === null || value === undefined) throw new Error('a value is missing');
  return value;
}

/** What is the same in whatever order the samples came. */
function withoutOrder({ autocorrelation, uncertainty, drift, verdict, ...rest }: Statistics) {
  void [autocorrelation, uncertainty, drift, verdict];
  return rest;
}

/** Durations as benchmarks see them: 1 ns to 10 s, with ties. */
const duration = fc.oneof(
  fc.double({ min: 1e-9, max: 10, noNaN: true }),
  fc.integer({ min: 1, max: 20 }).map((n) => n * 1e-7),
);
const durations = fc.array(duration, { minLength: 1, maxLength: 300 });

describe('nearest rank', () => {
  it('is exact where n·p/100 is whole, whatever the rounding', () => {
    expect(nearestRank(1000, 99.9)).to.equal(999);
    expect(nearestRank(10000, 99.99)).to.equal(9999);
    expect(nearestRank(100, 29)).to.equal(29);
    expect(nearestRank(1_000_000, 99.9999)).to.equal(999_999);
  });

  it('is valid for any n and any percentage', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (n, percent) => {
          const rank = nearestRank(n, percent);
          expect(rank).to.be.within(1, n);
          expect(Number.isInteger(rank)).to.be.true;
          expect((rank * 100) / n).to.be.at.least(percent * (1 - 1e-9));
          if (rank > 1) expect(((rank - 1) * 100) / n).to.be.below(percent);
        },
      ),
    );
  });
});

describe('statistics', () => {
  it('of known samples are known', () => {
    const seen = statisticsOf([15, 20, 35, 40, 50], { percentiles: [5, 30, 40, 50, 100, 0] });
    expect(seen).to.deep.include({
      n: 5,
      min: 15,
      max: 50,
      median: 35,
      mean: 32,
      p90: 50,
      p99: 50,
      source: 'samples',
      tail: 'high',
    });
    expect(seen.percentiles.map(({ value }) => value)).to.deep.equal([15, 20, 20, 35, 50, 15]);
    expect(seen.sd).to.be.closeTo(14.40486, 1e-5);
    expect(seen.medianInterval).to.be.null;
  });

  it('of the numbers 1 to 100', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => 100 - index);
    const seen = statisticsOf(numbers, { percentiles: [50, 99.9, 1] });
    expect(seen).to.deep.include({ median: 50.5, mean: 50.5, p90: 90, p99: 99, outliers: 0 });
    expect(seen.percentiles.map(({ value }) => value)).to.deep.equal([50, 100, 1]);
    expect(seen.medianInterval).to.deep.equal({ low: 40, high: 61, level: 0.95 });
  });

  it('take the low end as the tail of a rate', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    const seen = statisticsOf(numbers, { tail: 'low', percentiles: [50, 99, 100, 0] });
    expect(seen).to.deep.include({ p90: 11, p99: 2, min: 1, max: 100, tail: 'low' });
    expect(seen.percentiles.map(({ value }) => value)).to.deep.equal([51, 2, 1, 100]);
  });

  it('say null for what can not be told', () => {
    const nothing = {
      min: null,
      max: null,
      median: null,
      mean: null,
      sd: null,
      p90: null,
      p99: null,
      medianInterval: null,
    };
    expect(statisticsOf([], { percentiles: [50] })).to.deep.include({ n: 0, ...nothing, outliers: null });
    expect(statisticsOf([], { percentiles: [50] }).percentiles).to.deep.equal([{ percent: 50, value: null }]);
    expect(statisticsOf([3])).to.deep.include({
      n: 1,
      min: 3,
      max: 3,
      median: 3,
      mean: 3,
      sd: null,
      p99: 3,
      medianInterval: null,
    });
  });

  it('of a rate whose duration was 0 hold no infinity', () => {
    const store = new SampleStore({ convert: (seconds) => 8 / seconds });
    store.add([0, 2, 4]);
    expect(store.statistics({ tail: 'low' })).to.deep.include({
      n: 3,
      min: 2,
      median: 4,
      max: null,
      mean: null,
      sd: null,
    });
  });

  it('refuse what no clock gives', () => {
    for (const wrong of [NaN, -1]) expect(() => new SampleStore().add([1, wrong])).to.throw(RangeError, 'sample 1 is');
  });

  it('count as many samples as they are told to', () => {
    const store = new SampleStore({ convert: (seconds) => seconds * 2 });
    store.add(Float64Array.of(1, 2, 99), 2);
    store.add(Float64Array.of(3));
    expect(store.statistics()).to.deep.include({ n: 3, min: 2, median: 4, max: 6 });
  });

  it('do not depend on the order of the samples', () => {
    const shuffled = durations.chain((values) =>
      fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })),
    );
    fc.assert(
      fc.property(shuffled, ([values, other]) => {
        const { mean, sd, ...rest } = withoutOrder(statisticsOf(values, { percentiles: [10, 50] }));
        const {
          mean: otherMean,
          sd: otherSd,
          ...otherRest
        } = withoutOrder(statisticsOf(other, { percentiles: [10, 50] }));
        expect(rest).to.deep.equal(otherRest);
        expect(known(mean)).to.be.closeTo(known(otherMean), known(mean) * 1e-12);
        if (sd !== null) expect(sd).to.be.closeTo(known(otherSd), known(mean) * 1e-9);
      }),
    );
  });

  it('scale with the samples', () => {
    fc.assert(
      fc.property(durations, fc.integer({ min: -20, max: 20 }), (values, exponent) => {
        const factor = 2 ** exponent; // powers of two scale without rounding
        const one = statisticsOf(values, { percentiles: [25] });
        const scaled = statisticsOf(values.map((value) => value * factor), { percentiles: [25] }); // prettier-ignore
        for (const name of ['min', 'max', 'median', 'mean', 'p1', 'p90', 'p99', 'mad'] as const) {
          expect(known(scaled[name]), name).to.be.closeTo(known(one[name]) * factor, known(one[name]) * factor * 1e-12);
        }
        expect(scaled.outliers).to.equal(one.outliers);
        expect(scaled.verdict).to.equal(one.verdict);
        expect(scaled.drift).to.deep.equal(one.drift);
        expect(scaled.uncertainty).to.equal(one.uncertainty);
        expect(scaled.percentiles[0]?.value).to.equal(known(one.percentiles[0]?.value) * factor);
        if (one.sd !== null)
          expect(scaled.sd).to.be.closeTo(one.sd * factor, one.sd * factor * 1e-9 + Number.MIN_VALUE);
      }),
    );
  });

  it('shift with the samples, and their spread does not', () => {
    const whole = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(whole, fc.integer({ min: 0, max: 1_000_000 }), (values, shift) => {
        const one = statisticsOf(values);
        const moved = statisticsOf(values.map((value) => value + shift)); // prettier-ignore
        for (const name of ['min', 'max', 'median', 'p90', 'p99'] as const)
          expect(moved[name]).to.equal(known(one[name]) + shift);
        expect(known(moved.mean)).to.be.closeTo(known(one.mean) + shift, 1e-6);
        expect(known(moved.sd)).to.be.closeTo(known(one.sd), 1e-4);
        expect(moved.outliers).to.equal(one.outliers);
        expect(moved.mad).to.equal(one.mad);
        expect(moved.drift?.p).to.equal(one.drift?.p);
      }),
    );
  });

  it('have percentiles that are samples and rise with the percentage', () => {
    const percents = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(durations, percents, (values, list) => {
        const sorted = [...list].sort((a, b) => a - b);
        const high = statisticsOf(values, { percentiles: sorted }).percentiles.map(({ value }) => known(value));
        const low = statisticsOf(values, { percentiles: sorted, tail: 'low' }).percentiles.map(({ value }) =>
          known(value),
        );
        expect(values).to.include.members([...high, ...low]);
        expect(high).to.deep.equal([...high].sort((a, b) => a - b));
        expect(low).to.deep.equal([...low].sort((a, b) => b - a));
      }),
    );
  });

  it('mean by a percentile that so many percent are at or below it, and for a rate at or above', () => {
    fc.assert(
      fc.property(durations, fc.double({ min: 0, max: 100, noNaN: true }), (values, percent) => {
        const share = (test: (value: number) => boolean): number => (100 * values.filter(test).length) / values.length;
        const high = known(statisticsOf(values, { percentiles: [percent] }).percentiles[0]?.value);
        const low = known(statisticsOf(values, { percentiles: [percent], tail: 'low' }).percentiles[0]?.value);
        expect(share((value) => value <= high)).to.be.at.least(percent * (1 - 1e-9));
        expect(share((value) => value >= low)).to.be.at.least(percent * (1 - 1e-9));
      }),
    );
  });
});

describe('outliers', () => {
  it('are flagged and kept', () => {
    const seen = statisticsOf([10, 11, 9, 10, 12, 8, 10, 11, 9, 1000]);
    expect(seen).to.deep.include({ outliers: 1, max: 1000, n: 10 });
  });

  it('are found when most samples are equal, as with a coarse clock', () => {
    expect(statisticsOf([...Array<number>(95).fill(5), 6, 6, 6, 6, 500]).outliers).to.equal(1);
    expect(statisticsOf(Array<number>(50).fill(5)).outliers).to.equal(0);
  });

  it('are few in a normal distribution', () => {
    const random = seeded(3);
    const normal = () => 100 + Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    // P(|z| > 3.5) = 0.000465: 4.65 of 10000 are expected
    expect(statisticsOf(Array.from({ length: 10_000 }, normal)).outliers).to.be.within(0, 15);
  });
});

describe('confidence interval of the median', () => {
  it('has the ranks of published tables', () => {
    const ranks = (n: number) => Object.values(medianIntervalRanks(n) ?? { none: null });
    for (const n of [1, 2, 3, 4, 5]) expect(ranks(n)).to.deep.equal([null]);
    expect(ranks(6)).to.deep.equal([1, 6]);
    expect(ranks(8)).to.deep.equal([1, 8]);
    expect(ranks(9)).to.deep.equal([2, 8]);
    expect(ranks(10)).to.deep.equal([2, 9]);
    expect(ranks(20)).to.deep.equal([6, 15]);
    expect(ranks(30)).to.deep.equal([10, 21]);
    expect(ranks(50)).to.deep.equal([18, 33]);
    expect(ranks(100)).to.deep.equal([40, 61]);
    expect(ranks(1000)).to.deep.equal([469, 532]);
  });

  it('goes on smoothly where the approximation takes over', () => {
    let before = known(medianIntervalRanks(990)?.low);
    for (let n = 991; n < 1020; ++n) {
      const low = known(medianIntervalRanks(n)?.low);
      expect(low - before, `n = ${n}`).to.be.within(0, 1);
      before = low;
    }
  });

  it('holds the median in 95 % of the cases, for a skewed distribution too', () => {
    const random = seeded(11);
    const median = Math.LN2;
    for (const [n, trials] of [
      [6, 4000],
      [31, 4000],
      [400, 1000],
      [1500, 400],
    ] as const) {
      // prettier-ignore
      let held = 0;
      for (let trial = 0; trial < trials; ++trial) {
        const interval = statisticsOf(Array.from({ length: n }, () => -Math.log(1 - random()))).medianInterval; // prettier-ignore
        if (interval && interval.low <= median && median <= interval.high) held += 1;
      }
      const noise = 3 * Math.sqrt((0.95 * 0.05) / trials);
      expect(held / trials, `n = ${n}`).to.be.within(0.95 - noise, 0.975 + noise);
    }
  });

  it('encloses the median of the samples', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 6, maxLength: 2000, size: 'max' }), (values) => {
        const { medianInterval, median } = statisticsOf(values);
        expect(known(median)).to.be.within(known(medianInterval?.low), known(medianInterval?.high));
      }),
      { numRuns: 30 },
    );
  });
});

describe('histogram', () => {
  it('tells every value within 1 %', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e15, noNaN: true }), (value) => {
        const histogram = new Histogram();
        histogram.add(value);
        const [entry] = histogram.entries();
        expect(Math.abs(known(entry?.value) - value) / value).to.be.at.most(0.01 * (1 + 1e-9));
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps zeros and infinities apart', () => {
    const histogram = new Histogram();
    for (const value of [0, 0, Infinity, 1]) histogram.add(value);
    expect(histogram.entries().map(({ count }) => count)).to.deep.equal([2, 1, 1]);
    expect(histogram.entries()[0]?.value).to.equal(0);
    expect(histogram.entries()[2]?.value).to.equal(Infinity);
  });

  it('takes over beyond the limit: quantiles within 1 %, moments and extremes exact', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 51, maxLength: 400, size: 'max' }), (values) => {
        const exact = statisticsOf(values, { percentiles: [10, 75] });
        const binned = statisticsOf(values, { percentiles: [10, 75], limit: 50 });
        expect([exact.source, binned.source]).to.deep.equal(['samples', 'histogram']);
        expect(binned.n).to.equal(exact.n);
        expect([binned.min, binned.max]).to.deep.equal([exact.min, exact.max]);
        expect(known(binned.mean)).to.be.closeTo(known(exact.mean), known(exact.mean) * 1e-9);
        expect(known(binned.sd)).to.be.closeTo(known(exact.sd), known(exact.mean) * 1e-7);
        const pairs = [
          [binned.p90, exact.p90],
          [binned.p99, exact.p99],
          [binned.median, exact.median],
          [binned.medianInterval?.low, exact.medianInterval?.low],
          ...exact.percentiles.map(({ value }, index) => [binned.percentiles[index]?.value, value]),
        ];
        for (const [near, value] of pairs) expect(known(near)).to.be.closeTo(known(value), known(value) * 0.0100001);
      }),
    );
  });

  it('is not used up to the limit', () => {
    const store = new SampleStore({ limit: 3 });
    store.add([1, 2, 3]);
    expect(store.source).to.equal('samples');
    store.add([4]);
    expect(store.source).to.equal('histogram');
    expect(store.count).to.equal(4);
  });

  it('holds more than 10^6 samples in little memory, and their statistics', () => {
    const store = new SampleStore();
    const random = seeded(5);
    const chunk = new Float64Array(100_000);
    for (let round = 0; round < 11; ++round) store.add(chunk.map(() => 1e-6 * (1 + random())));
    const seen = store.statistics({ percentiles: [99.9] });
    expect(seen).to.deep.include({ n: 1_100_000, source: 'histogram' });
    expect(known(seen.median)).to.be.closeTo(1.5e-6, 1.5e-8 + 2e-9);
    expect(known(seen.percentiles[0]?.value)).to.be.closeTo(1.999e-6, 2e-8 + 1e-9);
    expect(known(seen.mean)).to.be.closeTo(1.5e-6, 2e-9);
    expect(known(seen.sd)).to.be.closeTo(1e-6 / Math.sqrt(12), 2e-9);
  });
});

describe('ordered samples', () => {
  it('are the same from counts as from samples', () => {
    const counted = fc.array(
      fc.record({ value: fc.integer({ min: 0, max: 50 }), count: fc.integer({ min: 1, max: 5 }) }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(counted, (entries) => {
        const all = entries.flatMap(({ value, count }) => Array<number>(count).fill(value));
        const [fromCounts, fromSamples] = [Ordered.fromCounts(entries), Ordered.fromSamples(all)];
        expect(fromCounts.n).to.equal(fromSamples.n);
        expect(fromCounts.median()).to.equal(fromSamples.median());
        expect(fromCounts.mean()).to.be.closeTo(fromSamples.mean(), 1e-9);
        expect(fromCounts.deviations(7).median()).to.equal(fromSamples.deviations(7).median());
        for (let rank = 1; rank <= all.length; ++rank) expect(fromCounts.at(rank)).to.equal(fromSamples.at(rank));
        for (const limit of [-1, 0, 10, 25, 50]) {
          const above = all.filter((value) => value > limit).length;
          expect([fromCounts.countAbove(limit), fromSamples.countAbove(limit)]).to.deep.equal([above, above]);
        }
      }),
    );
  });

  it('refuse ranks that there are not', () => {
    for (const ordered of [Ordered.fromSamples([1, 2]), Ordered.fromCounts([{ value: 1, count: 2 }])]) {
      expect(() => ordered.at(3)).to.throw(RangeError);
    }
    expect(() => Ordered.fromSamples([1, 2]).at(0)).to.throw(RangeError);
  });
});

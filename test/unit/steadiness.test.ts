import { expect } from 'chai';
import fc from 'fast-check';
import { SampleStore } from '../../src/bench/measure/samples.js';
import { Segments, Trace } from '../../src/bench/measure/series.js';
import { autocorrelation, blockLevels, BLOCKS, DRIFT_CHANGE } from '../../src/bench/measure/steadiness.js';
import { Chunker, TimeBudget } from '../../src/bench/measure/stopping.js';
import { mannKendall } from '../../src/bench/measure/trend.js';
import type { Statistics } from '../../src/bench/measure/types.js';
import { seeded } from './random.js';

function statisticsOf(values: readonly number[], { limit, tail }: { limit?: number; tail?: 'low' } = {}): Statistics {
  const store = new SampleStore(limit === undefined ? {} : { limit });
  store.add(values);
  return store.statistics(tail ? { tail } : {});
}

function known<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a value is missing');
  return value;
}

/** Normal values by Box and Muller. */
function normal(random: () => number, mean: number, sd: number): number {
  return mean + sd * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const samples = (seed: number, n: number, value: (random: () => number, index: number) => number): number[] => {
  const random = seeded(seed);
  return Array.from({ length: n }, (_, index) => value(random, index));
};

const shuffled = (values: readonly number[], seed: number): number[] => {
  const random = seeded(seed);
  const all = [...values];
  for (let left = all.length; left > 1; left--) {
    const other = Math.floor(random() * left);
    [all[left - 1], all[other]] = [all[other] ?? NaN, all[left - 1] ?? NaN];
  }
  return all;
};

describe('the verdict of a row', () => {
  it('is steady for samples around one level, as benchmarks give them', () => {
    const seen = statisticsOf(samples(1, 10_000, (random) => normal(random, 1e-6, 5e-8)));
    expect(seen.verdict).to.equal('steady');
    expect(seen.uncertainty).to.be.below(0.005);
    expect(known(seen.autocorrelation)).to.be.within(-0.05, 0.05);
  });

  it('is drifting where the level rises or falls, and not in another order', () => {
    for (const slope of [1, -1]) {
      const values = samples(2, 5000, (random, index) =>
        normal(random, 1e-6 * (1 + (slope * 0.1 * index) / 5000), 5e-8),
      );
      const seen = statisticsOf(values);
      expect(seen.verdict).to.equal('drifting');
      // From the first quarter to the last a line rises by three quarters of its height.
      expect(known(seen.drift).change).to.be.closeTo(slope * 0.075, 0.01);
      expect(known(seen.drift).p).to.be.below(1e-6);
      expect(statisticsOf(shuffled(values, 3)).verdict).to.equal('steady');
    }
  });

  it('is drifting after a step half-way, and where a rate drops', () => {
    const step = (factor: number) =>
      samples(4, 2000, (random, index) => normal(random, index < 1000 ? 100 : 100 * factor, 2));
    expect(statisticsOf(step(1.1)).verdict).to.equal('drifting');
    expect(statisticsOf(step(0.9), { tail: 'low' }).drift?.change).to.be.closeTo(-0.1, 0.02);
  });

  it('is drifting where a first quarter was slower', () => {
    const values = samples(20, 1000, (random, index) => normal(random, index < 250 ? 1.2 : 1, 0.02));
    expect(statisticsOf(values)).to.deep.include({ verdict: 'drifting' });
    expect(known(statisticsOf(values).drift).change).to.be.closeTo(-0.2, 0.02);
  });

  it('is not drifting for a change that is certain and small', () => {
    const values = samples(5, 10_000, (random, index) => normal(random, 100 + index / 10_000, 1));
    const { drift, verdict } = statisticsOf(values);
    expect(known(drift).p).to.be.below(0.01);
    expect(Math.abs(known(drift).change)).to.be.below(DRIFT_CHANGE);
    expect(verdict).to.equal('steady');
  });

  it('is noisy where the median is not sure', () => {
    expect(statisticsOf(samples(6, 50, (random) => normal(random, 100, 30))).verdict).to.equal('noisy');
    expect(statisticsOf(samples(6, 50, (random) => normal(random, 100, 1))).verdict).to.equal('steady');
  });

  it('is noisy where a few samples carry the mean away from the median', () => {
    const spiked = samples(7, 1000, (random, index) => (index % 200 === 10 ? 100 : normal(random, 1, 0.02)));
    expect(statisticsOf(spiked).verdict).to.equal('noisy');
    const rates = spiked.map((seconds) => 1 / seconds);
    expect(statisticsOf(rates, { tail: 'low' }).verdict).to.equal('noisy');
    // The arithmetic mean of the rates does not show it: what all messages took together does.
    expect(known(statisticsOf(rates).mean)).to.be.closeTo(1, 0.02);
  });

  it('is noisy where a bump in the middle moves the blocks, though nothing drifts', () => {
    const bump = samples(8, 4000, (random, index) => normal(random, index >= 1400 && index < 2600 ? 1.3 : 1, 0.02));
    const seen = statisticsOf(bump);
    expect(seen.verdict).to.equal('noisy');
    expect(seen.uncertainty).to.be.above(0.1);
    expect(statisticsOf(shuffled(bump, 9)).uncertainty).to.be.below(0.1);
  });

  it('is null where samples are too few to tell', () => {
    const few = Array.from({ length: 9 }, (_, index) => 1 + index / 1000);
    expect(statisticsOf(few)).to.deep.include({ verdict: null, drift: null, autocorrelation: null });
    expect(statisticsOf([...few, 1.009]).verdict).to.not.be.null;
    expect(statisticsOf([])).to.deep.include({ verdict: null, drift: null, uncertainty: null, mad: null });
  });

  it('is steady for samples that are all equal, and null for times of 0', () => {
    expect(statisticsOf(Array<number>(100).fill(7))).to.deep.include({ verdict: 'steady', uncertainty: 0, mad: 0 });
    expect(statisticsOf(Array<number>(100).fill(7)).autocorrelation).to.be.null;
    expect(statisticsOf(Array<number>(100).fill(0)).verdict).to.be.null;
  });

  it('calls few rows of independent samples drifting', () => {
    const random = seeded(10);
    const trials = 400;
    let drifting = 0;
    for (let trial = 0; trial < trials; trial++) {
      // Coarse enough that a change of 2 % comes by chance.
      const values = Array.from({ length: 40 }, () => normal(random, 100, 20));
      if (statisticsOf(values).verdict === 'drifting') drifting++;
    }
    expect(drifting / trials).to.be.below(0.01 + 3 * Math.sqrt((0.01 * 0.99) / trials));
  });

  it('of other ranks at another level is theirs: levels are no drift', () => {
    const store = new SampleStore();
    const random = seeded(11);
    for (let chunk = 0; chunk < 5; chunk++)
      for (const rank of [0, 1])
        store.add(
          Array.from({ length: 200 }, () => normal(random, 100 * (1 + rank), 1)),
          200,
          rank,
        );
    const mixed = store.statistics();
    expect(known(mixed.drift).p).to.be.above(0.01);
    expect(known(mixed.autocorrelation)).to.be.within(-0.1, 0.1);
    const alone = new SampleStore();
    for (const rank of [0, 1]) alone.add(Array.from({ length: 1000 }, () => normal(random, 100 * (1 + rank), 1)));
    expect(alone.statistics().verdict).to.equal('drifting');
  });

  it('stays the same for a histogram, but for the autocorrelation', () => {
    for (const slope of [0, 0.2]) {
      const values = samples(12, 60_000, (random, index) => normal(random, 1 + (slope * index) / 60_000, 0.02));
      const exact = statisticsOf(values);
      const binned = statisticsOf(values, { limit: 1000 });
      expect(binned.verdict).to.equal(exact.verdict);
      expect(binned.autocorrelation).to.be.null;
      expect(known(binned.drift).change).to.be.closeTo(known(exact.drift).change, 0.01);
      expect(known(binned.mad)).to.be.closeTo(known(exact.mad), 0.01 * 1.1 * 2);
    }
  });
});

describe('the uncertainty of the median', () => {
  it('covers the truth for samples that resemble each other, where their interval does not', () => {
    const random = seeded(13);
    const [trials, n, r] = [300, 1000, 0.9];
    let [held, ofSamples] = [0, 0];
    for (let trial = 0; trial < trials; trial++) {
      let state = normal(random, 0, 1);
      const values = Array.from({ length: n }, () => {
        state = r * state + Math.sqrt(1 - r * r) * normal(random, 0, 1);
        return 100 + state;
      });
      const { median, uncertainty, medianInterval } = statisticsOf(values);
      if (Math.abs(known(median) - 100) <= known(uncertainty) * known(median)) held++;
      if (known(medianInterval).low <= 100 && 100 <= known(medianInterval).high) ofSamples++;
    }
    expect(ofSamples / trials).to.be.below(0.7);
    expect(held / trials).to.be.above(0.9);
  });
});

describe('the interval of a row that ended because its uncertainty was small enough', () => {
  it('still covers the median in 95 % of the cases', () => {
    const random = seeded(15);
    const trials = 400;
    let held = 0;
    for (let trial = 0; trial < trials; trial++) {
      const store = new SampleStore();
      const enough = () => (store.uncertainty() ?? 1) <= 0.02;
      const chunker = new Chunker({ iterations: 20_000, budget: new TimeBudget(undefined), enough });
      for (let next = chunker.next(); next > 0; next = chunker.next()) {
        chunker.ran(next, 0);
        store.add(Array.from({ length: next }, () => normal(random, 1, 0.1)));
      }
      expect(chunker.stopped).to.equal('target-ci');
      const { low, high } = known(store.statistics().medianInterval);
      if (low <= 1 && 1 <= high) held++;
    }
    expect(held / trials).to.be.above(0.95 - 3 * Math.sqrt((0.95 * 0.05) / trials));
  });
});

describe('autocorrelation', () => {
  it('is found behind an outlier', () => {
    const values = samples(14, 500, (random, index) => 100 + Math.sin(index / 20) + normal(random, 0, 0.1));
    const before = known(statisticsOf(values).autocorrelation);
    values[250] = 100_000;
    expect(known(statisticsOf(values).autocorrelation)).to.be.closeTo(before, 0.06);
    expect(known(autocorrelation([Float64Array.from(values)], -Infinity, Infinity))).to.be.below(0.1);
  });

  it('lies between -1 and 1, whatever the samples, and scales with nothing', () => {
    const values = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 10, maxLength: 100 });
    fc.assert(
      fc.property(values, (list) => {
        const { autocorrelation: one } = statisticsOf(list);
        const { autocorrelation: other } = statisticsOf(list.map((value) => value * 1024));
        expect(other).to.equal(one);
        if (one !== null && one !== undefined) expect(one).to.be.within(-1, 1);
      }),
    );
  });
});

describe('the test of Mann and Kendall', () => {
  it('turns its sign with the order, and only ranks count', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 40 }), (values) => {
        const { s, p } = mannKendall(values);
        const back = mannKendall([...values].reverse());
        expect(back.s + s).to.equal(0);
        expect(back.p).to.equal(p);
        expect(mannKendall(values.map((value) => Math.exp(value / 10)))).to.deep.equal(mannKendall(values));
        expect(p).to.be.within(0, 1);
      }),
    );
  });

  it('counts as many pairs as rise where all do', () => {
    expect(mannKendall([1, 2, 3, 4, 5]).s).to.equal(10);
    expect(mannKendall([3, 3, 3])).to.deep.equal({ s: 0, z: 0, p: 1 });
    expect(mannKendall([])).to.deep.equal({ s: 0, z: 0, p: 1 });
  });
});

describe('samples in order', () => {
  it('come back by source', () => {
    const chunk = fc.record({ source: fc.integer({ min: 0, max: 2 }), count: fc.integer({ min: 0, max: 4 }) });
    fc.assert(
      fc.property(fc.array(chunk, { minLength: 1, maxLength: 12 }), (chunks) => {
        const segments = new Segments();
        const all = chunks.flatMap(({ source, count }, at) =>
          Array.from({ length: count }, (_, index) => ({ source, value: 100 * at + index })),
        );
        for (const { source } of all) segments.add(source);
        const sources = [...new Set(all.map(({ source }) => source))];
        const split = segments.split(Float64Array.from(all, ({ value }) => value)).map((series) => [...series]);
        const wanted = sources.map((source) => all.filter((one) => one.source === source).map(({ value }) => value));
        expect(split).to.deep.equal(wanted);
      }),
    );
  });

  it('are thinned evenly, with the first of them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 8 }), (count, half) => {
        const trace = new Trace(2 * half);
        for (let index = 0; index < count; index++) trace.add(index);
        const kept = [...trace.values()];
        const stride = kept.length > 1 ? known(kept[1]) : 1;
        expect(kept).to.deep.equal(Array.from({ length: Math.ceil(count / stride) }, (_, index) => index * stride));
        expect(kept.length).to.be.at.most(2 * half);
        if (count > half) expect(kept.length).to.be.at.least(half);
      }),
    );
  });

  it('make blocks of equal parts of each source, at the level of this source', () => {
    const rising = Float64Array.from({ length: 80 }, (_, index) => 81 + index);
    const alone = known(blockLevels([rising]));
    expect(alone).to.have.length(BLOCKS);
    expect(alone.slice(0, 3)).to.deep.equal([81.5 / 120.5, 83.5 / 120.5, 85.5 / 120.5]);
    const level = Float64Array.from({ length: 40 }, () => 1000);
    expect(known(blockLevels([rising, level]))[0]).to.be.closeTo((81.5 / 120.5 + 1) / 2, 1e-12);
    expect(blockLevels([rising, level.subarray(0, 12)])).to.have.length(12);
    for (const few of [[], [Float64Array.of(1, 2, 3)], [rising, Float64Array.of(1)], [new Float64Array(50)]])
      expect(blockLevels(few)).to.be.null;
  });
});

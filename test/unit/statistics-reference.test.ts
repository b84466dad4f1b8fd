/** Statistics against values that others computed: NumPy and SciPy, and NIST's certified ones. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { twoSidedP } from '../../src/bench/measure/normal.js';
import { mad, median, medianInterval } from '../../src/bench/measure/robust.js';
import { SampleStore } from '../../src/bench/measure/samples.js';
import { autocorrelation } from '../../src/bench/measure/steadiness.js';
import { mannKendall } from '../../src/bench/measure/trend.js';
import type { Statistics } from '../../src/bench/measure/types.js';
import { projectRoot } from './project.js';

interface Reference {
  readonly n: number;
  readonly mean: number;
  readonly sd: number;
  readonly median: number;
  readonly mad: number;
  readonly percentiles: Readonly<Record<string, number>>;
  readonly medianInterval: readonly [number, number];
  readonly autocorrelation: number;
  readonly trend: { readonly s: number; readonly z: number; readonly p: number };
  readonly outliers: number;
}

/** By NumPy and SciPy; its `source` names the versions, and the script that makes it. */
const { cases, twoSidedP: tails } = JSON.parse(
  readFileSync(join(projectRoot, 'test/fixtures/statistics/scipy.json'), 'utf8'),
) as {
  readonly cases: Readonly<Record<string, { readonly values: readonly number[]; readonly reference: Reference }>>;
  readonly twoSidedP: Readonly<Record<string, number>>;
};

const close = (value: number | null | undefined, wanted: number, relative = 1e-12): void => {
  expect(value).to.be.a('number');
  expect(value).to.be.closeTo(wanted, Math.abs(wanted) * relative + 1e-300);
};

function statisticsOf(values: readonly number[], percentiles: readonly number[] = []): Statistics {
  const store = new SampleStore();
  store.add(values);
  return store.statistics({ percentiles });
}

const unlimited = (values: readonly number[]): number | null =>
  autocorrelation([Float64Array.from(values)], -Infinity, Infinity);

describe('statistics are those of NumPy and SciPy', () => {
  for (const [name, { values, reference }] of Object.entries(cases)) {
    it(`for samples called "${name}"`, () => {
      const percents = Object.keys(reference.percentiles).map(Number);
      const seen = statisticsOf(values, percents);
      close(seen.mean, reference.mean);
      close(seen.sd, reference.sd, 1e-10);
      close(seen.mad, reference.mad);
      expect(seen).to.deep.include({ n: reference.n, median: reference.median, outliers: reference.outliers });
      for (const { percent, value } of seen.percentiles) expect(value).to.equal(reference.percentiles[percent]);
      const usual = { p1: 1, p5: 5, p10: 10, p25: 25, p75: 75, p90: 90, p95: 95, p99: 99, p999: 99.9 } as const;
      for (const [field, percent] of Object.entries(usual))
        expect(seen[field as keyof typeof usual], field).to.equal(reference.percentiles[percent]);
      const [low, high] = reference.medianInterval;
      expect(seen.medianInterval).to.deep.equal({ low, high, level: 0.95 });
      expect(median(values)).to.equal(reference.median);
      close(mad(values), reference.mad);
      expect(medianInterval(values)).to.deep.equal({ low, high, level: 0.95 });
    });

    it(`for the order of those called "${name}"`, () => {
      const trend = mannKendall(values);
      expect(trend.s).to.equal(reference.trend.s);
      close(trend.z, reference.trend.z);
      close(trend.p, reference.trend.p, 1e-10);
      if (values.length < 10) expect(unlimited(values)).to.be.null;
      else close(unlimited(values), reference.autocorrelation, 1e-9);
    });
  }

  it('for tails of the normal distribution', () => {
    for (const [z, p] of Object.entries(tails)) close(twoSidedP(Number(z)), p, 1e-12);
    expect(twoSidedP(-5)).to.equal(twoSidedP(5));
    expect(twoSidedP(NaN)).to.be.NaN;
  });
});

/** Alternating values around a first one. */
const alternating = (first: number, low: number, high: number): number[] => [
  first,
  ...Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? low : high)),
];

/** Michelson's speeds of light in air of 1879, km/s beyond 299000. */
const MICHELSON =
  '850 740 900 1070 930 850 950 980 980 880 1000 980 930 650 760 810 1000 1000 960 960 960 940 960 940 880 800 850 880 900 ' +
  '840 830 790 810 880 880 830 800 790 760 800 880 880 880 860 720 720 620 860 970 950 880 910 850 870 840 840 850 840 840 ' +
  '840 890 810 810 820 800 770 760 740 750 760 910 920 890 860 880 720 840 850 850 780 890 840 780 810 760 810 790 810 820 ' +
  '850 870 870 810 740 810 940 950 800 810 870';

/** Certified values of NIST's Statistical Reference Datasets, univariate: mean, sd, autocorrelation at lag 1. */
const CERTIFIED = {
  Michelso: {
    values: MICHELSON.split(' ').map((word) => 299 + Number(word) / 1000),
    certified: [299.8524, 0.0790105478190518, 0.535199668621283],
  },
  NumAcc2: { values: alternating(1.2, 1.1, 1.3), certified: [1.2, 0.1, -0.999] },
  NumAcc3: { values: alternating(1000000.2, 1000000.1, 1000000.3), certified: [1000000.2, 0.1, -0.999] },
  NumAcc4: { values: alternating(10000000.2, 10000000.1, 10000000.3), certified: [10000000.2, 0.1, -0.999] },
} as const;

describe('statistics are those that NIST certifies', () => {
  for (const [name, { values, certified }] of Object.entries(CERTIFIED)) {
    it(`for ${name}`, () => {
      const [mean, sd, lag1] = certified;
      const seen = statisticsOf(values);
      close(seen.mean, mean, 1e-14);
      // What binary numbers near 10^7 leave of a difference of 0.1 has 8 digits.
      close(seen.sd, sd, 1e-8);
      close(unlimited(values), lag1, 1e-8);
    });
  }
});

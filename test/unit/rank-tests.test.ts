import { expect } from 'chai';
import fc from 'fast-check';
import { distributionOfU, leastP, mannWhitney } from '../../src/analysis/mann-whitney.js';
import { shiftOf } from '../../src/analysis/shift.js';
import { seeded } from './random.js';

const sorted = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();

/** Hollander and Wolfe (1973), table of permeability constants of the human chorioamnion, as R's help of wilcox.test. */
const AT_TERM = sorted([0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]);
const EARLY = sorted([1.15, 0.88, 0.9, 0.74, 1.21]);

/** Without ties, more than can be counted: 60 values each by a rule. */
const ruled = (factor: number, modulus: number, shift: number): Float64Array =>
  sorted(Array.from({ length: 60 }, (_, index) => ((index * factor) % modulus) / 10 + shift));

describe('the test of Mann and Whitney', () => {
  it('gives published values: exact', () => {
    const permeability = mannWhitney(AT_TERM, EARLY);
    expect(permeability).to.include({ u: 35, method: 'exact' });
    // Twice the one-sided 0.1272 of R's help.
    expect(permeability.p).to.be.closeTo(0.2544122544122544, 1e-12);
    // Help of scipy.stats.mannwhitneyu: ages at diagnosis.
    const ages = mannWhitney(sorted([19, 22, 16, 29, 24]), sorted([20, 11, 17, 12]));
    expect(ages.u).to.equal(17);
    expect(ages.p).to.be.closeTo(1 / 9, 1e-12);
  });

  it('counts ties exactly: all 6435 ways to deal out these ranks, 536 of them as far from the middle', () => {
    const { p, u } = mannWhitney(sorted([1, 2, 2, 3, 5, 5, 7]), sorted([2, 4, 5, 5, 6, 8, 9, 9]));
    expect(u).to.equal(13);
    expect(p).to.be.closeTo(536 / 6435, 1e-12);
  });

  it('takes the normal distribution for many values, with ties and continuity, as SciPy 1.17 (asymptotic)', () => {
    const { p, u, method } = mannWhitney(ruled(37, 61, 0), ruled(23, 53, 0.4));
    expect([u, method]).to.deep.equal([1821.5, 'normal']);
    expect(p).to.be.closeTo(0.912224975235803, 1e-12);
  });

  it('has the critical values of published tables (5 %, two-sided)', () => {
    const critical = (m: number, n: number): number => distributionOfU(m, n).findLastIndex((p) => p <= 0.025);
    expect([critical(4, 4), critical(5, 5), critical(5, 10), critical(7, 8), critical(20, 20)]).to.deep.equal([
      0, 2, 8, 10, 127,
    ]);
  });

  it('knows the least p that so few values can give', () => {
    expect([leastP(1, 1), leastP(2, 2), leastP(3, 3), leastP(4, 4)]).to.deep.equal([1, 1 / 3, 0.1, 2 / 70]);
    expect(leastP(3, 3)).to.be.closeTo(mannWhitney(sorted([1, 2, 3]), sorted([4, 5, 6])).p, 1e-12);
    expect(mannWhitney(sorted([7, 7, 7]), sorted([7, 7, 7])).p).to.equal(1);
  });

  it('refuses what has no rank', () => {
    expect(() => mannWhitney(Float64Array.from([1, NaN]), sorted([2]))).to.throw(RangeError, 'no rank');
  });
});

describe('the estimate of Hodges and Lehmann', () => {
  it('is the median of all differences, and its interval that of the exact test', () => {
    const { estimate, interval } = shiftOf(AT_TERM, EARLY);
    expect(estimate).to.be.closeTo(-0.305, 1e-12);
    // wilcox.test(x, y, conf.int = TRUE) of R gives -0.15 and 0.76 for the other direction.
    expect(interval?.low).to.be.closeTo(-0.76, 1e-12);
    expect(interval?.high).to.be.closeTo(0.15, 1e-12);
  });

  it('has no interval where no order of the values would be a proof', () => {
    expect(shiftOf(sorted([1, 2, 3]), sorted([4, 5, 6]))).to.deep.equal({ estimate: 3, interval: null });
    expect(shiftOf(sorted([1, 2, 3, 4]), sorted([5, 6, 7, 8])).interval).to.deep.equal({ low: 1, high: 7 });
  });

  it('takes the ranks of the normal distribution for many values (computed with NumPy)', () => {
    const { estimate, interval } = shiftOf(ruled(37, 61, 0), ruled(23, 53, 0.4));
    expect(estimate).to.be.closeTo(0, 1e-9);
    expect(interval?.low).to.be.closeTo(-0.7, 1e-9);
    expect(interval?.high).to.be.closeTo(0.6, 1e-9);
  });

  it('searches for what is too much to sort, and finds the same', () => {
    const random = seeded(7);
    const draw = (n: number, shift: number): Float64Array => sorted(Array.from({ length: n }, () => random() + shift));
    const [a, b] = [draw(200, 0), draw(150, 0.1)];
    const differences = Array.from(b, (y) => Array.from(a, (x) => y - x))
      .flat()
      .sort((x, y) => x - y);
    const { estimate, interval } = shiftOf(a, b);
    const half = 1.959963984540054 * Math.sqrt((200 * 150 * 351) / 12);
    const low = Math.floor(15_000 - half);
    expect(estimate).to.be.closeTo(((differences[14_999] ?? 0) + (differences[15_000] ?? 0)) / 2, 2e-7);
    expect(interval?.low).to.be.closeTo(differences[low - 1] ?? NaN, 2e-7);
    expect(interval?.high).to.be.closeTo(differences[30_000 - low] ?? NaN, 2e-7);
  });

  it('takes more values than it looks at evenly', () => {
    const values = Float64Array.from({ length: 120_000 }, (_, index) => index / 120_000);
    const { estimate, interval } = shiftOf(
      values,
      values.map((value) => value + 0.25),
    );
    expect(estimate).to.be.closeTo(0.25, 1e-5);
    expect(interval?.low).to.be.within(0.245, 0.25);
    expect(interval?.high).to.be.within(0.25, 0.255);
  });

  it('turns round with the sides', () => {
    const side = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 4, maxLength: 30 });
    fc.assert(
      fc.property(side, side, (x, y) => {
        const [a, b] = [sorted(x), sorted(y)];
        const [there, back] = [shiftOf(a, b), shiftOf(b, a)];
        expect(there.estimate).to.be.closeTo(-back.estimate, 1e-9);
        expect(there.interval?.low).to.be.closeTo(-(back.interval?.high ?? NaN), 1e-9);
        expect(mannWhitney(a, b).p).to.be.closeTo(mannWhitney(b, a).p, 1e-9);
      }),
    );
  });
});

import { expect } from 'chai';
import { changePoints, LEAST_POINTS, SIGNIFICANCE } from '../../src/history/change-points.js';
import { ranksOf, Splitter } from '../../src/history/split.js';
import { seeded } from './random.js';

const level = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => value + (n % 4) / 100);
const places = (rows: readonly (readonly number[])[]): number[] => changePoints(rows).map(({ at }) => at);

/** A value by the sum of three uniform ones: nearly normal, of standard deviation `spread` (as a part of 100). */
const noisy = (random: () => number, spread: number): number =>
  100 * Math.exp(2 * spread * (random() + random() + random() - 1.5));

describe('change points', () => {
  it('are where the level of a row changes, and name the rows that did', () => {
    const changed = [...level(10, 12), ...level(12, 9)];
    const calm = changed.map((_, n) => 5 + (n % 3) / 10);
    const [found, ...others] = changePoints([calm, changed]);
    expect(others).to.deep.equal([]);
    expect(found).to.deep.include({ at: 12, rows: [1] });
    expect(found?.p).to.be.at.most(SIGNIFICANCE);
  });

  it('are where the values say, though ranks would have it nearer to the middle', () => {
    const random = seeded(11);
    for (const border of [6, 12, 25, 33]) {
      // In each row what stands before the step is high, but far from beyond it.
      const rows = Array.from({ length: 9 }, () =>
        Array.from({ length: 40 }, (_, n) =>
          n < border ? 100 + (n >= border - 2 || random() < 0.1 ? 1.9 : random()) : 118 + 2 * random(),
        ),
      );
      expect(places(rows)).to.deep.equal([border]);
      expect(places(rows.map((row) => row.toReversed()))).to.deep.equal([40 - border]);
    }
  });

  it('stand where they are found whatever single values do', () => {
    const random = seeded(12);
    const values = Array.from({ length: 50 }, (_, n) => noisy(random, 0.02) * (n < 30 ? 1 : 1.15));
    expect(places([values.with(24, 900).with(27, 1).with(33, 1)])).to.deep.equal([30]);
  });

  it('are two in a row that changes there and back', () => {
    expect(places([[...level(5, 15), ...level(6, 15), ...level(5, 15)]])).to.deep.equal([15, 30]);
  });

  it('are none of an outlier, of equal values, of too few', () => {
    const calm = Array.from({ length: 30 }, (_, n) => 100 + (n % 5));
    expect(places([calm.with(17, 900)])).to.deep.equal([]);
    expect(places([new Array<number>(40).fill(3)])).to.deep.equal([]);
    expect(places([[...level(1, 5), ...level(2, LEAST_POINTS - 6)]])).to.deep.equal([]);
    expect(places([])).to.deep.equal([]);
  });

  it('do without values that are missing', () => {
    const values = [...level(10, 14), ...level(12, 14)];
    const gaps = values.map((value, n) => (n % 5 === 2 ? NaN : value));
    expect(places([gaps, new Array<number>(28).fill(NaN)])).to.deep.equal([14]);
  });

  it('are the same whatever the unit, and the wrong way round in reversed time', () => {
    const random = seeded(5);
    const values = Array.from({ length: 26 }, (_, n) => noisy(random, 0.02) * (n < 11 ? 1 : 1.2));
    expect(places([values])).to.deep.equal([11]);
    expect(places([values.map((value) => value * 1e-9)])).to.deep.equal([11]);
    expect(places([values.map((value) => 1 / value)])).to.deep.equal([11]);
    expect(places([values.toReversed()])).to.deep.equal([15]);
  });

  it('go by ranks: the statistic of a border is the squared difference of mean ranks, in the unit of its variance', () => {
    const values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
    const ranks = [...ranksOf(values)];
    expect(ranks).to.deep.equal([4.5, 1.5, 6, 1.5, 8, 12, 3, 10, 8, 4.5, 8, 11]);
    const splitter = new Splitter([ranksOf(values)], values.length);
    const { at, end, statistic } = splitter.best(Int32Array.from(values.keys()));
    const mean = (part: readonly number[]): number => part.reduce((sum, value) => sum + value, 0) / part.length;
    const variance = ranks.reduce((sum, rank) => sum + (rank - mean(ranks)) ** 2, 0) / (ranks.length - 1);
    const difference = mean(ranks.slice(0, at)) - mean(ranks.slice(at, end));
    expect(statistic).to.be.closeTo(difference ** 2 / (variance * (1 / at + 1 / (end - at))), 1e-9);
  });

  it('are shown by as few calm histories as the level says, however many sizes these have and however alike they are', () => {
    const random = seeded(20261201);
    const trials = 200;
    const alarms = [1, 23].map((sizes) => {
      let count = 0;
      for (let trial = 0; trial < trials; ++trial) {
        const common = Array.from({ length: 24 }, () => noisy(random, 0.05));
        const rows = Array.from({ length: sizes }, (_, size) =>
          common.map((value) => (size % 2 === 0 ? noisy(random, 0.05) : value + noisy(random, 0.01))),
        );
        if (changePoints(rows).length > 0) ++count;
      }
      return count;
    });
    // 5 % of 200 are 10; a number of binomial distribution stays below 21 in 999 of 1000 cases.
    expect(Math.max(...alarms)).to.be.at.most(20);
  });

  it('are shown by fewer where the level is smaller', () => {
    const random = seeded(7);
    let count = 0;
    for (let trial = 0; trial < 200; ++trial) {
      const rows = [Array.from({ length: 20 }, () => noisy(random, 0.05))];
      if (changePoints(rows, { level: SIGNIFICANCE / 20 }).length > 0) ++count;
    }
    expect(count).to.be.at.most(3);
  });

  it('find a change of 10 % in noise of 3 % at its place, nearly always', () => {
    const random = seeded(11);
    let found = 0;
    for (let trial = 0; trial < 50; ++trial) {
      const rows = Array.from({ length: 23 }, () =>
        Array.from({ length: 24 }, (_, n) => noisy(random, 0.03) * (n < 12 ? 1 : 1.1)),
      );
      if (changePoints(rows, { level: SIGNIFICANCE / 10 }).some(({ at }) => Math.abs(at - 12) <= 1)) ++found;
    }
    expect(found).to.be.at.least(48);
  });
});

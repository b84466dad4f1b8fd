import { expect } from 'chai';
import fc from 'fast-check';
import { Chunker, TimeBudget } from '../../src/bench/measure/stopping.js';

/** Runs a row to its end with iterations of a fixed cost. Returns the chunks. */
function runRow(chunker: Chunker, secondsPerIteration: number): number[] {
  const seen: number[] = [];
  for (let next = chunker.next(); next > 0; next = chunker.next()) {
    seen.push(next);
    chunker.ran(next, next * secondsPerIteration);
    if (seen.length > 100_000) throw new Error('the row does not end');
  }
  return seen;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('fixed iterations', () => {
  const fixed = (iterations: number, limit: number, cost: number): number[] => {
    const chunker = new Chunker({ iterations, budget: new TimeBudget(undefined), limit });
    const seen = runRow(chunker, cost);
    expect([chunker.done, chunker.stopped]).to.deep.equal([iterations, undefined]);
    return seen;
  };

  it('come in whole chunks and a rest, whatever the time', () => {
    for (const cost of [0, 1e-9, 100]) {
      expect(fixed(10, 4, cost)).to.deep.equal([4, 4, 2]);
      expect(fixed(8, 4, cost)).to.deep.equal([4, 4]);
      expect(fixed(3, 4, cost)).to.deep.equal([3]);
    }
  });

  it('need few chunks', () => {
    expect(runRow(new Chunker({ iterations: 2_500_000, budget: new TimeBudget(undefined) }), 1e-6)).to.deep.equal([
      1_000_000, 1_000_000, 500_000,
    ]);
  });
});

describe('time limit', () => {
  it('leaves rows alone that end before it', () => {
    const budget = new TimeBudget(10);
    const chunker = new Chunker({ iterations: 10_000, budget });
    const seen = runRow(chunker, 1e-6);
    expect(sum(seen)).to.equal(10_000);
    expect(chunker.stopped).to.be.undefined;
    expect(budget.spent).to.be.closeTo(0.01, 1e-9);
  });

  it('begins with a small chunk, doubles, and keeps chunks short', () => {
    const seen = runRow(new Chunker({ iterations: 1_000_000, budget: new TimeBudget(1000) }), 1e-4);
    expect(seen.slice(0, 7)).to.deep.equal([8, 16, 32, 64, 128, 256, 512]);
    for (const chunk of seen) expect(chunk * 1e-4).to.be.at.most(0.1);
    expect(Math.max(...seen) * 1e-4).to.be.at.least(0.05);
    expect(sum(seen)).to.equal(1_000_000);
  });

  it('ends the row in progress with what it has', () => {
    const budget = new TimeBudget(1);
    const chunker = new Chunker({ iterations: 1_000_000, budget });
    const done = sum(runRow(chunker, 1e-4));
    expect(chunker.done).to.equal(done);
    expect(chunker.stopped).to.equal('time-limit');
    expect(budget.exhausted).to.be.true;
    expect(done).to.be.within(9_000, 11_000);
  });

  it('measures the first chunk of a row that has begun', () => {
    const budget = new TimeBudget(1);
    budget.spend(5);
    const chunker = new Chunker({ iterations: 100, budget });
    expect(runRow(chunker, 1)).to.deep.equal([8]);
    expect(chunker.stopped).to.equal('time-limit');
  });

  it('is one for all rows', () => {
    const budget = new TimeBudget(1);
    const rows = [1, 2, 3, 4].map(() => {
      if (budget.exhausted) return 0;
      const chunker = new Chunker({ iterations: 4_000, budget });
      return sum(runRow(chunker, 1e-4));
    });
    expect(rows.slice(0, 2)).to.deep.equal([4_000, 4_000]);
    expect(rows[2]).to.be.within(1_900, 2_200);
    expect(rows[3]).to.equal(0);
  });

  it('never runs more than asked for, and ends soon after the limit', () => {
    const inputs = fc.record({
      iterations: fc.integer({ min: 1, max: 2_000_000 }),
      limit: fc.double({ min: 0.001, max: 20, noNaN: true }),
      cost: fc.double({ min: 1e-8, max: 0.5, noNaN: true }),
    });
    fc.assert(
      fc.property(inputs, ({ iterations, limit, cost }) => {
        const budget = new TimeBudget(limit);
        const chunker = new Chunker({ iterations, budget });
        const seen = runRow(chunker, cost);
        expect(sum(seen)).to.be.at.most(iterations).and.at.least(1);
        if (seen.length > 1) expect(budget.spent).to.be.at.most(limit + 8 * cost + 0.1);
        expect(chunker.stopped === undefined).to.equal(sum(seen) === iterations);
      }),
    );
  });
});

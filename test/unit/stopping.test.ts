import { expect } from 'chai';
import fc from 'fast-check';
import { Chunker, FEWEST_FOR_TARGET, TimeBudget } from '../../src/bench/measure/stopping.js';

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

describe('a target', () => {
  const rowOf = (iterations: number, enough: () => boolean, seconds?: number) =>
    new Chunker({ iterations, budget: new TimeBudget(seconds), enough });

  it('ends the row where enough is known, and not before 30 iterations', () => {
    let asked = 0;
    const chunker = rowOf(1_000_000, () => ++asked > 0);
    expect(sum(runRow(chunker, 1e-6))).to.equal(FEWEST_FOR_TARGET);
    expect([chunker.stopped, chunker.reached, asked]).to.deep.equal(['target-ci', true, 1]);
  });

  it('is looked at after half as many iterations again each time', () => {
    const seen: number[] = [];
    const chunker: Chunker = rowOf(1000, () => {
      seen.push(chunker.done);
      return chunker.done >= 500;
    });
    expect(sum(runRow(chunker, 1e-6))).to.equal(518);
    expect(seen).to.deep.equal([30, 45, 68, 102, 153, 230, 345, 518]);
    expect(chunker.stopped).to.equal('target-ci');
  });

  it('that is never reached leaves the row its iterations, and this is known', () => {
    const chunker = rowOf(1000, () => false);
    expect(sum(runRow(chunker, 1e-6))).to.equal(1000);
    expect([chunker.stopped, chunker.reached]).to.deep.equal([undefined, false]);
    expect(new Chunker({ iterations: 5, budget: new TimeBudget(undefined) }).reached).to.be.true;
  });

  it('goes with a time limit: whichever comes first', () => {
    const late = rowOf(1_000_000, () => false, 0.5);
    runRow(late, 1e-3);
    expect([late.stopped, late.reached]).to.deep.equal(['time-limit', false]);
    const early = rowOf(1_000_000, () => true, 0.5);
    runRow(early, 1e-3);
    expect([early.stopped, early.reached]).to.deep.equal(['target-ci', true]);
  });

  it('of few iterations is looked at in the end', () => {
    const chunker = rowOf(10, () => true);
    expect(sum(runRow(chunker, 1))).to.equal(10);
    expect([chunker.stopped, chunker.reached]).to.deep.equal([undefined, true]);
  });
});

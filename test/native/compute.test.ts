import { expect } from 'chai';
import fc from 'fast-check';
import { cutUnits } from '../../src/engine/compute.js';
import {
  calibrateCompute,
  compute,
  computePieces,
  computeUnits,
  engineClock,
  jsExecutor,
  nativeExecutor,
  startThreads,
} from '../../src/engine/index.js';
import type { Operation } from '../../src/engine/types.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const now = engineClock();

/** The shortest of several executions, in seconds: what neither scheduler nor neighbours have disturbed. */
function shortest(operation: Operation): number {
  const durations = Array.from({ length: 30 }, () => {
    const start = now();
    operation();
    return now() - start;
  });
  return Math.min(...durations);
}

describe('compute', () => {
  it('measures its rate once', () => {
    const { unitsPerSecond } = calibrateCompute();
    expect(unitsPerSecond).to.be.greaterThan(0);
    expect(Number.isFinite(unitsPerSecond)).to.equal(true);
    expect(calibrateCompute().unitsPerSecond).to.equal(unitsPerSecond);
  });

  it('has units finer than 10 ns', () => {
    expect(computeUnits(10e-9)).to.be.at.least(1);
    expect(computeUnits(0)).to.equal(0);
    const { unitsPerSecond } = calibrateCompute();
    for (const seconds of [1e-7, 3e-6, 0.25]) {
      expect(computeUnits(seconds)).to.be.closeTo(seconds * unitsPerSecond, 0.5);
    }
  });

  it('takes longer for more', () => {
    const [none, few, many] = [0, 1e-5, 1e-3].map((seconds) => shortest(compute(seconds)));
    expect(few).to.be.greaterThan(none ?? NaN);
    expect(many).to.be.greaterThan(few ?? NaN);
  });

  for (const executor of [nativeExecutor, jsExecutor]) {
    it(`runs in programs (${executor.name} executor)`, () => {
      const count = test.count();
      const run = executor.start({ timed: [compute(1e-6), count, ...computePieces(1e-6, 3)] });
      run.warmUp(2);
      run.advance({ iterations: 20 });
      run.finish();
      expect(test.counted(count)).to.deep.equal({ executed: 20, resets: 1 });
    });
  }

  it('ends when the run is cancelled', () => {
    const run = startThreads([{ timed: [compute(100_000)] }, { timed: [test.failAt(0, 6)] }]);
    expect(() => run.advance({ iterations: 1 })).to.throw('failAt failed in iteration 0 of thread 1: test failure 6');
    run.finish();
  });

  it('is cut into pieces that are equal but for one unit, and add up to the whole', () => {
    const property = fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 500 }), (units, count) => {
      const pieces = cutUnits(units, count);
      expect(pieces).to.have.length(count);
      expect(pieces.reduce((sum, piece) => sum + piece, 0)).to.equal(units);
      expect(Math.max(...pieces) - Math.min(...pieces)).to.be.at.most(1);
      const half = pieces.slice(0, count / 2).reduce((sum, piece) => sum + piece, 0);
      expect(Math.abs(half - (units * Math.floor(count / 2)) / count)).to.be.at.most(1);
    });
    fc.assert(property);
  });

  it('has pieces of one amount as one operation', () => {
    const pieces = computePieces(1e-4, 50);
    expect(pieces).to.have.length(50);
    expect(new Set(pieces).size).to.be.at.most(2);
    for (const piece of pieces) piece();
    expect(computePieces(0, 3)).to.have.length(3);
  });

  it('refuses what is no time and no number of pieces', () => {
    for (const seconds of [-1, NaN, Infinity, 1e30]) {
      expect(() => compute(seconds)).to.throw(RangeError, /the seconds to compute must be a number of at least 0, not/);
    }
    for (const pieces of [0, -1, 1.5]) {
      expect(() => computePieces(1, pieces)).to.throw(RangeError, /pieces must be a whole number of at least 1/);
    }
  });
});

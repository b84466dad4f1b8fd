import { expect } from 'chai';
import { OperationError } from '../../src/engine/errors.js';
import {
  cancelRuns,
  clearCancel,
  collect,
  engineClock,
  jsExecutor,
  nativeExecutor,
  pace,
  releaseOperation,
} from '../../src/engine/index.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const CANCELLED = -(2 ** 31);

function codeOf(action: () => unknown): number {
  try {
    action();
  } catch (error) {
    if (error instanceof OperationError) return error.code;
    throw error;
  }
  throw new Error('nothing was thrown');
}

afterEach(() => {
  clearCancel();
});

describe('pace', () => {
  for (const executor of [nativeExecutor, jsExecutor]) {
    it(`holds back the first of each burst (${executor.name} executor)`, () => {
      const run = executor.start({ timed: [pace(0.02, 3)] });
      const samples = new Float64Array(9);
      run.advance({ iterations: 9, samples });
      run.finish();
      const waited = [...samples].map((seconds) => seconds > 0.01);
      // The others of a burst may be disturbed, but never all of them.
      expect([waited[3], waited[6]]).to.deep.equal([true, true]);
      expect(samples.slice(0, 7).reduce((sum, seconds) => sum + seconds, 0)).to.be.at.least(0.04);
    });
  }

  it('does not make up for a burst that comes late', () => {
    const now = engineClock();
    const paced = pace(0.02);
    paced();
    for (const begin = now(); now() - begin < 0.05;);
    paced();
    const begin = now();
    paced();
    expect(now() - begin).to.be.at.least(0.015);
  });

  it('ends where runs are cancelled', () => {
    const paced = pace(1000);
    paced();
    cancelRuns('enough');
    expect(codeOf(paced)).to.equal(CANCELLED);
  });

  it('refuses what is no time', () => {
    for (const seconds of [-1, NaN, Infinity])
      expect(() => pace(seconds)).to.throw(RangeError, /seconds between bursts/);
    expect(() => pace(1, 0)).to.throw(RangeError, /every/);
  });
});

describe('collect', () => {
  it('runs a test until it is pending, and counts how often it was done', () => {
    const collecting = collect(test.countdown(2));
    expect(collecting.operation.operationName).to.equal('collect');
    // Pending twice, then done and pending again, and once more.
    const counts = Array.from({ length: 4 }, () => {
      collecting.operation();
      return collecting.count();
    });
    expect(counts).to.deep.equal([0, 0, 1, 1]);
    expect([collecting.counted(), collecting.seconds()]).to.deep.equal([1, 0]);
  });

  it('times those that come within its window', () => {
    const now = engineClock();
    const [all, some] = [collect(test.countdown(1)), collect(test.countdown(1), { from: 0.02, to: 0.06 })];
    const found = { all: 0, some: 0 };
    for (const begin = now(); now() - begin < 0.08;) {
      all.operation();
      some.operation();
    }
    found.all = all.count();
    found.some = some.counted();
    expect(some.count()).to.be.above(found.some);
    expect(found.some).to.be.above(1);
    expect(all.counted()).to.equal(found.all);
    expect(some.seconds()).to.be.below(0.04);
    expect(some.seconds()).to.be.above(0);
    expect(all.seconds()).to.be.above(some.seconds());
  });

  it('gives a failure of the test, and ends where runs are cancelled', () => {
    expect(codeOf(collect(test.failAt(undefined, 7)).operation)).to.equal(7);
    const endless = collect(test.countdown(0));
    cancelRuns('enough');
    expect(codeOf(endless.operation)).to.equal(CANCELLED);
  });

  it('keeps its test until it is released', () => {
    const inner = test.countdown(1);
    const { operation } = collect(inner);
    expect(() => {
      releaseOperation(inner);
    }).to.throw(/belongs to/);
    releaseOperation(operation);
    releaseOperation(inner);
    expect(() => {
      operation();
    }).to.throw(/released/);
  });
});

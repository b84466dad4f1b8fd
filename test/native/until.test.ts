import { expect } from 'chai';
import { OperationError } from '../../src/engine/errors.js';
import {
  cancelRuns,
  clearCancel,
  jsExecutor,
  nativeExecutor,
  noop,
  repeat,
  startThreads,
  until,
} from '../../src/engine/index.js';
import { testOperations } from './test-addon.js';

const test = testOperations();

function thrown(action: () => unknown): OperationError {
  try {
    action();
  } catch (error) {
    if (error instanceof OperationError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const marks = (): string =>
  test
    .takeJournal()
    .map(([mark]) => mark)
    .join('');

const PENDING = -(2 ** 31) + 1;
const CANCELLED = -(2 ** 31);

beforeEach(() => test.takeJournal());
afterEach(() => {
  clearCancel();
});

for (const executor of [nativeExecutor, jsExecutor]) {
  describe(`until and cancelling (${executor.name} executor)`, () => {
    it('runs what is to be done meanwhile before each test, until it is done', () => {
      const [a, b] = [test.record('a'), test.record('b')] as const;
      const run = executor.start({ timed: [until(test.countdown(2), [a, b]), test.record('x')] });
      run.advance({ iterations: 2 });
      run.finish();
      expect(marks()).to.equal('abababx'.repeat(2));
    });

    it('tests only after so many rounds', () => {
      const run = executor.start({ timed: [until(test.countdown(1), [test.record('a')], { every: 5 })] });
      run.advance({ iterations: 1 });
      run.finish();
      expect(marks()).to.equal('a'.repeat(10));
    });

    it('ends at a failure of either, as that one’s', () => {
      const meanwhile = executor.start({ timed: [until(test.countdown(1), [noop(), test.failAt(2, 7)])] });
      expect(thrown(() => meanwhile.advance({ iterations: 3 }))).to.include({ operation: 'failAt', iteration: 2 });
      const tested = executor.start({ timed: [until(test.failAt(1, 9), [noop()])] });
      expect(thrown(() => tested.advance({ iterations: 3 }))).to.include({
        operation: 'failAt',
        code: 9,
        iteration: 1,
      });
      const both = executor.start({ timed: [until(noop(), [test.countdown(1)])] });
      expect(thrown(() => both.advance({ iterations: 1 }))).to.include({ operation: 'countdown', code: PENDING });
      for (const run of [meanwhile, tested, both]) run.finish();
    });

    it('takes a test that is pending by itself for a failure', () => {
      const run = executor.start({ timed: [noop(), test.countdown(1)] });
      const error = thrown(() => run.advance({ iterations: 3 }));
      expect(error).to.include({ operation: 'countdown', code: PENDING, iteration: 0 });
      expect(error.text).to.equal('it is not complete yet');
      run.finish();
    });

    it('is cancelled, and so is everything else, until that is cleared', () => {
      const started = executor.start({ timed: [noop()] });
      started.advance({ iterations: 1 });
      cancelRuns('the peer has gone');
      cancelRuns('another reason');
      for (const operation of [until(test.countdown(1e15), [noop()]), test.spin(), repeat([noop()], 1e12), noop()]) {
        const run = executor.start({ timed: [operation] });
        const error = thrown(() => run.advance({ iterations: 1e9 }));
        expect(error).to.include({ code: CANCELLED, text: 'it was cancelled: the peer has gone' });
        expect(() => run.advance({ iterations: 1 })).to.throw('the run has failed');
        run.finish();
      }
      expect(thrown(() => started.advance({ iterations: 1e9 })).code).to.equal(CANCELLED);
      started.finish();
      clearCancel();
      const after = executor.start({ timed: [until(test.countdown(3), [noop()])] });
      after.advance({ iterations: 2 });
      after.finish();
      expect(() => started.advance({ iterations: 1 })).to.throw('the run has finished');
    });
  });
}

describe('until and cancelling', () => {
  it('reach operations that JavaScript calls, those of other addons too', () => {
    const wait = until(test.countdown(3), []);
    wait();
    expect(thrown(test.countdown(1))).to.include({ code: PENDING, text: 'it is not complete yet' });
    cancelRuns('the peer has gone');
    for (const operation of [test.spin(), until(test.countdown(1e15), []), until(test.countdown(1e15), [noop()])]) {
      expect(thrown(operation)).to.include({ code: CANCELLED, text: 'it was cancelled: the peer has gone' });
    }
    clearCancel();
    cancelRuns('once more');
    expect(thrown(test.spin()).text).to.equal('it was cancelled: once more');
  });

  it('reach programs on several threads', () => {
    const idle = startThreads([{ timed: [test.count()] }, { timed: [noop()] }]);
    cancelRuns('the peer has gone');
    const run = startThreads([{ timed: [test.spin()] }, { timed: [noop()] }]);
    const error = thrown(() => run.advance({ iterations: 1e9 }));
    expect(error).to.include({ code: CANCELLED, text: 'it was cancelled: the peer has gone' });
    run.finish();
    clearCancel();
    idle.advance({ iterations: 100 });
    idle.finish();
    const failing = startThreads([{ timed: [test.spin()] }, { timed: [test.failAt(1, 6)] }]);
    expect(thrown(() => failing.advance({ iterations: 2 })).code).to.equal(6);
    failing.finish();
  });

  it('refuse what makes no sense', () => {
    expect(() => until({} as ReturnType<typeof noop>, [])).to.throw(TypeError, /is not an operation/);
    expect(() => until(noop(), [noop()], { every: 0 })).to.throw(RangeError, 'every must be a whole number');
  });
});

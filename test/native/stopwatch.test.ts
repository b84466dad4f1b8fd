import { expect } from 'chai';
import {
  jsExecutor,
  nativeExecutor,
  noop,
  OperationError,
  releaseOperation,
  startThreads,
  stopwatch,
} from '../../src/engine/index.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

for (const executor of [nativeExecutor, jsExecutor]) {
  describe(`stopwatch (${executor.name} executor)`, () => {
    it('splits a timed part into parts that make up nearly all of it', () => {
      const watch = stopwatch(['start', 'compute', 'wait']);
      const sleeps = [2, 1].map((milliseconds) => test.sleepAt(undefined, milliseconds));
      const [two = noop(), one = noop()] = sleeps;
      const marks = ['start', 'compute', 'wait'].map((part) => watch.mark(part));
      const [first = noop(), second = noop(), third = noop()] = marks;
      const run = executor.start({ timed: [watch.start(), two, first, noop(), second, one, third] });
      const { seconds } = run.advance({ iterations: 5 });
      run.finish();
      const parts = watch.seconds();
      expect(watch.rounds).to.equal(5);
      expect(parts.every((part) => part > 0)).to.equal(true);
      // A sleep lasts as long as it says at least, and the parts are within the whole.
      expect(parts[0]).to.be.at.least(0.0099);
      expect(parts[2]).to.be.at.least(0.0049);
      expect(sum(parts)).to.be.at.most(seconds);
    });

    it('adds to one part as often as it is marked', () => {
      const watch = stopwatch(2);
      const sleep = test.sleepAt(undefined, 1);
      const timed = [watch.start(), sleep, watch.mark(1), noop(), watch.mark(0), sleep, watch.mark(1)];
      const run = executor.start({ timed });
      run.advance({ iterations: 4 });
      run.finish();
      expect(watch.seconds()[1]).to.be.at.least(0.0079);
    });

    it('leaves out what lies between a mark and the next start', () => {
      const watch = stopwatch(['only']);
      const pause = test.sleepAt(undefined, 2);
      const run = executor.start({
        timed: [watch.start(), watch.mark('only')],
        untimed: { before: [pause], after: [pause] },
      });
      const { seconds } = run.advance({ iterations: 5 });
      run.finish();
      expect(sum(watch.seconds())).to.be.at.most(seconds);
    });

    it('forgets warm-up', () => {
      const watch = stopwatch(1);
      const run = executor.start({ timed: [watch.start(), test.sleepAt(0, 1), watch.mark(0)] });
      run.warmUp(3);
      expect([watch.rounds, ...watch.seconds()]).to.deep.equal([0, 0]);
      run.advance({ iterations: 2 });
      expect(watch.rounds).to.equal(2);
      expect(watch.seconds()[0]).to.be.greaterThan(0);
      run.finish();
    });

    it('forgets warm-up where only its marks are left in the program', () => {
      const watch = stopwatch(1);
      watch.start()();
      const run = executor.start({ timed: [watch.mark(0)] });
      run.warmUp(1);
      expect([watch.rounds, ...watch.seconds()]).to.deep.equal([0, 0]);
      expect(() => run.advance({ iterations: 1 })).to.throw(
        'stopwatch mark failed in iteration 1: the stopwatch does not',
      );
      run.finish();
    });

    it('leaves rounds out of the sums, such as those of a lead-in', () => {
      const watch = stopwatch(1);
      const run = executor.start({ timed: [watch.start(), noop(), watch.mark(0)] });
      watch.skip(6);
      run.advance({ iterations: 4, leadIn: 2 });
      expect([watch.rounds, ...watch.seconds()]).to.deep.equal([0, 0]);
      for (const iterations of [4, 3]) {
        watch.skip(2);
        run.advance({ iterations, leadIn: 2 });
      }
      expect(watch.rounds).to.equal(7);
      expect(watch.seconds()[0]).to.be.greaterThan(0);
      watch.skip(5);
      run.warmUp(1);
      run.advance({ iterations: 2 });
      expect(watch.rounds).to.equal(2);
      run.finish();
    });

    it('fails where it is marked before it was started', () => {
      const watch = stopwatch(1);
      const run = executor.start({ timed: [watch.mark(0)] });
      expect(() => run.advance({ iterations: 1 })).to.throw(
        OperationError,
        'stopwatch mark failed in iteration 0: the stopwatch does not run: put its start before its marks (engine code 1)',
      );
      run.finish();
    });
  });
}

describe('stopwatch', () => {
  it('has parts by name and by number', () => {
    const watch = stopwatch(['a', 'b']);
    expect(watch.parts).to.deep.equal(['a', 'b']);
    expect(watch.mark('b')).to.equal(watch.mark(1));
    expect(watch.mark('a')).not.to.equal(watch.mark('b'));
    expect(watch.start()).to.equal(watch.start());
    expect(stopwatch(3).parts).to.deep.equal(['0', '1', '2']);
    for (const part of ['c', 2, -1, 0.5]) {
      expect(() => watch.mark(part)).to.throw(RangeError, `no part ${part}: its parts are a, b`);
    }
  });

  it('refuses parts that are none', () => {
    expect(() => stopwatch([])).to.throw(RangeError, 'at least one part');
    expect(() => stopwatch(0)).to.throw(RangeError, 'at least one part');
    expect(() => stopwatch(-1)).to.throw(RangeError, 'parts must be a whole number');
    expect(() => stopwatch(['a', 'b', 'a'])).to.throw(RangeError, 'two parts named a');
    expect(() => {
      stopwatch(1).skip(-1);
    }).to.throw(RangeError, 'rounds must be a whole number');
  });

  it('belongs to one thread', () => {
    const watch = stopwatch(2);
    const programs = [{ timed: [watch.start(), watch.mark(0)] }, { timed: [watch.mark(1)] }];
    expect(() => startThreads(programs)).to.throw(
      TypeError,
      /^programs\[1\] holds an operation stopwatch start that another program holds too/,
    );
    const watches = [stopwatch(1), stopwatch(1)];
    const run = startThreads(watches.map((one) => ({ timed: [one.start(), noop(), one.mark(0)] })));
    run.advance({ iterations: 50 });
    run.finish();
    expect(watches.map(({ rounds }) => rounds)).to.deep.equal([50, 50]);
  });

  it('can be read after its operations are released, in whatever order', () => {
    const watch = stopwatch(1);
    const run = nativeExecutor.start({ timed: [watch.start(), watch.mark(0)] });
    run.advance({ iterations: 3 });
    run.finish();
    releaseOperation(watch.start());
    releaseOperation(watch.mark(0));
    expect(watch.rounds).to.equal(3);
    expect(watch.seconds()[0]).to.be.greaterThan(0);
    expect(watch.mark(0)).to.throw(OperationError, 'it was released');
  });
});

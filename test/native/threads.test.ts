import { expect } from 'chai';
import { type OperationError } from '../../src/engine/errors.js';
import { getAffinity, noop, onlineCpus, releaseOperation, repeat, startThreads } from '../../src/engine/index.js';
import { blockedSignals, testOperations } from './test-addon.js';

const test = testOperations();
const counts = (programs: number) => Array.from({ length: programs }, () => test.count());

describe('threads', () => {
  for (const programs of [1, 2, 5]) {
    it(`run ${programs} programs, each its own iterations and samples`, () => {
      const operations = counts(programs);
      const drains = counts(programs);
      const run = startThreads(
        operations.map((count, i) => ({ timed: [count, noop()], drain: drains.slice(i, i + 1) })),
      );
      const samples = operations.map(() => new Float64Array(50).fill(-1));
      run.warmUp(7);
      const results = run.advance({ iterations: 50, samples });
      run.advance({ iterations: 3 });
      expect(run.iterations).to.equal(60);
      run.finish();
      expect(operations.map((count) => test.counted(count))).to.deep.equal(
        operations.map(() => ({ executed: 53, resets: 1 })),
      );
      expect(drains.map((count) => test.counted(count).executed)).to.deep.equal(drains.map(() => 1));
      results.forEach((result, i) => {
        expect(result).to.include({ iterations: 50, samples: 50 });
        const written = samples[i] ?? new Float64Array();
        expect(written.every((sample) => sample >= 0)).to.equal(true);
        expect(written.reduce((sum, sample) => sum + sample, 0)).to.be.closeTo(result.seconds, 1e-9);
      });
    });
  }

  it('give every program its thread’s number', () => {
    test.takeJournal();
    const run = startThreads(['a', 'b', 'c'].map((mark) => ({ timed: [test.record(mark)] })));
    run.advance({ iterations: 2 });
    run.finish();
    const seen = test.takeJournal().map(([mark, iteration, thread]) => `${mark}${iteration} ${thread}`);
    expect(seen.sort()).to.deep.equal(['a0 0', 'a1 0', 'b0 1', 'b1 1', 'c0 2', 'c1 2']);
  });

  it('really run at the same time', () => {
    // The first ends only when it is cancelled, which the failure of the second does.
    const run = startThreads([{ timed: [test.spin()] }, { timed: [test.failAt(0, 6)] }]);
    expect(() => run.advance({ iterations: 1 })).to.throw('failAt failed in iteration 0 of thread 1: test failure 6');
    run.finish();
  });

  it('end all at the first failure, and say whose it was', () => {
    const endless = test.sleepAt(undefined, 1);
    const run = startThreads([{ timed: [endless] }, { timed: [test.failAt(4, 9)] }, { timed: [endless2()] }]);
    let error: OperationError | undefined;
    try {
      run.advance({ iterations: 1_000_000_000 });
    } catch (caught) {
      error = caught as OperationError;
    }
    expect(error).to.include({
      name: 'OperationError',
      operation: 'failAt',
      code: 9,
      thread: 1,
      iteration: 4,
      completed: 4,
    });
    expect(() => run.advance({ iterations: 1 })).to.throw('the run has failed');
    run.finish();
  });

  it('run a lead-in each, which leaves no sample', () => {
    const operations = counts(2);
    const run = startThreads(operations.map((count) => ({ timed: [count] })));
    const samples = operations.map(() => new Float64Array(5).fill(-1));
    const results = run.advance({ iterations: 4, leadIn: 3, samples });
    expect(run.iterations).to.equal(7);
    run.finish();
    expect(operations.map((count) => test.counted(count).executed)).to.deep.equal([7, 7]);
    for (const result of results) expect(result).to.include({ iterations: 4, samples: 4 });
    expect(samples.map((array) => array[4])).to.deep.equal([-1, -1]);
  });

  it('close each its own program, in its own time', () => {
    const operations = counts(2);
    const sleeping = test.sleepAt(undefined, 40);
    const run = startThreads(
      operations.map((count, i) => ({ timed: [noop()], closing: i === 0 ? [count] : [count, sleeping] })),
    );
    const results = run.advance({ iterations: 2, close: true });
    run.advance({ iterations: 2 });
    run.finish();
    expect(operations.map((count) => test.counted(count).executed)).to.deep.equal([1, 1]);
    expect(results[1]?.seconds).to.be.at.least(0.0399);
  });

  it('say so where the system gives none, and leave signals as they were', () => {
    const count = test.count();
    const before = blockedSignals();
    test.refuseThreads(true);
    try {
      expect(() => startThreads([{ timed: [count] }])).to.throw(
        /^the system gives no thread for each of 1 programs \(.+\): use fewer, or raise the limit of processes$/,
      );
    } finally {
      test.refuseThreads(false);
    }
    expect(blockedSignals()).to.equal(before);
    const run = startThreads([{ timed: [count] }]);
    run.advance({ iterations: 2 });
    run.finish();
    expect(test.counted(count).executed).to.equal(2);
  });

  it('run where they are told to', () => {
    const cpus = getAffinity();
    const run = startThreads(
      counts(2).map((count) => ({ timed: [count] })),
      { cpus: [cpus[0] ?? 0, cpus.at(-1) ?? 0] },
    );
    run.advance({ iterations: 10 });
    run.finish();
    expect(getAffinity()).to.deep.equal(cpus);
    const missing = Math.max(...onlineCpus()) + 1;
    const start = () => startThreads([{ timed: [noop()] }], { cpus: [missing] });
    expect(start).to.throw(RangeError, `core ${missing} does not exist`);
    expect(() => startThreads([{ timed: [noop()] }], { cpus: [0, 0] })).to.throw(
      RangeError,
      'there are 2 cores for 1 programs',
    );
  });

  it('refuse operations that work on one thread only', () => {
    const single = test.count(false);
    expect(() => startThreads([{ timed: [noop()] }, { timed: [single] }])).to.throw(
      TypeError,
      /^programs\[1\] holds count, which works on one thread only/,
    );
    const repeated = repeat([noop(), single], 2);
    expect(() => startThreads([{ timed: [repeated] }])).to.throw(TypeError, /which works on one thread only/);
  });

  it('refuse an operation in two programs, also within another', () => {
    const shared = noop();
    const expected = /^programs\[1\] holds an operation noop that another program holds too/;
    expect(() => startThreads([{ timed: [shared] }, { timed: [shared] }])).to.throw(TypeError, expected);
    const repeated = repeat([shared], 2);
    expect(() => startThreads([{ timed: [shared] }, { timed: [repeated] }])).to.throw(TypeError, expected);
  });

  it('refuse what no executor takes', () => {
    expect(() => startThreads([])).to.throw(RangeError, 'at least one program');
    expect(() => startThreads([{ timed: [] }])).to.throw(TypeError, 'at least one operation');
    const notOne = [{ timed: [{} as ReturnType<typeof noop>] }];
    expect(() => startThreads(notOne)).to.throw(TypeError, /^programs\[0\]\.timed\[0\] is not an operation/);
    const run = startThreads([{ timed: [noop()] }]);
    expect(() => run.advance({ iterations: 0 })).to.throw(RangeError, /iterations/);
    expect(() => run.advance({ iterations: 4, samples: [] })).to.throw(
      RangeError,
      '0 arrays of samples for 1 programs',
    );
    expect(() => run.advance({ iterations: 4, samples: [new Float64Array(3)] })).to.throw(RangeError, 'room for 3');
    run.finish();
    run.finish();
    expect(() => run.warmUp(1)).to.throw('the run has finished');
  });

  it('let go of their operations when finished', () => {
    const count = test.count();
    const run = startThreads([{ timed: [count] }]);
    expect(() => {
      releaseOperation(count);
    }).to.throw('belongs to a run');
    run.finish();
    releaseOperation(count);
  });
});

function endless2(): ReturnType<typeof noop> {
  return test.sleepAt(undefined, 1);
}

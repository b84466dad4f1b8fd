import { expect } from 'chai';
import fc from 'fast-check';
import { OperationError } from '../../src/engine/errors.js';
import { jsExecutor, makeJsExecutor, nativeExecutor, noop, repeat } from '../../src/engine/index.js';
import type { Executor, Program, Run } from '../../src/engine/types.js';
import { VirtualClock } from '../../src/transport/mock.js';
import { testOperations, type JournalEntry } from './test-addon.js';

const test = testOperations();

/** What `action` throws; fails where it throws nothing. */
function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Marks of the journal, as a string. */
function marks(): string {
  return test
    .takeJournal()
    .map(([mark]) => mark)
    .join('');
}

function recorder(lists: { before?: string; timed: string; after?: string; drain?: string }): Program {
  const record = (text = '') => [...text].map((mark) => test.record(mark));
  return {
    timed: record(lists.timed),
    untimed: { before: record(lists.before), after: record(lists.after) },
    drain: record(lists.drain),
  };
}

const sum = (samples: Float64Array): number => samples.reduce((total, sample) => total + sample, 0);

for (const executor of [nativeExecutor, jsExecutor]) {
  describe(`${executor.name} executor`, () => {
    beforeEach(() => test.takeJournal());
    describe('order and counts', () => {
      orderTests(executor);
    });
    describe('samples', () => {
      sampleTests(executor);
    });
    describe('lead-in', () => {
      leadInTests(executor);
    });
    describe('closing', () => {
      closingTests(executor);
    });
    describe('failures', () => {
      failureTests(executor);
    });
    describe('arguments', () => {
      argumentTests(executor);
    });
  });
}

describe('mock executor', () => {
  it('adds the time of closing on its virtual clock', () => {
    const clock = new VirtualClock();
    const step = (seconds: number) => Object.assign(() => void (clock.seconds += seconds), { operationName: 'step' });
    const run = makeJsExecutor({ name: 'mock', now: clock.now }).start({
      timed: [step(1)],
      closing: [step(10), step(20)],
    });
    const samples = new Float64Array(3);
    expect(run.advance({ iterations: 3, samples, close: true }).seconds).to.equal(33);
    expect([...samples]).to.deep.equal([1, 1, 1]);
    expect(run.advance({ iterations: 2 }).seconds).to.equal(2);
    run.finish();
    expect(clock.seconds).to.equal(35);
  });
});

function orderTests(executor: Executor): void {
  it('runs before, timed and after in every iteration, and drain once at the end', () => {
    const run = executor.start(recorder({ before: 'b', timed: 'xy', after: 'a', drain: 'd' }));
    run.advance({ iterations: 2 });
    expect(marks()).to.equal('bxyabxya');
    run.advance({ iterations: 1 });
    run.finish();
    run.finish();
    expect(marks()).to.equal('bxyad');
  });

  it('runs an operation that is named twice twice', () => {
    const x = test.record('x');
    const run = executor.start({ timed: [x, test.record('y'), x] });
    run.advance({ iterations: 2 });
    run.finish();
    expect(marks()).to.equal('xyxxyx');
  });

  it('counts iterations over warm-up and several calls', () => {
    const run = executor.start(recorder({ timed: 'x', drain: 'd' }));
    run.warmUp(2);
    run.advance({ iterations: 1 });
    run.advance({ iterations: 2 });
    expect(run.iterations).to.equal(5);
    run.finish();
    const expected: JournalEntry[] = [...[0, 1, 2, 3, 4].map((i): JournalEntry => ['x', i, 0]), ['d', 5, 0]];
    expect(test.takeJournal()).to.deep.equal(expected);
  });

  it('resets every operation once after warm-up, and leaves the rest alone', () => {
    const [a, b, c, d] = [test.count(), test.count(), test.count(), test.count()] as const;
    const run = executor.start({ timed: [a, a], untimed: { before: [b], after: [c] }, drain: [d] });
    run.warmUp(3);
    for (const operation of [a, b, c, d]) {
      expect(test.counted(operation)).to.deep.equal({ executed: 0, resets: 1 });
    }
    run.advance({ iterations: 5 });
    run.finish();
    expect([a, b, c, d].map((operation) => test.counted(operation).executed)).to.deep.equal([10, 5, 5, 1]);
  });

  it('resets without any warm-up iteration', () => {
    const count = test.count();
    const run = executor.start({ timed: [count] });
    count();
    run.warmUp(0);
    expect(test.counted(count)).to.deep.equal({ executed: 0, resets: 1 });
    expect(run.iterations).to.equal(0);
    run.finish();
  });

  it('leaves operations that are called outside of a run in iteration 0', () => {
    const x = test.record('x');
    const run = executor.start({ timed: [x] });
    run.advance({ iterations: 2 });
    run.finish();
    x();
    expect(test.takeJournal().map(([, iteration]) => iteration)).to.deep.equal([0, 1, 0]);
  });

  it('runs untimed operations without a timed part', () => {
    const run = executor.start(recorder({ before: 'b', timed: '' }));
    expect(run.advance({ iterations: 3 }).seconds).to.be.at.least(0);
    run.finish();
    expect(marks()).to.equal('bbb');
  });

  it('keeps two runs apart that take turns', () => {
    const first = executor.start(recorder({ timed: 'x' }));
    const second = executor.start(recorder({ timed: 'y' }));
    for (const run of [first, second, first]) run.advance({ iterations: 2 });
    first.finish();
    second.finish();
    const iterations = test.takeJournal().map(([mark, iteration]) => `${mark}${iteration}`);
    expect(iterations).to.deep.equal(['x0', 'x1', 'y0', 'y1', 'x2', 'x3']);
  });

  it('repeats a list within one iteration', () => {
    const count = test.count();
    const run = executor.start({ timed: [repeat([test.record('x'), test.record('y'), count], 3)] });
    run.warmUp(1);
    marks();
    run.advance({ iterations: 2 });
    run.finish();
    expect(test.takeJournal().map(([mark, iteration]) => `${mark}${iteration}`)).to.deep.equal(
      [1, 2].flatMap((i) => [`x${i}`, `y${i}`, `x${i}`, `y${i}`, `x${i}`, `y${i}`]),
    );
    expect(test.counted(count)).to.deep.equal({ executed: 6, resets: 1 });
  });

  it('runs any program as its definition says', () => {
    const list = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 });
    const steps = fc.array(
      fc.record({ warm: fc.boolean(), iterations: fc.integer({ min: 1, max: 5 }), leadIn: fc.nat(2) }),
      {
        maxLength: 4,
      },
    );
    const property = fc.property(list, list, list, list, steps, (before, timed, after, drain, calls) => {
      fc.pre(before.length + timed.length + after.length > 0);
      const run = executor.start(recorder({ before, timed, after, drain }));
      let total = 0;
      for (const { warm, iterations, leadIn } of calls) {
        total += iterations;
        if (warm) run.warmUp(iterations);
        else run.advance({ iterations, leadIn });
        if (!warm) total += leadIn;
      }
      run.finish();
      expect(run.iterations).to.equal(total);
      expect(marks()).to.equal((before + timed + after).repeat(total) + drain);
    });
    fc.assert(property);
  });
}

function sampleTests(executor: Executor): void {
  const programs: [string, () => Program][] = [
    ['without an untimed part', () => ({ timed: [noop()] })],
    ['with an untimed part', () => ({ timed: [noop()], untimed: { before: [noop()], after: [noop()] } })],
  ];
  for (const [name, program] of programs) {
    it(`writes one sample per iteration ${name}, and their sum is the total`, () => {
      const samples = new Float64Array(12).fill(-1);
      const run = executor.start(program());
      const advanced = run.advance({ iterations: 10, samples });
      run.finish();
      expect(advanced).to.include({ iterations: 10, samples: 10 });
      expect([...samples.subarray(0, 10)].every((sample) => sample >= 0)).to.equal(true);
      expect([...samples.subarray(10)]).to.deep.equal([-1, -1]);
      expect(sum(samples.subarray(0, 10))).to.be.closeTo(advanced.seconds, 1e-9);
    });

    it(`shares a sample among several iterations ${name}`, () => {
      const samples = new Float64Array(4).fill(-1);
      const run = executor.start(program());
      const advanced = run.advance({ iterations: 12, perSample: 4, samples });
      run.finish();
      expect(advanced).to.include({ iterations: 12, samples: 3 });
      expect(samples[3]).to.equal(-1);
      expect(sum(samples.subarray(0, 3))).to.be.closeTo(advanced.seconds, 1e-9);
    });

    it(`measures the total alone ${name}`, () => {
      const run = executor.start(program());
      const advanced = run.advance({ iterations: 1000 });
      run.finish();
      expect(advanced).to.include({ iterations: 1000, samples: 0 });
      expect(advanced.seconds).to.be.greaterThan(0);
    });
  }

  it('puts a long iteration into its own sample', () => {
    const samples = new Float64Array(4);
    const run = executor.start({ timed: [test.sleepAt(2, 30)] });
    const { seconds } = run.advance({ iterations: 4, samples });
    run.finish();
    expect(samples[2]).to.be.at.least(0.0299);
    expect(seconds).to.be.at.least(0.0299);
  });

  it('leaves untimed operations out of samples and total', () => {
    const untimed = { before: [test.sleepAt(undefined, 20)], after: [test.sleepAt(undefined, 10)] };
    const run = executor.start({ timed: [noop()], untimed });
    const start = process.hrtime.bigint();
    const { seconds } = run.advance({ iterations: 5 });
    const wall = Number(process.hrtime.bigint() - start) / 1e9;
    run.finish();
    expect(wall - seconds).to.be.at.least(0.149);
  });

  it('counts the time between iterations where there is no untimed part', () => {
    const run = executor.start({ timed: [test.sleepAt(undefined, 5)] });
    const { seconds } = run.advance({ iterations: 4 });
    run.finish();
    expect(seconds).to.be.at.least(0.0199);
  });
}

function leadInTests(executor: Executor): void {
  it('runs its iterations with their untimed parts, counts them in the run and resets nothing', () => {
    const count = test.count();
    const { timed, untimed } = recorder({ before: 'b', timed: 'x', after: 'a' });
    const run = executor.start({ timed: [...timed, count], untimed: untimed ?? {} });
    const samples = new Float64Array(4).fill(-1);
    const advanced = run.advance({ iterations: 2, leadIn: 3, samples });
    expect(advanced).to.include({ iterations: 2, samples: 2 });
    expect([...samples].map((sample) => sample >= 0)).to.deep.equal([true, true, false, false]);
    expect(run.iterations).to.equal(5);
    run.advance({ iterations: 1, leadIn: 1 });
    run.finish();
    const expected = [0, 1, 2, 3, 4, 5, 6].flatMap((i) => [`b${i}`, `x${i}`, `a${i}`]);
    expect(test.takeJournal().map(([mark, iteration]) => `${mark}${iteration}`)).to.deep.equal(expected);
    expect(test.counted(count)).to.deep.equal({ executed: 7, resets: 0 });
  });

  for (const [name, untimed] of [
    ['without an untimed part', {}],
    ['with an untimed part', { before: [noop()] }],
  ] as const) {
    it(`is in no sample and no total ${name}`, () => {
      const run = executor.start({ timed: [test.sleepAt(1, 100), test.sleepAt(3, 20)], untimed });
      const samples = new Float64Array(3);
      const start = process.hrtime.bigint();
      const { seconds } = run.advance({ iterations: 3, leadIn: 2, samples });
      const wall = Number(process.hrtime.bigint() - start) / 1e9;
      run.finish();
      expect(samples[1]).to.be.at.least(0.0199);
      expect(sum(samples)).to.be.closeTo(seconds, 1e-9);
      expect(wall - seconds).to.be.at.least(0.0999);
    });

    it(`stays apart from groups and from a total alone ${name}`, () => {
      const count = test.count();
      const run = executor.start({ timed: [count], untimed });
      const samples = new Float64Array(3).fill(-1);
      const grouped = run.advance({ iterations: 6, leadIn: 5, perSample: 3, samples });
      expect(grouped).to.include({ iterations: 6, samples: 2 });
      expect(sum(samples.subarray(0, 2))).to.be.closeTo(grouped.seconds, 1e-9);
      expect(samples[2]).to.equal(-1);
      expect(run.advance({ iterations: 6, leadIn: 5 })).to.include({ iterations: 6, samples: 0 });
      run.finish();
      expect(test.counted(count).executed).to.equal(22);
    });

    it(`reports a failure with its iteration ${name}`, () => {
      const run = executor.start({ timed: [test.failAt(3, 17)], untimed });
      run.advance({ iterations: 2 });
      const samples = new Float64Array(4).fill(-1);
      const error = thrown(() => run.advance({ iterations: 4, leadIn: 2, samples }));
      expect(error).to.be.instanceOf(OperationError);
      expect(error).to.include({ operation: 'failAt', code: 17, iteration: 3, completed: 1 });
      expect([...samples]).to.deep.equal([-1, -1, -1, -1]);
      expect(run.iterations).to.equal(3);
      run.finish();
    });
  }

  it('must be a whole number', () => {
    const run = executor.start({ timed: [noop()] });
    for (const leadIn of [-1, 0.5, NaN]) {
      expect(() => run.advance({ iterations: 1, leadIn })).to.throw(RangeError, /leadIn must be a whole number of at/);
    }
    run.finish();
  });
}

function closingTests(executor: Executor): void {
  const closing = (text: string) => [...text].map((mark) => test.record(mark));

  it('runs once at the end of each call that says so, before what drains', () => {
    const run = executor.start({ ...recorder({ before: 'b', timed: 'x', drain: 'd' }), closing: closing('pq') });
    run.warmUp(1);
    run.advance({ iterations: 2, leadIn: 1, close: true });
    run.advance({ iterations: 1 });
    run.advance({ iterations: 1, close: false });
    run.advance({ iterations: 1, samples: new Float64Array(1), close: true });
    run.finish();
    expect(marks()).to.equal('bx' + 'bxbxbxpq' + 'bx' + 'bx' + 'bxpq' + 'd');
    expect(run.iterations).to.equal(7);
  });

  it('does nothing for a program without it', () => {
    const run = executor.start(recorder({ timed: 'x' }));
    run.advance({ iterations: 2, close: true });
    run.finish();
    expect(marks()).to.equal('xx');
  });

  for (const [name, untimed] of [
    ['without an untimed part', {}],
    ['with an untimed part', { before: [noop()] }],
  ] as const) {
    for (const samples of [undefined, new Float64Array(3)]) {
      it(`is in the total and in no sample ${name} (${samples ? 'samples' : 'a total alone'})`, () => {
        const program = { timed: [noop()], untimed, closing: [test.sleepAt(undefined, 50), test.sleepAt(5, 20)] };
        const run = executor.start(program);
        const advanced = run.advance({ iterations: 3, leadIn: 2, close: true, ...(samples ? { samples } : {}) });
        run.finish();
        expect(advanced.iterations).to.equal(3);
        expect(advanced.seconds).to.be.at.least(0.0699);
        if (samples) expect(advanced.seconds - sum(samples)).to.be.at.least(0.0699);
      });
    }
  }

  it('tells a failure, and resets its operations with all others', () => {
    const count = test.count();
    const run = executor.start({ timed: [noop()], closing: [count, test.failAt(4, 8)] });
    run.advance({ iterations: 1, close: true });
    run.warmUp(1);
    expect(test.counted(count)).to.deep.equal({ executed: 0, resets: 1 });
    const error = thrown(() => run.advance({ iterations: 2, close: true }));
    expect(error).to.include({ operation: 'failAt', code: 8, iteration: 4, completed: 2 });
    expect(() => run.advance({ iterations: 1 })).to.throw('the run has failed');
    run.finish();
    const wrong = { timed: [noop()], closing: [noop(), 7 as unknown as ReturnType<typeof noop>] };
    expect(() => executor.start(wrong)).to.throw(TypeError, /^closing\[1\] is not an operation/);
  });
}

function failureTests(executor: Executor): void {
  it('stops at the first failure and says which, where and why', () => {
    const samples = new Float64Array(10).fill(-1);
    const run = executor.start({
      timed: [test.record('x'), test.failAt(5, 17), test.record('y')],
      drain: [test.record('d')],
    });
    run.warmUp(2);
    const error = thrown(() => run.advance({ iterations: 10, samples })) as OperationError;
    expect(error).to.be.instanceOf(OperationError);
    expect(error.message).to.equal('failAt failed in iteration 5: test failure 17 (test code 17)');
    expect(error).to.include({ name: 'OperationError', operation: 'failAt', stackName: 'test', code: 17 });
    expect(error).to.include({ text: 'test failure 17', iteration: 5, completed: 3 });
    expect(run.iterations).to.equal(5);
    expect([...samples.subarray(0, 3)].every((sample) => sample >= 0)).to.equal(true);
    expect([...samples.subarray(3)].every((sample) => sample === -1)).to.equal(true);
    expect(() => run.advance({ iterations: 1 })).to.throw('the run has failed: start a new one');
    run.finish();
    expect(marks()).to.equal('xyxyxyxyxyx');
  });

  const places: [string, (failing: ReturnType<typeof noop>) => Program][] = [
    ['before the timed part', (failing) => ({ timed: [noop()], untimed: { before: [failing] } })],
    ['after the timed part', (failing) => ({ timed: [noop()], untimed: { after: [failing] } })],
    ['in a timed part with untimed ones', (failing) => ({ timed: [failing], untimed: { before: [noop()] } })],
    ['in a repeated list', (failing) => ({ timed: [repeat([noop(), failing], 2)] })],
  ];
  for (const [name, program] of places) {
    it(`notices a failure ${name}`, () => {
      const run = executor.start(program(test.failAt(2, 3)));
      const error = thrown(() => run.advance({ iterations: 4 })) as OperationError;
      expect(error).to.include({ code: 3, stackName: 'test', iteration: 2, completed: 2 });
      expect(error.text).to.match(/test failure 3$/);
      run.finish();
    });
  }

  it('notices a failure in warm-up and while draining', () => {
    const warming = executor.start({ timed: [test.failAt(1, 4)] });
    expect(thrown(() => warming.warmUp(3))).to.include({ code: 4, iteration: 1 });
    warming.finish();
    const draining = executor.start({ timed: [noop()], drain: [test.failAt(undefined, 5)] });
    draining.advance({ iterations: 2 });
    expect(thrown(() => draining.finish())).to.include({ code: 5, iteration: 2 });
    draining.finish();
  });

  it('refuses to go on after the end', () => {
    const run = executor.start({ timed: [noop()] });
    run.finish();
    expect(() => run.advance({ iterations: 1 })).to.throw('the run has finished: start a new one');
    expect(() => run.warmUp(1)).to.throw('the run has finished');
  });
}

function argumentTests(executor: Executor): void {
  const run = (): Run => executor.start({ timed: [noop()] });

  it('refuses values that are no operation, by their place', () => {
    const noOperation = /^timed\[1\] is not an operation: /;
    for (const value of [undefined, 7, 'send', {}, () => undefined, Buffer.alloc(8)]) {
      const timed = [noop(), value as ReturnType<typeof noop>];
      expect(() => executor.start({ timed })).to.throw(TypeError, noOperation);
    }
    const untimed = { after: [{} as ReturnType<typeof noop>] };
    expect(() => executor.start({ timed: [noop()], untimed })).to.throw(TypeError, /^untimed\.after\[0\] is not/);
  });

  it('refuses operations of another ABI', () => {
    expect(() => executor.start({ timed: [test.malformed(1, 0)] })).to.throw(
      TypeError,
      /for version 2 of the operation ABI/,
    );
    for (const by of [8, -8]) {
      expect(() => executor.start({ timed: [test.malformed(0, by)] })).to.throw(
        TypeError,
        /is a struct of \d+ bytes and/,
      );
    }
  });

  it('refuses a program without operations', () => {
    expect(() => executor.start({ timed: [], drain: [noop()] })).to.throw(TypeError, /at least one operation/);
  });

  it('refuses iterations that are no positive whole number', () => {
    for (const iterations of [0, -1, 1.5, NaN, Infinity, '3' as unknown as number]) {
      expect(() => run().advance({ iterations })).to.throw(
        RangeError,
        /iterations must be a whole number of at least 1/,
      );
    }
    expect(() => run().warmUp(-1)).to.throw(RangeError, /at least 0/);
  });

  it('refuses samples that have no room, and groups that do not fit', () => {
    expect(() => run().advance({ iterations: 3, samples: new Float64Array(2) })).to.throw(RangeError, /room for 2/);
    const floats = new Float32Array(4) as unknown as Float64Array;
    expect(() => run().advance({ iterations: 3, samples: floats })).to.throw(TypeError, /Float64Array/);
    expect(() => run().advance({ iterations: 3, perSample: 2 })).to.throw(RangeError, /perSample \(2\) must divide/);
    expect(() => run().advance({ iterations: 3, perSample: 0 })).to.throw(RangeError, /perSample must be/);
  });
}

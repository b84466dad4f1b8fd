/** Programs whose timed operations have times of their own. */
import { expect } from 'chai';
import { jsExecutor, nativeExecutor, noop, OperationError, type Operation } from '../../src/engine/index.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
/** An operation that lasts so many milliseconds at least, in every iteration. */
const pause = (milliseconds: number): Operation => test.sleepAt(undefined, milliseconds);

for (const executor of [nativeExecutor, jsExecutor]) {
  describe(`times of each operation (${executor.name} executor)`, () => {
    it('make up the timed part', () => {
      const run = executor.start({ timed: [pause(2), noop(), pause(1)], split: true });
      const { seconds } = run.advance({ iterations: 5 });
      const [first = 0, second = 0, third = 0] = run.split();
      run.finish();
      expect(first).to.be.at.least(0.0099);
      expect(third).to.be.at.least(0.0049);
      expect(second).to.be.greaterThan(0).and.below(first);
      expect(first + second + third).to.be.closeTo(seconds, 1e-9);
    });

    for (const length of [1, 4, 5, 9]) {
      it(`are told of ${length}, each in its place`, () => {
        const timed = Array.from({ length }, (_, index) => (index === length - 1 ? pause(1) : noop()));
        const run = executor.start({ timed, split: true });
        run.advance({ iterations: 3, samples: new Float64Array(3) });
        const split = run.split();
        run.finish();
        expect(split).to.have.length(length);
        expect(split[length - 1]).to.be.at.least(0.0029);
        expect(split.every((seconds) => seconds > 0)).to.equal(true);
      });
    }

    it('leave out what is untimed, and samples hold their sum', () => {
      const samples = new Float64Array(4);
      const run = executor.start({
        timed: [noop(), pause(1)],
        untimed: { before: [pause(2)], after: [pause(2)] },
        split: true,
      });
      const { seconds } = run.advance({ iterations: 4, samples });
      expect(sum(run.split())).to.be.closeTo(seconds, 1e-9);
      expect(sum(samples)).to.be.closeTo(seconds, 1e-9);
      run.finish();
    });

    it('forget warm-up, and have nothing of a lead-in', () => {
      const run = executor.start({ timed: [pause(1)], split: true });
      run.warmUp(3);
      expect([...run.split()]).to.deep.equal([0]);
      const { seconds } = run.advance({ iterations: 2, leadIn: 4 });
      expect(sum(run.split())).to.be.closeTo(seconds, 1e-9);
      const more = run.advance({ iterations: 1 });
      expect(sum(run.split())).to.be.closeTo(seconds + more.seconds, 1e-9);
      run.finish();
    });

    it('are none where nobody asked', () => {
      const run = executor.start({ timed: [noop()] });
      run.advance({ iterations: 2 });
      expect(run.split()).to.have.length(0);
      run.finish();
    });

    it('end at the first failure, which is told as ever', () => {
      const run = executor.start({ timed: [noop(), test.failAt(2, 7), noop()], split: true });
      expect(() => run.advance({ iterations: 5 })).to.throw(OperationError, /iteration 2/);
      run.finish();
    });
  });
}

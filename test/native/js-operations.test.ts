import { expect } from 'chai';
import { makeJsExecutor, OperationError, type JsOperation } from '../../src/engine/index.js';

/** An operation in plain JavaScript. */
function operation(run: () => void, reset?: () => void): JsOperation {
  return Object.assign(run, { operationName: 'plain', ...(reset ? { reset } : {}) });
}

describe('executor over plain JavaScript with a clock of its own', () => {
  let time = 0;
  const iteration = new Uint32Array(2);
  const executor = makeJsExecutor({ name: 'mock', now: () => time, iteration });
  const take = (seconds: number) => operation(() => void (time += seconds));

  beforeEach(() => (time = 0));

  it('measures exactly what the clock says', () => {
    const samples = new Float64Array(4);
    const run = executor.start({ timed: [take(0.5), take(0.25)] });
    expect(run.advance({ iterations: 4, samples })).to.deep.equal({ iterations: 4, seconds: 3, samples: 4 });
    expect([...samples]).to.deep.equal([0.75, 0.75, 0.75, 0.75]);
    expect(run.advance({ iterations: 4, perSample: 2, samples }).samples).to.equal(2);
    expect([...samples.subarray(0, 2)]).to.deep.equal([1.5, 1.5]);
    expect(executor.name).to.equal('mock');
  });

  it('leaves untimed parts out', () => {
    const samples = new Float64Array(2);
    const run = executor.start({ timed: [take(1)], untimed: { before: [take(10)], after: [take(100)] } });
    expect(run.advance({ iterations: 2, samples }).seconds).to.equal(2);
    expect([...samples]).to.deep.equal([1, 1]);
    expect(run.advance({ iterations: 2 }).seconds).to.equal(2);
    expect(time).to.equal(444);
  });

  it('gives warm-up the same treatment, and resets what can be reset', () => {
    let resets = 0;
    const counting = operation(
      () => undefined,
      () => (resets += 1),
    );
    const run = executor.start({ timed: [counting, counting, take(1)], drain: [take(1000)] });
    run.warmUp(10_000);
    expect([time, resets, run.iterations]).to.deep.equal([10_000, 1, 10_000]);
    run.finish();
    expect(time).to.equal(11_000);
  });

  it('counts iterations where operations can see them', () => {
    const seen: number[] = [];
    const run = executor.start({ timed: [operation(() => void seen.push(iteration[0] ?? NaN))] });
    run.warmUp(1);
    run.advance({ iterations: 3 });
    expect(seen).to.deep.equal([0, 1, 2, 3]);
  });

  it('passes on what operations throw, with the place where it is known', () => {
    const failure = { operation: 'plain', stackName: 'mock', code: 1, text: 'no link' };
    const failing = operation(() => {
      if (iteration[0] === 2) throw new OperationError(failure);
    });
    const run = executor.start({ timed: [failing] });
    expect(() => run.advance({ iterations: 5 })).to.throw(
      OperationError,
      'plain failed in iteration 2: no link (mock code 1)',
    );
    expect(run.iterations).to.equal(2);
    const other = executor.start({
      timed: [
        operation(() => {
          throw new RangeError('something else');
        }),
      ],
    });
    expect(() => other.advance({ iterations: 5 })).to.throw(RangeError, 'something else');
    expect(() => other.advance({ iterations: 5 })).to.throw('the run has failed');
  });

  it('counts on beyond 32 bits', () => {
    // No test can run that many iterations: the operation moves the counter as if they had been.
    const jump = operation(() => iteration.set([0xffff_ffff, 1]));
    const run = executor.start({ timed: [jump] });
    run.advance({ iterations: 1 });
    expect(run.iterations).to.equal(2 * 2 ** 32);
    run.finish();
  });
});

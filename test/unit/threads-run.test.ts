import { expect } from 'chai';
import { MeanOfThreads } from '../../src/bench/threads-run.js';
import type { ThreadsRun } from '../../src/engine/threads.js';

/** Threads whose iterations take what is said, in seconds. */
function threadsOf(...times: readonly (readonly number[])[]): ThreadsRun {
  return {
    iterations: 0,
    warmUp: () => undefined,
    advance: ({ iterations, samples = [] }) =>
      times.map((each, thread) => {
        samples[thread]?.set(each);
        return { iterations, seconds: each.reduce((sum, one) => sum + one, 0), samples: iterations };
      }),
    finish: () => undefined,
  };
}

describe('a run on threads', () => {
  it('has the mean over the threads as its time, iteration by iteration', () => {
    const run = new MeanOfThreads(threadsOf([1, 2, 3], [3, 6, 3]), 2);
    const samples = new Float64Array(3);
    expect(run.advance({ iterations: 3, samples })).to.deep.equal({ iterations: 3, seconds: 9, samples: 3 });
    expect([...samples]).to.deep.equal([2, 4, 3]);
  });
});

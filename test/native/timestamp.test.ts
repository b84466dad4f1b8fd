import { expect } from 'chai';
import {
  clockBase,
  clockInfo,
  jsExecutor,
  nativeExecutor,
  noop,
  rotate,
  timestamp,
  type ClockBase,
} from '../../src/engine/index.js';
import { runCase } from './run-case.js';
import { testOperations } from './test-addon.js';

const test = testOperations();
const ascends = (times: readonly number[]): boolean => times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0));

for (const executor of [nativeExecutor, jsExecutor]) {
  describe(`timestamp (${executor.name} executor)`, () => {
    it('writes begin and end of each repetition', () => {
      const [begins, ends] = [new Float64Array(6), new Float64Array(6)] as const;
      const run = executor.start({
        timed: [test.sleepAt(undefined, 1)],
        untimed: { before: [timestamp(begins)], after: [timestamp(ends)] },
      });
      const samples = new Float64Array(6);
      run.advance({ iterations: 6, samples });
      run.finish();
      expect(ascends([...begins].flatMap((begin, i) => [begin, ends[i] ?? NaN]))).to.equal(true);
      for (const [i, sample] of samples.entries()) {
        expect((ends[i] ?? NaN) - (begins[i] ?? NaN)).to.be.at.least(sample);
      }
    });

    it('counts from the first execution after the reset, around the end of the array', () => {
      const array = new Float64Array(5);
      const run = executor.start({ timed: [timestamp(array)] });
      run.warmUp(3);
      array.fill(0);
      run.advance({ iterations: 2 });
      expect([...array].map((time) => time > 0)).to.deep.equal([true, true, false, false, false]);
      run.advance({ iterations: 4 });
      const [a = NaN, ...others] = array;
      expect(ascends([...others, a])).to.equal(true);
      run.warmUp(1);
      array.fill(0);
      run.advance({ iterations: 1 });
      expect([...array].map((time) => time > 0)).to.deep.equal([true, false, false, false, false]);
      run.finish();
    });

    it('goes by the iteration, not by its executions', () => {
      const array = new Float64Array(7);
      const stamp = timestamp(array);
      const run = executor.start({ timed: [rotate([noop(), stamp, noop()])] });
      run.advance({ iterations: 7 });
      run.finish();
      // Iterations 1 and 4: the first one's place is 0.
      expect([...array].map((time) => time > 0)).to.deep.equal([true, false, false, true, false, false, false]);
      const twice = new Float64Array(3);
      const again = timestamp(twice);
      const second = executor.start({ timed: [again, again] });
      second.advance({ iterations: 2 });
      second.finish();
      expect([...twice].map((time) => time > 0)).to.deep.equal([true, true, false]);
    });
  });
}

describe('timestamp', () => {
  it('runs alone, into a single place', () => {
    const array = new Float64Array(1);
    const stamp = timestamp(array);
    stamp();
    const first = array[0] ?? NaN;
    stamp();
    expect(array[0]).to.be.greaterThan(first);
  });

  it('has one base per process, of the clock that everything is timed with', () => {
    const base = clockBase();
    expect(base).to.equal(clockBase());
    expect(base).to.deep.include({ source: clockInfo().source, frequency: clockInfo().frequency });
    expect(JSON.parse(JSON.stringify(base))).to.deep.equal(base);
  });

  it('takes any base of the same clock', () => {
    const { source, ticks, frequency } = clockBase();
    const bases: ClockBase[] = [
      { source, ticks, frequency },
      { source, ticks: ticks + 3 * Math.round(frequency), frequency },
      { source, ticks, frequency: frequency * 2 },
    ];
    const arrays = bases.map(() => new Float64Array(1));
    for (const [i, base] of bases.entries()) timestamp(arrays[i] ?? new Float64Array(0), base)();
    const [plain = NaN, later = NaN, half = NaN] = arrays.map(([time]) => time);
    expect(later).to.be.greaterThan(plain - 3);
    expect(later).to.be.lessThan(half * 2 - 3);
    expect(half * 2).to.be.greaterThan(plain);
  });

  for (const env of [{}, { FABRICBENCH_CLOCK: 'clock_gettime' }] as Record<string, string>[]) {
    it(`has the same clock in all processes (${env['FABRICBENCH_CLOCK'] ?? 'best source'})`, () => {
      // The outer process takes a time, its child takes one on the outer's base, and the outer another one.
      const { code, stdout, stderr } = runCase('timestamps', { env });
      expect(stderr).to.equal('');
      expect(code).to.equal(0);
      const rounds = JSON.parse(stdout) as number[][];
      expect(rounds).to.have.length(3);
      expect(rounds.flat()).to.have.length(9);
      expect(ascends(rounds.flat())).to.equal(true);
    });
  }

  it('refuses a base on another clock, and what is no base', () => {
    const base = clockBase();
    const array = new Float64Array(1);
    const source = base.source === 'cntvct' ? 'tsc' : 'cntvct';
    expect(() => timestamp(array, { ...base, source })).to.throw(
      `times on the clock ${source} can't be compared with this process's, which reads ${base.source}: ` +
        'set FABRICBENCH_CLOCK alike for all processes',
    );
    for (const wrong of [{ frequency: 0 }, { frequency: NaN }, { ticks: -1 }, { ticks: 0.5 }]) {
      expect(() => timestamp(array, { ...base, ...wrong })).to.throw(RangeError, 'is no base of a clock');
    }
  });

  it('refuses arrays that take no time', () => {
    expect(() => timestamp(new Float64Array(0))).to.throw(RangeError, 'no place');
    expect(() => timestamp(new Float32Array(4) as unknown as Float64Array)).to.throw(TypeError, 'Float64Array');
    const detached = new Float64Array(4);
    const stamp = timestamp(detached);
    structuredClone(detached, { transfer: [detached.buffer] });
    expect(() => nativeExecutor.start({ timed: [stamp] })).to.throw(TypeError, 'was detached since');
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import {
  aggregateFigures,
  bandwidthFigures,
  latencyFigures,
  latencyStore,
  missedLimits,
  sampleSeconds,
  sumOfDirections,
  timedLatencyFigures,
  zeroTimeNote,
} from '../../src/bench/perftest/figures.js';
import { bestWindow, type Completed, type Posted } from '../../src/bench/perftest/peak.js';
import { perftest } from '../../src/bench/suites/perftest.js';
import { run } from './perftest-cases.js';

const ONE_WAY = perftest('ib_send_lat');
const ROUND = perftest('ib_read_lat');
const times = fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 });

function figuresOf(seconds: readonly number[], test = ROUND) {
  const store = latencyStore(test);
  store.add(seconds);
  return latencyFigures(8, seconds.length, store);
}

/** The n-th percentile by counting: the least sample that at least so many of all do not exceed. */
function byCounting(seconds: readonly number[], percent: number): number {
  const enough = seconds.filter(
    (value) => seconds.filter((other) => other <= value).length * 1000 >= Math.round(percent * 10) * seconds.length,
  );
  return Math.min(...enough);
}

describe('latency figures of ib_*', () => {
  it('show the worst sample, which perftest never does', () => {
    const figures = figuresOf([3e-6, 1e-6, 9e-6, 2e-6, 5e-6]);
    expect(figures).to.include({ min: 1e-6, max: 9e-6, typical: 3e-6, p99: 9e-6, p999: 9e-6, iterations: 5 });
    expect(figures.average).to.be.closeTo(4e-6, 1e-18);
  });

  it('halve the time there and back of sends and writes alone', () => {
    expect(figuresOf([2e-6, 4e-6, 6e-6], ONE_WAY)).to.include({ min: 1e-6, typical: 2e-6, max: 3e-6 });
    expect(figuresOf([2e-6, 4e-6, 6e-6])).to.include({ min: 2e-6, typical: 4e-6, max: 6e-6 });
    const halved = (['ib_send_lat', 'ib_write_lat', 'ib_read_lat', 'ib_atomic_lat'] as const).map(
      (name) => perftest(name).trips,
    );
    expect(halved).to.deep.equal([2, 2, 1, 1]);
  });

  it('have a standard deviation with fractions of a microsecond', () => {
    expect(figuresOf([1e-7, 3e-7]).stdev).to.be.closeTo(Math.SQRT2 * 1e-7, 1e-15);
    expect(figuresOf([1e-6]).stdev).to.equal(null);
  });

  it('are those of all samples, for any number', () => {
    fc.assert(
      fc.property(times, (seconds) => {
        const figures = figuresOf(seconds);
        const sorted = [...seconds].sort((a, b) => a - b);
        expect(figures.min).to.equal(sorted[0]);
        expect(figures.max).to.equal(sorted.at(-1));
        expect(figures.p99).to.equal(byCounting(seconds, 99));
        expect(figures.p999).to.equal(byCounting(seconds, 99.9));
        const mean = seconds.reduce((sum, value) => sum + value, 0) / seconds.length;
        expect(figures.average).to.be.closeTo(mean, mean * 1e-9);
        const half = sorted.length / 2;
        expect(figures.typical).to.be.within(sorted[Math.ceil(half) - 1] ?? NaN, sorted[Math.floor(half)] ?? NaN);
      }),
    );
  });

  it('have an average and a rate of whole iterations in timed runs', () => {
    const request = { size: 2, iterations: 1000, seconds: 2 };
    expect(timedLatencyFigures(request, ONE_WAY)).to.deep.equal({
      ...{ size: 2, iterations: 1000, average: 1e-3, tps: 500 },
      ...{ min: null, max: null, typical: null, stdev: null, p99: null, p999: null },
    });
    expect(timedLatencyFigures(request, ROUND)).to.include({ average: 2e-3, tps: 500 });
    const store = latencyStore(ONE_WAY);
    store.add([2, 4]);
    expect(timedLatencyFigures({ ...request, store }, ONE_WAY)).to.include({ min: 1, max: 2, average: 1e-3 });
  });

  it('are null and never infinite where nothing was measured', () => {
    expect(timedLatencyFigures({ size: 2, iterations: 0, seconds: 2 }, ROUND)).to.include({ average: null, tps: 0 });
    const still = timedLatencyFigures({ size: 2, iterations: 7, seconds: 0 }, ROUND);
    expect(still).to.include({ average: null, tps: null });
    expect(zeroTimeNote(still)).to.match(/at 2 bytes.*larger -n or -D$/);
    expect(latencyFigures(8, 0, latencyStore(ROUND)).average).to.equal(null);
  });
});

describe('bandwidth figures of ib_*', () => {
  it('are bytes and messages over the whole time', () => {
    const figures = bandwidthFigures({ size: 1024, messages: 2000, seconds: 0.5, bestWindow: 1e-4 });
    expect(figures).to.include({ size: 1024, iterations: 2000, average: 4096000, messageRate: 4000 });
    expect(figures.peak).to.be.closeTo(10240000, 1e-6);
  });

  it('are null where the clock has not moved', () => {
    for (const seconds of [0, -1, NaN, Infinity]) {
      const figures = bandwidthFigures({ size: 8, messages: 5, seconds, bestWindow: 0 });
      expect(figures).to.deep.equal({ size: 8, iterations: 5, peak: null, average: null, messageRate: null });
      expect(zeroTimeNote(figures)).to.be.a('string');
    }
    expect(zeroTimeNote(bandwidthFigures({ size: 8, messages: 5, seconds: 1 }))).to.equal(undefined);
  });

  it('are the sum of both directions with -b', () => {
    const local = { size: 8, iterations: 5, peak: 10, average: 5, messageRate: 1, cpuUtil: 50 };
    const remote = { size: 8, iterations: 5, peak: 20, average: 7, messageRate: 2, cpuUtil: 10 };
    expect(sumOfDirections(local, remote)).to.deep.equal({
      ...{ size: 8, iterations: 5, peak: 30, average: 12, messageRate: 3, cpuUtil: 50 },
    });
    expect(sumOfDirections(local, { ...remote, peak: null }).peak).to.equal(null);
    expect(aggregateFigures([local, remote, remote])).to.include({ iterations: 15, average: 19, messageRate: 5 });
  });

  it('are of the time between the margins', () => {
    expect(sampleSeconds({ seconds: 10, margin: 2.5 })).to.equal(5);
    expect(sampleSeconds({ seconds: 1, margin: 0.5 })).to.equal(0);
  });

  it('miss a bandwidth below -w', () => {
    const figures = bandwidthFigures({ size: 2 ** 20, messages: 10, seconds: 1 });
    expect(missedLimits(run('ib_write_bw', '-w 10'), figures)).to.deep.equal([]);
    expect(missedLimits(run('ib_write_bw', '-w 10.5'), figures)).to.deep.equal([
      'The bandwidth at 1048576 bytes is 10 MiB/s, below the limit of 10.5 MiB/s',
    ]);
    expect(missedLimits(run('ib_write_bw', '-w 0.09 --report_gbits'), figures)).to.have.lengthOf(1);
    expect(missedLimits(run('ib_write_bw', '-w 0.08 --report_gbits'), figures)).to.deep.equal([]);
  });

  it('miss a message rate below -y, which perftest never looks at', () => {
    const figures = bandwidthFigures({ size: 8, messages: 3e6, seconds: 1 });
    expect(missedLimits(run('ib_write_bw', '-y 3'), figures)).to.deep.equal([]);
    expect(missedLimits(run('ib_write_bw', '-y 3.5 -w 0.1'), figures)).to.deep.equal([
      'The message rate at 8 bytes is 3 million messages/s, below the limit of 3.5 million messages/s',
    ]);
    const unknown = bandwidthFigures({ size: 8, messages: 3, seconds: 0 });
    expect(missedLimits(run('ib_write_bw', '-y 1 -w 1'), unknown)).to.have.lengthOf(2);
  });
});

/** By trying all pairs. */
function byTrying({ at, step }: Posted, completed: Completed): number {
  let best = Infinity;
  for (let j = 0; j < completed.count.length; ++j) {
    const count = completed.count[j] ?? 0;
    for (let i = 0; i < at.length && i * step < count; ++i)
      best = Math.min(best, ((completed.at[j] ?? NaN) - (at[i] ?? NaN)) / (count - i * step));
  }
  return best;
}

interface Gaps {
  /** Seconds between two postings. */
  readonly posts: readonly number[];
  /** Messages and seconds between two completions. */
  readonly completions: readonly (readonly [messages: number, seconds: number])[];
}

function stream({ posts, completions }: Gaps, step: number): { posted: Posted; completed: Completed } {
  let time = 0;
  const at = posts.map((gap) => (time += gap));
  const messages = posts.length * step;
  const count: number[] = [];
  const noted: number[] = [];
  let seen = 0;
  let clock = 0;
  for (const [more, seconds] of completions) {
    if (seen === messages) break;
    seen = Math.min(messages, seen + more);
    // A message completes after it was posted.
    clock = Math.max(clock, at[Math.ceil(seen / step) - 1] ?? 0) + seconds;
    count.push(seen);
    noted.push(clock);
  }
  return { posted: { at, step }, completed: { count, at: noted } };
}

describe('the peak of a stream', () => {
  const gap = fc.double({ min: 1e-6, max: 1, noNaN: true });
  const coarse = fc.integer({ min: 0, max: 3 });
  const gapsOf = (seconds: fc.Arbitrary<number>): fc.Arbitrary<Gaps> =>
    fc.record({
      posts: fc.array(seconds, { minLength: 1, maxLength: 80 }),
      completions: fc.array(fc.tuple(fc.integer({ min: 1, max: 7 }), seconds), { minLength: 1, maxLength: 80 }),
    });

  it('is the best of all windows, as trying all of them finds it', () => {
    fc.assert(
      fc.property(gapsOf(gap), fc.integer({ min: 1, max: 4 }), (gaps, step) => {
        const { posted, completed } = stream(gaps, step);
        const expected = byTrying(posted, completed);
        expect(bestWindow(posted, completed)).to.be.closeTo(expected, expected * 1e-12);
      }),
      { numRuns: 500 },
    );
  });

  it('is that also by a coarse clock, and null where a window took no time', () => {
    fc.assert(
      fc.property(gapsOf(coarse), fc.integer({ min: 1, max: 3 }), (gaps, step) => {
        const { posted, completed } = stream(gaps, step);
        const expected = byTrying(posted, completed);
        expect(bestWindow(posted, completed)).to.equal(expected > 0 ? expected : null);
      }),
      { numRuns: 500 },
    );
  });

  it('is never below the average of a whole run', () => {
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 60 }), gap, (posts, last) => {
        const { posted, completed } = stream({ posts, completions: [[posts.length, last]] }, 1);
        const average = ((completed.at[0] ?? NaN) - (posted.at[0] ?? NaN)) / posts.length;
        expect(bestWindow(posted, completed)).to.be.at.most(average);
      }),
    );
  });

  it('is known of small cases', () => {
    const posted = { at: [0, 1, 2, 3], step: 1 };
    expect(bestWindow(posted, { count: [1, 2, 3, 4], at: [10, 11, 12, 13] })).to.equal(13 / 4);
    expect(bestWindow({ at: [0, 1, 2, 8], step: 1 }, { count: [1, 2, 3, 4], at: [10, 11, 12, 13] })).to.equal(13 / 4);
    expect(bestWindow({ at: [0, 9], step: 1 }, { count: [2], at: [10] })).to.equal(1);
    expect(bestWindow({ at: [0, 8], step: 4 }, { count: [8], at: [10] })).to.equal(0.5);
  });

  it('is not known without completions', () => {
    expect(bestWindow({ at: [0, 1], step: 1 }, { count: [], at: [] })).to.equal(null);
    expect(bestWindow({ at: [], step: 1 }, { count: [1], at: [1] })).to.equal(null);
  });
});

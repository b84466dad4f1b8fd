/** The field of simulated hosts: what pairs and parts measure there is what the model says. */
import { expect } from 'chai';
import { measurePairs } from '../../src/study/pairs.js';
import { figuresOf } from '../../src/study/programs.js';
import { simulatedField, type SimulatedNetwork } from '../../src/study/simulated.js';

const LATENCY = 1e-6;
const BYTES_PER_SECOND = 1e9;

/** The link from 2 to 3 has a tenth of the bandwidth, that from 1 to 0 ten times the latency. */
function network(ranks: number): SimulatedNetwork {
  return {
    hosts: Array.from({ length: ranks }, (_, rank) => `node${rank}`),
    oneWay: ({ from, to, size }) => {
      const latency = from === 1 && to === 0 ? 10 * LATENCY : LATENCY;
      const bandwidth = from === 2 && to === 3 ? BYTES_PER_SECOND / 10 : BYTES_PER_SECOND;
      return latency + size / bandwidth;
    },
  };
}

const work = { size: 1000, window: 8, iterations: 5, warmup: 1 };

describe('a field of simulated hosts', () => {
  it('gives each pair what its links take, each way', () => {
    const field = simulatedField(network(4));
    const pairs = [[0, 1] as const, [2, 3] as const];
    const latencies = measurePairs(field, { ...work, program: 'osu_latency', window: 1, pairs });
    const there = (2 * LATENCY + 2 * (1000 / BYTES_PER_SECOND)) / 2;
    expect(latencies.map(({ pair }) => pair)).to.deep.equal(pairs);
    expect(latencies[0]?.value).to.be.closeTo(there + 4.5 * LATENCY, 1e-12);
    expect(latencies[1]?.value).to.be.closeTo(there + 4.5 * (1000 / BYTES_PER_SECOND), 1e-12);
    expect(latencies[0]?.iterations).to.equal(5);
    const slow = measurePairs(field, { ...work, program: 'osu_bw', pairs: [[2, 3]] })[0];
    const back = measurePairs(field, { ...work, program: 'osu_bw', pairs: [[3, 2]] })[0];
    const message = (bandwidth: number): number => LATENCY + 1000 / bandwidth;
    const acknowledgement = (bandwidth: number): number => LATENCY + 1 / bandwidth;
    const bandwidthOf = (to: number, from: number): number => 8000 / (8 * message(to) + acknowledgement(from));
    expect(slow?.value).to.be.closeTo(bandwidthOf(BYTES_PER_SECOND / 10, BYTES_PER_SECOND), 1);
    expect(back?.value).to.be.closeTo(bandwidthOf(BYTES_PER_SECOND, BYTES_PER_SECOND / 10), 1);
  });

  it('tells the best and the worst of what iterations took, in the figure', () => {
    const hosts = ['a', 'b'];
    const field = simulatedField({
      hosts,
      oneWay: ({ from, call }) => (from === 0 && call >= 2 && call < 4 ? 5 : 1) * LATENCY,
    });
    const [result] = measurePairs(field, { ...work, program: 'osu_bw', window: 2, warmup: 0, pairs: [[0, 1]] });
    expect(result?.best).to.be.above(result?.worst ?? Infinity);
    expect(result?.median).to.be.closeTo(result?.best ?? NaN, 1);
  });

  it('lets time go on by the slowest pair', () => {
    const field = simulatedField(network(4));
    const before = field.now();
    const results = measurePairs(field, {
      ...work,
      program: 'osu_bw',
      pairs: [
        [0, 1],
        [2, 3],
      ],
    });
    expect(field.now() - before).to.be.closeTo(Math.max(...results.map(({ seconds }) => seconds)), 1e-12);
  });

  it('measures a part by its own pairs, and figures as osu_mbw_mr has them', () => {
    const field = simulatedField(network(8));
    const part = { ...work, program: 'osu_mbw_mr', ranks: [0, 2, 1, 3] };
    const { summaries, samples } = field.run({ kind: 'parts', parts: [part], samples: true });
    expect(summaries.map(({ rank }) => rank)).to.deep.equal([0, 2]);
    expect(samples.get(2)?.length).to.equal(5);
    const seconds = summaries.map((one) => one.seconds);
    const figures = figuresOf(part, 2, { seconds, iterations: 5 });
    const mean = ((seconds[0] ?? 0) + (seconds[1] ?? 0)) / 2;
    expect(figures['rate']?.value).to.be.closeTo((2 * 8 * 5) / mean, 1e-3);
  });

  it('refuses a rank that is not there, or in two pairs', () => {
    const field = simulatedField(network(2));
    expect(() => measurePairs(field, { ...work, program: 'osu_bw', pairs: [[0, 2]] })).to.throw(RangeError, 'rank 2');
    expect(() => measurePairs(field, { ...work, program: 'osu_bw', pairs: [[0, 0]] })).to.throw(
      RangeError,
      'two pairs',
    );
  });

  it('takes thousands of hosts', () => {
    const field = simulatedField(network(4096));
    const pairs = Array.from({ length: 2048 }, (_, index) => [index, index + 2048] as const);
    const results = measurePairs(field, { ...work, program: 'osu_latency', window: 1, pairs });
    expect(results).to.have.length(2048);
  });
});

/** `--noise`: what is made of the times of a fixed piece of work, and what is said of it. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseNoise } from '../../src/cli/noise.js';
import { noop } from '../../src/engine/operations.js';
import type { Executor, Run } from '../../src/engine/types.js';
import { measureNoise, noiseOf } from '../../src/noise/measure.js';
import { noiseReport, noiseWarnings } from '../../src/noise/report.js';
import type { NoiseRecord, RankRecord } from '../../src/results/types.js';
import { RESULT_SCHEMA } from '../../src/results/types.js';
import { exampleHead } from './records.js';
import { strictSchemaErrors } from './schema.js';

const US = 1e-6;
const times = (...microseconds: number[]): Float64Array => Float64Array.from(microseconds, (value) => value * US);

describe('the noise of a core', () => {
  it('is what pieces take longer than the fastest one, from a microsecond on', () => {
    const noise = noiseOf([times(5, 5.9, 5), times(5, 55, 8)]);
    expect(noise.quantum).to.be.closeTo(5 * US, 1e-15);
    expect(noise.seconds).to.be.closeTo(83.9 * US, 1e-15);
    expect(noise.lost).to.be.closeTo(53 / 83.9, 1e-9);
    expect(noise.longest).to.be.closeTo(50 * US, 1e-15);
    expect(noise).to.include({ n: 6, detours: 2, threshold: US });
  });

  it('is none on a core that does nothing else', () => {
    expect(noiseOf([times(5, 5, 5)])).to.include({ lost: 0, longest: 0, detours: 0, n: 3 });
  });

  it('is half of the time where another has the core every other time, whatever the order', () => {
    const shuffled = fc.shuffledSubarray([...Array<number>(50).fill(5), ...Array<number>(5).fill(55)], {
      minLength: 55,
    });
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 1, max: 54 }), (all, cut) => {
        const noise = noiseOf([times(...all.slice(0, cut)), times(...all.slice(cut))]);
        expect(noise.lost).to.be.closeTo(250 / 525, 1e-9);
        expect(noise.detours).to.equal(5);
      }),
    );
  });

  it('is measured until the work has taken as long as asked for', () => {
    const calls: string[] = [];
    /** Pieces of 5 us, of which the first of each call takes 10 ms. */
    const executor: Executor = {
      name: 'mock',
      start: () =>
        ({
          warmUp: (iterations: number) => calls.push(`warm up ${iterations}`),
          advance: ({ iterations, samples }: { iterations: number; samples: Float64Array }) => {
            calls.push('advance');
            samples.fill(5 * US).set([10_000 * US]);
            return { iterations, seconds: samples.reduce((a, b) => a + b, 0), samples: iterations };
          },
          finish: () => calls.push('finish'),
        }) as unknown as Run,
    };
    const noise = measureNoise({ seconds: 0.05, executor, piece: noop });
    expect(calls).to.deep.equal(['warm up 2000', 'advance', 'advance', 'advance', 'finish']);
    expect(noise).to.include({ n: 6000, detours: 3 });
    expect(noise.longest).to.be.closeTo(9995 * US, 1e-12);
  });

  it('is measured on this machine', () => {
    const noise = measureNoise({ seconds: 0.03 });
    expect(noise.seconds).to.be.at.least(0.03);
    expect(noise.quantum).to.be.greaterThan(0);
    expect(noise.quantum * noise.n).to.be.at.most(noise.seconds);
    expect(noise.lost).to.be.within(0, 1);
    expect(noise.longest).to.be.at.most(noise.seconds);
    expect(noise.detours).to.be.at.most(noise.n);
  });
});

const quiet: NoiseRecord = {
  ...{ seconds: 0.2, quantum: 5 * US, n: 40_000, lost: 0.0012, longest: 35.31 * US, detours: 120, threshold: US },
};

const rank = (number: number, noise?: NoiseRecord): RankRecord => ({
  ...{ rank: number, host: 'node1', localRank: number, cores: [number], numaNode: 0 },
  ...(noise ? { noise } : {}),
});

describe('what --noise says', () => {
  it('is a line for each rank that measured it', () => {
    expect(noiseReport([rank(0, quiet), rank(1), rank(2, { ...quiet, longest: 1.5, lost: 0.5 })])).to.deep.equal([
      'rank 0 on node1: noise: lost 0.12 % of 200 ms, longest interruption 35.3 us, 120 of 40000 pieces of 5 us took 1 us longer or more',
      'rank 2 on node1: noise: lost 50.00 % of 200 ms, longest interruption 1.5 s, 120 of 40000 pieces of 5 us took 1 us longer or more',
    ]);
  });

  it('has a warning where figures would show it', () => {
    expect(noiseWarnings([rank(0, quiet), rank(1)])).to.deep.equal([]);
    const warnings = noiseWarnings([rank(3, { ...quiet, lost: 0.02 }), rank(4, { ...quiet, longest: 1e-3 })]);
    expect(warnings).to.have.lengthOf(2);
    expect(warnings[0]).to.match(
      /^rank 3 on node1 lost 2\.00 % of its time and stood still for up to 35\.3 us before the run/,
    );
    expect(warnings[1]).to.match(/^rank 4 on node1 lost 0\.12 % of its time and stood still for up to 1 ms before/);
  });

  it('fits the schema', () => {
    const { ranks, ...head } = exampleHead();
    const record = { schema: RESULT_SCHEMA, ...head, rows: [], warnings: [], status: { state: 'done' } };
    expect(strictSchemaErrors({ ...record, ranks: ranks.map((one) => ({ ...one, noise: quiet })) })).to.deep.equal([]);
    expect(strictSchemaErrors({ ...record, ranks: [rank(0, { ...quiet, lost: 1.5 })] })).not.to.deep.equal([]);
  });

  it('takes seconds, glued to it', () => {
    expect(parseNoise('')).to.deep.equal({ ok: true, value: 0.2 });
    expect(parseNoise('1.5')).to.deep.equal({ ok: true, value: 1.5 });
    for (const wrong of ['0', '0.001', '11', '-1', 'x', '1s'])
      expect(parseNoise(wrong), wrong).to.include({ ok: false });
  });
});

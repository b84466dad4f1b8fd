import { expect } from 'chai';
import fc from 'fast-check';
import { curvesOf, withCurves } from '../../src/analysis/curves.js';
import { curveShape, type CurvePoint, type CurveShape } from '../../src/analysis/curve.js';
import { recordOf } from './analysis-records.js';
import { seeded } from './random.js';

const SIZES = Array.from({ length: 23 }, (_, index) => 2 ** index);

/** Latencies of 1 us, with 10 GB/s behind it. */
const plain = (size: number): number => 1e-6 + size / 10e9;
const curve = (time: (size: number) => number, sizes: readonly number[] = SIZES): CurvePoint[] =>
  sizes.map((size) => ({ size, value: time(size) }));
const bandwidths = (time: (size: number) => number): CurvePoint[] =>
  SIZES.map((size) => ({ size, value: size / time(size) }));

describe('the shape of a curve', () => {
  it('is one line where one explains it: latency, bandwidth, N1/2, saturation', () => {
    const { segments, switches, dips, halfBandwidth, saturation, saturated, peak } = curveShape(
      curve(plain),
      'latency',
    );
    expect(segments).to.have.length(1);
    expect(segments[0]?.latency).to.be.closeTo(1e-6, 1e-12);
    expect(segments[0]?.bandwidth).to.be.closeTo(10e9, 1);
    expect(segments[0]).to.include({ from: 1, to: 2 ** 22, points: 23 });
    expect([switches, dips]).to.deep.equal([[], []]);
    // By the formula r0 * l0 is 10000 bytes of the asymptote's half; the measured peak is a little below it.
    expect(halfBandwidth).to.be.within(9000, 10_500);
    // 95 % of the peak of s / (1e-6 + s / 10e9) at 4 MiB is reached at some 182 kB.
    expect([saturation, saturated]).to.deep.equal([2 ** 18, true]);
    expect(peak?.size).to.equal(2 ** 22);
  });

  it('says the same of times, bandwidths and rates', () => {
    const shapes = [
      curveShape(curve(plain), 'latency'),
      curveShape(bandwidths(plain), 'bandwidth'),
      curveShape(
        curve((size) => 1 / plain(size)),
        'rate',
      ),
    ];
    const told = shapes.map(({ saturation, halfBandwidth, segments }) => [
      saturation,
      Number(halfBandwidth?.toPrecision(9)),
      segments.map(({ from, to }) => [from, to]),
    ]);
    expect(told[1]).to.deep.equal(told[0]);
    expect(told[2]).to.deep.equal(told[0]);
  });

  it('tells latencies at 0, 1 and 8 bytes, as measured or by the first line', () => {
    const measured = curveShape(curve(plain, [0, ...SIZES]), 'latency').latencies;
    expect(measured.map(({ size, measured: by }) => [size, by])).to.deep.equal([
      [0, true],
      [1, true],
      [8, true],
    ]);
    const fitted = curveShape(curve(plain, SIZES.slice(1)), 'latency').latencies;
    expect(fitted.map(({ size, measured: by }) => [size, by])).to.deep.equal([
      [0, false],
      [1, false],
      [8, true],
    ]);
    expect(fitted[0]?.seconds).to.be.closeTo(1e-6, 1e-11);
    expect(curveShape(bandwidths(plain), 'bandwidth').latencies).to.deep.equal([]);
    expect(curveShape(curve(plain, [4096, 8192, 16_384]), 'latency').latencies.map(({ size }) => size)).to.deep.equal([
      0, 1, 8,
    ]);
  });

  it('finds a protocol that begins with a jump, wherever it begins', () => {
    for (const border of [2 ** 7, 2 ** 12, 2 ** 16]) {
      const time = (size: number): number => (size <= border ? plain(size) : 3e-6 + size / 12e9 + border / 10e9);
      const { switches, segments } = curveShape(curve(time), 'latency');
      expect(switches, String(border)).to.have.length(1);
      expect(switches[0]).to.include({ before: border, at: 2 * border, kind: 'jump' });
      const change = time(2 * border) / plain(2 * border) - 1;
      expect(switches[0]?.change).to.be.closeTo(change, 1e-6);
      expect(segments.map(({ to }) => to)).to.deep.equal([border, 2 ** 22]);
    }
  });

  it('finds a change of slope that is no jump', () => {
    // 20 GB/s up to 64 KiB, then 5 GB/s for what lies beyond.
    const border = 2 ** 16;
    const time = (size: number): number => 1e-6 + Math.min(size, border) / 20e9 + Math.max(0, size - border) / 5e9;
    const { switches } = curveShape(curve(time), 'latency');
    expect(switches).to.have.length(1);
    expect(switches[0]).to.include({ before: border, kind: 'slope' });
  });

  it('is not led astray by noise of 2 %', () => {
    const random = seeded(11);
    for (let trial = 0; trial < 50; ++trial) {
      const noisy = curve((size) => plain(size) * (1 + 0.04 * (random() - 0.5)));
      const { switches, dips } = curveShape(noisy, 'latency');
      expect([switches, dips]).to.deep.equal([[], []]);
    }
  });

  it('finds a dip, its depth and its end; and one that has none', () => {
    const at = (factor: number, from: number, to: number): CurveShape =>
      curveShape(
        bandwidths((size) => plain(size) * (size >= from && size <= to ? factor : 1)),
        'bandwidth',
      );
    const [dip, ...others] = at(4, 4096, 8192).dips;
    expect(others).to.deep.equal([]);
    expect(dip).to.include({ before: 2048, at: 4096, until: 16_384 });
    expect(dip?.from).to.be.closeTo(2048 / plain(2048), 1);
    expect(dip?.lowest.size).to.equal(4096);
    expect(dip?.drop).to.be.closeTo(1 - 4096 / plain(4096) / 4 / (2048 / plain(2048)), 1e-9);
    expect(at(4, 2 ** 21, 2 ** 22).dips).to.have.length(1);
    expect(at(4, 2 ** 21, 2 ** 22).dips[0]).to.include({ before: 2 ** 20, at: 2 ** 21, until: null });
    expect(at(1, 4096, 8192).dips).to.deep.equal([]);
  });

  it('does not call a curve saturated that ends at its peak', () => {
    const { saturation, saturated } = curveShape(curve(plain, [1, 2, 4, 8]), 'latency');
    expect([saturation, saturated]).to.deep.equal([8, false]);
  });

  it('calls one saturated whose peak stands alone before larger sizes', () => {
    const { saturation, saturated } = curveShape(
      curve((size) => plain(size) * (size > 1024 ? 3 : 1), [256, 512, 1024, 2048, 4096]),
      'latency',
    );
    expect([saturation, saturated]).to.deep.equal([1024, true]);
  });

  it('is content with few points, and with bad ones', () => {
    const none = curveShape([], 'bandwidth');
    expect(none).to.deep.include({ points: 0, peak: null, saturation: null, halfBandwidth: null, segments: [] });
    const one = curveShape([{ size: 8, value: 1e-6 }], 'latency');
    expect(one).to.deep.include({ points: 1, saturation: null, segments: [], switches: [], dips: [] });
    expect(one.latencies).to.deep.equal([{ size: 8, seconds: 1e-6, measured: true }]);
    const bad = [NaN, Infinity, 0, -1].map((value) => ({ size: 8, value }));
    expect(curveShape(bad, 'latency').points).to.equal(0);
    expect(curveShape([{ size: 0, value: 0 }], 'bandwidth').points).to.equal(0);
  });

  it('takes the median of points of one size, and any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...SIZES, ...SIZES, ...SIZES], { minLength: 69, maxLength: 69 }), (sizes) => {
        const seen = new Map<number, number>();
        const points = sizes.map((size) => {
          const turn = (seen.get(size) ?? 0) + 1;
          seen.set(size, turn);
          return { size, value: plain(size) * (turn === 3 ? 10 : 1) };
        });
        expect(curveShape(points, 'latency')).to.deep.equal(curveShape(curve(plain), 'latency'));
      }),
      { numRuns: 20 },
    );
  });

  it('keeps its form when all times grow by a factor', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (factor) => {
        const time = (size: number): number => (size <= 512 ? plain(size) : 3e-6 + size / 12e9);
        const [one, other] = [curve(time), curve((size) => factor * time(size))].map((points) => curveShape(points, 'latency')); // prettier-ignore
        expect(other?.switches.map(({ at, kind }) => [at, kind])).to.deep.equal(
          one?.switches.map(({ at, kind }) => [at, kind]),
        );
        expect(other?.saturation).to.equal(one?.saturation);
        expect(other?.segments[0]?.latency).to.be.closeTo((one?.segments[0]?.latency ?? NaN) * factor, factor * 1e-12);
      }),
    );
  });

  it('takes thousands of sizes', () => {
    const sizes = Array.from({ length: 5000 }, (_, index) => 64 * (index + 1));
    const { points, segments } = curveShape(curve(plain, sizes), 'latency');
    expect(points).to.equal(5000);
    expect(segments).to.have.length(1);
  });
});

describe('the curves of a record', () => {
  const rows = SIZES.map((size) => ({ size, value: plain(size) }));

  it('are one for each set of options', () => {
    const record = recordOf({ rows, parameters: { window: 64 } });
    const other = recordOf({
      rows: rows.map(({ size, value }) => ({ size, value: 2 * value })),
      parameters: { window: 1 },
    });
    const curves = curvesOf({ ...record, rows: [...record.rows, ...other.rows] });
    expect(curves.map(({ title, figure, points }) => [title, figure, points])).to.deep.equal([
      ['osu_latency, window 64', 'latency', 23],
      ['osu_latency, window 1', 'latency', 23],
    ]);
    expect(curves[1]?.segments[0]?.latency).to.be.closeTo(2e-6, 1e-12);
  });

  it('are left out where there is no curve', () => {
    const two = recordOf({ rows: rows.slice(0, 2) });
    expect(withCurves(two)).to.equal(two);
    const barrier = recordOf({ name: 'osu_barrier', rows: [{ size: null, value: 1e-6 }] });
    expect(curvesOf(barrier)).to.deep.equal([]);
  });
});

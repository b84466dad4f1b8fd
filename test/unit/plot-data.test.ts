/** What plots are drawn from: axes, numbers, samples in bounded memory, panels. */
import { expect } from 'chai';
import fc from 'fast-check';
import { Envelope } from '../../src/report/plot/envelope.js';
import { longNumber, shortNumber } from '../../src/report/plot/numbers.js';
import { panelsOf, timesPanelsOf } from '../../src/report/plot/panels.js';
import { linearScale, logScale, sizeScale, type Scale } from '../../src/report/plot/scales.js';
import { timesScale, valueScale } from '../../src/report/plot/value-scale.js';
import { exampleRow, exampleStatistics } from './records.js';
import { latencyColumn, plotRow, plotTable } from './plot-run.js';

const labels = ({ ticks }: Scale): string[] => ticks.map(({ label }) => label);
const places = ({ ticks }: Scale): number[] => ticks.map(({ at }) => Number(at.toFixed(6)));

describe('numbers in plots', () => {
  it('have three digits, and letters from 10000 on', () => {
    const shown = [0, 0.1234, 0.00012, 1.0051, 12.34, 999.6, 1234, 9999, 12345, 999_999, 23_713_452, 4.2e-7, 1e13];
    expect(shown.map(shortNumber)).to.deep.equal(
      ['0', '0.123', '0.00012', '1.01', '12.3', '1000', '1230', '10k', '12.3k', '1M', '23.7M', '4.2e-7', '10T'], // prettier-ignore
    );
    expect([0.1234567891, 23_713_452.57, 3].map(longNumber)).to.deep.equal(['0.123457', '23713500', '3']);
  });
});

describe('axes', () => {
  it('are labelled at powers of ten over more than two decades', () => {
    const scale = logScale(0.11, 812);
    expect(labels(scale)).to.deep.equal(['0.1', '1', '10', '100', '1000']);
    expect(places(scale)).to.deep.equal([0, 0.25, 0.5, 0.75, 1]);
    expect(scale.position(10)).to.be.closeTo(0.5, 1e-12);
    expect([0, -1, 1e-9, 1e9].map(scale.position)).to.deep.equal([0, 0, 0, 1]);
  });

  it('are labelled at 1, 2 and 5 over less', () => {
    expect(labels(logScale(0.21, 1.9))).to.deep.equal(['0.2', '0.5', '1', '2']);
    expect(labels(logScale(0.5, 0.5))).to.deep.equal(['0.2', '0.5']);
    expect(labels(logScale(0.41, 0.43))).to.deep.equal(['0.2', '0.5']);
  });

  it('of any values have two labels at least, within the axis and in order, and hold the values', () => {
    const positive = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(positive, positive, fc.integer({ min: 3, max: 12 }), (one, other, most) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        for (const scale of [logScale(low, high, most), linearScale(low, high, most), timesScale(low, high, most)]) {
          const at = scale.ticks.map((tick) => tick.at);
          expect(at.length).to.be.at.least(2);
          expect(at).to.deep.equal([...at].sort((a, b) => a - b));
          expect(at.every((place) => place >= 0 && place <= 1)).to.be.true;
          expect(new Set(labels(scale)).size).to.equal(at.length);
          expect(scale.position(low)).to.be.within(0, scale.position(high));
          expect(scale.position(high)).to.be.at.most(1);
          // Nothing beyond the axis: a value that is clamped would show another one's place.
          if (high > low * (1 + 1e-5)) expect(scale.position(low)).to.be.below(scale.position(high));
        }
      }),
    );
  });

  it('that are linear have round labels', () => {
    expect(labels(linearScale(0, 100))).to.deep.equal(['0', '50', '100']);
    expect(labels(linearScale(1, 1.06))).to.deep.equal(['1.00', '1.02', '1.04', '1.06']);
    expect(labels(linearScale(120_000, 180_000))).to.deep.equal(['120k', '140k', '160k', '180k']);
    expect(labels(linearScale(3, 3))).to.deep.equal(['0', '2', '4', '6']);
    expect(labels(linearScale(0, 0))).to.deep.equal(['0.0', '0.5', '1.0']);
  });

  it('of sizes are logarithms to base 2, with a place for 0', () => {
    const doubling = Array.from({ length: 23 }, (_, exponent) => 2 ** exponent);
    expect(labels(sizeScale(doubling))).to.deep.equal(
      ['1', '4', '16', '64', '256', '1K', '4K', '16K', '64K', '256K', '1M', '4M'], // prettier-ignore
    );
    expect(sizeScale(doubling).position(2 ** 11)).to.equal(0.5);
    const zero = sizeScale([0, 1, 2, 4]);
    expect(labels(zero)).to.deep.equal(['0', '1', '2', '4']);
    expect(places(zero)).to.deep.equal([0, 0.333333, 0.666667, 1]);
    expect(labels(sizeScale([3, 5000]))).to.deep.equal(
      ['4', '8', '16', '32', '64', '128', '256', '512', '1K', '2K', '4K'], // prettier-ignore
    );
    expect(labels(sizeScale([5, 6, 7]))).to.deep.equal(['5', '6', '7']);
    expect(labels(sizeScale([0, 12]))).to.deep.equal(['0', '12']);
  });

  it('are linear for percentages and for times that hardly differ', () => {
    expect(labels(valueScale('%', [14, 20]))).to.deep.equal(['0', '50', '100']);
    expect(labels(valueScale('us', [1, 100]))).to.deep.equal(['1', '2', '5', '10', '20', '50', '100']);
    expect(valueScale('us', [0, 1, 100]).shows(0)).to.be.false;
    expect(valueScale('us', [0, 0]).shows(0)).to.be.true;
    expect(labels(timesScale(1, 4))).to.deep.equal(['1', '2', '3', '4']);
    expect(labels(timesScale(1, 50))).to.deep.equal(['1', '2', '5', '10', '20', '50']);
    expect(labels(timesScale(0, 50))).to.deep.equal(['0', '20', '40', '60']);
  });
});

describe('samples for plots', () => {
  it('keep extremes, mean and place, however many they are', () => {
    const runs = fc.array(fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { maxLength: 70 }), { maxLength: 6 });
    fc.assert(
      fc.property(runs, fc.constantFrom(2, 8, 64), fc.integer({ min: 1, max: 90 }), (chunks, capacity, most) => {
        const envelope = new Envelope(capacity);
        for (const chunk of chunks) envelope.add(0, chunk);
        const all = chunks.flat();
        const buckets = envelope.buckets(most);
        expect(envelope.iterations).to.equal(all.length);
        expect(buckets.length).to.be.at.most(Math.min(most, capacity));
        let next = 0;
        for (const { first, iterations, min, max, mean } of buckets) {
          const members = all.slice(first, first + iterations);
          expect(first).to.equal(next);
          expect([min, max]).to.deep.equal([Math.min(...members), Math.max(...members)]);
          expect(mean).to.be.closeTo(members.reduce((sum, value) => sum + value, 0) / members.length, 1e-12);
          next += iterations;
        }
        expect(next).to.equal(all.length);
        const total = envelope.total;
        expect([total?.min, total?.max]).to.deep.equal(
          all.length === 0 ? [undefined, undefined] : [Math.min(...all), Math.max(...all)],
        );
      }),
    );
  });

  it('of 10^6 iterations show the one that took longer', () => {
    const seconds = new Float64Array(1_000_000).fill(1e-6);
    seconds[654_321] = 0.125;
    seconds[123_456] = 1e-9;
    const envelope = new Envelope();
    for (let at = 0; at < seconds.length; at += 40_000) envelope.add(0, seconds.subarray(at, at + 40_000));
    const buckets = envelope.buckets(100);
    expect(buckets).to.have.length(100);
    const holding = (index: number) =>
      buckets.find(({ first, iterations }) => index >= first && index < first + iterations);
    expect(holding(654_321)?.max).to.equal(0.125);
    expect(holding(123_456)?.min).to.equal(1e-9);
    expect(buckets.filter(({ max }) => max > 1e-6)).to.have.length(1);
  });

  it('of several ranks meet by iteration', () => {
    const envelope = new Envelope(4);
    envelope.add(0, [1, 2, 3]);
    envelope.add(1, [5, 6, 7]);
    envelope.add(0, [4]);
    envelope.add(1, [0.5]);
    expect(envelope.buckets().map(({ min, max }) => [min, max])).to.deep.equal([[1, 5], [2, 6], [3, 7], [0.5, 4]]); // prettier-ignore
    expect(envelope.iterations).to.equal(4);
  });
});

describe('panels', () => {
  const shape = (columns: Parameters<typeof plotTable>[0], rows: Parameters<typeof panelsOf>[1]) =>
    panelsOf(plotTable(columns), rows).map(({ title, unit, kind, series, ordinal }) => ({
      ...{ title, unit, kind, ordinal },
      series: series.map(({ name, points }) => [name, points.map(({ size, value }) => [size, value])]),
    }));

  it('join figures of one unit, and leave out what is not known', () => {
    const columns = [
      { figure: 'overall', header: 'Overall(us)', scale: 1e6 },
      { figure: 'pure', header: 'Pure Comm.(us)', scale: 1e6 },
      { figure: 'overlap', header: 'Overlap(%)', scale: 1 },
      { figure: 'never', header: 'Never (MB/s)', scale: 1 },
    ];
    const rows = [
      plotRow({ size: 1 }, { overall: 2, pure: 1, overlap: 50 }),
      plotRow({ size: 2 }, { overall: 4, pure: null, overlap: NaN }),
      plotRow({ size: 4 }, { overall: 8, pure: 3, overlap: 75 }),
    ];
    expect(shape(columns, rows)).to.deep.equal([
      {
        ...{ title: 'MPI Latency', unit: 'us', kind: 'lines', ordinal: false },
        series: [
          ['Overall', [[1, 2e6], [2, 4e6], [4, 8e6]]],
          ['Pure Comm.', [[1, 1e6], [4, 3e6]]],
        ],
      },
      { ...{ title: 'Overlap', unit: '%', kind: 'lines', ordinal: false }, series: [['Overlap', [[1, 50], [4, 75]]]] },
    ]); // prettier-ignore
  });

  it('have a line for each window under -V, and the times of the widest', () => {
    const rows = [1, 2].flatMap((size) => [4, 8].map((window) => plotRow({ size, window }, { rate: size * window })));
    const columns = [{ figure: 'rate', header: 'Messages/s', scale: 1, matrixHeading: 'Message Rate Profile' }];
    expect(shape(columns, rows)).to.deep.equal([
      {
        ...{ title: 'Message Rate Profile', unit: 'Messages/s', kind: 'lines', ordinal: true },
        series: [['window 4', [[1, 4], [2, 8]]], ['window 8', [[1, 8], [2, 16]]]],
      },
    ]); // prettier-ignore
    const times = new Envelope();
    const timed = rows.map((record) => ({ record, times }));
    expect(timesPanelsOf(timed).map(({ title }) => title)).to.deep.equal(['1 byte, window 8', '2 bytes, window 8']);
  });

  it('are bars where no two sizes can be joined', () => {
    expect(shape([latencyColumn], [plotRow({ size: null }, { latency: 1e-6 })])[0]?.kind).to.equal('bars');
    expect(shape([latencyColumn], [plotRow({ size: 8 }, { latency: 1e-6 })])[0]?.kind).to.equal('bars');
    expect(shape([latencyColumn], [])).to.deep.equal([]);
    const barrier = [{ record: plotRow({ size: null }, { latency: 1e-6 }), times: new Envelope() }];
    expect(timesPanelsOf(barrier)[0]?.title).to.equal('All iterations');
  });

  it('tell spread and interval of the figure that statistics are of, from the good end to the bad one', () => {
    const [point] = panelsOf(plotTable(), [exampleRow(1)])[0]?.series[0]?.points ?? [];
    const rounded = JSON.parse(
      JSON.stringify(point, (_, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(6)) : value)),
    ) as unknown;
    expect(rounded).to.deep.equal({
      ...{ size: 1, value: 0.123457, median: 0.5 },
      interval: { low: 0.48, high: 0.52 },
      spread: { low: 0.1, high: 0.99 },
    });
    const low = { ...exampleStatistics, figure: 'latency', unit: 's', tail: 'low', p99: 0.2e-6 } as const;
    const [reverse] = panelsOf(plotTable(), [{ ...exampleRow(1), statistics: low }])[0]?.series[0]?.points ?? [];
    expect([reverse?.spread?.low, reverse?.spread?.high].map((value) => value?.toFixed(6))).to.deep.equal([
      '0.200000',
      '2.000000',
    ]);
    const other = { ...low, figure: 'another' };
    const [bare] = panelsOf(plotTable(), [{ ...exampleRow(1), statistics: other }])[0]?.series[0]?.points ?? [];
    expect(bare).to.have.keys('size', 'value');
  });
});

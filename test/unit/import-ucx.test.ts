/** What our ucx_perftest prints is read back as the values that it printed, whatever form it has. */
import { expect } from 'chai';
import fc from 'fast-check';
import { ucxPerftestText } from '../../src/report/ucx-perftest-text.js';
import type { UcxFigures, UcxTestFacts, UcxTextOptions } from '../../src/report/ucx-perftest-types.js';
import type { RowRecord } from '../../src/results/types.js';
import { captures, only, readUcxCapture, TESTS } from './ucx-perftest-cases.js';
import { imported, onlyRecord } from './imported.js';

const MIB = 2 ** 20;
const PLAIN: UcxTextOptions = {
  ...{ csv: false, finalOnly: false, thousands: false, extraInfo: false, batchFiles: [], percentile: 50, stats: false },
};

function factsOf(name: string): UcxTestFacts {
  const facts = TESTS.find((test) => test.name === name);
  if (!facts) throw new Error(`no test ${name}`);
  return facts;
}

/** Figures of messages of this many bytes that fit together, as far as a table shows them. */
function figuresOf(size: number, iterations: number, nanoseconds: number): UcxFigures {
  const latency = nanoseconds / 1e9;
  const both = (value: number) => ({ average: value * 1.01, overall: value });
  return {
    ...{ iterations, percentile: latency * 0.9, latency: both(latency) },
    ...{ bandwidth: both(size / latency), rate: both(1 / latency) },
  };
}

const tests = fc.record({
  size: fc.constantFrom(1, 8, 100, 2048, 3000, 65536, 2 ** 21),
  iterations: fc.integer({ min: 1000, max: 1e9 }),
  nanoseconds: fc.integer({ min: 20, max: 1e7 }),
});
type Test = typeof tests extends fc.Arbitrary<infer T> ? T : never;

/** Half of the last digit shown. */
function expectRow(row: RowRecord | undefined, { size, iterations, nanoseconds }: Test): void {
  const { latency, bandwidth, rate } = figuresOf(size, iterations, nanoseconds);
  expect(row?.n).to.equal(iterations);
  expect(row?.figures.latency?.value).to.be.closeTo(latency.overall, 0.501e-9);
  expect(row?.figures.bandwidth?.value).to.be.closeTo(bandwidth.overall, 0.00501 * MIB);
  expect(row?.figures.rate?.value).to.be.closeTo(rate.overall, 0.501);
}

describe('import of ucx_perftest', () => {
  it('reads back its tables, with all rows and with the last alone', () => {
    const forms = fc.record({ finalOnly: fc.boolean(), thousands: fc.boolean(), stats: fc.boolean() });
    fc.assert(
      fc.property(forms, tests, fc.constantFrom('tag_lat', 'put_bw'), (form, test, name) => {
        const { size, iterations, nanoseconds } = test;
        const text = ucxPerftestText({ ...PLAIN, ...form });
        const facts = factsOf(name);
        const options = {
          ...only('-t', name, ...(name === 'put_bw' ? ['-x', 'a', '-d', 'b'] : [])),
          sizes: [size],
          loopback: true,
        };
        const half = figuresOf(size, Math.floor(iterations / 2), nanoseconds);
        const statistics = { n: 3, min: 1e-6, median: 2e-6, p90: 3e-6, p99: null, sd: 4e-6, max: 5e-6 };
        const record = onlyRecord(
          text.parameters(facts, options) +
            text.header(facts) +
            text.progress(0, half, []) +
            text.final({ ...figuresOf(size, iterations, nanoseconds), statistics }, []),
        );
        const [row] = record.rows;
        expect(record.rows).to.have.length(1);
        expectRow(row, test);
        expect(row?.parameters).to.include({ test: name, size, roundTrip: name === 'put_bw' });
        expect(record.run.layer).to.equal(facts.api);
        expect(row?.progress?.map(({ n }) => n)).to.deep.equal(form.finalOnly ? undefined : [half.iterations]);
        if (form.stats)
          expect(row?.statistics).to.deep.include({ n: 3, min: 1e-6, median: 2e-6, p99: null, max: 5e-6 });
        else expect(row?.statistics?.median).to.be.closeTo((nanoseconds / 1e9) * 0.9, 0.501e-9);
      }),
      { numRuns: 100 },
    );
  });

  it('reads back batches, as tables and as CSV, and finds their sizes', () => {
    const forms = fc.record({ csv: fc.boolean(), finalOnly: fc.boolean() });
    const batch = fc.uniqueArray(tests, { minLength: 1, maxLength: 5, selector: ({ size }) => size });
    fc.assert(
      fc.property(forms, batch, fc.boolean(), (form, all, named) => {
        const text = ucxPerftestText({ ...PLAIN, ...form, batchFiles: ['types', 'sizes'], percentile: 99 });
        const labelsOf = ({ size }: Test): string[] => [
          'tag_bw',
          named ? `${size}` : `of "${size}"`.replace(/ /g, '_'),
        ];
        const facts = factsOf('tag_bw');
        const rows = all.map((test) => {
          const { size, iterations, nanoseconds } = test;
          const labels = labelsOf(test);
          const half = figuresOf(size, Math.floor(iterations / 2), nanoseconds);
          const last = text.final(figuresOf(size, iterations, nanoseconds), labels);
          return text.label(labels) + text.progress(0, half, labels) + last;
        });
        const record = onlyRecord(text.header(facts) + rows.join(''));
        expect(record.rows).to.have.length(all.length);
        for (const [index, test] of all.entries()) {
          const row = record.rows[index];
          expectRow(row, test);
          expect(row?.parameters).to.include({ test: 'tag_bw', label: labelsOf(test).join('/') });
          // Of fewer digits, several sizes round to what is shown.
          const told = test.size / (test.nanoseconds / 1e9) > MIB && (test.size & (test.size - 1)) === 0;
          if (named || told) expect(row?.parameters.size).to.equal(test.size);
          expect(row?.statistics?.percentiles[0]?.percent).to.equal(99);
          expect(row?.progress ?? []).to.have.length(form.finalOnly ? 0 : 1);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('reads several threads together, and how UCX sent', () => {
    const text = ucxPerftestText({ ...PLAIN, extraInfo: true });
    const facts = factsOf('tag_bw');
    const last = { several: true, info: 'tag(egr/short) from 2 lanes' };
    const { rows } = onlyRecord(text.header(facts) + text.final(figuresOf(8, 2000, 100), [], last));
    expectRow(rows[0], { size: 8, iterations: 2000, nanoseconds: 100 });
    expect(rows[0]?.parameters.protocol).to.equal(last.info);
    expect(rows[0]?.statistics).to.equal(null);
  });

  it('says what contradicts the label that a size has', () => {
    const text = ucxPerftestText({ ...PLAIN, finalOnly: true, batchFiles: ['sizes'] });
    const facts = factsOf('tag_bw');
    const row = (label: string, size: number): string => text.final(figuresOf(size, 1000000, 250), [label]);
    const { rows, warnings } = onlyRecord(text.header(facts) + row('8', 8) + row('10', 14) + row('3', 4096));
    expect(rows.map(({ parameters }) => parameters.size)).to.deep.equal([8, 10, 4096]);
    expect(warnings).to.deep.equal([
      'bandwidth and rate of the row "10" are those of 14 bytes',
      'bandwidth and rate of the row "3" are those of 4096 bytes',
    ]);
  });

  it('has the last row of a test that was cut short, and says so', () => {
    const text = ucxPerftestText(PLAIN);
    const facts = factsOf('tag_lat');
    const shown = text.progress(0, figuresOf(8, 10, 100), []) + text.progress(0, figuresOf(8, 20, 100), []);
    const { rows, warnings } = onlyRecord(text.header(facts) + shown);
    expect(rows.map(({ n, progress }) => [n, progress?.length])).to.deep.equal([[20, 1]]);
    expect(warnings[0]).to.contain('no final row');
  });

  it('takes errors of UCX, and its host and time', () => {
    const text = ucxPerftestText({ ...PLAIN, finalOnly: true });
    const error = '[1700000000.500000] [node7:123:0]      libperf.c:542  UCX  ERROR no such memory';
    const rows = text.header(factsOf('put_bw')) + text.final(figuresOf(8, 1000, 250), []);
    const record = onlyRecord(`$ ucx_perftest -x rc -d mlx5_0:1 -t put_bw -c 3,5-6 -f node8\n${rows}${error}\n`);
    expect(record.status).to.deep.equal({ state: 'failed', message: 'no such memory' });
    expect(record.run.started).to.equal('2023-11-14T22:13:20.500Z');
    expect(record.environment.hosts.map(({ name }) => name)).to.deep.equal(['node7']);
    expect(record.ranks).to.have.length(1);
    expect(record.ranks[0]).to.deep.include({ rank: 0, host: 'node7', hardwareThreads: [3, 5, 6] });
    expect(record.rows[0]?.parameters).to.deep.include({ layout: 'short', transports: ['rc/mlx5_0:1'] });
  });

  it('takes every row of every capture', () => {
    for (const { name } of captures) {
      const lines = readUcxCapture(name);
      const { records, problems } = imported(lines.join('\n'));
      for (const problem of problems) expect(problem.text, name).to.match(/^inf is no figure/);
      const rows = records.flatMap((record) => record.rows);
      const shown = rows.reduce((sum, { progress = [] }) => sum + 1 + progress.length, 0);
      const figures = lines.filter((line) => /^[^|+]*\d[\d,.]*(?:[ ,]+(?:[\d.,]+|inf)){3,}/.test(line));
      expect(shown, name).to.equal(figures.length);
    }
  });
});

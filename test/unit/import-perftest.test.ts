/** What our ib_* and ucx_perftest print is read back as the values that they printed. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { perftestText } from '../../src/report/perftest-text.js';
import type { BandwidthFigures, LatencyFigures, PerftestHeader } from '../../src/report/perftest-types.js';
import { readPerftestCaptures, run } from './perftest-cases.js';
import { imported, onlyRecord } from './imported.js';

const HEADER: PerftestHeader = {
  ...{ device: 'mlx5_0', transport: 'IB', mtu: 2048, linkLayer: 'Ethernet', gidIndex: 3, maxInline: 220, wrApi: true },
  ...{ cqMod: 100, txDepth: 128, rxDepth: 512, usingSrq: false },
};
const MIB = 2 ** 20;

const time = fc.integer({ min: 1, max: 1e7 }).map((hundredths) => hundredths / 1e8);
const latencies: fc.Arbitrary<LatencyFigures> = fc.record({
  ...{ size: fc.integer({ min: 1, max: 2 ** 31 - 1 }), iterations: fc.integer({ min: 5, max: 1e9 }) },
  ...{ min: time, max: time, typical: time, average: time, stdev: time, p99: time, p999: time },
});
const bandwidths: fc.Arbitrary<BandwidthFigures> = fc.record({
  ...{ size: fc.integer({ min: 1, max: 2 ** 31 - 1 }), iterations: fc.integer({ min: 5, max: 1e9 }) },
  peak: fc.option(fc.integer({ min: 1, max: 1e7 }).map((hundredths) => (hundredths / 100) * MIB)),
  average: fc.integer({ min: 1, max: 1e7 }).map((hundredths) => (hundredths / 100) * MIB),
  messageRate: fc.integer({ min: 1, max: 1e9 }),
});

function print(name: PerftestName, line: string, rows: readonly (LatencyFigures | BandwidthFigures)[]): string {
  const text = perftestText(run(name, line), { cyclesPerSecond: 1e9 });
  const lines = rows.map((row) => ('typical' in row ? text.latency(row) : text.bandwidth(row)));
  const addresses = (['local', 'remote'] as const).map((which) => text.address(which, { lid: 0, qpn: 18, psn: 5 }));
  return [text.header(HEADER), ...addresses, text.columns(), ...lines, text.end()].join('');
}

const close = (value: number | null | undefined, was: number | null, step: number): void => {
  if (was === null) expect(value).to.equal(null);
  else expect(value).to.be.closeTo(was, step * 0.5000001);
};

describe('import of ib_*', () => {
  it('reads back what latency tests print', () => {
    fc.assert(
      fc.property(fc.array(latencies, { minLength: 1, maxLength: 4 }), (rows) => {
        const record = onlyRecord(print('ib_send_lat', '', rows));
        expect(record.run).to.include({ name: 'ib_send_lat', layer: 'verbs' });
        for (const [index, { figures, parameters, n }] of record.rows.entries()) {
          const was = rows[index];
          if (!was) throw new Error('a row too many');
          expect([parameters.size, n]).to.deep.equal([was.size, was.iterations]);
          close(figures.latency?.value, was.typical, 1e-8);
          close(figures.average?.value, was.average, 1e-8);
          close(figures.min?.value, was.min, 1e-8);
          close(figures.max?.value, was.max, 1e-8);
          close(figures.stdev?.value, was.stdev, 1e-8);
          close(figures.p99?.value, was.p99, 1e-8);
          close(figures['p99.9']?.value, was.p999, 1e-8);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('reads back what bandwidth tests print, in MiB/s and Gb/s', () => {
    const options = fc.constantFrom(['', MIB / 100], ['--report_gbits', 125e4]) as fc.Arbitrary<[string, number]>;
    fc.assert(
      fc.property(options, fc.array(bandwidths, { minLength: 1, maxLength: 4 }), ([line, step], rows) => {
        const record = onlyRecord(print('ib_write_bw', line, rows));
        expect(record.rows).to.have.length(rows.length);
        for (const [index, { figures, parameters, n }] of record.rows.entries()) {
          const was = rows[index];
          if (!was) throw new Error('a row too many');
          expect([parameters.size, n]).to.deep.equal([was.size, was.iterations]);
          close(figures.bandwidth?.value, was.average, step);
          if (was.peak === null || was.peak > step) close(figures.peak?.value, was.peak, step);
          close(figures.rate?.value, was.messageRate, 1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('reads the box as our records have it', () => {
    const row = { size: 8, iterations: 1000, peak: null, average: 8e6, messageRate: 1e6 };
    const { rows, environment } = onlyRecord(print('ib_send_bw', '-b -q 2 -l 4', [row]));
    expect(rows[0]?.parameters).to.include({
      ...{ size: 8, verb: 'send', connection: 'RC', qps: 2, bidirectional: true, postList: 4 },
      ...{ txDepth: 128, rxDepth: 512, cqMod: 100, inline: 220, srq: false, rdmaCm: false },
    });
    expect(environment.verbs).to.deep.equal({ version: null, device: 'mlx5_0', linkLayer: 'Ethernet', mtu: 2048 });
    const atomic = onlyRecord(
      print('ib_atomic_lat', '-A CMP_AND_SWAP', []) + print('ib_atomic_bw', '-A CMP_AND_SWAP', [row]),
    );
    expect(atomic.run.name).to.equal('ib_atomic_bw');
    expect(atomic.rows[0]?.parameters).to.include({ atomic: 'CMP_AND_SWAP' });
  });

  it('reads durations, cycles, load, samples and both directions', () => {
    const nothing = { min: null, max: null, typical: null, stdev: null, p99: null, p999: null };
    const timed = { size: 8, iterations: 2646, average: 3.9748e-4, tps: 2515.84, cpuUtil: 12.5, ...nothing };
    const duration = onlyRecord(
      `$ ib_read_lat -D 3 -f 1 --cpu_util host\n${print('ib_read_lat', '-D 3 -f 1 --cpu_util', [timed])}`,
    );
    expect(duration.rows[0]?.parameters).to.include({ duration: 3, margin: 1 });
    expect(duration.rows[0]?.figures).to.deep.equal({
      ...{ latency: { value: 3.9748e-4, unit: 's' }, average: { value: 3.9748e-4, unit: 's' } },
      ...{ rate: { value: 2515.84, unit: '1/s' }, 'CPU utilisation': { value: 12.5, unit: '%' } },
    });
    const full = {
      size: 2,
      iterations: 4,
      min: 1e-6,
      max: 4e-6,
      typical: 2e-6,
      average: 2.5e-6,
      stdev: 1e-6,
      p99: 4e-6,
      p999: 4e-6,
    };
    const cycles = onlyRecord(print('ib_send_lat', '-C', [full]));
    expect(cycles.rows[0]?.figures.latency).to.deep.equal({ value: 2000, unit: 'cycles' });
    const text = perftestText(run('ib_send_lat', '-U --stats'));
    const dumped = onlyRecord(
      [
        ...[
          text.header(HEADER),
          text.columns(),
          text.samples(Float64Array.of(3e-6, 1.5e-6, 1, 2e-6)),
          text.latency(full),
        ],
        text.statistics({
          n: 4,
          min: 1e-6,
          median: 2e-6,
          p90: 3e-6,
          p99: null,
          max: 4e-6,
          sd: 1e-6,
          medianInterval: { low: 1e-6, high: 4e-6, level: 0.95 },
        }),
        text.end(),
      ].join(''),
    );
    expect(dumped.rows[0]?.samples).to.deep.equal([{ rank: 0, seconds: [3e-6, 1.5e-6, 1, 2e-6] }]);
    expect(dumped.rows[0]?.statistics).to.deep.include({ n: 4, median: 2e-6, p90: 3e-6, p99: null, sd: 1e-6 });
    expect(dumped.rows[0]?.statistics?.medianInterval).to.deep.equal({ low: 1e-6, high: 4e-6, level: 0.95 });
    const both = perftestText(run('ib_write_bw', '-b --report-both'));
    const sum = { size: 8, iterations: 100, peak: 6 * MIB, average: 5 * MIB, messageRate: 2e6 };
    const ways = onlyRecord(
      both.header(HEADER) +
        both.columns() +
        both.bandwidth(sum) +
        both.end() +
        both.both({ ...sum, average: 2 * MIB }, { ...sum, average: 3 * MIB }),
    );
    expect(ways.rows).to.have.length(1);
    expect(ways.rows[0]?.figures['local bandwidth']?.value).to.equal(2 * MIB);
    expect(ways.rows[0]?.figures['remote bandwidth']?.value).to.equal(3 * MIB);
  });

  it('takes the unit of a number alone from the command line', () => {
    const lonely = (line: string) => onlyRecord(`$ ${line}\n61.451732\n`).rows[0];
    expect(lonely('ib_write_bw --output=bandwidth -s 8 h')?.figures.bandwidth?.value).to.equal(61.451732 * MIB);
    expect(lonely('ib_write_bw --output message_rate --report_gbits h')?.figures.rate?.value).to.equal(61451732);
    expect(lonely('ib_send_lat --output=latency -s 4K -n 50 h')).to.deep.include({ n: 50 });
    expect(lonely('ib_send_lat --output=latency -s 4K -n 50 h')?.parameters.size).to.equal(4096);
  });

  it('reads the units that other versions name', () => {
    const text = (unit: string) =>
      `RDMA_Write BW Test\n#bytes #iterations BW peak[${unit}] BW average[${unit}] MsgRate[Mpps]\n65536 100 2.00 1.00 0.5\n`;
    const value = (unit: string) => onlyRecord(text(unit)).rows[0]?.figures.bandwidth?.value;
    expect(['MB/sec', 'MiB/sec', 'Gb/sec'].map(value)).to.deep.equal([MIB, MIB, 125e6]);
  });

  it('takes every row of every capture', () => {
    for (const { label, name, text, side } of readPerftestCaptures()) {
      if (side === 'alone') continue;
      const { records, problems } = imported(text);
      for (const problem of problems)
        expect(problem.text, label).to.match(/^(?:-nan|inf).* is no figure|^no row follows these samples$/);
      for (const record of records) expect(record.run.name, label).to.equal(name);
      const rows = records.flatMap((record) => record.rows);
      const sides = rows.flatMap(({ figures }) => Object.keys(figures).filter((figure) => / bandwidth$/.test(figure)));
      const shown = text.split('\n').filter((line) => /^ \d+ +\d+ +(?:[\d.]+|inf|-nan)\s/.test(line));
      expect(rows.length + sides.length, label).to.equal(shown.length);
      const samples = rows.reduce((sum, row) => sum + (row.samples?.[0]?.seconds.length ?? 0), 0);
      const dumped = text.includes('#, cycles') ? [] : text.split('\n').filter((line) => /^\d+, /.test(line));
      // What was stopped from outside may end before the row of its last samples.
      if (!problems.some((problem) => problem.text.startsWith('no row')))
        expect(samples, label).to.equal(dumped.length);
    }
  });
});

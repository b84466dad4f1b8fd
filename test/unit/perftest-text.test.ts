import { expect } from 'chai';
import fc from 'fast-check';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { fixed, general, hex } from '../../src/report/perftest-format.js';
import { perftestText } from '../../src/report/perftest-text.js';
import type {
  BandwidthFigures,
  LatencyFigures,
  PerftestHeader,
  ShownStatistics,
} from '../../src/report/perftest-types.js';
import { parsedPerftest, readPerftestCaptures, run } from './perftest-cases.js';
import { asOurs, replay, RULE, tableOf } from './perftest-replay.js';

const HEADER: PerftestHeader = {
  ...{ device: 'mlx5_0', transport: 'IB', mtu: 2048, linkLayer: 'IB', maxInline: 220, wrApi: true },
  ...{ cqMod: 100, txDepth: 128, rxDepth: 512, usingSrq: false },
};

describe('the text of ib_*', () => {
  const captures = readPerftestCaptures().filter(
    ({ side, label, text, exitCode }) =>
      // What was stopped from outside ends where its buffer did.
      ![124, 137, 'SIGTERM', 'SIGKILL'].includes(exitCode) &&
      side !== 'alone' &&
      !label.startsWith('refused') &&
      (text.includes(`${RULE}\n #bytes`) || /^\d/.test(text)),
  );

  it('has captures of every test', () => {
    expect(new Set(captures.map(({ name }) => name)).size).to.equal(8);
  });

  for (const capture of captures) {
    it(`is the peer's: ${capture.label}`, () => {
      const { options } = parsedPerftest('run', capture.name, capture.argv);
      const text = perftestText(options, { cyclesPerSecond: 1e9 });
      const captured = tableOf(capture.text);
      expect(replay(captured, options, text)).to.equal(asOurs(capture, captured));
    });
  }

  it('shows the path of InfiniBand without a GID', () => {
    const text = perftestText(run('ib_write_bw', '-c UC -q 2'));
    const shown = text.header(HEADER);
    expect(shown)
      .to.include(' ibv_wr* API     : ON\n')
      .and.to.include(' Link type       : IB\n Max inline data : 220[B]\n');
    expect(text.header({ ...HEADER, transport: 'iWARP' })).to.include('Transport type : IW\n');
    expect(text.address('local', { lid: 3, qpn: 0x12345, psn: 1 })).to.equal(
      ' local address: LID 0x03 QPN 0x12345 PSN 0x0001\n',
    );
    expect(text.address('remote', { lid: 0x1234, qpn: 1, psn: 0, srqn: 7 })).to.equal(
      ' remote address: LID 0x1234 QPN 0x0001 PSN 000000 SRQn 0x000007\n',
    );
  });

  it('tells depths of the side that has them', () => {
    const depths = (line: string, sender?: boolean) =>
      perftestText(run('ib_send_bw', line))
        .header({ ...HEADER, ...(sender !== undefined && { sender }) })
        .match(/[RT]X depth/g);
    expect([depths(''), depths('', true), depths('', false), depths('-b', false)]).to.deep.equal([
      ...[['TX depth'], ['TX depth'], ['RX depth'], ['TX depth', 'RX depth']],
    ]);
  });

  it('has every title', () => {
    const title = (name: PerftestName, line = '') =>
      perftestText(run(name, line)).header(HEADER).split('\n')[1]?.trim();
    expect(title('ib_write_bw', '-b -l 4')).to.equal('RDMA_Write Bidirectional Post List BW Test');
    expect(title('ib_atomic_lat', '-A CMP_AND_SWAP')).to.equal('Atomic CMP_AND_SWAP Latency Test');
  });

  it('shows all samples, the two largest too', () => {
    const seconds = Float64Array.of(3e-6, 1.5e-6, 1, 2e-6);
    const shown = (line: string) => perftestText(run('ib_send_lat', line)).samples(seconds).split('\n').slice(0, 5);
    expect(shown('-H')).to.deep.equal(['#, usec', '1, 1.5', '2, 2', '3, 3', '4, 1e+06']);
    expect(shown('-U')).to.deep.equal(['#, usec', '1, 3', '2, 1.5', '3, 1e+06', '4, 2']);
    expect(shown('-U -H')).to.deep.equal(shown('-U'));
    expect(perftestText(run('ib_send_lat')).samples(seconds)).to.equal('');
    expect([...seconds]).to.deep.equal([3e-6, 1.5e-6, 1, 2e-6]);
  });

  it('adds a line of statistics for --stats alone', () => {
    const known = { n: 19, min: 1e-6, median: 2e-6, p90: 3.5e-6, p99: 4e-6, max: 5e-6, sd: 6.25e-7 };
    const all = { ...known, medianInterval: { low: 1.5e-6, high: 2.5e-6, level: 0.95 } };
    const shown = (line: string, statistics: ShownStatistics = all) =>
      perftestText(run('ib_send_lat', line)).statistics(statistics);
    expect(shown('--stats')).to.equal(
      'Samples:  min 1.000, median 2.000, p90 3.500, p99 4.000, max 5.000, sd 0.625, 95% of the median 1.500 to 2.500, n 19 (usec)\n',
    );
    expect(shown('--stats -C')).to.include('median 2000.000').and.to.include('(cycles)');
    expect(shown('--stats', { ...known, sd: null, medianInterval: null })).to.include(
      'sd -, 95% of the median -, n 19',
    );
    expect([shown(''), shown('--stats --output=latency')]).to.deep.equal(['', '']);
  });

  it('calls cycles cycles, and counts them by the frequency of the clock', () => {
    const text = perftestText(run('ib_send_lat', '-C'), { cyclesPerSecond: 2e9 });
    expect(text.columns()).to.include('t_typical[cycles]').and.to.not.include('usec');
    expect(text.latency(latency(1e-6)).trim().split(/\s+/)[2]).to.equal('2000.00');
  });

  it('shows 0.00 for what is not known, never inf or nan', () => {
    const nothing = { min: null, max: null, typical: null, average: null, stdev: null, p99: null, p999: null };
    const unknown: BandwidthFigures = { size: 8, iterations: 5, peak: null, average: null, messageRate: null };
    for (const line of ['', '--report_gbits', '--output=bandwidth', '--output=message_rate', '-D 4 --cpu_util'])
      expect(perftestText(run('ib_send_bw', line)).bandwidth(unknown), line)
        .to.match(/0\.00/)
        .and.to.not.match(/inf|nan/i);
    for (const line of ['', '-C', '--output=latency', '-D 4'])
      expect(perftestText(run('ib_send_lat', line)).latency({ size: 8, iterations: 5, ...nothing }), line)
        .to.match(/0\.00/)
        .and.to.not.match(/inf|nan|null/i);
  });

  it('prints one number alone for --output', () => {
    const text = perftestText(run('ib_write_bw', '--output=bandwidth --report_gbits'));
    const pieces = [text.waiting(), text.header(HEADER), text.columns(), text.end(), text.counters([['a', 1n]])];
    expect(pieces.join('')).to.equal('');
    const figures = { size: 8, iterations: 5, peak: null, average: 1.25e8, messageRate: 2.5e6 };
    expect(text.bandwidth(figures)).to.equal('1.000000\n');
    expect(perftestText(run('ib_write_bw', '--output=message_rate')).bandwidth(figures)).to.equal('2.500000\n');
  });

  it('has as many cells as heads, whatever the figures', () => {
    const positive = fc.double({ min: 1e-9, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(positive, fc.integer({ min: 1, max: 2 ** 31 }), (value, size) => {
        const row = perftestText(run('ib_send_lat')).latency({ ...latency(value), size });
        expect(row.trim().split(/\s+/)).to.have.lengthOf(9);
        for (const line of ['', '--report_gbits']) {
          const figures = { size, iterations: 5, peak: value, average: value * 1e9, messageRate: value };
          expect(perftestText(run('ib_send_bw', line)).bandwidth(figures).trim().split(/\s+/)).to.have.lengthOf(5);
        }
      }),
    );
  });
});

function latency(seconds: number): LatencyFigures {
  const [min, max, typical, average, stdev, p99, p999] = [
    seconds,
    seconds,
    seconds,
    seconds,
    seconds,
    seconds,
    seconds,
  ];
  return { size: 2, iterations: 10, min, max, typical, average, stdev, p99, p999 };
}

describe('numbers as C prints them', () => {
  it('has six digits of %g, without zeros at the end', () => {
    const pairs: readonly (readonly [number, string])[] = [
      ...([
        [0, '0'],
        [1, '1'],
        [100, '100'],
        [17.5574, '17.5574'],
        [31670.94, '31670.9'],
      ] as const),
      ...([
        [1.76709e7, '1.76709e+07'],
        [999999, '999999'],
        [999999.5, '1e+06'],
        [0.0001, '0.0001'],
      ] as const),
      ...([
        [0.00001234, '1.234e-05'],
        [123456.7, '123457'],
        [1e100, '1e+100'],
      ] as const),
    ];
    for (const [value, text] of pairs) expect(general(value)).to.equal(text);
  });

  it('reads back to six digits', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), (value) => {
        expect(Number(general(value))).to.be.closeTo(value, value * 5.1e-6);
        expect(general(value)).to.match(/^\d+(\.\d*[1-9])?(e[+-]\d\d+)?$/);
      }),
    );
  });

  it('has 0x but for zero', () => {
    expect([hex(0, 4), hex(3, 4), hex(0x12345, 6), hex(0n, 16), hex(0x55n, 16)]).to.deep.equal([
      ...['0000', '0x03', '0x12345', '0'.repeat(16), `0x${'0'.repeat(12)}55`],
    ]);
  });

  it('pads on the right', () => {
    expect([fixed(1.005, 2, 7), fixed(12345678.9, 2, 7)]).to.deep.equal(['1.00   ', '12345678.90']);
  });
});

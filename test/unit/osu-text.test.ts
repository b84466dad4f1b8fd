/** Tables byte for byte: figures are taken from what OMB 7.4 printed, and the reporter must print the same text. */
import { expect } from 'chai';
import { osuRows } from '../../src/bench/suites/osu.js';
import type { Statistics } from '../../src/bench/measure/types.js';
import type { OsuOptions } from '../../src/cli/options.js';
import { parseOsu } from '../../src/cli/osu.js';
import { OsuTextReporter } from '../../src/report/osu-text.js';
import { osuTable } from '../../src/report/osu-tables.js';
import { MemorySink } from '../../src/report/sink.js';
import type { OsuTable } from '../../src/report/types.js';
import type { RowRecord, StatusRecord } from '../../src/results/types.js';
import { readCapture } from './project.js';
import { exampleHead, exampleStatistics } from './records.js';

const WINDOWS = [1, 2, 4, 8, 16, 32, 64, 128];
const DONE: StatusRecord = { state: 'done' };

function optionsOf(name: string, argv: readonly string[]): OsuOptions {
  const parsed = parseOsu(argv, suiteRow(name));
  if (parsed.kind !== 'run') throw new Error(`${name} ${argv.join(' ')} is not accepted`);
  return parsed.options;
}

function suiteRow(name: string) {
  const row = osuRows.find((one) => one.name === name);
  if (!row) throw new Error(`no ${name}`);
  return row;
}

interface Section {
  readonly datatype?: string;
  readonly rows: readonly RowRecord[];
}

function printed(table: OsuTable, sections: readonly Section[], status = DONE, name = 'osu_test'): string {
  const sink = new MemorySink();
  const reporter = new OsuTextReporter(table, sink);
  reporter.begin(exampleHead({ name }));
  for (const { rows, ...section } of sections) {
    reporter.section(section);
    for (const row of rows) reporter.row(row);
  }
  reporter.end(status);
  return sink.text;
}

/** The table of a program with these options. */
function tableOf(name: string, argv: readonly string[], pairs = 1): OsuTable {
  return osuTable(suiteRow(name), optionsOf(name, argv), { pairs, windows: WINDOWS });
}

/** Words of the data lines of a capture, by section. */
function captured(text: string): string[][][] {
  const sections: string[][][] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('# Size')) sections.push([]);
    else if (/^\d/.test(line)) sections.at(-1)?.push(line.split(/\s+/));
  }
  return sections;
}

type Fill = (words: readonly string[]) => Partial<RowRecord>;

/** A row of the size in the first word. */
function rowFrom(words: readonly string[], fill: Fill): RowRecord {
  const { parameters, ...rest } = fill(words);
  return { parameters: { size: Number(words[0]), ...parameters }, n: 200, figures: {}, statistics: null, ...rest };
}

const latency: Fill = (words) => ({ figures: { latency: { value: Number(words[1]) * 1e-6, unit: 's' } } });
const bandwidth: Fill = (words) => ({ figures: { bandwidth: { value: Number(words[1]) * 1e6, unit: 'B/s' } } });
const rates: Fill = (words) => ({
  figures: { ...bandwidth(words).figures, rate: { value: Number(words[2]), unit: '1/s' } },
});

/** The statistics that percentile columns are taken from; `unit` is that of the printed value. */
function tails(words: readonly string[], percents: readonly number[], unit: number): Statistics {
  const percentiles = percents.map((percent, index) => ({ percent, value: Number(words[index]) * unit }));
  return { ...exampleStatistics, percentiles };
}

const checked =
  (fill: Fill, unit: number): Fill =>
  (words) => ({
    ...fill(words),
    validation: { passed: words[2] === 'Pass' },
    statistics: { ...tails(words.slice(3), [50, 90, 99], unit), figure: 'any', unit: 'any' },
  });

function sameAsCapture(capture: string, table: OsuTable, fill: Fill, datatypes = ['MPI_CHAR']): void {
  const text = readCapture(capture);
  const rows = captured(text).map((lines) => lines.map((words) => rowFrom(words, fill)));
  expect(rows.flat()).not.to.be.empty;
  const sections = datatypes.map((datatype, index) => ({ datatype, rows: rows[index] ?? [] }));
  expect(printed(table, sections)).to.equal(text);
}

describe('text of the osu_* tables, as captured from OMB 7.4', () => {
  it('osu_latency', () => sameAsCapture('osu_latency', tableOf('osu_latency', []), latency));
  it('osu_bw', () => sameAsCapture('osu_bw', tableOf('osu_bw', []), bandwidth));
  it('osu_bibw', () => sameAsCapture('osu_bibw', tableOf('osu_bibw', []), bandwidth));
  it('osu_mbw_mr of two pairs', () => sameAsCapture('osu_mbw_mr', tableOf('osu_mbw_mr', [], 2), rates));
  it('osu_latency -c -z', () => {
    sameAsCapture('osu_latency.cz', tableOf('osu_latency', ['-c', '-z']), checked(latency, 1e-6));
  });
  it('osu_bw -c -z', () => sameAsCapture('osu_bw.cz', tableOf('osu_bw', ['-c', '-z']), checked(bandwidth, 1e6)));
  it('osu_latency -T all', () => {
    sameAsCapture('osu_latency.Tall', tableOf('osu_latency', ['-T', 'all']), latency, [
      'MPI_CHAR',
      'MPI_INT',
      'MPI_FLOAT',
    ]);
  });
  it('osu_latency -D vect:8:4', () => {
    sameAsCapture('osu_latency.D', tableOf('osu_latency', ['-D', 'vect:8:4']), (words) => ({
      ...latency(words),
      parameters: { size: Number(words[0]), transmitSize: Number(words[2]) },
    }));
  });

  it('osu_mbw_mr -V', () => {
    const text = readCapture('osu_mbw_mr.V');
    const lines = text.split('\n').filter((line) => /^\d/.test(line)).map((line) => line.split(/\s+/)); // prettier-ignore
    const half = lines.length / 2;
    const rows = lines.slice(0, half).flatMap((words, index) =>
      WINDOWS.map((window, column) => {
        const rate = lines[half + index]?.[column + 1];
        const row = rowFrom([words[0] ?? '', words[column + 1] ?? '', rate ?? ''], rates);
        return { ...row, parameters: { ...row.parameters, window } };
      }),
    );
    expect(rows).to.have.length(7 * 8);
    expect(printed(tableOf('osu_mbw_mr', ['-V']), [{ datatype: 'MPI_CHAR', rows }])).to.equal(text);
  });
});

describe('text of other osu_* tables from the same columns', () => {
  const us = (figure: string, header: string) => ({ figure, header, scale: 1e6 });
  const base = {
    leadingBlank: true,
    datatypeLine: true,
    sizeColumn: true,
    statistics: { tailName: 'Lat(us)', unit: 'us', scale: 1e6, precision: 3 },
  } as const;

  /** Figures in the order of the columns, from the words after the size. */
  const figures = (table: OsuTable, words: readonly string[]) =>
    Object.fromEntries(
      table.columns.map(
        ({ figure, scale }, index) => [figure, { value: Number(words[index]) / scale, unit: '' }] as const,
      ),
    );

  it('collectives with -f -c -z', () => {
    const table: OsuTable = {
      ...base,
      title: 'OSU MPI Allreduce Latency Test',
      columns: [us('avg', 'Avg Latency(us)'), us('min', 'Min Latency(us)'), us('max', 'Max Latency(us)')],
      iterations: true,
      validation: true,
      percentiles: [50, 90, 99],
    };
    const fill: Fill = (words) => ({
      figures: figures(table, words.slice(1)),
      n: Number(words[4]),
      validation: { passed: words[5] === 'Pass' },
      statistics: { ...tails(words.slice(6), [50, 90, 99], 1e-6), figure: 'avg', unit: 's' },
    });
    sameAsCapture('osu_allreduce.fcz', table, fill, ['MPI_INT']);
  });

  it('a barrier, which has no size', () => {
    const table: OsuTable = {
      ...base,
      title: 'OSU MPI Barrier Latency Test',
      datatypeLine: false,
      sizeColumn: false,
      columns: [us('avg', 'Avg Latency(us)'), us('min', 'Min Latency(us)'), us('max', 'Max Latency(us)')],
      iterations: true,
      percentiles: [50, 90, 99],
    };
    const text = readCapture('osu_barrier.fz');
    const words = text.trim().split('\n').at(-1)?.trim().split(/\s+/) ?? [];
    const row: RowRecord = {
      parameters: { size: null },
      n: Number(words[3]),
      figures: figures(table, words),
      statistics: { ...tails(words.slice(4), [50, 90, 99], 1e-6), figure: 'avg', unit: 's' },
    };
    expect(printed(table, [{ rows: [row] }])).to.equal(text);
  });

  it('non-blocking collectives, with and without size', () => {
    const names = ['Overall', 'Compute', 'Coll. Init', 'MPI_Test', 'MPI_Wait', 'Pure Comm.', 'Min Comm.', 'Max Comm.'];
    const columns = [
      ...names.map((name) => us(name, `${name}(us)`)),
      { figure: 'overlap', header: 'Overlap(%)', scale: 1 },
    ];
    const notes = ['# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait', ''];
    const sized: OsuTable = { ...base, title: 'OSU MPI Non-blocking Allreduce Latency Test', columns, notes };
    sameAsCapture('osu_iallreduce.f', sized, (words) => ({ figures: figures(sized, words.slice(1)) }), ['MPI_INT']);

    const title = 'OSU MPI Non-blocking Barrier Latency Test';
    const plain: OsuTable = { ...sized, title, datatypeLine: false, sizeColumn: false };
    const text = readCapture('osu_ibarrier.f');
    const words = text.trim().split('\n').at(-1)?.trim().split(/\s+/) ?? [];
    const row: RowRecord = { parameters: { size: null }, n: 1, figures: figures(plain, words), statistics: null };
    expect(printed(plain, [{ rows: [row] }])).to.equal(text);
  });

  it('one-sided tests, whose header tells window and synchronisation', () => {
    const table: OsuTable = {
      ...base,
      title: 'OSU MPI_Put Latency Test',
      leadingBlank: false,
      notes: ['# Window creation: MPI_Win_allocate', '# Synchronization: MPI_Win_flush'],
      columns: [us('latency', 'Latency (us)')],
    };
    sameAsCapture('osu_put_latency', table, latency);
  });

  it('tests with lines before the title', () => {
    const preamble = ['# Number of Sender threads: 1 ', '# Number of Receiver threads: 2'];
    const columns = [us('latency', 'Avg Latency(us)')];
    const threads: OsuTable = { ...base, title: 'OSU MPI Multi-threaded Latency Test', preamble, columns };
    sameAsCapture('osu_latency_mt', threads, latency);
    const neighbours = ['Dimensions size = 4 ', 'Time took to create topology graph:122.11 us.'];
    const graph: OsuTable = { ...threads, title: 'OSU MPI Neighborhood Alltoall Latency Test', preamble: neighbours };
    sameAsCapture('osu_neighbor_alltoall', graph, latency);
  });
});

describe('text of the osu_* tables beyond what the peer prints', () => {
  const lines = (name: string, argv: readonly string[], row: RowRecord): string[] =>
    printed(tableOf(name, argv), [{ datatype: 'MPI_CHAR', rows: [row] }]).split('\n');
  const row = rowFrom(['8', '0.5', '1'], latency);
  const statistics = { ...exampleStatistics, figure: 'latency', unit: 's' };

  it('-R 0 leaves the message rate out', () => {
    const [, , , header, data] = lines('osu_mbw_mr', ['-R', '0'], rowFrom(['8', '97.16', '12145190'], rates));
    expect(header).to.equal('# Size                  MB/s');
    expect(data).to.equal('8                      97.16');
  });

  it('--stats adds columns on the right, and widths fit', () => {
    const [, , , header = '', data = ''] = lines('osu_latency', ['--stats'], { ...row, statistics });
    const names = [
      'Min(us)',
      'Median(us)',
      'P90(us)',
      'P99(us)',
      'Max(us)',
      'SD(us)',
      'CI Low(us)',
      'CI High(us)',
      'N',
    ];
    expect(header).to.equal(`# Size       Avg Latency(us)${names.map((name) => name.padStart(18)).join('')}`);
    const values = ['0.100', '0.500', '0.900', '0.990', '2.000', '0.250', '0.480', '0.520', '1000'];
    expect(data).to.equal(`8                       0.50${values.map((value) => value.padStart(18)).join('')}`);
    const unknown = lines('osu_latency', ['--stats'], row)[4] ?? '';
    expect(unknown).to.equal(`8                       0.50${'-'.padStart(18).repeat(9)}`);
  });

  it('--stats=NAMES has these columns alone, in their order', () => {
    const whole = {
      ...{ p1: 0.11e-6, p5: 0.15e-6, p10: 0.2e-6, p25: 0.3e-6, p75: 0.7e-6, p95: 0.95e-6, p999: 1.5e-6, mad: 0.2e-6 },
      ...{ autocorrelation: -0.125, uncertainty: 0.041, drift: { change: -0.0312, p: 0.2 }, verdict: 'noisy' as const },
    };
    const names = 'verdict,n,p99.9,p1,p5,p10,p25,p75,p95,mean,mad,uncertainty,outliers,autocorrelation,drift,ci';
    const argv = [`--stats=${names}`];
    const [, , , header = '', data = ''] = lines('osu_latency', argv, {
      ...row,
      statistics: { ...statistics, ...whole },
    });
    const wanted: [string, string][] = [
      ['Verdict', 'noisy'],
      ['N', '1000'],
      ['P99.9(us)', '1.500'],
      ['P1(us)', '0.110'],
      ['P5(us)', '0.150'],
      ['P10(us)', '0.200'],
      ['P25(us)', '0.300'],
      ['P75(us)', '0.700'],
      ['P95(us)', '0.950'],
      ['Mean(us)', '0.510'],
      ['MAD(us)', '0.200'],
      ['Uncertainty(%)', '4.10'],
      ['Outliers', '3'],
      ['Autocorrelation', '-0.13'],
      ['Drift(%)', '-3.12'],
      ['CI Low(us)', '0.480'],
      ['CI High(us)', '0.520'],
    ];
    expect(header.slice(28)).to.equal(wanted.map(([name]) => name.padStart(18)).join(''));
    expect(data.slice(28)).to.equal(wanted.map(([, value]) => value.padStart(18)).join(''));
    const unknown = lines('osu_latency', argv, { ...row, statistics })[4] ?? '';
    expect(unknown.trim().split(/ +/).slice(2, 7)).to.deep.equal(['-', '1000', '-', '-', '-']);
  });

  it('--target-ci shows the true number of iterations, unless --stats does', () => {
    expect(lines('osu_latency', ['--target-ci', '2%'], row)[3]).to.match(/ Iterations$/);
    expect(lines('osu_latency', ['--target-ci', '2%', '--stats'], row)[3]).to.not.contain('Iterations');
    expect(lines('osu_latency', ['--target-ci', '2%', '--stats=verdict'], row)[3]).to.contain('Iterations');
  });

  it('--time-limit shows the true number of iterations, 12 wide', () => {
    const [, , , header, data] = lines('osu_latency', ['--time-limit', '1'], { ...row, n: 77 });
    expect(header).to.equal('# Size       Avg Latency(us)  Iterations');
    expect(data).to.equal('8                       0.50          77');
  });

  it('long percentiles keep a blank before their header and stay in line', () => {
    const wide = { ...statistics, percentiles: [99.9, 99.999, 100].map((percent) => ({ percent, value: 1e-6 })) };
    const [, , , header = '', data = ''] = lines('osu_latency', ['-z99.9,99.999,100'], { ...row, statistics: wide });
    expect(header).to.equal('# Size       Avg Latency(us) P99.9 Tail Lat(us) P99.999 Tail Lat(us) P100 Tail Lat(us)');
    expect(data).to.have.length(header.length);
    expect(data.trim().split(/\s+/)).to.deep.equal(['8', '0.50', '1.00', '1.00', '1.00']);
  });

  it('sizes beyond 2 GiB and unknown figures', () => {
    const big = {
      parameters: { size: 2 ** 32 },
      n: 1,
      figures: { latency: { value: null, unit: 's' } },
      statistics: null,
    };
    expect(lines('osu_latency', [], big)[4]).to.equal(`4294967296${'-'.padStart(18)}`);
  });

  it('a failed validation ends with the peer’s line', () => {
    const rows = [
      { ...row, validation: { passed: true } },
      { ...row, parameters: { size: 16 }, validation: { passed: false } },
    ];
    const status: StatusRecord = { state: 'failed', message: 'wrong data' };
    const text = printed(tableOf('osu_latency', ['-c']), [{ datatype: 'MPI_CHAR', rows }], status, 'osu_latency');
    expect(text.split('\n').slice(4)).to.deep.equal([
      '8                       0.50              Pass',
      '16                      0.50              Fail',
      'DATA VALIDATION ERROR: osu_latency exited with status 1 on message size 16.',
      '',
    ]);
  });

  it('another failure adds nothing to the table', () => {
    const status: StatusRecord = { state: 'failed', message: 'the peer is gone' };
    const sections = [{ datatype: 'MPI_CHAR', rows: [row] }];
    expect(printed(tableOf('osu_latency', []), sections, status)).to.equal(
      printed(tableOf('osu_latency', []), sections),
    );
  });

  describe('-V', () => {
    const cell = (size: number, window: number): RowRecord => ({
      parameters: { size, window },
      n: 1,
      figures: { bandwidth: { value: size * window * 1e6, unit: 'B/s' }, rate: { value: window, unit: '1/s' } },
      statistics: null,
    });

    it('-R 0 prints no rate matrix', () => {
      const rows = WINDOWS.map((window) => cell(1, window));
      const text = printed(tableOf('osu_mbw_mr', ['-V', '-R', '0']), [{ datatype: 'MPI_CHAR', rows }]);
      expect(text).to.contain('Uni-directional').and.not.to.contain('Message Rate Profile');
    });

    it('shows cells as they are measured, and what there is when the run ends early', () => {
      const sink = new MemorySink();
      const reporter = new OsuTextReporter(tableOf('osu_mbw_mr', ['-V']), sink);
      reporter.begin(exampleHead());
      reporter.section({ datatype: 'MPI_CHAR' });
      for (const window of WINDOWS) reporter.row(cell(1, window));
      reporter.row(cell(2, 1));
      expect(sink.text).to.match(/\n1( +\d+\.00){8}\n2 +2\.00$/);
      reporter.end({ state: 'failed', message: 'stopped' });
      expect(sink.text).to.match(/\n2 +2\.00\n\n# Message Rate Profile\n#.*\n1( +\d+\.00){8}\n2 +1\.00\n$/);
    });

    it('prints both matrices for each datatype, and equal sizes in a row as rows', () => {
      const rows = [...WINDOWS, ...WINDOWS].map((window) => cell(4, window));
      const sections = ['MPI_CHAR', 'MPI_INT'].map((datatype) => ({ datatype, rows }));
      const text = printed(tableOf('osu_mbw_mr', ['-V', '-T', 'mpi_char,mpi_int']), sections);
      const order = text.split('\n').filter((line) => /^# [UDM]/.test(line)); // prettier-ignore
      const matrices = (datatype: string) => [
        '# Uni-directional Bandwidth (MB/sec)',
        `# Datatype: ${datatype}.`,
        '# Message Rate Profile',
      ];
      expect(order).to.deep.equal([...matrices('MPI_CHAR'), ...matrices('MPI_INT')]);
      expect(text.split('\n').filter((line) => line.startsWith('4 '))).to.have.length(8);
    });
  });
});

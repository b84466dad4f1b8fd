/** What our own osu_* print is read back as the values that they printed, and other versions' texts as what they say. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Statistics } from '../../src/bench/measure/types.js';
import { osuRows, type OsuRow } from '../../src/bench/suites/osu.js';
import type { OsuOptions } from '../../src/cli/options.js';
import { STATS_COLUMNS } from '../../src/cli/stats-columns.js';
import { osuTable } from '../../src/report/osu-tables.js';
import { OsuTextReporter } from '../../src/report/osu-text.js';
import { MemorySink } from '../../src/report/sink.js';
import type { OsuTable } from '../../src/report/types.js';
import type { Figure, ResultRecord, RowRecord } from '../../src/results/types.js';
import { parsed } from './parsed.js';
import { readCapture } from './project.js';
import { commands } from './captures.js';
import { exampleHead, exampleStatistics } from './records.js';
import { seeded } from './random.js';
import { imported, onlyRecord } from './imported.js';

const SIZES = [1, 16, 4096];
const WINDOWS = [1, 2, 4, 8, 16, 32, 64, 128];

/** A number such as those that tables hold, in base units. */
function valueOf(column: OsuTable['columns'][number], random: () => number): number {
  const shown = Math.round(random() * 1e6) / 100 + 1;
  return shown / column.scale;
}

const unitOf = (header: string): string =>
  header.includes('(us)') ? 's' : header.includes('%') ? '%' : header.startsWith('Messages') ? '1/s' : 'B/s';

/** A row with all figures that the table shows. */
function rowWith(table: OsuTable, row: OsuRow, parameters: RowRecord['parameters'], random: () => number): RowRecord {
  const figures = Object.fromEntries(
    table.columns.map((column): [string, Figure] => [
      column.figure,
      { value: valueOf(column, random), unit: unitOf(column.header) },
    ]),
  );
  return {
    ...{ parameters, n: 1000, figures, validation: { passed: random() > 0.5 } },
    statistics: { ...statisticsIn(1 / row.statistics.scale, row, table), figure: row.figure, unit: 's' },
  };
}

function statisticsIn(unit: number, row: OsuRow, { percentiles = [] }: OsuTable): Statistics {
  const shown = (value: number): number => value * unit;
  const tails = percentiles.map((percent) => ({
    percent,
    value: shown(row.tail === 'high' ? percent : 200 - percent),
  }));
  return {
    ...exampleStatistics,
    ...{ min: shown(1), p1: shown(2), p5: shown(3), p10: shown(4), p25: shown(5), median: shown(6), p75: shown(7) },
    ...{ p90: shown(8), p95: shown(9), p99: shown(10), p999: shown(11), max: shown(12), mean: shown(6.5) },
    ...{ sd: shown(0.25), mad: shown(0.125), medianInterval: { low: shown(5.5), high: shown(6.5), level: 0.95 } },
    ...{ uncertainty: 0.02, outliers: 3, autocorrelation: 0.25, verdict: 'noisy', tail: row.tail },
    percentiles: tails,
  };
}

interface Printed {
  readonly text: string;
  readonly rows: readonly RowRecord[];
  readonly table: OsuTable;
}

/** What a program prints with these options for rows of made-up figures. */
function print(row: OsuRow, options: OsuOptions, random: () => number): Printed {
  const windows = options.varyWindow ? WINDOWS : [options.window];
  const table = osuTable(row, options, { pairs: 3, windows });
  const sink = new MemorySink();
  const reporter = new OsuTextReporter(table, sink);
  reporter.begin(exampleHead({ name: row.name }));
  const rows: RowRecord[] = [];
  for (const datatype of table.datatypeLine ? ['MPI_CHAR', 'MPI_INT'] : [undefined]) {
    reporter.section(datatype === undefined ? {} : { datatype });
    for (const size of row.sizes === 'none' ? [null] : SIZES)
      for (const window of windows) {
        const varying = options.varyWindow ? { window } : {};
        const moved = table.transmitSize ? { transmitSize: Math.ceil(Number(size) / 2) } : {};
        const named = datatype === undefined ? {} : { datatype };
        const one = rowWith(table, row, { size, ...named, ...varying, ...moved }, random);
        rows.push(one);
        reporter.row(one);
      }
  }
  reporter.end({ state: 'done' });
  return { text: sink.text, rows, table };
}

/** Options that change what is shown, as far as the program takes them. */
function shownBy({ accepts }: OsuRow): readonly (readonly string[])[] {
  const has = (name: OsuRow['accepts'][number], ...argv: string[]): string[] => (accepts.includes(name) ? argv : []);
  const all = [...has('full', '-f'), ...has('validation', '-c'), ...has('tail-lat', '-z50,90,99')];
  return [
    [],
    [...all, ...has('per-repetition', '--per-repetition')],
    has('stats', `--stats=${STATS_COLUMNS.join(',')}`),
    has('ddt', '-D', 'vect:8:4'),
    has('print-rate', '-R', '0'),
    has('vary-window', '-V'),
  ].filter((argv, index) => index === 0 || argv.length > 0);
}

const HUNDREDTH = 0.005000001;

/** As much as printing may have taken away. */
function expectShown(value: number | null | undefined, was: number | null | undefined, scale: number): void {
  if (typeof was !== 'number') expect(value ?? null).to.equal(null);
  else expect((value ?? NaN) * scale).to.be.closeTo(was * scale, HUNDREDTH);
}

function expectRow(row: RowRecord | undefined, was: RowRecord, { table }: Printed, spec: OsuRow): void {
  const { size, datatype, window, transmitSize } = was.parameters;
  expect(row?.parameters).to.include({ size });
  expect(row?.parameters.datatype).to.equal(datatype);
  expect(row?.parameters.transmitSize).to.equal(transmitSize);
  if (table.matrix) expect(row?.parameters.window).to.equal(window);
  expect(Object.keys(row?.figures ?? {})).to.have.members(Object.keys(was.figures));
  for (const { figure, scale } of table.columns) {
    expectShown(row?.figures[figure]?.value, was.figures[figure]?.value, scale);
    expect(row?.figures[figure]?.unit).to.equal(was.figures[figure]?.unit);
  }
  if (table.matrix) return;
  if (table.iterations) expect(row?.n).to.equal(was.n);
  if (table.validation) expect(row?.validation).to.deep.equal({ passed: was.validation?.passed });
  const { scale } = spec.statistics;
  for (const { percent, value } of table.percentiles?.length ? (was.statistics?.percentiles ?? []) : [])
    expectShown(row?.statistics?.percentiles.find((one) => one.percent === percent)?.value, value, scale);
  if (table.percentiles?.length) expect(row?.statistics?.tail).to.equal(spec.tail);
  if (table.stats) expectStatistics(row?.statistics, was.statistics, scale);
}

function expectStatistics(now: RowRecord['statistics'] | undefined, was: RowRecord['statistics'], scale: number): void {
  const measures = [
    'min',
    'p1',
    'p5',
    'p10',
    'p25',
    'median',
    'p75',
    'p90',
    'p95',
    'p99',
    'p999',
    'max',
    'mean',
  ] as const;
  for (const name of [...measures, 'sd', 'mad'] as const) expectShown(now?.[name], was?.[name], scale);
  expectShown(now?.medianInterval?.low, was?.medianInterval?.low, scale);
  expectShown(now?.medianInterval?.high, was?.medianInterval?.high, scale);
  for (const name of ['n', 'outliers', 'verdict'] as const) expect(now?.[name]).to.equal(was?.[name]);
  expect(now?.uncertainty).to.be.closeTo(was?.uncertainty ?? NaN, 1e-4);
  expect(now?.autocorrelation).to.be.closeTo(was?.autocorrelation ?? NaN, 0.01);
}

describe('import of osu_*', () => {
  for (const row of osuRows.filter((one) => 'kernel' in one))
    it(`reads back what ${row.name} prints`, () => {
      for (const [seed, argv] of shownBy(row).entries()) {
        const { options } = parsed('run', row, argv);
        const printed = print(row, options, seeded(seed));
        const record = onlyRecord(printed.text);
        expect(record.run, argv.join(' ')).to.include({ name: row.name, layer: 'mpi' });
        expect(record.rows).to.have.length(printed.rows.length);
        for (const [index, was] of printed.rows.entries()) expectRow(record.rows[index], was, printed, row);
      }
    });

  it('takes every cell that OMB printed, by the name of its program', () => {
    for (const { capture, name, argv } of commands) {
      const text = readCapture(capture);
      const record = onlyRecord(text);
      expect(record.run.name, capture).to.equal(name);
      expect(record.run.imported).to.include({ tool: 'osu', version: '7.4' });
      const lines = text.split('\n').filter((line) => /^ *\d[\d. ]*|^nprocs/.test(line));
      const matrices = argv.includes('-V') ? WINDOWS.length / 2 : 1;
      expect(record.rows, capture).to.have.length(lines.length * matrices);
    }
  });

  it('keeps what heads say of how it was measured', () => {
    const text = (name: string): ResultRecord => onlyRecord(readCapture(name));
    expect(text('osu_put_bibw').run.options).to.include({ windowCreation: 'allocate', synchronization: 'pscw' });
    expect(text('osu_get_acc_latency').run.options).to.include({ windowCreation: 'create', synchronization: 'lock' });
    expect(text('osu_latency_mt').run.options.workers).to.deep.equal({ send: 1, receive: 2 });
    expect(text('osu_mbw_mr').rows[0]?.parameters).to.include({ pairs: 2, window: 64 });
    expect(text('osu_hello').run.options).to.include({ ranks: 2 });
    expect(text('osu_init').rows[0]?.figures['max-init']).to.deep.equal({ value: 0.032, unit: 's' });
    // The peer's 99th percentile of a bandwidth is nearly its best, and ours nearly its worst.
    expect(text('osu_bw.cz').rows[0]?.statistics?.tail).to.equal('high');
  });

  it('reads titles and heads of older versions', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['# OSU MPI-CUDA Latency Test v5.6.3', '# Size          Latency (us)', 'osu_latency'],
      ['# OSU MPI Bandwidth Test v3.8', '# Size        Bandwidth (MB/s)', 'osu_bw'],
      ['# OSU MPI Bi-Directional Bandwidth Test v4.4.1', '# Size     Bandwidth (MB/s)', 'osu_bibw'],
      ['# OSU One Sided MPI_Put latency Test v3.9', '# Size          Latency (us)', 'osu_put_latency'],
      ['# OSU MPI_Get Bandwidth Test v6.2', '# Size      Bandwidth (MB/s)', 'osu_get_bw'],
      ['# OSU MPI All-to-All Personalized Exchange Latency Test v5.9', '# Size       Avg Latency(us)', 'osu_alltoall'],
      ['# OSU MPI Non-blocking Broadcast Latency Test v5.4', '# Size       Overall(us)', 'osu_ibcast'],
    ];
    for (const [title, head, name] of cases) {
      const record = onlyRecord(`\n${title}\n${head}\n0   1.50\n8   2.25\n`);
      expect(record.run.name).to.equal(name);
      expect(record.run.imported?.version).to.equal(title.split(' v')[1]);
      const [figure] = Object.values(record.rows[1]?.figures ?? {});
      expect(figure).to.deep.equal(
        head.includes('MB/s') ? { value: 2.25e6, unit: 'B/s' } : { value: 2.25e-6, unit: 's' },
      );
    }
    expect(onlyRecord(`${cases[0]?.join('\n')}\n`.replace('osu_latency', '1 2')).run.options.accelerator).to.equal(
      'CUDA',
    );
  });

  it('takes the heads of tails without tails, as the peer prints them', () => {
    const heads = '# OSU MPI Multi Latency Test v7.4\n# Size  Avg Latency(us)  P50 Tail Lat(us)  P99 Tail Lat(us)\n';
    const { rows } = onlyRecord(`${heads}1                       0.36\n`);
    expect(rows[0]?.figures).to.deep.equal({ latency: { value: 0.36e-6, unit: 's' } });
    expect(rows[0]?.statistics).to.equal(null);
  });

  it('tells runs apart that follow each other without a title', () => {
    const rows = '# Size  Latency (us)\n1 0.50\n2 0.60\n';
    const { records, problems } = imported(`$ mpirun -np 2 osu_latency\n${rows}1 0.70\n2 0.80\n`);
    expect(problems).to.deep.equal([]);
    expect(records.map(({ run, rows: own }) => [run.name, own.length])).to.deep.equal([
      ['osu_latency', 2],
      ['osu_latency', 2],
    ]);
  });

  it('fails a run whose data were wrong or that was killed', () => {
    const rows = '# OSU MPI Latency Test v7.4\n# Size Avg Latency(us) Validation\n1 0.5 Fail\n';
    const wrong = 'DATA VALIDATION ERROR: osu_latency exited with status 1 on message size 1.';
    expect(onlyRecord(rows + wrong).status).to.deep.equal({ state: 'failed', message: wrong });
    const killed = 'mpirun noticed that process rank 1 with PID 9 on node b exited on signal 11 (Segmentation fault).';
    expect(onlyRecord(rows + killed).status).to.deep.equal({ state: 'failed', message: killed });
  });

  it('keeps what it does not know, and says so', () => {
    const text = '# OSU NCCL-CUDA Allreduce Latency Test v7.4\n# Size Avg Latency(us)  Speed(Gb/s)\n8 1.50 4\n';
    const { records, problems } = imported(text);
    expect(problems.map(({ line }) => line)).to.deep.equal([1, 2]);
    expect(problems[1]?.text).to.contain('"Speed(Gb/s)"');
    expect(records[0]?.run.name).to.equal('OSU NCCL-CUDA Allreduce Latency Test');
    expect(records[0]?.rows[0]?.figures['Speed(Gb/s)']).to.deep.equal({ value: 5e8, unit: 'B/s' });
  });

  it('finds figures in any spacing', () => {
    const blank = fc.stringMatching(/^[ \t]{1,9}$/);
    const table = readCapture('osu_allreduce.fcz');
    const { rows } = onlyRecord(table);
    fc.assert(
      fc.property(blank, fc.constantFrom('\n', '\r\n', '\r', '\n\n'), (gap, end) => {
        const spaced = table.replace(/ {2,}/g, gap).replace(/\n/g, end);
        expect(onlyRecord(spaced).rows).to.deep.equal(rows);
      }),
      { numRuns: 50 },
    );
  });
});

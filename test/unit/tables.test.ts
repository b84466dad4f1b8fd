import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemorySink, recordTarget } from '../../src/report/index.js';
import { columnsOf } from '../../src/report/table/columns.js';
import { csvText } from '../../src/report/table/csv.js';
import { tableReporter } from '../../src/report/table/load.js';
import { markdownText } from '../../src/report/table/markdown.js';
import type { RunSoFar } from '../../src/report/kept-run.js';
import type { RowRecord } from '../../src/results/types.js';
import { exampleHead, exampleRow } from './records.js';

const runOf = (rows: readonly RowRecord[], more: Partial<RunSoFar> = {}): RunSoFar => ({
  ...{ head: exampleHead(), rows, warnings: [], status: { state: 'done' } },
  ...more,
});

/** CSV as readers take it apart: fields in quotes may hold commas, quotes and line ends. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  const field = /("(?:[^"]|"")*"|[^",\n]*)(,|\n)/gy;
  for (let match = field.exec(text); match; match = field.exec(text)) {
    const [, raw = '', end] = match;
    lines.at(-1)?.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end === '\n') lines.push([]);
  }
  expect(lines.pop()).to.deep.equal([]);
  return lines;
}

/** Rows of a CSV by its names. */
function records(text: string): Record<string, string>[] {
  const [names = [], ...rows] = parseCsv(text);
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
}

const bare: RowRecord = {
  parameters: { size: null },
  n: 7,
  figures: { latency: { value: null, unit: 's' } },
  statistics: null,
};

describe('CSV of a run', () => {
  it('has a line of names with units and one for each row, unrounded', () => {
    const [first] = records(csvText(runOf([exampleRow(8)])));
    expect(first).to.deep.include({
      program: 'osu_latency',
      layer: 'mpi',
      started: '2026-01-02T03:04:05.678Z',
      'size (B)': '8',
      datatype: 'MPI_CHAR',
      window: '64',
      pairs: '1',
      'latency (s)': '1.234567890123456e-7',
      n: '1000',
      warmup: '10',
      'statistics of': 'latency',
      'median (s)': '5e-7',
      'CI low (s)': '4.8e-7',
      'CI high (s)': '5.2e-7',
      'p99 (s)': '9.9e-7',
      samples: '1000',
      outliers: '3',
      tail: 'high',
      source: 'samples',
      verdict: '',
      validation: 'passed',
    });
  });

  it('has every column that a row has, and leaves empty what another lacks', () => {
    const other: RowRecord = {
      ...bare,
      parameters: { size: 16, layout: { kind: 'a,b "c"' }, events: true },
      figures: { rate: { value: 2.5, unit: '1/s' }, latency: { value: 3, unit: 'us' } },
      stopped: 'target-ci',
      perSample: 4,
    };
    const [first = {}, second = {}] = records(csvText(runOf([exampleRow(8), other])));
    expect(first).to.include({ layout: '', events: '', 'rate (1/s)': '', 'latency (us)': '', 'stopped by': '' });
    expect(second).to.include({
      ...{ layout: '{"kind":"a,b \\"c\\""}', events: 'true', 'rate (1/s)': '2.5' },
      ...{ 'latency (us)': '3', 'latency (s)': '', datatype: '', warmup: '', 'median (s)': '', verdict: '' },
      ...{ 'stopped by': 'target-ci', 'iterations per sample': '4', validation: '' },
    });
  });

  it('has percentiles that were asked for, each once', () => {
    const row = exampleRow(1);
    const percentiles = [50, 99, 99.99].map((percent) => ({ percent, value: percent / 1e9 }));
    const asked = { ...row, statistics: row.statistics && { ...row.statistics, percentiles } };
    const [names = []] = parseCsv(csvText(runOf([asked])));
    expect(names.filter((name) => /^p(50|99|99\.99) /.test(name))).to.deep.equal(['p99 (s)', 'p50 (s)', 'p99.99 (s)']);
  });

  it('has the names alone of a run without rows', () => {
    expect(csvText(runOf([]))).to.equal('program,layer,started,size (B),n\n');
  });

  it('has as many cells in every row, and gives back every value bit for bit', () => {
    const value = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));
    const word = fc.string({ unit: 'binary', maxLength: 8 });
    const row = fc.record({ size: fc.nat(), value, word, n: fc.nat() });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (all) => {
        const rows = all.map(({ size, value: figure, word: text, n }): RowRecord => ({
          ...{ parameters: { size, text }, n, figures: { f: { value: figure, unit: 's' } }, statistics: null },
        }));
        const text = csvText(runOf(rows));
        // A bare carriage return stands in quotes too.
        const back = parseCsv(text);
        expect(new Set(back.map(({ length }) => length)).size).to.equal(1);
        for (const [index, one] of records(text).entries()) {
          const { size, value: figure, word: wanted, n } = all[index] ?? {};
          expect([one['size (B)'], one['n'], one['text']]).to.deep.equal([String(size), String(n), wanted]);
          if (figure === null || figure === undefined) expect(one['f (s)']).to.equal('');
          else expect(Number(one['f (s)'])).to.equal(figure);
        }
      }),
    );
  });
});

describe('Markdown of a run', () => {
  const withVerdict = (size: number): RowRecord => {
    const row = exampleRow(size);
    return { ...row, statistics: row.statistics && { ...row.statistics, verdict: 'steady' } };
  };

  it('says what was run where, and has figures in the units that the program shows', () => {
    const rate: RowRecord = {
      ...bare,
      parameters: { size: 16, datatype: 'MPI_CHAR', window: 64, pairs: 1 },
      figures: { bandwidth: { value: 123456789, unit: 'B/s' }, rate: { value: 1234567.8, unit: '1/s' } },
    };
    const run = runOf([withVerdict(8), rate], {
      head: exampleHead({ label: 'near', ended: '2026-01-02T03:05:00.000Z' }),
      warnings: ['rank 1 is not bound', 'it | rains'],
    });
    expect(markdownText(run)).to.equal(
      [
        '# osu_latency',
        '',
        '- label: near',
        '- done, 2026-01-02T03:04:05.678Z to 2026-01-02T03:05:00.000Z',
        '- command: `node dist/osu_latency.js -i 5`',
        '- layer: mpi, Open MPI v4.1.4, PML ucx, sysv, UCX 1.13.1',
        '- host: node1, A processor, 6.1.0',
        '- ranks: 0 on node1 core 0; 1 on node1 core 1',
        '',
        '| size (bytes) | latency (us) | bandwidth (MB/s) | rate (1/s) | n | median (us) | CI low (us) | CI high (us) | p99 (us) | verdict | validation |',
        '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |',
        '| 8 | 0.123 |  |  | 1000 | 0.500 | 0.480 | 0.520 | 0.990 | steady | passed |',
        '| 16 |  | 123.46 | 1234568 | 7 |  |  |  |  |  |  |',
        '',
        '> warning: rank 1 is not bound',
        '>',
        '> warning: it \\| rains',
        '',
      ].join('\n'),
    );
  });

  it('counts megabytes of ib_* and ucx_perftest as their tables do', () => {
    const row: RowRecord = { ...bare, figures: { bandwidth: { value: 2 ** 21, unit: 'B/s' } } };
    const text = markdownText(runOf([row], { head: exampleHead({ name: 'ib_write_bw' }) }));
    expect(text).to.contain('| bandwidth (MiB/s) |').and.to.contain('| 2.00 |');
  });

  it('tells what tells rows apart, and why a run failed', () => {
    const rows = [64, 128].map((window) => ({ ...exampleRow(8), parameters: { size: 8, window, verb: 'write' } }));
    const text = markdownText(runOf(rows, { status: { state: 'failed', message: 'data of size 8 arrived *wrong*' } }));
    expect(text).to.contain('| size (bytes) | window | latency');
    expect(text).to.not.contain('verb');
    expect(text).to.match(/\n\n\*\*data of size 8 arrived \\\*wrong\\\*\*\*\n$/);
  });

  it('keeps a command with backticks whole, and every row in its line', () => {
    const commandLine = ['node', 'x', '`a``b'];
    const parameters = { size: 1, word: 'a|b\nc' };
    const rows = [
      { ...bare, parameters },
      { ...bare, parameters: { size: 1, word: 'other' } },
    ];
    const text = markdownText(runOf(rows, { head: exampleHead({ commandLine }) }));
    expect(text).to.contain('- command: ``` node x `a``b ```');
    expect(text).to.contain('| 1 | a\\|b c |');
  });

  it('shows those columns alone that people look for first', () => {
    const names = columnsOf([exampleRow(1)]).filter(({ main }) => main).map(({ name }) => name); // prettier-ignore
    expect(names).to.deep.equal([
      'size',
      'latency',
      'n',
      'median',
      'CI low',
      'CI high',
      'p99',
      'verdict',
      'validation',
    ]);
  });
});

describe('tables while a run lasts', () => {
  function inFolder(work: (folder: string) => void): void {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-tables-'));
    try {
      work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('are whole after every row, in place of what was there', () => {
    inFolder((folder) => {
      const file = join(folder, 'run.csv');
      const reporter = tableReporter('csv', recordTarget(file, new MemorySink()));
      const sizes = (): string[] => records(readFileSync(file, 'utf8')).map((row) => row['size (B)'] ?? '');
      reporter.begin(exampleHead());
      expect(sizes()).to.deep.equal([]);
      reporter.section({});
      reporter.row(exampleRow(1));
      expect(sizes()).to.deep.equal(['1']);
      reporter.row(exampleRow(2));
      reporter.end({ state: 'done' });
      reporter.end({ state: 'failed', message: 'late' });
      expect(sizes()).to.deep.equal(['1', '2']);
      expect(readdirSync(folder)).to.deep.equal(['run.csv']);
    });
  });

  it('say how far the run is, and go to stdout once', () => {
    inFolder((folder) => {
      const file = join(folder, 'run.md');
      const reporter = tableReporter('markdown', recordTarget(file, new MemorySink()));
      reporter.begin(exampleHead());
      reporter.row(exampleRow(1));
      expect(readFileSync(file, 'utf8')).to.contain('\n- running, 2026');
      reporter.warning?.('noise');
      reporter.amend?.({ ranks: [] });
      reporter.end({ state: 'done' });
      expect(readFileSync(file, 'utf8')).to.match(/\n- done, \S+ to \S+\n[^]*\n- ranks: \n[^]*> warning: noise\n$/);
    });
    const sink = new MemorySink();
    const reporter = tableReporter('csv', recordTarget('-', sink));
    reporter.begin(exampleHead());
    reporter.row(exampleRow(1));
    expect(sink.text).to.equal('');
    reporter.end({ state: 'done' });
    expect(records(sink.text)).to.have.length(1);
  });

  it('of a run that did not begin are none', () => {
    const sink = new MemorySink();
    tableReporter('csv', recordTarget('-', sink)).end({ state: 'failed', message: 'MPI did not start' });
    expect(sink.text).to.equal('');
  });
});

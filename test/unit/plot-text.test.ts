/** Plots as text, byte for byte. */
import { expect } from 'chai';
import { plot, plotRow, plotTable } from './plot-run.js';

const lines = (text: string): string[] => text.split('\n').slice(0, -1);

describe('plots as text', () => {
  it('show the figure over the size and the time of each iteration', () => {
    const samples = [[1e-6, 2e-6, 1e-6, 1e-6, 50e-6]];
    const text = plot([
      {
        datatype: 'MPI_CHAR',
        rows: [
          { row: plotRow({ size: 1 }, { latency: 1e-6 }) },
          { row: plotRow({ size: 4 }, { latency: 4e-6 }) },
          { row: plotRow({ size: 16 }, { latency: 16e-6 }), samples },
        ],
      },
    ]);
    expect(lines(text)).to.deep.equal([
      '# == osu_latency, MPI_CHAR',
      '# -- Avg Latency (us) over message size (bytes)',
      '#       20 +',
      '#          |                                                                   *',
      '#          |',
      '#       10 +',
      '#          |',
      '#          |',
      '#        5 +',
      '#          |',
      '#          |                                  *',
      '#          |',
      '#          |',
      '#        2 +',
      '#          |',
      '#          |',
      '#        1 +*',
      '#          ++----------------+----------------+---------------+----------------+',
      '#           1                2                4               8               16',
      '# -- 16 bytes: us per iteration, 1 to 50, mean 11',
      '#          |                                                                   *',
      '#          |',
      '#       10 +',
      '#          |',
      '#          |',
      '#          |                 *',
      '#        1 +*                                 *               *',
      '#          ++------------------------------------------------------------------+',
      '#           1                                                                  5',
    ]);
  });

  it('tell several figures apart, and name them', () => {
    const columns = [
      { figure: 'overall', header: 'Overall(us)', scale: 1e6 },
      { figure: 'pure', header: 'Pure Comm.(us)', scale: 1e6 },
    ];
    const rows = [1, 2].map((size) => ({ row: plotRow({ size }, { overall: 2e-6, pure: size * 1e-6 }) }));
    const text = plot([{ rows }], { table: plotTable(columns) });
    expect(lines(text)).to.deep.equal([
      '# == osu_latency',
      '# -- MPI Latency (us) over message size (bytes)',
      '#          * Overall   o Pure Comm.',
      // Where both are 2 the first one shows.
      '#        2 +*                                                                  *',
      ...Array<string>(13).fill('#          |'),
      '#        1 +o',
      '#          ++------------------------------------------------------------------+',
      '#           1                                                                  2',
    ]);
  });

  it('are bars where there is one size or none', () => {
    const columns = [
      { figure: 'latency', header: 'Avg Latency(us)', scale: 1e6 },
      { figure: 'min', header: 'Min Latency(us)', scale: 1e6 },
    ];
    const barrier = plotRow({ size: null }, { latency: 0.4e-6, min: 0.3e-6 });
    const text = plot([{ rows: [{ row: barrier, samples: [[0.3e-6], [0.5e-6]] }] }], { table: plotTable(columns) });
    expect(lines(text)).to.deep.equal([
      '# == osu_latency',
      '# -- MPI Latency (us)',
      '#   Avg Latency |======================================== 0.4',
      '#   Min Latency |============================== 0.3',
      '# -- All iterations: us per iteration, 0.3 to 0.5, mean 0.4',
      '#      0.5 +:',
      '#          |:',
      '#          |:',
      '#      0.4 +*',
      '#          |:',
      '#          |:',
      '#      0.3 +:',
      '#          ++-------------------------------------------------------------------',
      '#           1',
    ]);
    const one = plot([{ rows: [{ row: plotRow({ size: 8 }, { latency: 0 }) }] }]);
    expect(lines(one).slice(1)).to.deep.equal(['# -- Avg Latency (us)', '#   8 bytes: Avg Latency | 0']);
  });

  it('are comments of at most 80 columns, whatever the run', () => {
    const long = 'A name that is as long as a header of a table can sensibly be';
    const columns = Array.from({ length: 9 }, (_, index) => ({ figure: `f${index}`, header: `${long} ${index}(us)`, scale: 1 })); // prettier-ignore
    const figures = Object.fromEntries(columns.map(({ figure }, index) => [figure, 1e7 * (index + 1)]));
    const samples = [Array.from({ length: 5000 }, (_, index) => 1e-3 * (1 + (index % 37)))];
    const sized = [0, 3, 5, 4194304].map((size) => ({ row: plotRow({ size }, figures), samples }));
    const single = [{ row: plotRow({ size: null }, figures), samples }];
    for (const rows of [sized, single]) {
      const all = lines(plot([{ rows }], { table: plotTable(columns) }));
      expect(all.length).to.be.above(10);
      for (const line of all) {
        expect(line).to.match(/^# [^ ]|^# .*[^ ]$/);
        expect(line.length, line).to.be.at.most(80);
      }
    }
  });
});

describe('the end of plots', () => {
  const rows = [{ row: plotRow({ size: 1 }, { latency: 1e-6 }) }];

  it('of a run that failed leaves the last line to the table', () => {
    expect(plot([{ rows }], {}, { state: 'failed', message: 'data of size 1 arrived wrong' })).to.equal('');
  });

  it('without rows is none', () => {
    expect(plot([{ rows: [] }])).to.equal('');
    expect(plot([])).to.equal('');
    expect(plot([{ rows: [] }, { rows }])).to.match(/^# == osu_latency\n/);
  });
});

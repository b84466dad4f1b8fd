import { expect } from 'chai';
import { importText } from '../../src/results/import/index.js';
import type { Figure, ResultRecord } from '../../src/results/types.js';
import { strictSchemaErrors } from './schema.js';

/** As IMB of 2018 and later begins, with the call cut after some words. */
const BANNER = `
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#----------------------------------------------------------------
# Date                  : Tue Jul 18 18:45:29 2023
# Machine               : x86_64
# System                : Linux
# Release               : 4.18.0-425.13.1.el8_7.x86_64
# Version               : #1 SMP Tue Feb 21 15:09:05 PST 2023
# MPI Version           : 3.1
# MPI Thread Environment: 


# Calling sequence was: 

# /opt/imb/IMB-MPI1 -msglog 3:28 -npmin 2 -iter 100
#                   PingPong Sendrecv Exchange

# Minimum message length in bytes:   0
# Maximum message length in bytes:   268435456
#
# MPI_Datatype                   :   MPI_BYTE 
# MPI_Datatype for reductions    :   MPI_FLOAT 
# MPI_Op                         :   MPI_SUM  
# 
# 

# List of Benchmarks to run:

# PingPong
# Sendrecv
`;

/** A table as IMB prints it. */
const table = (name: string, processes: string, heads: string, ...rows: readonly string[]): string =>
  `
#---------------------------------------------------
# Benchmarking ${name} 
${processes}
#---------------------------------------------------
${heads}
${rows.join('\n')}
`;

const TIMES = '       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]';
const TEXT = [
  BANNER,
  table(
    ...(['PingPong', '# #processes = 2 ', '       #bytes #repetitions      t[usec]   Mbytes/sec'] as const),
    '            0         1000         0.46         0.00',
    '         1024         1000         1.00      1024.00',
    '      4194304           10      1000.00      4194.30',
  ),
  table(
    ...(['Sendrecv', '# #processes = 4 ', `${TIMES}   Mbytes/sec`] as const),
    '         1024         1000         0.90         1.00         0.95      2048.00',
  ),
  table(
    ...([
      'Exchange',
      '# #processes = 2 \n# ( 2 additional processes waiting in MPI_Barrier)',
      `${TIMES}   Mbytes/sec`,
    ] as const),
    '         1024         1000         1.90         2.00         1.95      2048.00',
  ),
  table(
    ...(['Uniband', '# #processes = 2 ', '       #bytes #repetitions   Mbytes/sec      Msg/sec'] as const),
    '            0         1000         0.00      2189915',
    '         1024         1000      2048.00      2000000',
  ),
  table(
    ...(['Allreduce', '# #processes = 4 ', TIMES] as const),
    '            0         1000         0.04         0.05         0.04',
    '            4         1000         1.10         1.30         1.20',
    '      8388608  out-of-mem.; needed X=   0.009 GB; use flag "-mem X" or MAX_MEM_USAGE>=X (IMB_mem_info.h)',
  ),
  table(
    ...(['Barrier', '# #processes = 2 ', ' #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]'] as const),
    '         1000         0.16         0.18         0.17',
  ),
  table(
    ...([
      'Ibcast',
      '# #processes = 2 ',
      '       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]',
    ] as const),
    '            8         1000         3.00         2.00         2.10        52.38',
  ),
  table(
    ...(['Unidir_put', '# #processes = 2 \n#---------\n#\n#    MODE: NON-AGGREGATE \n#'] as const),
    '       #bytes #repetitions      t[usec]   Mbytes/sec      defects',
    '         1024          100         2.00       512.00         0.00',
  ),
  '\n# All processes entering MPI_Finalize\n',
].join('');

const imported = (text: string) => importText(text, { file: 'imb.txt', label: 'some' });
const seconds = (value: number): Figure => ({ value, unit: 's' });
const rate = (value: number): Figure => ({ value, unit: 'B/s' });

describe('import of Intel MPI Benchmarks', () => {
  const { records, problems, passedOver } = imported(TEXT);
  const recordOf = (name: string): ResultRecord => {
    const record = records.find(({ run }) => run.name === name);
    if (!record) throw new Error(`no ${name}`);
    return record;
  };
  const figuresOf = (name: string, row = 0) => recordOf(name).rows[row]?.figures;

  it('understands every line', () => {
    expect([problems, passedOver]).to.deep.equal([[], []]);
    expect(records.map(({ run, rows }) => [run.name, rows.length])).to.deep.equal([
      ...[
        ['imb_pingpong', 3],
        ['imb_sendrecv', 1],
        ['imb_exchange', 1],
        ['imb_uniband', 2],
      ],
      ...[
        ['imb_allreduce', 2],
        ['imb_barrier', 1],
        ['imb_ibcast', 1],
        ['imb_unidir_put', 1],
      ],
    ]);
    for (const record of records) expect(strictSchemaErrors(JSON.parse(JSON.stringify(record)))).to.deep.equal([]);
  });

  it('reads every kind of table', () => {
    expect(figuresOf('imb_pingpong', 1)).to.deep.equal({ latency: seconds(1e-6), bandwidth: rate(1024e6) });
    expect(figuresOf('imb_sendrecv')).to.deep.equal({
      ...{ minLatency: seconds(0.9e-6), maxLatency: seconds(1e-6), latency: seconds(0.95e-6) },
      bandwidth: rate(2048e6),
    });
    expect(figuresOf('imb_uniband', 1)).to.deep.equal({ bandwidth: rate(2048e6), rate: { value: 2e6, unit: '1/s' } });
    expect(figuresOf('imb_allreduce', 1)?.latency).to.deep.equal(seconds(1.2e-6));
    expect(figuresOf('imb_barrier')?.maxLatency).to.deep.equal(seconds(0.18e-6));
    expect(figuresOf('imb_ibcast')).to.deep.equal({
      ...{ overall: seconds(3e-6), pure: seconds(2e-6), compute: seconds(2.1e-6) },
      overlap: { value: 52.38, unit: '%' },
    });
    expect(figuresOf('imb_unidir_put')?.defects?.value).to.equal(0);
    expect(recordOf('imb_pingpong').rows.map(({ parameters, n }) => [parameters.size, n])).to.deep.equal([
      ...[
        [0, 1000],
        [1024, 1000],
        [4194304, 10],
      ],
    ]);
    expect(recordOf('imb_barrier').rows[0]?.parameters.size).to.equal(null);
    expect(recordOf('imb_unidir_put').rows[0]?.parameters).to.include({ aggregate: false, ranks: 2 });
  });

  it('keeps the banner: version, time, call, MPI', () => {
    const { run, environment } = recordOf('imb_exchange');
    expect(run.imported).to.deep.include({ tool: 'imb', version: '2021.3' });
    expect(run.started).to.equal('2023-07-18T18:45:29.000Z');
    const call = '/opt/imb/IMB-MPI1 -msglog 3:28 -npmin 2 -iter 100 PingPong Sendrecv Exchange';
    expect(run.commandLine).to.deep.equal(call.split(' '));
    expect(environment.mpi?.version).to.equal('3.1');
    expect(recordOf('imb_allreduce').warnings).to.deep.equal(['not measured at 8388608 bytes: out-of-mem']);
    const launched = imported(`$ mpirun -np 4 --mca pml ob1 IMB-MPI1 PingPong\n${TEXT}`).records[0];
    expect(launched?.run.commandLine[0]).to.equal('mpirun');
    expect(launched?.environment.settings).to.deep.equal({ OMPI_MCA_pml: 'ob1' });
  });

  it('finds out which MB a table has', () => {
    // Mbytes/sec of 2.3 and 3.x are of 2^20 bytes: 2 x 65536 bytes in 131 us are 954.2 of them.
    const old = (name: string, factor: number) => {
      const mebi = ((factor * 65536) / 131e-6 / 2 ** 20).toFixed(2);
      const heads = `${TIMES}   Mbytes/sec`;
      const row = `        65536          640       130.00       131.00       130.50      ${mebi}`;
      const [record] = imported(table(name, '# #processes = 2', heads, '0 1000 4.06 4.07 4.06 0.00', row)).records;
      return record?.rows[1]?.figures.bandwidth?.value;
    };
    for (const [name, factor] of [
      ['PingPong', 1],
      ['Sendrecv', 2],
      ['Exchange', 4],
    ] as const)
      expect(old(name, factor)).to.be.closeTo((factor * 65536) / 131e-6, 1e4);
    const uniband = table(
      'Biband',
      '# #processes = 2',
      '#bytes #repetitions Mbytes/sec Msg/sec',
      '1048576 40 9000.00 9000',
    );
    expect(imported(uniband).records[0]?.rows[0]?.figures.bandwidth?.value).to.equal(9000 * 2 ** 20);
  });

  it('tells groups that run at once apart', () => {
    const groups =
      '# ( 2 groups of 2 processes each running simultaneous ) \n# Group  0:     0    1\n# \n# Group  1:     2    3\n#';
    const heads = ' Group   #bytes #repetitions      t[usec]   Mbytes/sec';
    const text = table('Multi-PingPong', groups, heads, '', ' 0 8 1000 0.50 16.00', ' 1 8 1000 0.60 13.33');
    const { records: several, problems: none, passedOver: nothing } = imported(text);
    expect([none, nothing]).to.deep.equal([[], []]);
    expect(several[0]?.run).to.deep.include({ name: 'imb_pingpong' });
    expect(several[0]?.rows.map(({ parameters }) => parameters)).to.deep.equal(
      [0, 1].map((group) => ({ size: 8, ranks: 2, groups: 2, group })),
    );
  });
});

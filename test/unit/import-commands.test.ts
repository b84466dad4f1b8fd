import { expect } from 'chai';
import { commandOf } from '../../src/results/import/command.js';
import { linesOf } from '../../src/results/import/lines.js';
import { splitWords } from '../../src/results/import/shell.js';

const lineOf = (text: string) => {
  const [line] = linesOf(text);
  if (!line) throw new Error('no line');
  return line;
};
const read = (text: string) => commandOf(lineOf(text));

describe('command lines in text', () => {
  it('stand after every prompt', () => {
    const prompts = [
      '$ ',
      '# ',
      '% ',
      '> ',
      '+ ',
      '++ ',
      '[bob@n1 ~]$ ',
      'bob@n1:~/x$ ',
      '(env) bob@n1:~$ ',
      'bash-5.1$ ',
    ];
    for (const prompt of ['', ...prompts, 'Command: '])
      expect(read(`${prompt}mpirun -np 2 ./osu_latency -m 8`), prompt).to.deep.include({
        ...{ tool: 'osu', program: 'osu_latency', launcher: 'mpirun -np 2', args: ['-m', '8'] },
      });
  });

  it('name every tool, wherever it lies', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['/opt/omb/mpi/pt2pt/osu_bw', 'osu', 'osu_bw'],
      ['srun -n 2 node dist/osu_mbw_mr.js -V', 'osu', 'osu_mbw_mr'],
      ['numactl -C 3 ib_read_lat -a n2', 'perftest', 'ib_read_lat'],
      ['ucx_perftest n2 -t tag_lat', 'ucx_perftest', 'ucx_perftest'],
      ['mpiexec.hydra -n 4 IMB-MPI1 PingPong', 'imb', 'IMB-MPI1'],
    ];
    for (const [text, tool, program] of cases) expect(read(text), text).to.deep.include({ tool, program });
    expect(read('mpirun -np 2 ./job.sh')).to.deep.include({ tool: undefined, launcher: 'mpirun -np 2 ./job.sh' });
  });

  it('are no prose', () => {
    for (const text of [
      ...['ib_write_bw shows that far is slower than near', 'osu_latency on the near core:', 'osu_bw is better.'],
      ...['We ran osu_latency with -m 8', '# OSU MPI Latency Test v7.4', '# Size  Latency (us)', 'mpirun was used'],
    ])
      expect(read(text), text).to.equal(undefined);
  });

  it('end at what a shell does with them', () => {
    expect(read('$ osu_bw -m 8 2>&1 | tee out.txt')?.args).to.deep.equal(['-m', '8']);
    expect(read('$ osu_bw -m 8 > out.txt')?.args).to.deep.equal(['-m', '8']);
    expect(read('$ cd /tmp && ib_send_lat n2; date')?.args).to.deep.equal(['n2']);
    expect(splitWords(`a 'b c' "d \\"e\\"" f\\ g h'i'"j"`)).to.deep.equal(['a', 'b c', 'd "e"', 'f g', 'hij']);
  });

  it('go on after a backslash', () => {
    const [line] = linesOf('$ mpirun -np 2 \\\n   -x A=1 \\\n   osu_bw');
    expect(line).to.deep.include({ number: 1 });
    expect(line && commandOf(line)?.launcher).to.equal('mpirun -np 2 -x A=1');
  });

  it('tell settings', () => {
    const settings = (text: string) => read(text)?.settings;
    expect(settings('UCX_TLS=rc,sm mpirun --mca pml ucx -x UCX_NET_DEVICES=mlx5_0:1 osu_bw')).to.deep.equal({
      ...{ UCX_TLS: 'rc,sm', OMPI_MCA_pml: 'ucx', UCX_NET_DEVICES: 'mlx5_0:1' },
    });
    expect(settings('mpiexec -genv FI_PROVIDER tcp -env A=b osu_bw')).to.deep.equal({ FI_PROVIDER: 'tcp', A: 'b' });
  });

  it('tell the processors of a process that no launcher starts', () => {
    const cpus = (text: string) => read(text)?.cpus;
    expect(cpus('numactl --physcpubind=14 ib_write_lat n2')).to.deep.equal([14]);
    expect(cpus('numactl --membind 0 -C 0-2,5 ib_write_lat n2')).to.deep.equal([0, 1, 2, 5]);
    expect(cpus('taskset -c 3 ucx_perftest')).to.deep.equal([3]);
    expect(cpus('mpirun -np 2 taskset -c 3 osu_bw')).to.equal(undefined);
    expect(cpus('numactl -C nothing ib_write_lat n2')).to.equal(undefined);
  });
});

describe('lines of text', () => {
  it('have no colours, ranks, or marks of a quoted mail', () => {
    const colour = `${String.fromCharCode(27)}[1;31m`;
    for (const before of ['[1,0]<stdout>: ', '0: ', '[0] ', '> ', '> > ', colour, '\ufeff'])
      expect([...linesOf(`${before}# Size  Latency (us)`)], before).to.deep.equal([
        { number: 1, text: '# Size  Latency (us)', words: ['#', 'Size', 'Latency', '(us)'] },
      ]);
  });

  it('are numbered as in the file', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(
        [...linesOf(['a', '', ' b ', '\t', 'c'].join(end))].map(({ number, text }) => [number, text]),
      ).to.deep.equal([
        ...[
          [1, 'a'],
          [3, 'b'],
          [5, 'c'],
        ],
      ]);
  });
});

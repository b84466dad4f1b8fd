/** From options, benchmark and host to a job. */
import { expect } from 'chai';
import { programs } from '../../src/bench/suites/index.js';
import { WrongUse } from '../../src/cli/commands/command.js';
import { findBenchmark } from '../../src/launch/benchmark.js';
import { byCore, processorsFor, type Here } from '../../src/launch/here.js';
import type { RunOptions } from '../../src/launch/options.js';
import { planJob, type Plan } from '../../src/launch/plan.js';
import type { LauncherName } from '../../src/launch/types.js';

const options = (more: Partial<RunOptions> = {}): RunOptions => ({
  ...{ benchmark: 'osu_latency', args: [], mpi: undefined, ranks: undefined, hosts: [], ranksPerNode: undefined },
  ...{ bindTo: undefined, bind: undefined, pml: undefined, oversubscribe: false, env: [], launcherArgs: [] },
  ...{ timeout: undefined, launches: undefined, targetCi: undefined, timeLimit: undefined, json: undefined },
  dryRun: false,
  ...more,
});

/** Two cores of two hardware threads each, numbered as Linux does. */
const here = (more: Partial<Here> = {}): Here => ({
  ...{
    cores: [
      [0, 2],
      [1, 3],
    ],
    narrowed: false,
    root: false,
    environment: {},
  },
  ...more,
});

interface Case {
  readonly given?: Partial<RunOptions>;
  readonly at?: Partial<Here>;
  readonly launcher?: LauncherName;
  readonly family?: 'openmpi' | 'mpich';
  readonly components?: readonly string[];
}

function plan({
  given = {},
  at = {},
  launcher = 'openmpi',
  family,
  components = ['pml:ucx', 'osc:ucx', 'osc:pt2pt'],
}: Case = {}): Plan {
  const all = options(given);
  return planJob({
    options: all,
    benchmark: { ...findBenchmark(all.benchmark), script: 'bench.js' },
    found: { launcher, program: 'launch', family: family ?? (launcher === 'mpich' ? 'mpich' : 'openmpi') },
    here: here(at),
    components: () => new Set(components),
    node: 'node',
  });
}

const job = (given: Case = {}): Plan['job'] => plan(given).job;

describe('the ranks of a launch', () => {
  const ranks = (benchmark: string, given: Partial<RunOptions> = {}, at: Partial<Here> = {}): number =>
    job({ given: { benchmark, ...given }, at }).ranks;
  const eight: Partial<Here> = { cores: Array.from({ length: 8 }, (_, core) => [core]) };

  it('are two, of collectives as many as cores, of neighbours three or more', () => {
    expect(ranks('osu_latency', {}, eight)).to.equal(2);
    expect(ranks('osu_mbw_mr', {}, eight)).to.equal(2);
    expect(ranks('ib_write_bw', {}, eight)).to.equal(2);
    expect(ranks('ucx_perftest', {}, eight)).to.equal(2);
    expect(ranks('osu_allreduce', {}, eight)).to.equal(8);
    expect(ranks('osu_allreduce', {}, { cores: [[0]] })).to.equal(2);
    expect(ranks('osu_neighbor_allgather')).to.equal(3);
    expect(ranks('osu_neighbor_allgather', {}, eight)).to.equal(8);
  });

  it('fill the hosts, but for programs that take exactly two', () => {
    const hosts = ['a', 'b', 'c'];
    expect(ranks('osu_allreduce', { hosts }, eight)).to.equal(24);
    expect(ranks('osu_allreduce', { hosts, ranksPerNode: 4 }, eight)).to.equal(12);
    expect(ranks('osu_mbw_mr', { hosts, ranksPerNode: 4 })).to.equal(12);
    expect(ranks('osu_latency', { hosts, ranksPerNode: 4 })).to.equal(2);
    expect(ranks('osu_latency', { ranks: 5 })).to.equal(5);
  });

  it('are as many as each program can have, for every program', () => {
    for (const { name, ranks: kind } of programs.values()) {
      const count = ranks(name);
      if (kind === 2) expect(count, name).to.equal(2);
      else expect(count, name).to.be.at.least(2);
      if (kind === 'pairs') expect(count % 2, name).to.equal(0);
    }
  });
});

describe('where ranks run', () => {
  const places = (given: Case) => {
    const { bindTo, oversubscribe, yields, command } = job(given);
    return { bindTo, oversubscribe, yields, args: command.slice(2) };
  };

  it('is a core each while there are cores, then a hardware thread each, then anywhere', () => {
    const cases: [ranks: number, bindTo: string, oversubscribe: boolean, yields: boolean][] = [
      [2, 'core', false, false],
      [3, 'hwthread', true, false],
      [4, 'hwthread', true, false],
      [5, 'none', true, true],
    ];
    for (const [ranks, bindTo, oversubscribe, yields] of cases)
      expect(places({ given: { ranks } }), String(ranks)).to.deep.equal({ bindTo, oversubscribe, yields, args: [] });
  });

  it('is told to the benchmark where this process may use some processors only', () => {
    const at: Partial<Here> = {
      narrowed: true,
      cores: [
        [4, 12],
        [6, 14],
      ],
    };
    const unbound = { bindTo: 'none', yields: false };
    expect(places({ at })).to.deep.equal({ ...unbound, oversubscribe: false, args: ['--bind', '4,6'] });
    expect(places({ at, given: { ranks: 4 } })).to.deep.equal({
      ...unbound,
      ...{ oversubscribe: true, args: ['--bind', '4,6,12,14'] },
    });
    expect(places({ at, given: { ranks: 5 } })).to.deep.equal({
      ...{ bindTo: 'none', oversubscribe: true, yields: true, args: [] },
    });
  });

  it('is for the user to say', () => {
    expect(places({ given: { bindTo: 'none' } }).bindTo).to.equal('none');
    expect(places({ given: { bindTo: 'core', ranks: 9 } }).bindTo).to.equal('core');
    for (const args of [['--bind', '1,0'], ['--bind=1,0'], ['--bi', '1,0']])
      expect(places({ given: { args } })).to.deep.include({ bindTo: 'none', args });
    const own = ['-c', '0,1'];
    expect(places({ given: { benchmark: 'ucx_perftest', args: own } }).bindTo).to.equal('none');
    expect(places({ given: { args: ['-c'] } }).bindTo).to.equal('core'); // validation, of osu_latency
  });

  it("is the launcher's where the benchmark is to keep it", () => {
    for (const args of [['--bind', 'keep'], ['--bind=keep'], ['--bind', '0,1', '--bind', 'keep']])
      expect(places({ given: { args } })).to.deep.include({ bindTo: 'core', args });
  });

  it('is near a device or far from it by the benchmark', () => {
    const wanted = { bindTo: 'none', oversubscribe: false, yields: false, args: ['-i', '5', '--bind', 'near:mlx5_0'] };
    expect(places({ given: { bind: 'near:mlx5_0', args: ['-i', '5'] } })).to.deep.equal(wanted);
  });

  it('is not both near a device and somewhere else', () => {
    const cases: readonly [string, readonly string[]][] = [
      ['osu_latency', ['--bind', '1,0']],
      ['osu_latency', ['--bind=compact']],
      ['osu_latency', ['--bind', 'keep']],
      ['ucx_perftest', ['-c', '1']],
      ['ucx_perftest', ['-c1']],
    ];
    for (const [benchmark, args] of cases)
      expect(() => plan({ given: { benchmark, bind: 'near:mlx5_0', args } }), args.join(' ')).to.throw(
        WrongUse,
        `--near and --far bind the ranks, and so do ${benchmark}'s own options after the --: leave one of them out`,
      );
    // Of osu_latency it is validation.
    expect(places({ given: { bind: 'near:mlx5_0', args: ['-c'] } }).args).to.deep.equal([
      '-c',
      '--bind',
      'near:mlx5_0',
    ]);
  });

  it('is anywhere for programs whose ranks have threads or children', () => {
    for (const benchmark of ['osu_latency_mt', 'osu_latency_mp'])
      expect(places({ given: { benchmark } }).bindTo, benchmark).to.equal('none');
  });

  it('on other hosts is a core each, unless these are said to be too few', () => {
    const hosts = ['a', 'b'];
    const fits = { bindTo: 'core', oversubscribe: false, yields: false, args: [] };
    expect(places({ given: { hosts, ranks: 64 } })).to.deep.equal(fits);
    const crowded = { bindTo: 'none', oversubscribe: true, yields: true, args: [] };
    expect(places({ given: { hosts, ranks: 64, oversubscribe: true } })).to.deep.equal(crowded);
  });

  it('is noted where ranks take turns', () => {
    expect(plan().notes).to.deep.equal([]);
    const [note, ...more] = plan({ given: { ranks: 6 } }).notes;
    expect(more).to.deep.equal([]);
    expect(note).to.equal(
      'there are more ranks (6) than hardware threads, and those that wait give their core to others: figures show the scheduler',
    );
    expect(plan({ given: { ranks: 6 }, launcher: 'mpich' }).notes[0]).to.contain("MPICH's never give");
  });
});

describe('what carries messages', () => {
  it('is UCX where Open MPI has it and nobody has chosen', () => {
    expect(job().pml).to.equal('ucx');
    expect(job({ launcher: 'srun' }).pml).to.equal('ucx');
    expect(job({ components: [] }).pml).to.equal(undefined);
    expect(job({ given: { pml: 'ob1' } }).pml).to.equal('ob1');
    expect(job({ given: { pml: 'ucx' }, components: [] }).pml).to.equal('ucx');
    expect(job({ at: { environment: { OMPI_MCA_pml: 'ob1' } } }).pml).to.equal(undefined);
    expect(job({ given: { launcherArgs: ['--mca', 'pml', 'cm'] } }).pml).to.equal(undefined);
    expect(job({ given: { env: ['OMPI_MCA_pml=cm'] } }).pml).to.equal(undefined);
    expect(job({ given: { env: ['OMPI_MCA_pml_ucx_tls=tcp'] } }).pml).to.equal('ucx');
  });

  it('is for windows between hosts what works where they have TCP alone', () => {
    const osc = (given: Partial<RunOptions>, more: Case = {}): string | undefined =>
      job({ ...more, given: { benchmark: 'osu_put_bw', hosts: ['a', 'b'], ...given } }).osc;
    expect(osc({})).to.equal('ucx');
    expect(osc({ pml: 'ob1' })).to.equal('pt2pt');
    expect(osc({ pml: 'cm' })).to.equal(undefined);
    expect(osc({ launcherArgs: ['--mca', 'pml', 'ob1'] })).to.equal('pt2pt');
    expect(osc({}, { at: { environment: { OMPI_MCA_pml: 'ob1' } } })).to.equal('pt2pt');
    expect(osc({ launcherArgs: ['--mca', 'osc', 'rdma'] })).to.equal(undefined);
    expect(osc({ env: ['OMPI_MCA_osc=rdma'] })).to.equal(undefined);
    expect(osc({ pml: 'ob1' }, { components: ['pml:ob1', 'osc:rdma'] })).to.equal(undefined);
    expect(osc({ hosts: ['a'] })).to.equal(undefined);
    expect(osc({ hosts: [] })).to.equal(undefined);
    expect(osc({ benchmark: 'osu_bw' })).to.equal(undefined);
    expect(osc({}, { launcher: 'mpich' })).to.equal(undefined);
    const allocation = { nodes: 2, tasks: undefined, cpusPerNode: 2, inStep: false } as unknown as Here['allocation'];
    expect(osc({ hosts: [] }, { at: { allocation }, launcher: 'srun' })).to.equal('ucx');
  });

  it("is MPICH's own affair", () => {
    expect(job({ launcher: 'mpich' }).pml).to.equal(undefined);
    expect(() => job({ launcher: 'mpich', given: { pml: 'ucx' } })).to.throw(WrongUse, '--pml is of Open MPI');
  });
});

describe('hosts that share a machine', () => {
  const environment = { FABRICBENCH_HOSTS: '/tmp/set', FABRICBENCH_X: '1' };
  const hosts = ['node1', 'node2'];
  const places = (given: Partial<RunOptions>, at: Partial<Here> = {}) => {
    const { bindTo, yields, oversubscribe } = job({ given: { hosts, ...given }, at: { environment, ...at } });
    return { bindTo, yields, oversubscribe };
  };

  it('have their ranks bound to nothing: each would take the first core for its own', () => {
    expect(places({})).to.deep.equal({ bindTo: 'none', yields: false, oversubscribe: false });
    expect(places({}, { environment: {} })).to.deep.equal({ bindTo: 'core', yields: false, oversubscribe: false });
    expect(places({ hosts: [] }).bindTo).to.equal('core');
    expect(places({ bindTo: 'core' }).bindTo).to.equal('core');
  });

  it('have ranks that yield where they are more than all processors', () => {
    expect(places({ ranksPerNode: 2, ranks: 4 }).yields).to.equal(false);
    expect(places({ ranksPerNode: 3, ranks: 6 }).yields).to.equal(true);
    // Of processors that are their own there are as many on each.
    expect(places({ ranksPerNode: 3, ranks: 6 }, { narrowed: true }).yields).to.equal(false);
  });

  it('do not hand on the name of the set', () => {
    expect(job({ given: { hosts }, at: { environment } }).environment).to.deep.equal({ FABRICBENCH_X: '1' });
  });
});

describe('the environment of a launch', () => {
  const environmentOf = (given: Case): object => job(given).environment;

  it('has the settings of UCX and of fabricbench, and what was asked for', () => {
    const environment = { HOME: '/root', UCX_TLS: 'tcp', FABRICBENCH_X: '1', OMP_NUM_THREADS: '2' };
    const given = { env: ['UCX_TLS=sysv', 'OMP_NUM_THREADS', 'A=b=c', 'EMPTY='] };
    expect(environmentOf({ given, at: { environment } })).to.deep.equal({
      ...{ UCX_TLS: 'sysv', FABRICBENCH_X: '1', OMP_NUM_THREADS: '2', A: 'b=c', EMPTY: '' },
    });
    expect(() => job({ given: { env: ['NOT_SET'] } })).to.throw(WrongUse, '--env NOT_SET: it is not set here');
  });

  it('says which MPI where the launcher does not, or something else says another', () => {
    expect(environmentOf({ launcher: 'srun', family: 'mpich' })).to.deep.equal({ FABRICBENCH_MPI: 'mpich' });
    const environment = { FABRICBENCH_MPI: 'openmpi' };
    expect(environmentOf({ launcher: 'mpich', at: { environment } })).to.deep.equal({ FABRICBENCH_MPI: 'mpich' });
  });

  it('is none of a rank: those start no others', () => {
    for (const name of ['OMPI_COMM_WORLD_RANK', 'MPI_LOCALRANKID'])
      expect(() => job({ at: { environment: { [name]: '0' } } })).to.throw(WrongUse, 'start it without mpirun or srun');
    expect(job({ at: { environment: { SLURM_PROCID: '0' } } }).ranks).to.equal(2); // a batch script
  });
});

describe('processors', () => {
  it('are put together by core', () => {
    expect(byCore([0, 1, 4, 5], (cpu) => cpu % 4)).to.deep.equal([
      [0, 4],
      [1, 5],
    ]);
  });

  it('are handed out one for each core first', () => {
    const cores = [[0, 8], [1], [2, 10]];
    expect(processorsFor(2, cores)).to.deep.equal([0, 1]);
    expect(processorsFor(5, cores)).to.deep.equal([0, 1, 2, 8, 10]);
    expect(processorsFor(6, cores)).to.equal(undefined);
    expect(processorsFor(1, [])).to.equal(undefined);
  });
});

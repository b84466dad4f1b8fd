/** What launchers make of a job, word for word, and as a line for a shell. */
import { expect } from 'chai';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { launchers } from '../../src/launch/launchers.js';
import { shellLine } from '../../src/launch/shell.js';
import type { Job, LauncherName } from '../../src/launch/types.js';

const job = (more: Partial<Job> = {}): Job => ({
  ...{ program: '/usr/bin/launch', family: 'openmpi', command: ['node', 'osu_bw.js', '-m', '1:64'], ranks: 2 },
  ...{ hosts: [], ranksPerNode: undefined, bindTo: 'core', oversubscribe: false, yields: false },
  ...{ pml: undefined, root: false, environment: {}, extra: [] },
  ...more,
});

const line = (name: LauncherName, more: Partial<Job> = {}): string => shellLine(launchers[name](job(more)));

const RANK = 'node osu_bw.js -m 1:64';

describe("Open MPI's mpirun", () => {
  const cases: { what: string; more: Partial<Job>; wanted: string }[] = [
    {
      what: 'binds neighbouring ranks to neighbouring cores',
      more: {},
      wanted: `/usr/bin/launch -np 2 --map-by core --bind-to core ${RANK}`,
    },
    {
      what: 'has UCX take any transport',
      more: { pml: 'ucx' },
      wanted: `/usr/bin/launch -np 2 --map-by core --bind-to core --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any ${RANK}`,
    },
    {
      what: 'takes other components as they are',
      more: { pml: 'ob1', osc: 'pt2pt' },
      wanted: `/usr/bin/launch -np 2 --map-by core --bind-to core --mca pml ob1 --mca osc pt2pt ${RANK}`,
    },
    {
      what: 'is told that root may',
      more: { root: true },
      wanted: `/usr/bin/launch --allow-run-as-root -np 2 --map-by core --bind-to core ${RANK}`,
    },
    {
      what: 'counts hardware threads where ranks get one each',
      more: { ranks: 4, bindTo: 'hwthread', oversubscribe: true },
      wanted: `/usr/bin/launch -np 4 --map-by hwthread --use-hwthread-cpus --bind-to hwthread --oversubscribe ${RANK}`,
    },
    {
      what: 'lets ranks that wait yield where there are too many',
      more: { ranks: 8, bindTo: 'none', oversubscribe: true, yields: true },
      wanted: `/usr/bin/launch -np 8 --bind-to none --oversubscribe --mca mpi_yield_when_idle 1 ${RANK}`,
    },
    {
      what: 'gives each host its ranks in turn',
      more: { ranks: 3, hosts: ['n1', 'n2'] },
      wanted: `/usr/bin/launch -np 3 --host n1:2,n2:2 --map-by ppr:2:node --bind-to core --mca oob_tcp_keepalive_time 24 --mca oob_tcp_keepalive_intvl 6 --mca oob_tcp_keepalive_probes 4 ${RANK}`,
    },
    {
      what: 'gives each host as many as asked for',
      more: { ranks: 8, hosts: ['n1', 'n2'], ranksPerNode: 4 },
      wanted: `/usr/bin/launch -np 8 --host n1:4,n2:4 --map-by ppr:4:node --bind-to core --mca oob_tcp_keepalive_time 24 --mca oob_tcp_keepalive_intvl 6 --mca oob_tcp_keepalive_probes 4 ${RANK}`,
    },
    {
      what: 'hands variables on, and further options last',
      more: { environment: { UCX_TLS: 'sysv,self', FABRICBENCH_MPI: '' }, extra: ['--mca', 'btl', 'self'] },
      wanted: `UCX_TLS=sysv,self FABRICBENCH_MPI= /usr/bin/launch -np 2 --map-by core --bind-to core -x UCX_TLS -x FABRICBENCH_MPI --mca btl self ${RANK}`,
    },
  ];
  for (const { what, more, wanted } of cases) {
    it(what, () => {
      expect(line('openmpi', more)).to.equal(wanted);
    });
  }
});

describe("MPICH's mpiexec", () => {
  const mpich = { family: 'mpich', pml: undefined } as const;

  it('binds, and has no root, slots or components to be told of', () => {
    const more: Partial<Job> = { ...mpich, root: true, oversubscribe: true, yields: true, ranks: 4, bindTo: 'none' };
    expect(line('mpich', more)).to.equal(`/usr/bin/launch -n 4 -bind-to none ${RANK}`);
    expect(line('mpich', mpich)).to.equal(`/usr/bin/launch -n 2 -bind-to core ${RANK}`);
  });

  it('takes hosts, and hands its whole environment on by itself', () => {
    const more: Partial<Job> = { ...mpich, ranks: 8, hosts: ['n1', 'n2'], environment: { UCX_TLS: 'tcp' } };
    expect(line('mpich', more)).to.equal(`UCX_TLS=tcp /usr/bin/launch -n 8 -hosts n1,n2 -ppn 4 -bind-to core ${RANK}`);
  });
});

describe("Slurm's srun", () => {
  it('starts ranks of Open MPI by PMIx, whose parameters go by the environment', () => {
    expect(line('srun', { pml: 'ucx', root: true, yields: true, oversubscribe: true, bindTo: 'none' })).to.equal(
      `OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any OMPI_MCA_mpi_yield_when_idle=1 /usr/bin/launch --mpi=pmix --kill-on-bad-exit=1 -n 2 --cpu-bind=none --overcommit ${RANK}`,
    );
  });

  it('starts ranks of MPICH by PMI-2', () => {
    const more: Partial<Job> = { family: 'mpich', ranks: 8, hosts: ['n1', 'n2'], ranksPerNode: 4, bindTo: 'hwthread' };
    expect(line('srun', more)).to.equal(
      `/usr/bin/launch --mpi=pmi2 --kill-on-bad-exit=1 -n 8 -N 2 -w n1,n2 --ntasks-per-node 4 --hint=multithread --cpu-bind=threads ${RANK}`,
    );
  });

  it('binds to cores', () => {
    expect(line('srun')).to.equal(`/usr/bin/launch --mpi=pmix --kill-on-bad-exit=1 -n 2 --cpu-bind=cores ${RANK}`);
  });
});

describe('a line for a shell', () => {
  /** What a shell makes of it: the words of a program that prints them, and a variable. */
  function throughShell(words: readonly string[], value: string): { words: string[]; value: string } {
    const script = 'printf \'%s\\0\' "$VALUE" "$@"';
    const text = shellLine({ argv: ['sh', '-c', script, 'sh', ...words], environment: { VALUE: value } });
    const [first = '', ...rest] = execFileSync('sh', ['-c', text], { encoding: 'utf8' }).split('\0').slice(0, -1);
    return { words: rest, value: first };
  }

  it('is read back as the same words, whatever stands in them', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("it's", '$HOME', '`x`', 'a b', '', '\n', '~', '*', '"', '\\', '!1'),
    );
    const clean = word.map((text) => text.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.array(clean, { maxLength: 5 }), clean, (words, value) => {
        expect(throughShell(words, value)).to.deep.equal({ words, value });
      }),
      { numRuns: 40 },
    );
  });
});

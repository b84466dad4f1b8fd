/** Benchmarks across hosts: by plain mpirun, by `fabricbench run --hosts`, and between server and client. */
import { assert } from 'chai';
import { testFolder } from '../launch/folder.js';
import { describeUnder } from '../launch/mpirun.js';
import { column, program, readRecord } from '../launch/output.js';
import { withHosts, type Done } from './lab.js';

const HOSTS = ['node1', 'node2'];
const SIZES = ['8192', '16384'];
const OPTIONS = ['-m', '8K:16K', '-i', '4', '-x', '1'];

function assertDone(done: Done): void {
  assert.equal(done.code, 0, done.report);
  assert.isFalse(done.hung, done.report);
}

interface Way {
  readonly name: string;
  readonly mpi: 'openmpi' | 'mpich';
  readonly pml: 'ob1' | 'ucx';
  /** Options of `fabricbench run`. */
  readonly options: readonly string[];
}

const WAYS: readonly Way[] = [
  { name: 'Open MPI over UCX', mpi: 'openmpi', pml: 'ucx', options: ['--mpi', 'openmpi', '--pml', 'ucx'] },
  { name: 'Open MPI over ob1', mpi: 'openmpi', pml: 'ob1', options: ['--mpi', 'openmpi', '--pml', 'ob1'] },
  { name: 'MPICH', mpi: 'mpich', pml: 'ucx', options: ['--mpi', 'mpich'] },
];

for (const { name, mpi, pml, options } of WAYS) {
  describeUnder(mpi)(`across hosts, ${name}`, () => {
    const hosts = withHosts(2);
    const file = testFolder();
    const fabricbench = (...words: readonly string[]) =>
      hosts.on('node1', [process.execPath, program('fabricbench'), 'run', ...options, ...words]);

    it('plain mpirun starts ranks on both', async () => {
      const json = file();
      assertDone(await hosts.mpirun([program('osu_bw'), ...OPTIONS, '--json', json], { mpi, pml }).ended);
      const record = readRecord(json);
      assert.deepEqual(
        record.ranks.map(({ host }) => host),
        HOSTS,
      );
      const carried = record.environment.mpi?.transports;
      if (pml === 'ucx' && carried) assert.deepEqual(carried, ['tcp/eth0']);
      assert.deepEqual(await hosts.strays(), []);
    });

    it('fabricbench run does so, and names both in the record', async () => {
      const json = file();
      const done = await fabricbench('--hosts', 'node1,node2', '--json', json, 'osu_latency', '--', ...OPTIONS).ended;
      assertDone(done);
      assert.deepEqual(column(done.stdout, 0), SIZES);
      assert.deepEqual(
        readRecord(json).ranks.map(({ host }) => host),
        HOSTS,
      );
      assert.deepEqual(await hosts.strays(), []);
    });

    for (const benchmark of ['osu_put_latency', 'osu_get_bw', 'osu_acc_latency']) {
      it(`${benchmark} has its windows`, async () => {
        const json = file();
        const words = ['--hosts', 'node1,node2', '--json', json, benchmark, '--', ...OPTIONS, '-c'];
        const done = await fabricbench(...words).ended;
        assertDone(done);
        assert.deepEqual(column(done.stdout, 0), SIZES);
        assert.isTrue(readRecord(json).rows.every(({ validation }) => validation?.passed));
        assert.deepEqual(await hosts.strays(), []);
      });
    }

    for (const benchmark of ['osu_bw_fan_in', 'osu_bw_fan_out', 'osu_allreduce']) {
      it(`${benchmark} runs on two ranks of each`, async () => {
        const json = file();
        const words = ['--hosts', 'node1,node2', '--ranks-per-node', '2', '--json', json, benchmark];
        const done = await fabricbench(...words, '--', ...OPTIONS).ended;
        assertDone(done);
        assert.deepEqual(column(done.stdout, 0), SIZES);
        assert.sameMembers(
          readRecord(json).ranks.map(({ host }) => host),
          [...HOSTS, ...HOSTS],
        );
      });
    }
  });
}

describe('across hosts, ucx_perftest', () => {
  const hosts = withHosts(2);

  it('measures between a server on one and a client on another', async () => {
    const server = hosts.on('node1', [process.execPath, program('ucx_perftest'), '--once']);
    await server.until(() => (server.stdout.includes('Waiting for connection') ? true : undefined));
    const client = [program('ucx_perftest'), 'node1', '-t', 'tag_bw', '-s', '8192', '-n', '100', '-w', '10'];
    const done = await hosts.on('node2', [process.execPath, ...client]).ended;
    assertDone(done);
    assert.match(done.stdout, /tag_bw|Final:/, done.report);
    assertDone(await server.ended);
    assert.deepEqual(await hosts.strays(), []);
  });
});

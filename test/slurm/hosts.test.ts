/** Slurm across the hosts of scripts/hosts: jobs whose messages really go from host to host. */
import { assert } from 'chai';
import { withHosts } from '../hosts/lab.js';
import { program } from '../launch/output.js';
import { batchScript, withSlurm } from './lab.js';

describe('Slurm across hosts', () => {
  const hosts = withHosts(2);
  const slurm = withSlurm(hosts);

  it('starts osu_bw on two hosts by srun', async () => {
    const words = [process.execPath, program('osu_bw'), '-m', '1K:4K', '-i', '20', '--json', 'bw.json'];
    const done = await slurm.run(['srun', '--nodes=2', '--ntasks-per-node=1', '--mpi=pmix', ...words]);
    assert.equal(done.code, 0, done.report);
    const { ranks, run, rows } = slurm.record('bw.json');
    assert.deepEqual(ranks.map(({ host }) => host), ['node1', 'node2']); // prettier-ignore
    assert.equal(run.job?.nodes, 'node[1-2]');
    assert.equal(rows.length, 3);
  });

  it('runs the batch script of pt2pt on them, by UCX over tcp and by mpirun', async () => {
    for (const env of [{ UCX_TLS: 'tcp,self' }, { FABRICBENCH_LAUNCHER: 'mpirun' }]) {
      const job = await slurm.ended(await slurm.submit([batchScript('pt2pt'), 'osu_bw'], env));
      assert.equal(job.exitCode, 0, job.report);
      const { ranks, environment } = slurm.record(`fabricbench-pt2pt-${job.id}`, 'osu_bw.json');
      assert.deepEqual(ranks.map(({ host }) => host), ['node1', 'node2']); // prettier-ignore
      assert.deepEqual(environment.hosts.map(({ name }) => name), ['node1', 'node2']); // prettier-ignore
    }
  });

  it('leaves no process on them', async () => {
    assert.equal(slurm.lab('down').code, 0);
    assert.deepEqual(await hosts.strays(), []);
  });
});

/** `fabricbench run` in a job of Slurm. */
import { assert } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../launch/output.js';
import { withSlurm } from './lab.js';

const RUN = [process.execPath, program('fabricbench'), 'run'];
const SALLOC = ['salloc', '--quiet', '--nodes=2', '--ntasks-per-node=1', '--time=5'];
const SMALL = ['--', '-m', '8:32', '-i', '20'];

describe('fabricbench run in a job of Slurm', () => {
  const slurm = withSlurm(2);

  it('starts its ranks by srun on the nodes of the job, and records the job', async () => {
    const dry = await slurm.run([...SALLOC, ...RUN, 'osu_latency', '--dry-run']);
    assert.match(dry.stdout, /srun --mpi=pmix --kill-on-bad-exit=1 -n 2 -N 2 --ntasks-per-node 1 --cpu-bind=cores /, dry.report); // prettier-ignore
    const done = await slurm.run([...SALLOC, ...RUN, 'osu_bw', '--bind-to', 'none', '--json', 'salloc.json', ...SMALL]);
    assert.equal(done.code, 0, done.report);
    const { run, ranks, status } = slurm.record('salloc.json');
    assert.deepEqual([status.state, ranks.map(({ localRank }) => localRank)], ['done', [0, 0]]);
    assert.deepInclude(run.job, { nodes: 'node[1-2]', partition: 'debug', name: 'interactive' });
  });

  it('starts as many as the job has tasks, and of no more nodes than ranks', async () => {
    const of = async (options: readonly string[], name: string): Promise<string> =>
      (await slurm.run(['salloc', '--quiet', '--time=5', ...options, ...RUN, name, '--dry-run'])).stdout;
    assert.match(await of(['--nodes=2', '--ntasks-per-node=2'], 'osu_allreduce'), / -n 4 -N 2 --ntasks-per-node 2 /);
    assert.match(await of(['--nodes=2', '--exclusive'], 'osu_allreduce'), / -n 4 -N 2 --ntasks-per-node 2 /);
    assert.match(await of(['--nodes=1', '--exclusive'], 'osu_latency'), / -n 2 -N 1 --ntasks-per-node 2 /);
  });

  for (const mpi of ['openmpi', 'mpich'] as const) {
    it(`starts them by the mpirun of ${mpi} where that is asked for`, async () => {
      const json = `${mpi}.json`;
      const words = [...RUN, 'osu_latency', '--mpi', mpi, '--bind-to', 'none', '--json', json, ...SMALL];
      const done = await slurm.run([...SALLOC, ...words]);
      assert.equal(done.code, 0, done.report);
      const { run, environment } = slurm.record(json);
      assert.deepEqual([environment.mpi?.family, run.job?.nodes], [mpi, 'node[1-2]']);
    });
  }

  it('works in a batch script, and in the shell of a step', async () => {
    const script = join(slurm.folder, 'run.sbatch');
    const line = [...RUN, 'osu_latency', '--bind-to', 'none', '--json', 'batch.json', ...SMALL].join(' ');
    writeFileSync(script, `#!/bin/bash\n${line}\n`);
    const job = await slurm.ended(await slurm.submit(['--nodes=2', '--output=batch.out', script]));
    assert.equal(job.exitCode, 0, job.report);
    assert.equal(slurm.record('batch.json').run.job?.id, job.id);
    const step = await slurm.run([...SALLOC, 'srun', '--nodes=1', '--ntasks=1', ...RUN, 'osu_latency', '--bind-to', 'none', ...SMALL]); // prettier-ignore
    assert.equal(step.code, 0, step.report);
  });

  it('refuses to be started as several ranks', async () => {
    const done = await slurm.run([...SALLOC, 'srun', ...RUN, 'osu_latency']);
    assert.match(done.stderr, /it starts the ranks itself, and runs as one here/, done.report);
    assert.notEqual(done.code, 0);
  });

  it('ends before the time limit of the job, with a whole record', async () => {
    const end = Math.floor(Date.now() / 1000) + 40;
    const long = ['--', '-m', '8:4M', '-i', '20000'];
    const words = [...RUN, 'osu_latency', '--bind-to', 'none', '--json', 'limit.json', ...long];
    const done = await slurm.run([...SALLOC, 'env', `SLURM_JOB_END_TIME=${end}`, ...words]);
    assert.equal(done.code, 1, done.report);
    assert.match(done.stderr, /ended 20 s before the time limit of the job/);
    const { status, run, rows } = slurm.record('limit.json');
    assert.deepEqual(status, { state: 'failed', message: 'ended 20 s before the time limit of the job' });
    assert.isAbove(rows.length, 0);
    assert.deepEqual(await slurm.strays(run.job?.id ?? ''), []);
  });

  it('asks Slurm for the time that is left, and refuses a launch that has none', async () => {
    const words = ['salloc', '--quiet', '--nodes=1', '--exclusive', '--time=1'];
    const asked = await slurm.run([...words, 'sh', '-c', 'squeue --noheader --job $SLURM_JOB_ID --format=%L']);
    assert.match(asked.stdout, /^(1:00|0:\d\d)\n$/);
    const soon = `SLURM_JOB_END_TIME=${Math.floor(Date.now() / 1000) + 15}`;
    const done = await slurm.run([...words, 'env', soon, ...RUN, 'osu_latency']);
    assert.equal(done.code, 1, done.report);
    assert.match(done.stderr, /job \d+ ends in \d+ s, which is too little for a launch: give it more time/);
  });

  it('ends its ranks on all nodes when it gets SIGTERM', async () => {
    const long = ['--', '-m', '8:4M', '-i', '20000'];
    const line = [...RUN, 'osu_latency', '--bind-to', 'none', '--json', 'term.json', ...long].join(' ');
    const script = join(slurm.folder, 'term.sbatch');
    writeFileSync(script, `#!/bin/bash\nexec ${line}\n`);
    const id = await slurm.submit(['--nodes=2', '--output=term.out', script]);
    await slurm.until('a row', () => ((slurm.recordIfThere('term.json')?.rows.length ?? 0) > 0 ? true : undefined));
    await slurm.run(['scancel', '--batch', '--signal=TERM', id]);
    const job = await slurm.ended(id, 30);
    assert.deepEqual([job.state, job.exitCode], ['FAILED', 143], job.report);
    const { status, rows } = slurm.record('term.json');
    assert.equal(status.state, 'failed');
    assert.isAbove(rows.length, 0);
    assert.deepEqual(await slurm.strays(id), []);
  });
});

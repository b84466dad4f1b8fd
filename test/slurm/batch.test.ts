/** The batch scripts that are shipped, under a real Slurm. */
import { assert } from 'chai';
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchScript, withSlurm } from './lab.js';

describe('batch scripts of Slurm', () => {
  const slurm = withSlurm(4);

  it('pt2pt: each benchmark across two nodes, with a record that knows the job', async () => {
    const job = await slurm.ended(
      await slurm.submit([batchScript('pt2pt'), 'osu_latency', 'osu_bw', 'osu_put_latency']),
    );
    assert.deepEqual([job.state, job.exitCode], ['COMPLETED', 0], job.report);
    assert.match(
      job.output,
      /# OSU MPI Latency Test[^]*# OSU MPI Bandwidth Test[^]*# 3 measured, 0 complete before, 0 failed/,
    );
    for (const program of ['osu_latency', 'osu_bw', 'osu_put_latency']) {
      const { run, ranks, rows, status } = slurm.record(`fabricbench-pt2pt-${job.id}`, `${program}.json`);
      const wanted = {
        manager: 'slurm' as const,
        id: job.id,
        name: 'fabricbench-pt2pt',
        partition: 'debug',
        restarts: 0,
      };
      assert.deepInclude(run.job, wanted);
      assert.match(run.job?.nodes ?? '', /^node\[\d-\d\]$/);
      assert.deepEqual([run.name, ranks.length, rows.map(({ parameters }) => parameters.size), status.state], [program, 2, [8, 16, 32], 'done']); // prettier-ignore
      assert.deepEqual(ranks.map(({ localRank }) => localRank), [0, 0]); // prettier-ignore
    }
  });

  it('collectives: over all ranks of all nodes', async () => {
    const words = ['--nodes=3', batchScript('collectives'), 'osu_barrier', 'osu_allreduce'];
    const job = await slurm.ended(await slurm.submit(words));
    assert.equal(job.exitCode, 0, job.report);
    const { ranks, status } = slurm.record(`fabricbench-collectives-${job.id}`, 'osu_allreduce.json');
    assert.deepEqual([ranks.length, status.state], [6, 'done']);
    assert.equal(slurm.record(`fabricbench-collectives-${job.id}`, 'osu_barrier.json').rows.length, 1);
  });

  it('scan: one record for each window, over pairs', async () => {
    const env = { FABRICBENCH_SIZES: '8,64', FABRICBENCH_WINDOWS: '4,16', FABRICBENCH_PAIRS: '1,2' };
    const job = await slurm.ended(await slurm.submit([batchScript('scan')], env));
    assert.equal(job.exitCode, 0, job.report);
    const folder = `fabricbench-scan-${job.id}`;
    assert.sameMembers(readdirSync(join(slurm.folder, folder)), ['scan.window-4.json', 'scan.window-16.json']);
    const { rows, status, run } = slurm.record(folder, 'scan.window-16.json');
    assert.deepEqual([...new Set(rows.map(({ parameters }) => parameters.pairs))].sort(), [1, 2]);
    assert.deepEqual([status.state, run.job?.id], ['done', job.id]);
  });

  it('near-far: from both places, held against each other', async function () {
    const devices = readdirSync('/sys/class/net').filter((name) => existsSync(`/sys/class/net/${name}/device`));
    if (devices[0] === undefined) this.skip();
    const job = await slurm.ended(await slurm.submit([batchScript('near-far'), 'osu_latency']));
    assert.equal(job.exitCode, 0, job.report);
    for (const place of ['near', 'far']) {
      const { run, ranks } = slurm.record(`fabricbench-near-far-${job.id}`, `${place}.osu_latency.json`);
      assert.deepEqual(ranks.map(({ binding }) => binding?.by), ['fabricbench', 'fabricbench']); // prettier-ignore
      assert.match(JSON.stringify(run.options['bind']), new RegExp(place));
    }
    assert.match(job.output, /A near.osu_latency: [^]*B far.osu_latency: /);
  });

  it('by mpirun, and of MPICH, as well', async () => {
    const pairs = [
      { FABRICBENCH_LAUNCHER: 'mpirun' },
      { FABRICBENCH_MPI: 'mpich' },
      { FABRICBENCH_MPI: 'mpich', FABRICBENCH_LAUNCHER: 'mpirun' },
    ];
    for (const env of pairs) {
      const job = await slurm.ended(await slurm.submit([batchScript('pt2pt'), 'osu_latency'], env));
      assert.equal(job.exitCode, 0, job.report);
      const { run, environment } = slurm.record(`fabricbench-pt2pt-${job.id}`, 'osu_latency.json');
      assert.equal(run.job?.id, job.id);
      assert.equal(environment.mpi?.family, env.FABRICBENCH_MPI ?? 'openmpi');
    }
  });

  it('go on after what fails, and say so in the end', async () => {
    const job = await slurm.ended(await slurm.submit([batchScript('pt2pt'), 'osu_nothing', 'osu_latency']));
    assert.deepEqual([job.state, job.exitCode], ['FAILED', 1], job.report);
    assert.match(job.output, /1 measured, 0 complete before, 1 failed[^]*these failed: osu_nothing/);
    assert.equal(slurm.record(`fabricbench-pt2pt-${job.id}`, 'osu_latency.json').status.state, 'done');
  });

  it('say in one sentence where fabricbench, or what it needs, is not', async () => {
    const home = await slurm.ended(await slurm.submit([batchScript('pt2pt')], { FABRICBENCH_HOME: undefined }));
    assert.deepEqual([home.exitCode, home.output.trim().split('\n').length], [2, 1], home.report);
    assert.match(home.output, /has no scripts\/slurm\/common.sh: call sbatch in the folder of fabricbench/);
    const wrong = await slurm.ended(await slurm.submit([batchScript('pt2pt')], { FABRICBENCH_MPI: 'lam' }));
    assert.deepEqual(
      [wrong.exitCode, wrong.output],
      [2, 'fabricbench: FABRICBENCH_MPI is openmpi or mpich, and not lam\n'],
    );
    const modules = await slurm.ended(
      await slurm.submit([batchScript('pt2pt'), 'osu_latency'], { FABRICBENCH_MODULES: 'a/1' }),
    );
    assert.match(modules.output, /there is no module command here, so a\/1 can't be loaded: going on without/);
    assert.equal(modules.exitCode, 0, modules.report);
  });

  it('load modules where the site has them', async () => {
    const init = join(slurm.folder, 'modules.sh');
    writeFileSync(init, 'module() { echo "module $*"; [[ $2 != absent ]]; }\n');
    const there = await slurm.ended(await slurm.submit([batchScript('pt2pt'), 'osu_latency'], { BASH_ENV: init, FABRICBENCH_MODULES: 'openmpi/4 node' })); // prettier-ignore
    assert.match(there.output, /^module load openmpi\/4 node$/m);
    assert.equal(there.exitCode, 0, there.report);
    const absent = await slurm.ended(await slurm.submit([batchScript('pt2pt')], { BASH_ENV: init, FABRICBENCH_MODULES: 'absent' })); // prettier-ignore
    assert.equal(absent.exitCode, 77, absent.report);
  });

  it('acceptance: an array whose tasks test the nodes that they are given, and a verdict', async () => {
    const expect = join(slurm.folder, 'expect.yaml');
    writeFileSync(expect, EXPECTATIONS);
    const env = { FABRICBENCH_NODES: 'node[1-4]', FABRICBENCH_EXPECT: expect };
    const job = await slurm.ended(await slurm.submit([batchScript('acceptance'), 'osu_latency'], env));
    assert.equal(job.exitCode, 0, job.report);
    const array = /job array (\d+) tests 4 nodes in 4 tests/.exec(job.output)?.[1] ?? '';
    const tasks = [];
    for (const task of [0, 1, 2, 3]) tasks.push(await slurm.ended(`${array}_${task}`));
    assert.deepEqual(tasks.map(({ exitCode }) => exitCode), [0, 0, 0, 0], tasks.map(({ report }) => report).join('\n')); // prettier-ignore
    const folder = `fabricbench-acceptance-${job.id}`;
    const pairs = ['node1+node2', 'node2+node3', 'node3+node4', 'node1+node4'];
    assert.sameMembers(readdirSync(join(slurm.folder, folder)), pairs.map((pair) => `${pair}.osu_latency.json`)); // prettier-ignore
    assert.deepEqual(slurm.record(folder, 'node2+node3.osu_latency.json').run.job?.array, { id: array, task: '1' });
    const verdict = await slurm.until('the verdict', () =>
      readdirSync(slurm.folder).find((name) => name.startsWith('fabricbench-acceptance-verdict')),
    );
    const told = await slurm.ended(/(\d+)\.out$/.exec(verdict)?.[1] ?? '');
    assert.match(told.output, /# 4 tests of 4 nodes\nnode1\+node2: osu_latency done\n/);
    assert.equal(told.exitCode, 0, told.report);
  });

  it('acceptance: a node that misses the reference fails its task', async () => {
    const expect = join(slurm.folder, 'expect.yaml');
    writeFileSync(expect, EXPECTATIONS.replace('1000000', '0.000001'));
    const env = { FABRICBENCH_NODES: 'node2', FABRICBENCH_NODES_PER_TEST: '1', FABRICBENCH_EXPECT: expect };
    const job = await slurm.ended(await slurm.submit([batchScript('acceptance'), 'osu_latency'], env));
    const array = /job array (\d+) tests 1 nodes in 1 tests/.exec(job.output)?.[1] ?? '';
    const task = await slurm.ended(`${array}_0`);
    assert.equal(task.exitCode, 1, task.report);
    assert.match(task.output, /these failed: node2 against/);
    assert.equal(slurm.record(`fabricbench-acceptance-${job.id}`, 'node2.osu_latency.json').ranks.length, 2);
  });

  it('run from a copy too', async () => {
    const copy = join(slurm.folder, 'mine.sbatch');
    copyFileSync(batchScript('pt2pt'), copy);
    const job = await slurm.ended(await slurm.submit(['--job-name=mine', copy, 'osu_latency']));
    rmSync(copy);
    assert.equal(job.exitCode, 0, job.report);
    assert.equal(slurm.record(`mine-${job.id}`, 'osu_latency.json').run.job?.name, 'mine');
  });
});

const EXPECTATIONS = `
- benchmark: osu_latency
  size: 8
  figure: latency
  value: 1000000
  unit: us
  upper: 0.0
`;

/** How jobs of Slurm end before their time: bounded, told, with whole records, and with nothing left behind. */
import { assert } from 'chai';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultRecord } from '../../src/results/types.js';
import { batchScript, withSlurm, type Slurm } from './lab.js';

/** A benchmark that takes minutes, a row each few seconds. */
const LONG = { FABRICBENCH_SIZES: '8:4M', FABRICBENCH_ITERATIONS: '20000' } as const;

/** Submits pt2pt, and waits until it has a row. */
async function underWay(slurm: Slurm, options: readonly string[] = []): Promise<string> {
  const script = batchScript('pt2pt');
  const id = await slurm.submit([...options, script, 'osu_latency', 'osu_bw'], LONG);
  await slurm.until('a row of osu_latency', () => {
    const record = slurm.recordIfThere(`fabricbench-pt2pt-${id}`, 'osu_latency.json');
    return (record?.rows.length ?? 0) > 0 ? record : undefined;
  });
  return id;
}

describe('a job of Slurm', () => {
  const slurm = withSlurm(2);
  // A job that a failed test leaves would hold up those of the others.
  afterEach(() => slurm.run(['scancel', `--user=${userInfo().username}`, '--full', '--signal=KILL']));

  it('that was requeued goes on where it stopped', async () => {
    const script = batchScript('pt2pt');
    const first = await slurm.submit([script, 'osu_bw']);
    assert.equal((await slurm.ended(first)).exitCode, 0);
    // The second has the first one's results, and a benchmark that is still under way when it is requeued.
    const env = { FABRICBENCH_RESULTS: `${slurm.folder}/fabricbench-pt2pt-${first}`, FABRICBENCH_ITERATIONS: '20000', FABRICBENCH_SIZES: '8:4M' }; // prettier-ignore
    const id = await slurm.submit([script, 'osu_bw', 'osu_latency'], env);
    const folder = `fabricbench-pt2pt-${first}`;
    await slurm.until('a row of osu_latency', () => ((slurm.recordIfThere(folder, 'osu_latency.json')?.rows.length ?? 0) > 0 ? true : undefined)); // prettier-ignore
    const requeued = await slurm.run(['scontrol', 'requeue', id]);
    assert.equal(requeued.code, 0, requeued.report);
    await slurm.until('the queue', async () => ((await slurm.told(id))['JobState'] === 'PENDING' ? true : undefined));
    // Killed from outside, unless it saw its peer end first.
    assert.include(['running', 'failed'], slurm.record(folder, 'osu_latency.json').status.state);
    assert.deepEqual(await slurm.strays(id), []);
    // Slurm lets a requeued job wait for two minutes. Nodes refuse one that begins in the second in which it ended.
    await sleep(2500);
    await slurm.until('the restart', async () => {
      await slurm.run(['scontrol', 'update', `JobId=${id}`, 'StartTime=now']);
      const { Restarts, JobState } = await slurm.told(id);
      return Restarts === '1' && JobState === 'RUNNING' ? true : undefined;
    });
    const again = await slurm.until('its record', () => {
      const record = slurm.recordIfThere(folder, 'osu_latency.json');
      return record?.run.job?.restarts === 1 && record.rows.length > 0 ? record : undefined;
    });
    // What had been measured before is a part, and the rest begins behind it.
    const sizes = (record: ResultRecord): (number | null)[] => record.rows.map(({ parameters }) => parameters.size);
    const part = slurm.record(folder, 'osu_latency.part1.json');
    assert.deepEqual([part.run.job?.restarts, sizes(part)[0]], [0, 8]);
    assert.equal(sizes(again)[0], 2 * (sizes(part).at(-1) ?? 0));
    assert.equal(again.run.job?.id, id);
    await slurm.run(['scancel', id]);
    const job = await slurm.ended(id);
    assert.match(
      job.output,
      /restart 0[^]*# osu_bw is complete: left out[^]*restart 1[^]*# osu_bw is complete: left out/,
    );
    assert.equal(slurm.record(folder, 'osu_bw.json').run.job?.id, first);
  });

  it('that is cancelled ends with whole records and no process', async () => {
    const id = await underWay(slurm);
    await slurm.run(['scancel', id]);
    const job = await slurm.ended(id, 30);
    assert.equal(job.state, 'CANCELLED', job.report);
    assert.match(job.output, /^fabricbench: ended by SIGTERM; .* has what was measured, and a restart goes on there$/m);
    const { rows } = slurm.record(`fabricbench-pt2pt-${id}`, 'osu_latency.json');
    assert.isAbove(rows.length, 0);
    assert.deepEqual(await slurm.strays(id), []);
  });

  it('that is pre-empted: SIGTERM to all of it, time to end, and then a restart', async () => {
    const id = await underWay(slurm);
    await slurm.run(['scancel', '--full', '--signal=TERM', id]);
    const job = await slurm.ended(id, 30);
    assert.deepEqual([job.state, job.exitCode], ['FAILED', 143], job.report);
    assert.isAbove(slurm.record(`fabricbench-pt2pt-${id}`, 'osu_latency.json').rows.length, 0);
    assert.deepEqual(await slurm.strays(id), []);
  });

  it('that comes near its time limit ends by itself', async () => {
    // Slurm sends the signal before the end, up to a minute earlier than it says.
    const id = await underWay(slurm, ['--time=2', '--signal=B:TERM@110']);
    const job = await slurm.ended(id, 100);
    assert.deepEqual([job.state, job.exitCode], ['FAILED', 143], job.report);
    assert.match(job.output, /ended by SIGTERM/);
    assert.isAbove(slurm.record(`fabricbench-pt2pt-${id}`, 'osu_latency.json').rows.length, 0);
    assert.deepEqual(await slurm.strays(id), []);
  });

  it('one of whose ranks is killed ends that benchmark, and goes on', async () => {
    const script = batchScript('pt2pt');
    const env = { FABRICBENCH_ITERATIONS: '20000', FABRICBENCH_SIZES: '8:4M' };
    const id = await slurm.submit([script, 'osu_latency', 'osu_init'], env);
    await slurm.until('a row', () => ((slurm.recordIfThere(`fabricbench-pt2pt-${id}`, 'osu_latency.json')?.rows.length ?? 0) > 0 ? true : undefined)); // prettier-ignore
    const rank = slurm.ranks(id, 'osu_latency')[0] ?? assert.fail('no rank runs');
    process.kill(rank, 'SIGKILL');
    const job = await slurm.ended(id, 60);
    assert.match(job.output, /osu_latency failed with exit code \d+[^]*these failed: osu_latency/, job.report);
    assert.deepEqual(await slurm.strays(id), []);
  });
});

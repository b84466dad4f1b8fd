/** Where ranks run: what --bind does to every thread, seen from outside, and what is said and recorded of it. */
import { assert } from 'chai';
import { coreOf } from '../../src/binding/core-of.js';
import { parseCpuList } from '../../src/engine/affinity.js';
import type { ResultRecord } from '../../src/results/types.js';
import { testFolder } from './folder.js';
import { launch, start, type LaunchOptions } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord, rowsOnce } from './output.js';
import { processorsOf } from './processes.js';

const unbound: LaunchOptions = { place: ['--bind-to', 'none'] };
/** More than any machine that runs these tests has. */
const NO_CPU = 4095;

/** Two hardware threads of different cores that this process may use. */
function twoCpus(): [number, number] {
  const allowed = parseCpuList(processorsOf(process.pid)[0] ?? '');
  const [first = 0] = allowed;
  const second = allowed.find((cpu) => coreOf(cpu) !== coreOf(first));
  if (second === undefined) throw new Error('these tests need two cores');
  return [first, second];
}

const [low, high] = twoCpus();

function coresOf({ ranks }: ResultRecord): (readonly number[] | null)[] {
  return ranks.map(({ cores }) => cores);
}

/** What --report-binding says of ranks on a core each. */
function reportOf({ ranks }: ResultRecord): string[] {
  return ranks.map(({ rank, host, cores, hardwareThreads, threads = [] }) => {
    const place = `core ${cores?.[0]}, hardware thread ${hardwareThreads?.[0]}`;
    return `rank ${rank} on ${host}: ${place}, all ${threads.length} threads of the process alike`;
  });
}

describe('--bind', () => {
  const file = testFolder();

  const bindings: { wanted: [number, number]; how: LaunchOptions }[] = [
    { wanted: [low, high], how: unbound },
    { wanted: [high, low], how: unbound },
    { wanted: [high, low], how: {} },
    { wanted: [high, low], how: { ...unbound, mpi: 'mpich' } },
  ];
  for (const { wanted, how } of bindings) {
    const list = wanted.join(',');
    const launcher = how.mpi === 'mpich' ? "MPICH's mpirun" : 'mpirun';
    it(`${list}, ${launcher} binding ${how.place ? 'nothing' : 'the other way round'}: every thread of each rank`, async () => {
      const json = file();
      const options = ['-m', '1:1', '-x', '0', '-i', '1000000000', '--time-limit', '1.5'];
      const running = start(
        program('osu_latency'),
        [...options, '--bind', list, '--report-binding', '--json', json],
        how,
      );
      await running.until(() => rowsOnce(json, 0)); // written when the first row begins
      const seen = [...running.ranks()].map(([rank, pid]) => ({ rank, processors: processorsOf(pid) }));
      const launched = await running.ended;
      assertDone(launched);

      assert.deepEqual(seen.map(({ rank }) => rank).sort(), [0, 1]);
      for (const { rank, processors } of seen) {
        assert.isAbove(processors.length, 1);
        assert.deepEqual([...new Set(processors)], [String(wanted[rank])]);
      }
      const record = readRecord(json);
      assert.deepEqual(
        coresOf(record),
        wanted.map((cpu) => [coreOf(cpu)]),
      );
      assert.deepEqual(
        record.ranks.map(({ hardwareThreads }) => hardwareThreads),
        wanted.map((cpu) => [cpu]),
      );
      const threads = record.ranks.flatMap(({ threads: all = [], rank }) => all.map((thread) => ({ rank, thread })));
      for (const { rank, thread } of threads) assert.deepEqual([...thread.hardwareThreads], [wanted[rank]]);
      assert.deepEqual(record.warnings, []);
    });
  }

  it('is reported as the kernel has it (--report-binding), in agreement with the record', async () => {
    const json = file();
    const options = ['-m', '1:1', '-i', '10', '--report-binding', '--json', json];
    for (const args of [options, [...options, '--bind', `${high},${low}`]]) {
      const launched = await launch(program('osu_bw'), args, args === options ? {} : unbound);
      assertDone(launched);
      assert.deepEqual(ownLines(launched), reportOf(readRecord(json)));
    }
  });

  const refusals = [
    [`${NO_CPU},0`, /^osu_latency: --bind can't have its way on rank 0: core 4095 does not exist: this machine has 0-/],
    [`0,${NO_CPU}`, /^osu_latency: --bind can't have its way on rank 1: core 4095 does not exist: this machine has 0-/],
    [
      `${NO_CPU},${NO_CPU}`,
      /^osu_latency: --bind can't have its way on rank 0: core 4095 does not exist: this machine/,
    ],
    ['0', /^osu_latency: --bind names 1 core, and this host has a local rank 1: name one for each rank of a host$/],
  ] as const;
  for (const [list, says] of refusals) {
    it(`${list} is refused in one sentence, with exit code 1`, async () => {
      const launched = await launch(program('osu_latency'), ['-m', '8', '--bind', list], unbound);
      assertFailed(launched);
      assert.equal(launched.stdout, '');
      const lines = ownLines(launched);
      assert.lengthOf(lines, 1);
      assert.match(lines[0] ?? '', says);
    });
  }
});

describe('warnings about binding', () => {
  const file = testFolder();

  async function warningsOf(args: readonly string[], how: LaunchOptions): Promise<string[]> {
    const json = file();
    const launched = await launch(program('osu_latency'), [...args, '--json', json], how);
    assertDone(launched);
    const { warnings } = readRecord(json);
    assert.deepEqual(
      ownLines(launched),
      warnings.map((warning) => `warning: ${warning}`),
    );
    return [...warnings];
  }

  it('tell of ranks that are not bound', async () => {
    const warnings = await warningsOf(['-m', '1:1', '-i', '10'], unbound);
    assert.lengthOf(warnings, 1);
    assert.match(
      warnings[0] ?? '',
      /^ranks 0, 1 may run on several cores.*bind with mpirun --bind-to core or with --bind$/,
    );
  });

  it('tell of ranks that share a core', async () => {
    const warnings = await warningsOf(['-m', '1:1', '-i', '2', '-x', '0', '--bind', `${low},${low}`], unbound);
    assert.lengthOf(warnings, 1);
    assert.match(warnings[0] ?? '', /^ranks 0, 1 share core 0 of \S+, so figures show the scheduler.*--bind$/);
  });

  it('are not given where each rank has a core', async () => {
    assert.deepEqual(await warningsOf(['-m', '1:1', '-i', '10'], {}), []);
  });
});

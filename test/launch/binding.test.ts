/** Where ranks run: what --bind does to every thread, seen from outside, and what is said and recorded of it. */
import { assert } from 'chai';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { coreOf } from '../../src/binding/core-of.js';
import { parseCpuList } from '../../src/engine/affinity.js';
import type { ResultRecord } from '../../src/results/types.js';
import { nicPlace } from '../../src/binding/sysfs.js';
import { placesIn } from '../../src/binding/resolve.js';
import { parseBind } from '../../src/binding/spec.js';
import { topologyHere } from '../../src/binding/topology-here.js';
import { makeCpuset } from './cpuset.js';
import { testFolder } from './folder.js';
import { launch, start, type LaunchOptions } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord, rowsOnce } from './output.js';
import { processorsOf } from './processes.js';

const unbound: LaunchOptions = { place: ['--bind-to', 'none'] };
/** More than any machine that runs these tests has. */
const NO_CPU = 4095;
/** A run that takes a second and a half. */
const ENDLESS = ['-m', '1:1', '-x', '0', '-i', '1000000000', '--time-limit', '1.5'];

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
function reportOf({ ranks }: ResultRecord, by = ''): string[] {
  return ranks.map(({ rank, host, cores, hardwareThreads, numaNode, threads = [] }) => {
    const node = numaNode === null ? '' : `, NUMA node ${numaNode}`;
    const place = `core ${cores?.[0]}, hardware thread ${hardwareThreads?.[0]}${node}${by}`;
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
      const running = start(
        program('osu_latency'),
        [...ENDLESS, '--bind', list, '--report-binding', '--json', json],
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
      for (const { binding } of record.ranks)
        assert.deepInclude(binding, { asked: list, by: 'fabricbench', memory: 'first touch' });
      assert.deepEqual(record.warnings, []);
    });
  }

  it('is reported as the kernel has it (--report-binding), in agreement with the record', async () => {
    const json = file();
    const options = ['-m', '1:1', '-i', '10', '--report-binding', '--json', json];
    for (const args of [options, [...options, '--bind', `${high},${low}`]]) {
      const launched = await launch(program('osu_bw'), args, args === options ? {} : unbound);
      assertDone(launched);
      assert.deepEqual(
        ownLines(launched),
        reportOf(readRecord(json), args === options ? '' : `, bound by --bind ${high},${low}`),
      );
      const { binding } = readRecord(json).ranks[0] ?? {};
      assert.equal(binding?.by, args === options ? 'launcher' : 'fabricbench');
    }
  });

  const refusals = [
    [`${NO_CPU},0`, /^osu_latency: --bind 4095,0 can't be had on \S+: core 4095 does not exist: there are 0-/],
    [`0,${NO_CPU}`, /^osu_latency: --bind 0,4095 can't be had on \S+: core 4095 does not exist: there are 0-/],
    [`${low},${low}`, /local ranks 0 and 1 would share core \d+: name other cores, or add --overlap/],
    [`core:${low}`, /it names 1 core, and this host has 2 ranks: name one for each, or add --overlap/],
    ['near:no_such_nic0', /can't be had on \S+: this machine has no device "no_such_nic0": /],
    ['near:lo', /--bind near:lo can't be had on \S+: lo is made by the kernel alone, so no core is nearer/],
    ['far:no_such_nic0', /this machine has no device "no_such_nic0": /],
    ['numa:4095', /this machine has no NUMA node 4095: it has 0/],
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
    const warnings = await warningsOf(
      ['-m', '1:1', '-i', '2', '-x', '0', '--bind', `core:${low}`, '--overlap'],
      unbound,
    );
    assert.lengthOf(warnings, 1);
    assert.match(warnings[0] ?? '', /^ranks 0, 1 share core 0 of \S+, so figures show the scheduler.*--bind$/);
  });

  it('are not given where each rank has a core', async () => {
    assert.deepEqual(await warningsOf(['-m', '1:1', '-i', '10'], {}), []);
  });
});

describe('--bind by meaning', () => {
  const file = testFolder();
  const nic = readdirSync('/sys/class/net').find((name) => nicPlace(name) !== null) ?? 'lo';

  for (const text of ['compact', 'spread', 'numa:0', `near:${nic}`, `far:${nic}`]) {
    it(`${text}: every thread of each rank, as seen from outside`, async () => {
      const spec = parseBind(text);
      if (!spec.ok || spec.value.kind === 'keep') throw new Error(text);
      const topology = topologyHere(spec.value, null);
      const wanted = placesIn(topology, { spec: spec.value, ranks: 2, overlap: false });
      if (!wanted.ok) throw new Error(wanted.reason);
      const json = file();
      // The launcher's own binding is overridden.
      const running = start(program('osu_latency'), [...ENDLESS, '--bind', text, '--json', json], {});
      await running.until(() => rowsOnce(json, 0));
      const seen = new Map([...running.ranks()].map(([rank, pid]) => [rank, [...new Set(processorsOf(pid))]]));
      assertDone(await running.ended);
      assert.deepEqual(
        [0, 1].map((rank) => seen.get(rank)),
        wanted.value.map((cpu) => [String(cpu)]),
      );
      const { ranks, warnings } = readRecord(json);
      assert.deepEqual(
        ranks.map(({ binding }) => binding?.asked),
        [text, text],
      );
      assert.deepEqual(warnings, []);
    });
  }

  it('takes memory from the node alone that is asked for', async () => {
    const json = file();
    const running = start(
      program('osu_latency'),
      [...ENDLESS, '--bind', 'compact', '--membind', '--json', json],
      unbound,
    );
    await running.until(() => rowsOnce(json, 0));
    const pids = running.ranks();
    const maps = [0, 1].map((rank) => readFileSync(`/proc/${pids.get(rank)}/numa_maps`, 'latin1'));
    assertDone(await running.ended);
    const { ranks } = readRecord(json);
    for (const [rank, text] of maps.entries()) {
      const policy = `bind:${ranks[rank]?.numaNode}`;
      assert.equal(ranks[rank]?.binding?.memory, policy);
      assert.include(text, ` ${policy} `);
    }
  });

  it('refuses memory of a node that there is not', async () => {
    const launched = await launch(program('osu_latency'), ['-m', '8', '--membind=4095'], unbound);
    assertFailed(launched);
    assert.match(
      ownLines(launched).join('\n'),
      /^osu_latency: --membind=4095 can't be had on \S+: NUMA node 4095 does not exist: this machine has 0[^\n]*$/,
    );
  });

  const confined: LaunchOptions = { ...unbound, wrap: ['taskset', '-c', String(high)] };
  for (const [mpi, list] of [
    ['openmpi', `${low},${high}`],
    ['mpich', 'compact'],
  ] as const) {
    // prettier-ignore
    it(`keeps to what ${mpi} was started for: ${list} under taskset`, async () => {
      const launched = await launch(program('osu_latency'), ['-m', '8', '--bind', list], { ...confined, mpi });
      assertFailed(launched);
      const lines = ownLines(launched);
      assert.lengthOf(lines, 1, launched.report);
      const says = list === 'compact' ? /2 ranks of a host want a core each, and 1 core/ : /core \d+ may not be used: this process may use \d+$/; // prettier-ignore
      assert.match(lines[0] ?? '', says);
    });
  }
});

describe('a rank that is moved during its run', () => {
  const file = testFolder();

  it('is told of on stderr and in the record', async () => {
    const json = file();
    const running = start(program('osu_latency'), [...ENDLESS, '--bind', `${low},${high}`, '--json', json], unbound);
    await running.until(() => rowsOnce(json, 0));
    const pid = running.ranks().get(1) ?? 0;
    execFileSync('taskset', ['-p', '-c', String(low), String(pid)], { stdio: 'ignore' });
    const launched = await running.ended;
    assertDone(launched);
    const warning = `rank 1 was moved during the run: it began on hardware thread ${high} and may now run on ${low}, so its figures are of both`;
    assert.deepEqual(ownLines(launched), [`warning: ${warning}`]);
    const { ranks, warnings } = readRecord(json);
    assert.deepEqual(warnings, [warning]);
    assert.isUndefined(ranks[0]?.binding?.after);
    assert.deepEqual(ranks[1]?.hardwareThreads, [high]);
    const { after } = ranks[1]?.binding ?? {};
    assert.deepEqual(after?.hardwareThreads, [low]);
    assert.deepEqual(
      after?.threads.map(({ id }) => id),
      [pid],
    );
  });
});

describe('--bind of the other programs', () => {
  const refused = [
    ['ib_send_lat', ['--bind', `0,${NO_CPU}`], 1],
    ['ucx_perftest', ['-t', 'tag_lat', '--bind', `0,${NO_CPU}`], 255],
  ] as const;
  for (const [name, args, code] of refused) {
    it(`${name} refuses what can't be had, once for a host`, async () => {
      const launched = await launch(program(name), args, unbound);
      assertFailed(launched, code);
      const lines = ownLines(launched);
      assert.lengthOf(lines, 1, launched.report);
      assert.match(lines[0] ?? '', /^\w+: --bind 0,4095 can't be had on \S+: core 4095 does not exist: there are 0-/);
    });
  }
});

const cpuset = makeCpuset(high);
if (cpuset) {
  describe('--bind in a cpuset', () => {
    after(() => {
      cpuset.remove();
    });

    // The ranks alone are confined, as by Slurm: their launcher is not.
    const confined: LaunchOptions = { ...unbound, wrapRank: cpuset.wrap };
    const cases: readonly [string, RegExp][] = [
      [
        `${low},${high}`,
        /this process may not use core \d+: its cpuset allows \d+; ask Slurm or the container for more$/,
      ],
      ['compact', /2 ranks of a host want a core each, and 1 core \(\d+\) of this machine may be used/],
      ['spread', /2 ranks of a host want a core each, and 1 core \(\d+\) of this machine may be used/],
    ];
    for (const [list, says] of cases) {
      it(`${list} is refused, because not all cores may be used`, async () => {
        const launched = await launch(program('osu_latency'), ['-m', '8', '--bind', list], confined);
        assertFailed(launched);
        const lines = ownLines(launched);
        assert.lengthOf(lines, 1, launched.report);
        assert.match(lines[0] ?? '', says);
      });
    }

    it('is of the cores that may be used', async () => {
      const args = ['-m', '1:1', '-i', '2', '-x', '0', '--bind', 'compact', '--overlap', '--report-binding'];
      const launched = await launch(program('osu_latency'), args, confined);
      assertDone(launched);
      assert.match(launched.stderr, new RegExp(`^rank 0 on .*hardware thread ${high},`, 'm'));
    });
  });
}

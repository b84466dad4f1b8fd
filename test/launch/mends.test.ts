/** What the peer gets wrong in the benchmarks beyond the first four, and we don't: under mpirun. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { osuRows } from '../../src/bench/suites/osu.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../unit/project.js';
import { testFolder } from './folder.js';
import { part, runMany } from './many.js';
import { describeUnder, launch, start } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord, rowsOf } from './output.js';
import { childrenOf, commandOf } from './processes.js';

describe('mends of the peer under mpirun', () => {
  for (const threads of ['1:2', '3:1']) {
    it(`osu_latency_mt -t ${threads} ends with exit code 0, whatever the senders`, async () => {
      const launched = await launch(program('osu_latency_mt'), ['-m', '8', '-i', '20', '-x', '2', '-t', threads]);
      assertDone(launched);
      const rows = rowsOf(launched.stdout);
      assert.lengthOf(rows, 4);
      for (const [, time] of rows) assert.isAbove(Number(time), 0);
    });
  }

  for (const name of ['osu_neighbor_alltoall', 'osu_ineighbor_allgather']) {
    it(`${name} on two ranks is refused in one sentence, exit 1`, async () => {
      const launched = await launch(program(name), ['-m', '8']);
      assertFailed(launched);
      assert.equal(launched.stdout, '');
      assert.lengthOf(ownLines(launched), 1);
      assert.match(ownLines(launched)[0] ?? '', /need at least 3 ranks along each dimension, .*: start more ranks or /);
    });
  }

  for (const name of ['osu_bw_fan_in', 'osu_bw_fan_out']) {
    it(`${name} on one node says in one sentence what it needs, exit 77, and has help`, async () => {
      const launched = await launch(program(name), ['-m', '8']);
      assertFailed(launched, 77);
      assert.equal(launched.stdout, '');
      assert.lengthOf(ownLines(launched), 1);
      assert.include(ownLines(launched)[0], '--nodes-by');
      const help = spawnSync(process.execPath, [program(name), '-h'], { encoding: 'utf8' });
      assert.deepEqual([help.status, help.stderr], [0, '']);
    });
  }

  for (const [line, np] of [
    ['osu_multi_lat', 3],
    ['osu_gather -k fixed:2', 2],
  ] as const) {
    it(`${line} on ${np}: one sentence, nothing printed, exit 1`, async () => {
      const [name = '', ...options] = line.split(' ');
      const launched = await launch(program(name), ['-m', '8', ...options], { np });
      assertFailed(launched);
      assert.equal(launched.stdout, '');
      assert.lengthOf(ownLines(launched), 1);
    });
  }
});

describe('mends of the peer in figures, texts and files', () => {
  const file = testFolder();

  it('osu_multi_lat -z prints percentiles of the samples of all pairs', async () => {
    const json = file();
    const options = ['--sizes', '8,64', '-i', '25', '-x', '2', '-z0,50,100', '--samples', '--json', json];
    const launched = await launch(program('osu_multi_lat'), options, { np: 4 });
    assertDone(launched);
    const { rows } = readRecord(json);
    const printed = rowsOf(launched.stdout).map((words) => words.slice(2));
    assert.lengthOf(rows, 2);
    for (const [index, { samples = [] }] of rows.entries()) {
      assert.deepEqual(
        samples.map(({ rank, seconds }) => [rank, seconds.length]),
        [0, 1].map((rank) => [rank, 25]),
      );
      // A sample is a round trip.
      const sorted = samples.flatMap(({ seconds }) => seconds.map((one) => (one * 1e6) / 2)).sort((a, b) => a - b);
      const wanted = [sorted[0], sorted[24], sorted[49]].map((one = NaN) => one.toFixed(2));
      assert.deepEqual(printed[index], wanted);
    }
  });

  it('osu_latency_mp -t 2:3 starts as many processes on both sides, which end with it, and has columns of 18', async () => {
    const options = ['--sizes', '1,1M', '-i', '3000', '-x', '2', '-t', '2:3'];
    const running = start(program('osu_latency_mp'), options);
    const waiting = (rank: number): number[] =>
      childrenOf(running.ranks().get(rank) ?? -1).filter((pid) => commandOf(pid)[0] === 'cat');
    await running.until(() => (waiting(0).length === 2 && waiting(1).length === 3 ? true : undefined));
    const launched = await running.ended;
    assertDone(launched);
    const rows = launched.stdout.split('\n').filter((line) => /^\d/.test(line));
    assert.isNotEmpty(rows);
    for (const row of rows) assert.match(row, /^\d+ +\d+\.\d\d$/);
    assert.deepEqual([...new Set(rows.map((row) => row.length))], [28]);
    assert.include(launched.stdout, '# Number of forked processes in sender: 2');
    assert.include(launched.stdout, '# Number of forked processes in receiver: 3');
  });

  it('osu_init tells microseconds, and on a second line the time from the start of Node', async () => {
    const launched = await launch(program('osu_init'), []);
    assertDone(launched);
    const times = 'min: (\\d+\\.\\d{3}) ms, max: (\\d+\\.\\d{3}) ms, avg: (\\d+\\.\\d{3}) ms';
    const [title, own = '', second = '', ...rest] = launched.stdout.split('\n');
    assert.equal(title, '# OSU MPI Init Test v7.4');
    assert.deepEqual(rest, ['']);
    const init = new RegExp(`^nprocs: 2, ${times}$`).exec(own)?.slice(1).map(Number) ?? [];
    const ready = new RegExp(`^# From the start of Node until MPI ran: ${times}$`).exec(second)?.slice(1).map(Number);
    assert.lengthOf(init, 3, launched.stdout);
    // Node itself starts before MPI does.
    for (const [index, time] of (ready ?? [NaN]).entries()) assert.isAbove(time, init[index] ?? NaN, launched.stdout);
  });

  it('osu_init measures by a clock that nobody can set', async () => {
    const preload = join(projectRoot, 'build', 'test', 'jumping_clock.node');
    const jumping = ['env', `LD_PRELOAD=${preload}`];
    const seen = await launch(program('osu_init'), [], { wrapRank: [...jumping, 'sh', '-c', 'date +%s'] });
    assert.isAbove(Number.parseInt(seen.stdout), Date.now() / 1000 + 1800, seen.report);
    const launched = await launch(program('osu_init'), [], { wrapRank: jumping });
    assertDone(launched);
    const times = [...launched.stdout.matchAll(/: (\d+\.\d{3}) ms/g)].map(([, time]) => Number(time));
    assert.lengthOf(times, 6, launched.stdout);
    for (const time of times) assert.isBelow(time, 600_000, launched.stdout);
  });

  it('the average of osu_init is the mean of the ranks, not cut off', async () => {
    const json = file();
    const launched = await launch(program('osu_init'), ['--json', json], { np: 3 });
    assertDone(launched);
    const figure = readRecord(json).rows[0]?.figures['init']?.value ?? NaN;
    assert.match(launched.stdout, new RegExp(`, avg: ${(figure * 1000).toFixed(3)} ms$`, 'm'));
  });

  it('-V names the columns that its matrices have no room for, and the record has them', async () => {
    const json = file();
    const options = ['-V', '-c', '-z50,99', '-m', '4:8', '-i', '5', '-x', '1', '--json', json];
    const launched = await launch(program('osu_mbw_mr'), options, { np: 4 });
    assertDone(launched);
    assert.include(launched.stderr, 'Not shown: the matrices of -V have no room for the columns of -c, -z;');
    const { rows } = readRecord(json);
    assert.lengthOf(rows, 16); // two sizes, windows from 1 to 128
    for (const { statistics, validation } of rows) {
      assert.deepEqual(
        statistics?.percentiles.map(({ percent }) => percent),
        [50, 99],
      );
      assert.isTrue(validation?.passed);
    }
  });

  it('osu_get_acc_latency says its datatype, and -M what it is raised to and what it leaves out', async () => {
    const [accumulate, raised, several] = await runMany(
      [
        'osu_get_acc_latency -m 4:8 -i 5 -x 1',
        'osu_allgather --sizes 8,512K,1M -i 2 -x 1 -M 1023K',
        'osu_ialltoall --sizes 8,1M,2M -i 2 -x 1 -M 1048576',
      ].map(part),
    );
    assert.include(accumulate?.stdout.split('\n') ?? [], '# Datatype: MPI_INT.');
    const lines = raised?.stderr.split('\n') ?? [];
    const left = (sizes: string): string =>
      `warning: sizes ${sizes} are left out: with 2 ranks more than 1048576 bytes (-M)`;
    assert.include(lines, 'memory limit raised to 1 MiB');
    assert.include(lines, left('1048576'));
    assert.deepEqual(
      rowsOf(raised?.stdout ?? '').map(([size]) => size),
      ['8', '524288'],
    );
    assert.include(several?.stderr.split('\n') ?? [], left('1048576, 2097152'));
  });

  it('-N graph:FILE with an edge that comes twice, or of a rank that there is not, is refused in one sentence', async () => {
    const twice = file('twice.txt');
    const beyond = file('beyond.txt');
    writeFileSync(twice, '# a ring\n0,1\n1,2 # on\n\n2,0\n1,2\n');
    writeFileSync(beyond, '0,1\n1,3\n');
    const ran = await runMany(
      [twice, beyond].map((graph) => part(`osu_neighbor_allgather -m 4:8 -N graph:${graph}`)),
      { np: 3 },
    );
    assert.deepEqual(
      ran.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
      ['the edge 1,2 comes twice in -N graph:FILE: leave one out']
        .concat('the edge 1,3 of -N graph:FILE names a rank that this run of 3 does not have')
        .map((cause) => [1, '', `osu_neighbor_allgather: ${cause}\n`]),
    );
  });

  it('-k of a rank that there is not prints nothing but one sentence, in all that have a root', async () => {
    const rooted = osuRows.filter(({ accepts, family }) => accepts.includes('root-rank') && family !== 'persistent');
    assert.isAtLeast(rooted.length, 10);
    const ran = await runMany(rooted.map(({ name }) => part(`${name} -m 4:8 -k fixed:2`)));
    for (const { name, code, stdout, stderr } of ran) {
      assert.deepEqual([code, stdout], [1, ''], name);
      assert.match(stderr, new RegExp(`^${name}: -k fixed:2 names a rank that this run of 2 does not have[^\n]*\n$`));
    }
  });

  it('osu_latency_mt counts rounds that share the exchanges of -i evenly, and has no -b, -P and --engine', async () => {
    const json = file();
    const launched = await launch(program('osu_latency_mt'), `-m 8:8 -i 20 -x 2 -t 3:2 --json ${json}`.split(' '));
    assertDone(launched);
    assert.deepEqual(
      readRecord(json).rows.map(({ n, warmup }) => [n, warmup]),
      [[4, 1]],
    );
    const argvs = [
      ['-b', 'multiple'],
      ['-P', 'PAPI_TOT_CYC'],
      ['--engine', 'js'],
    ];
    for (const argv of argvs) {
      const { status, stderr } = spawnSync(process.execPath, [program('osu_latency_mt'), ...argv], {
        encoding: 'utf8',
        env: { ...process.env, OMPI_COMM_WORLD_RANK: '0', OMPI_COMM_WORLD_SIZE: '2' },
      });
      assert.deepEqual([status, stderr.split('\n')[0]], [1, `Invalid option [${argv[0]}]`]);
    }
  });
});

describeUnder('mpich')('one program of each family by itself, under MPICH', () => {
  const names = new Map(osuRows.map(({ family, name }) => [family, name]));
  for (const [family, name] of names) {
    it(`${family}: ${name}`, async () => {
      const np = family === 'neighbourhood' ? 3 : 2;
      const options = family === 'start-up' ? [] : ['-i', '5', '-x', '1'];
      const where = name.startsWith('osu_bw_fan') ? ['--nodes-by', '1'] : [];
      const launched = await launch(program(name), [...options, ...where], { mpi: 'mpich', np });
      assertDone(launched);
      assert.include(launched.stdout, `# ${osuRows.find((row) => row.name === name)?.title} v7.4`);
    });
  }
});

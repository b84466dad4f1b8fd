/** What the peer gets wrong in the benchmarks beyond the first four, and we don't: under mpirun. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { osuRows } from '../../src/bench/suites/osu.js';
import { describeUnder, launch } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, rowsOf } from './output.js';

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

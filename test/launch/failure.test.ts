/** What goes wrong while a job runs: it ends, soon, with the cause told once, and keeps the rows measured before. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ResultRecord, StatusRecord } from '../../src/results/types.js';
import type { Tampering } from './cases/tampering.js';
import { testFolder } from './folder.js';
import { caseFile, describeUnder, launch, start, type Launched } from './mpirun.js';
import { assertDone, assertFailed, ownLines, program, readRecord, rowsOnce, sizesOf } from './output.js';

/** Seconds in which a job must end by itself; generous, and far below any watchdog. */
const SOON = 20;
/** Line of the table that has the first row. */
const FIRST_ROW = 5;
/** Rows follow each other for minutes. */
const LONG_RUN = ['-m', '1:4M', '-i', '20000', '-x', '0', '--watchdog', '0'];

/** Sizes that begin the ladder 1, 2, 4, ... */
function assertLadder(sizes: readonly (number | null)[]): void {
  assert.deepEqual(
    sizes,
    sizes.map((_, index) => 2 ** index),
  );
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`a failure on one rank (${mpi})`, () => {
    const file = testFolder();

    async function tampered(name: string, tampering: Tampering, options: readonly string[] = []) {
      const json = file();
      const run = ['--sizes', '1,2,8', '-i', '10', '-x', '1', '-c', '--json', json, ...options];
      const launched = await launch(caseFile('tamper'), [name, JSON.stringify(tampering), ...run], {
        mpi,
        limit: SOON,
      });
      assertFailed(launched);
      return { launched, record: readRecord(json) };
    }

    /** Rank 0 writes the record: of another's failure it knows nothing when it is ended. */
    function statusAfter(rank: number, message: string): StatusRecord {
      return rank === 0 ? { state: 'failed', message } : { state: 'running' };
    }

    /** Another rank's failure may end rank 0 while it is about to write the last row before. */
    function assertSizes(record: ResultRecord, rank: number): void {
      assert.deepEqual(sizesOf(record), rank === 0 || record.rows.length > 1 ? [1, 2] : [1]);
    }

    for (const rank of [0, 1]) {
      it(`that is thrown on rank ${rank} aborts all, its cause told once`, async () => {
        const { launched, record } = await tampered('osu_latency', { what: 'throw', rank, size: 8 });
        assert.deepEqual(ownLines(launched), [`osu_latency: rank ${rank}: thrown by a test`]);
        assertSizes(record, rank);
        assert.deepEqual(record.status, statusAfter(rank, 'thrown by a test'));
      });

      for (const engine of mpi === 'openmpi' ? ['native', 'js'] : ['native']) {
        it(`of an operation on rank ${rank} (${engine} engine) says which, in which iteration and why`, async () => {
          const tampering: Tampering = { what: 'fail', rank, size: 8, iteration: 4 };
          const { launched, record } = await tampered('osu_bibw', tampering, ['--engine', engine]);
          const cause = 'failAt failed in iteration 4: test failure 42 (test code 42)';
          assert.deepEqual(ownLines(launched), [`osu_bibw: rank ${rank}: ${cause}`]);
          assertSizes(record, rank);
          assert.deepEqual(record.status, statusAfter(rank, cause));
        });
      }
    }

    for (const how of ['throw', 'reject']) {
      it(`ends a program that uses the library by itself (${how}), its cause told once`, async () => {
        const launched = await launch(caseFile('library'), [how], { mpi, limit: SOON });
        assertFailed(launched);
        assert.lengthOf(launched.stderr.match(/Error: broken on purpose/g) ?? [], 1, launched.report);
      });
    }
  });

  describeUnder(mpi)(`a rank that is killed (${mpi})`, () => {
    const file = testFolder();

    for (const rank of [0, 1]) {
      it(`(rank ${rank}) ends the job within seconds, and no row is lost`, async () => {
        const json = file();
        const running = start(program('osu_latency'), [...LONG_RUN, '--json', json], { mpi });
        const before = await running.until(() => rowsOnce(json, 3));
        process.kill(await running.until(() => running.ranks().get(rank)), 'SIGKILL');
        const from = Date.now();
        const launched = await running.ended;
        assert.isBelow((Date.now() - from) / 1000, SOON);
        assert.isFalse(launched.hung);
        assert.notEqual(launched.code, 0);
        assert.equal(launched.strays, 0);

        const record = readRecord(json);
        assert.isAtLeast(record.rows.length, before.length);
        assert.deepEqual(record.rows.slice(0, before.length), before);
        assertLadder(sizesOf(record));
        assert.notEqual(record.status.state, 'done');
      });
    }
  });

  describeUnder(mpi)(`a rank that is stuck (${mpi})`, () => {
    const file = testFolder();
    const cases = [
      { name: 'osu_latency', rank: 0, says: 'rank 0 made no progress for 2 s in sleepAt, iteration 3 of' },
      { name: 'osu_latency', rank: 1, says: 'rank 0 made no progress for 2 s in ' },
      { name: 'osu_bw', rank: 1, says: 'rank 0 made no progress for 2 s in ' },
    ];
    for (const { name, rank, says } of mpi === 'openmpi' ? cases : cases.slice(-1)) {
      it(`(rank ${rank} of ${name}) is ended by the watchdog, which names rank, operation and size`, async () => {
        const json = file();
        const tampering: Tampering = { what: 'sleep', rank, size: 8, iteration: 3 };
        const options = ['--sizes', '1,2,8', '-i', '10', '-x', '1', '-c', '--json', json, '--watchdog', '2'];
        const launched = await launch(caseFile('tamper'), [name, JSON.stringify(tampering), ...options], {
          mpi,
          limit: SOON,
        });
        assertFailed(launched);
        const [line = '', ...more] = ownLines(launched);
        assert.deepEqual(more, []);
        assert.include(line, `fabricbench: ${says}`);
        assert.match(line, / in \w+, iteration \d+ of /);
        const window = name === 'osu_bw' ? ', window 64' : '';
        assert.include(
          line,
          `of ${name}, MPI_CHAR, size 8${window}, so the process ends; --watchdog S sets this limit`,
        );
        const record = readRecord(json);
        assert.deepEqual(sizesOf(record), [1, 2]);
        assert.deepEqual(record.status, { state: 'running' });
      });
    }
  });

  describeUnder(mpi)(`output that nobody takes (${mpi})`, () => {
    const file = testFolder();
    const cutOff = (lines: number): string[] => ['bash', '-c', `"$@" | head -${lines}`, 'bash'];

    for (const options of [[], ['--json', '-']]) {
      it(`is no cause for words of ours: ${['osu_latency', ...options].join(' ')} | head -1`, async () => {
        const args = ['-m', '1:64', '-i', '2000', '-x', '10', ...options];
        const cut = await launch(program('osu_latency'), args, { mpi, wrap: cutOff(1), limit: SOON });
        assert.isFalse(cut.hung);
        assert.equal(cut.strays, 0);
        // The table goes to stderr with --json -, and nothing else does.
        const own = ownLines(cut).filter((line) => !/^(#|\d)/.test(line));
        assert.deepEqual(own, []);
      });
    }

    it('costs no row of the record', async () => {
      const json = file();
      const args = ['-m', '1:64', '-i', '2000', '--json', json];
      const cut = await launch(program('osu_latency'), args, { mpi, wrap: cutOff(FIRST_ROW), limit: SOON });
      assert.isFalse(cut.hung);
      assert.deepEqual(ownLines(cut), []);
      const { rows } = readRecord(json);
      assert.isAbove(rows.length, 0);
      assertLadder(rows.map(({ parameters }) => parameters.size));
    });
  });
}

describe('a record that can no longer be written', () => {
  const file = testFolder();

  function assertTold(launched: Launched, json: string, cause: string): void {
    assertFailed(launched);
    assert.deepEqual(ownLines(launched), [`osu_latency: rank 0: The record can't be written to ${json}: ${cause}.`]);
  }

  it('ends the run with one sentence, and keeps what was written before', async () => {
    const json = file();
    const running = start(program('osu_latency'), [...LONG_RUN, '--json', json], { limit: 40 });
    const before = await running.until(() => rowsOnce(json, 2));
    const rank0 = await running.until(() => running.ranks().get(0));
    const limited = spawnSync('prlimit', ['--pid', String(rank0), '--fsize=1024:1024'], { encoding: 'utf8' });
    assert.equal(limited.status, 0, limited.stderr);
    const launched = await running.ended;
    assertTold(launched, json, 'the file would exceed the size limit (see ulimit -f)');
    const { rows } = readRecord(json);
    assert.isAtLeast(rows.length, before.length);
    assertLadder(rows.map(({ parameters }) => parameters.size));
  });

  it('is noticed on a device that is full, at the end', async () => {
    const launched = await launch(program('osu_latency'), ['-m', '8', '-i', '10', '--json', '/dev/full']);
    assertTold(launched, '/dev/full', 'no space is left on the device; free some');
  });

  it('leaves no file of its own behind', async () => {
    const json = file();
    const launched = await launch(program('osu_latency'), ['-m', '8', '-i', '10', '--samples', '--json', json]);
    assertDone(launched);
    assert.isTrue(existsSync(json));
    assert.isFalse(existsSync(`${json}.samples.ndjson`));
  });
});

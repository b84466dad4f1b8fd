/** Programs that share a launch: each gives what it gives in a launch of its own. */
import { assert } from 'chai';
import type { ResultRecord } from '../../src/results/types.js';
import { readCapture } from '../unit/project.js';
import { testFolder } from './folder.js';
import { describeUnder } from './mpirun.js';
import { column, headerOf, parseRecord, readRecord, rowsOf, sizesOf } from './output.js';
import { launchSuite } from './suite.js';
import type { SuiteResult } from './suite-line.js';

const programs = ['osu_latency', 'osu_bw', 'osu_bibw', 'osu_mbw_mr'];
const LADDER = [1, 2, 4, 8, 16, 32, 64];
const argv = ['-m', '1:64', '-i', '5', '-x', '1', '-c'];

function assertPassed({ name, code, stdout, stderr }: SuiteResult, pairs: number): void {
  assert.equal(code, 0, stderr);
  assert.deepEqual(column(stdout, 0), LADDER.map(String));
  assert.deepEqual([...new Set(rowsOf(stdout).map((cells) => cells.at(-1)))], ['Pass']);
  // Whatever is above the line of column titles, which has one more for -c.
  const peer = headerOf(readCapture(name)).map((line) => line.replace('pairs: 2', `pairs: ${pairs}`));
  assert.deepEqual(headerOf(stdout).slice(0, -1), peer.slice(0, -1));
}

/** stderr of a run, but for the advice on how ranks are bound and on Open MPI's components. */
function words({ stderr }: SuiteResult): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`programs in one launch (${mpi})`, () => {
    const file = testFolder();

    it('run on two ranks', async () => {
      const results = await launchSuite(
        programs.map((name) => ({ name, argv })),
        { mpi },
      );
      assert.deepEqual(
        results.map(({ name }) => name),
        programs,
      );
      for (const result of results) {
        assertPassed(result, 1);
        assert.deepEqual(words(result), []);
      }
    });

    it('run on four ranks, or are refused, and the next one runs', async () => {
      const results = await launchSuite(
        [...programs, 'osu_mbw_mr'].map((name) => ({ name, argv })),
        { mpi, np: 4 },
      );
      for (const result of results) {
        if (result.name === 'osu_mbw_mr') {
          assertPassed(result, 2);
        } else {
          assert.deepEqual([result.code, result.stdout], [1, '']);
          assert.lengthOf(words(result), 1);
          assert.include(words(result)[0], `${result.name}: this program needs exactly two ranks, and this run has 4`);
        }
      }
      assert.lengthOf(
        results.filter(({ code }) => code === 0),
        2,
      );
    });

    it('answer, are refused, write records and find wrong data, as each does by itself', async () => {
      const json = file();
      const few = ['--sizes', '1,8,64', '-i', '5', '-x', '1'];
      const tampering = { what: 'corrupt', rank: 1, size: 8 } as const;
      const [help, wrong, missing, written, printed, corrupt, after] = await launchSuite(
        [
          { name: 'osu_bw', argv: ['-h'] },
          { name: 'osu_bw', argv: ['-q'] },
          { name: 'osu_bw', argv: [...few, '--json', file('missing/record.json')] },
          { name: 'osu_bw', argv: [...few, '--json', json] },
          { name: 'osu_latency', argv: [...few, '--json', '-'] },
          { name: 'osu_bibw', argv: [...few, '-c'], tampering },
          { name: 'osu_bibw', argv },
        ],
        { mpi },
      );
      assert.match(help?.stdout ?? '', /^Usage: osu_bw /);
      assert.deepEqual([wrong?.code, wrong?.stderr], [1, 'Invalid option [-q]\n\n']);
      assert.equal(missing?.code, 1);
      assert.match(missing?.stderr ?? '', /^osu_bw: The record can't be written to .*: there is no folder/);

      const records: ResultRecord[] = [readRecord(json), parseRecord(printed?.stdout ?? '')];
      for (const record of records) assert.deepEqual(sizesOf(record), [1, 8, 64]);
      assert.deepEqual([help?.code, written?.code, printed?.code], [0, 0, 0]);
      assert.deepEqual(column(printed?.stderr ?? '', 0), ['1', '8', '64']);

      assert.equal(corrupt?.code, 1);
      assert.deepEqual(
        rowsOf(corrupt?.stdout ?? '').map((cells) => cells.at(-1)),
        ['Pass', 'Fail'],
      );
      if (after) assertPassed(after, 1);
    });

    it('end together where one fails in a way that ends its job, naming it', async () => {
      const tampering = { what: 'throw', rank: 1, size: 8 } as const;
      const list = [
        { name: 'osu_bw', argv },
        { name: 'osu_latency', argv, tampering },
        { name: 'osu_bw', argv },
      ];
      const ended = launchSuite(list, { mpi, limit: 30 }).then(() => 'no failure');
      const outcome = await ended.catch((error: unknown) => String(error));
      assert.match(outcome, /the suite ended in osu_latency -m 1:64 .*: exit code 1/);
      assert.include(outcome, 'osu_latency: rank 1: thrown by a test');
    });
  });
}

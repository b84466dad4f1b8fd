/** What goes wrong while a study runs: it ends, soon, and keeps what was measured before. */
import { assert } from 'chai';
import { testFolder } from './folder.js';
import { describeUnder } from './mpirun.js';
import { readRecord, rowsOnce } from './output.js';
import { Run, type Ran } from './run-command.js';

/** The first size and window are done at once, the last ones take minutes. */
const LONG = ['--sizes', '8,64K', '--windows', '1,64', '--repeats', '1', '--iterations', '20000', '--warmup', '0'];

function assertEnded(ran: Ran): void {
  assert.isFalse(ran.hung, ran.report);
  assert.equal(ran.strays, 0, ran.report);
  assert.notEqual(ran.code, 0, ran.report);
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`a failure of a scan (${mpi})`, () => {
    const file = testFolder();

    function scanning(json: string, ...more: string[]): Run {
      const args = ['-n', '2', '--mpi', mpi, ...LONG, '--json', json, ...more];
      return new Run(args, { command: 'scan', limit: 100 });
    }

    /** The process of a rank that has measured something. */
    async function measuring(run: Run, json: string, rank: number): Promise<number> {
      await run.until(() => rowsOnce(json, 1));
      return run.until(() => run.rank(rank, mpi));
    }

    it('by a rank that is killed keeps what was measured', async () => {
      const json = file();
      const run = scanning(json);
      process.kill(await measuring(run, json, 1), 'SIGKILL');
      assertEnded(await run.ended);
      const { rows, status, study } = readRecord(json);
      assert.isAtLeast(rows.length, 1);
      assert.equal(study?.kind, 'scan');
      assert.equal(status.state, 'failed');
    });

    it('by a rank that stands still is ended by the watchdog, which says where', async () => {
      const json = file();
      const run = scanning(json, '--watchdog', '3');
      process.kill(await measuring(run, json, 1), 'SIGSTOP');
      const ran = await run.ended;
      assertEnded(ran);
      assert.match(ran.stderr, /rank \d.*osu_mbw_mr on \d ranks, size \d+/, ran.report);
    });
  });
}

describeUnder('openmpi')('a scan that nobody reads', () => {
  it('ends, with the reason', async () => {
    const wrap = ['sh', '-c', '"$@" > /dev/full', 'sh'];
    const few = ['--sizes', '8', '--iterations', '2', '--repeats', '1'];
    const run = new Run(['-n', '2', '--mpi', 'openmpi', ...few], { command: 'scan', wrap, limit: 100 });
    const ran = await run.ended;
    assertEnded(ran);
    assert.match(ran.stderr, /full|no space|written/i, ran.report);
  });
});

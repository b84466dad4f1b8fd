/** `fabricbench scan` as ranks and as a command that starts them. */
import { assert } from 'chai';
import { testFolder } from './folder.js';
import { describeUnder, launch, unbound, type LaunchOptions } from './mpirun.js';
import { assertDone, ownLines, program, readRecord, rowsOf } from './output.js';
import { runCommand } from './run-command.js';

const script = program('fabricbench');
const quick = ['--iterations', '5', '--warmup', '1', '--repeats', '2'];
const giveWay = { OMPI_MCA_mpi_yield_when_idle: '1' };

const crowded = (options: LaunchOptions): LaunchOptions => ({ ...options, place: unbound(options), env: giveWay });

for (const options of [{ pml: 'ob1' }, { pml: 'ucx' }, { mpi: 'mpich' }] as const) {
  const { mpi = 'openmpi', pml = '' } = options as LaunchOptions;
  describeUnder(mpi)(`fabricbench scan (${mpi} ${pml})`, () => {
    const file = testFolder();

    it('measures more and more pairs in one job', async () => {
      const json = file();
      const args = ['scan', '--pairs', '1:4', '--sizes', '8,16K', '--windows', '4,16', ...quick, '--json', json];
      const launched = await launch(script, args, crowded({ ...options, np: 8 }));
      assertDone(launched);
      const { rows, status, run, study, ranks } = readRecord(json);
      assert.deepEqual(status, { state: 'done' });
      assert.deepEqual([run.name, run.layer, ranks.length], ['scan', 'mpi', 8]);
      assert.deepEqual(
        rows.map(({ parameters: { size, window, pairs } }) => [size, window, pairs]),
        [8, 16384].flatMap((size) => [4, 16].flatMap((window) => [1, 2, 4].map((pairs) => [size, window, pairs]))),
      );
      for (const { n, figures, parameters, statistics } of rows) {
        assert.equal(n, 10);
        assert.equal(statistics?.n, 10 * (parameters.pairs ?? NaN));
        assert.isAbove(figures['rate']?.value ?? NaN, 0);
        assert.isAtLeast(figures['fastestPair']?.value ?? NaN, figures['slowestPair']?.value ?? NaN);
        assert.closeTo(
          figures['bandwidth']?.value ?? NaN,
          (figures['rate']?.value ?? NaN) * (parameters.size ?? NaN),
          1,
        );
      }
      assert.equal(study?.kind, 'scan');
      assert.deepEqual(
        rowsOf(launched.stdout).map(([pairs]) => pairs),
        rows.map(({ parameters: { pairs } }) => String(pairs)),
      );
    });

    it('refuses more pairs than the ranks make', async () => {
      const launched = await launch(script, ['scan', '--pairs', '1,4'], crowded({ ...options, np: 4 }));
      assert.equal(launched.code, 2, launched.report);
      const own = ownLines(launched).filter((line) => line.startsWith('fabricbench:'));
      assert.deepEqual(own, ['fabricbench: --pairs 4 needs 8 ranks, and there are 4: give at most 2']);
      assert.isFalse(launched.hung);
    });
  });
}

describeUnder('openmpi')('fabricbench scan', () => {
  const file = testFolder();

  for (const layer of ['shm', 'ucp', 'ucp:am', 'uct:posix/memory']) {
    it(`runs over ${layer}`, async () => {
      const json = file();
      const args = ['scan', '--layer', layer, '--sizes', '8', ...quick, '--json', json];
      assertDone(await launch(script, args, crowded({ np: 4 })));
      const { rows, run } = readRecord(json);
      assert.equal(run.layer, layer);
      assert.deepEqual(
        rows.map(({ parameters: { pairs } }) => pairs),
        [1, 2],
      );
    });
  }

  it('refuses a layer that is not here, on all ranks together', async () => {
    const launched = await launch(script, ['scan', '--layer', 'uct:nothing/here', ...quick], crowded({ np: 4 }));
    assert.equal(launched.code, 77, launched.report);
    assert.isFalse(launched.hung, launched.report);
  });

  it('starts its ranks itself', async () => {
    const json = file();
    const args = ['-n', '4', '--mpi', 'openmpi', '--sizes', '8', ...quick, '--json', json];
    const ran = await runCommand(args, { command: 'scan' });
    assert.equal(ran.code, 0, ran.report);
    assert.deepEqual([ran.hung, ran.strays], [false, 0]);
    assert.lengthOf(readRecord(json).ranks, 4);
  });

  it('prints the launch, and hands on only what is of the ranks', async () => {
    const args = ['-n', '6', '--mpi', 'openmpi', '--pairs', '1,2', '--dry-run', '--env', 'A=1', '--json', '-'];
    const { code, stdout, report } = await runCommand(args, { command: 'scan' });
    assert.equal(code, 0, report);
    // This process's own settings of UCX, of other tests, are handed on as well.
    assert.match(stdout, /^(?:UCX_\w+=\S* )*A=1 .* -np 6 .* -x A .*fabricbench\.js scan --pairs=1,2 --json -\n$/);
  });

  it('is no launch under a launcher', async () => {
    const launched = await launch(script, ['scan', '-n', '2'], crowded({ np: 2 }));
    assert.equal(launched.code, 2, launched.report);
    assert.include(launched.stderr, 'fabricbench: --ranks is about starting ranks');
  });

  it('ends with 64 ranks', async () => {
    const json = file();
    const few = ['--windows', '8', '--iterations', '2', '--warmup', '1', '--repeats', '1', '--sizes', '8'];
    const args = ['scan', '--pairs', '1,8,32', ...few, '--json', json];
    assertDone(await launch(script, args, { ...crowded({ pml: 'ob1', np: 64 }), limit: 110 }));
    assert.lengthOf(readRecord(json).rows, 3);
  });
});

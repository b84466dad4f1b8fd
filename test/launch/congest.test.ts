/** `fabricbench congest` as ranks of a job: all traffic runs beside the victim, and ends with it. */
import { assert } from 'chai';
import { testFolder } from './folder.js';
import { describeUnder, launch, unbound, type LaunchOptions } from './mpirun.js';
import { assertDone, program, readRecord } from './output.js';
import { runCommand } from './run-command.js';

const script = program('fabricbench');
const giveWay = { OMPI_MCA_mpi_yield_when_idle: '1' };
const crowded = (options: LaunchOptions): LaunchOptions => ({ ...options, place: unbound(options), env: giveWay });

interface Impact {
  readonly victim: string;
  readonly aggressor: string;
  readonly traffic: number | null;
}

for (const options of [{ pml: 'ob1' }, { pml: 'ucx' }, { mpi: 'mpich' }] as const) {
  const { mpi = 'openmpi', pml = '' } = options as LaunchOptions;
  describeUnder(mpi)(`fabricbench congest (${mpi} ${pml})`, () => {
    const file = testFolder();

    it('measures both victims beside each kind of traffic', async () => {
      const json = file();
      const kinds = ['alltoall', 'incast', 'put', 'mixed'];
      const few = ['--iterations', '20', '--rounds', '2', '--window', '4', '--aggressor-size', '1K'];
      const args = ['congest', '--aggressors', kinds.join(','), ...few, '--json', json];
      const launched = await launch(script, args, crowded({ ...options, np: 8 }));
      assertDone(launched);
      const { rows, study, status } = readRecord(json);
      assert.deepEqual(status, { state: 'done' });
      const impacts = study?.['impacts'] as unknown as readonly Impact[];
      assert.deepEqual(
        impacts.map(({ victim, aggressor }) => `${victim} ${aggressor}`),
        ['latency', 'allreduce'].flatMap((victim) => kinds.map((kind) => `${victim} ${kind}`)),
      );
      for (const { traffic, aggressor } of impacts) assert.isAbove(traffic ?? 0, 0, aggressor);
      assert.lengthOf(rows, 2 * 4 * 3);
      for (const { n, statistics, parameters } of rows) {
        assert.equal(n, 40);
        assert.equal(statistics?.n, parameters['victim'] === 'latency' ? 40 : 80);
      }
    });
  });
}

describeUnder('openmpi')('fabricbench congest', () => {
  const file = testFolder();

  it('starts its ranks itself', async () => {
    const json = file();
    const few = ['--iterations', '10', '--rounds', '1', '--victim', 'latency', '--aggressors', 'incast'];
    const ran = await runCommand(['-n', '5', '--mpi', 'openmpi', ...few, '--json', json], { command: 'congest' });
    assert.equal(ran.code, 0, ran.report);
    assert.deepEqual([ran.hung, ran.strays], [false, 0]);
    assert.lengthOf(readRecord(json).rows, 3);
  });

  it('needs ranks for both', async () => {
    const launched = await launch(script, ['congest'], crowded({ np: 3 }));
    assert.equal(launched.code, 2, launched.report);
    assert.include(launched.stderr, 'fabricbench: 2 ranks of the victim and 2 or more of the aggressors make 4');
  });
});

/** `--noise` of programs that run: what is said, and kept in the record. */
import { assert } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { NoiseRecord, ResultRecord } from '../../src/results/types.js';
import { testFolder } from './folder.js';
import { describeUnder, launch } from './mpirun.js';
import { assertDone, ownLines, program, readRecord } from './output.js';
import { coreOf } from '../../src/binding/core-of.js';
import { parseCpuList } from '../../src/engine/affinity.js';
import { processorsOf } from './processes.js';

const options = ['-m', '4:4', '-i', '10', '-x', '0'];
const noisesOf = ({ ranks }: ResultRecord): (NoiseRecord | undefined)[] => ranks.map(({ noise }) => noise);
const lines = (launched: { stderr: string }): string[] => ownLines(launched).filter((line) => / noise: /.test(line));

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`--noise under mpirun of ${mpi}`, () => {
    const file = testFolder();

    it('looks at the core of each rank', async () => {
      const json = file();
      const launched = await launch(program('osu_latency'), [...options, '--noise=0.05', '--json', json], { mpi });
      assertDone(launched);
      const record = readRecord(json);
      for (const noise of noisesOf(record)) assert.isAtLeast(noise?.seconds ?? 0, 0.05);
      assert.lengthOf(lines(launched), 2, launched.report);
      assert.match(lines(launched)[1] ?? '', /^rank 1 on \S+: noise: lost [\d.]+ % of /);
      assert.deepInclude(record.run.options, { noise: 0.05 });
    });

    it('says nothing where it is not asked for', async () => {
      const json = file();
      const launched = await launch(program('osu_init'), ['--json', json], { mpi });
      assertDone(launched);
      assert.deepEqual(noisesOf(readRecord(json)), [undefined, undefined]);
      assert.lengthOf(lines(launched), 0);
    });

    it('finds who shares a core', async () => {
      const json = file();
      const allowed = parseCpuList(processorsOf(process.pid)[0] ?? '');
      const [first = 0] = allowed;
      const second = allowed.find((cpu) => coreOf(cpu) !== coreOf(first));
      assert.isDefined(second, 'this test needs two cores');
      const rival = spawn('taskset', ['-c', String(first), process.execPath, '-e', 'console.log(1); for (;;);']);
      await once(rival.stdout, 'data');
      const launched = await launch(
        program('osu_latency'),
        [...options, '--noise', '--bind', `${first},${second}`, '--json', json],
        { mpi, place: ['--bind-to', 'none'] },
      ).finally(() => rival.kill('SIGKILL'));
      assertDone(launched);
      const record = readRecord(json);
      const [shared] = noisesOf(record);
      assert.isAbove(shared?.lost ?? 0, 0.2, launched.report);
      assert.isAbove(shared?.detours ?? 0, 0);
      assert.isTrue(
        record.warnings.some((warning) => /^rank 0 on \S+ lost [\d.]+ % of its time and stood still/.test(warning)),
        launched.report,
      );
    });
  });
}

/** The command lines of which OMB's output was captured, where they need MPI: the same text, figures apart. */
import { assert } from 'chai';
import { commands, expectedText, formOf, runsOnMock, type Captured } from '../unit/captures.js';
import type { Ran } from './cases/parts.js';
import { assertWell, runMany, type ManyOptions } from './many.js';
import { describeUnder } from './mpirun.js';

const wanted = commands.filter((one) => !runsOnMock(one));
const isThreaded = ({ name }: Captured): boolean => name === 'osu_latency_mt';

function describeTables(title: string, some: readonly Captured[], options: ManyOptions): void {
  describeUnder('openmpi')(`tables under mpirun, beside those of OMB 7.4: ${title}`, () => {
    let all: Ran[] = [];
    before(async () => {
      all = await runMany(some, options);
    });
    for (const [index, { capture, name, argv }] of some.entries()) {
      it([name, ...argv].join(' '), () => {
        const ran = all[index];
        assert.isDefined(ran);
        if (!ran) return;
        assertWell(ran);
        assert.deepEqual(formOf(capture, ran.stdout), expectedText(capture));
      });
    }
  });
}

for (const np of [2, 4]) {
  const some = wanted.filter((one) => one.ranks === np && !isThreaded(one));
  describeTables(`on ${np}`, some, { np });
}
describeTables('threads', wanted.filter(isThreaded), { how: 'multiple' });

/** One slow rank: the run goes on, and names it. */
import { assert } from 'chai';
import { hostname } from 'node:os';
import { testFolder } from '../launch/folder.js';
import { caseFile, describeUnder, launch } from '../launch/mpirun.js';
import { assertDone, ownLines, readRecord } from '../launch/output.js';

const FEW = ['--sizes', '8,64', '-i', '10', '-x', '0'];
/** Milliseconds in each iteration: far more than the scheduler takes for ranks that share cores. */
const LATE = '200';

describeUnder('openmpi')('a slow rank', () => {
  const file = testFolder();
  const here = hostname();

  async function told(np: number, name: string, rank: number, where: 'before' | 'within') {
    const json = file();
    const args = [name, String(rank), LATE, where, ...FEW, '--json', json];
    const launched = await launch(caseFile('slow'), args, { np, pml: 'ob1' });
    assertDone(launched);
    const found = readRecord(json).warnings.filter((line) => line.includes(' is slow: '));
    const shown = ownLines(launched).filter((line) => line.includes(' is slow: '));
    assert.deepEqual(
      shown,
      found.map((line) => `warning: ${line}`),
    );
    return found;
  }

  // The last rank hands no data on, whatever tree MPI has chosen: it delays nobody else.
  for (const [name, rank, where, says] of [
    ['osu_allreduce', 2, 'before', 'all wait for it, as its own time in the call is '],
    ['osu_bcast', 4, 'within', 'it takes '],
  ] as const) {
    it(`is named by ${name}`, async () => {
      const [line = '', ...more] = await told(5, name, rank, where);
      assert.deepEqual(more, []);
      assert.include(line, `rank ${rank} on ${here} is slow: ${says}`);
      assert.match(line, /, in 2 of 2 rows$/);
    });
  }

  it('is named with its partner by osu_multi_lat', async () => {
    const [line = '', ...more] = await told(8, 'osu_multi_lat', 5, 'within');
    assert.deepEqual(more, []);
    assert.match(
      line,
      /^the pair of rank 1 on \S+ and rank 5 on \S+ is slow: it takes \d+ times the median of the pairs/,
    );
  });
});

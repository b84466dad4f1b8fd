/** The four benchmarks under mpirun, over both of Open MPI's components and under MPICH: tables byte for byte, rows and records. */
import { assert } from 'chai';
import type { ResultRecord } from '../../src/results/types.js';
import { readCapture } from '../unit/project.js';
import { testFolder } from './folder.js';
import { describeUnder, launch, type Launched } from './mpirun.js';
import { assertDone, column, headerOf, ownLines, program, readRecord, rowsOf, sizesOf } from './output.js';
import { messagePrograms } from './programs.js';

const ladder = [1, 2, 4, 8, 16, 32, 64];
const ranksOf = (name: string): number => (name === 'osu_mbw_mr' ? 4 : 2);

/** Where each program runs, and what the record must show of that. */
const places = [
  { where: { mpi: 'openmpi', pml: 'ob1' }, shows: { family: 'openmpi', pml: 'ob1' } },
  { where: { mpi: 'openmpi', pml: 'ucx' }, shows: { family: 'openmpi', pml: 'ucx' } },
  { where: { mpi: 'mpich' }, shows: { family: 'mpich', pml: null } },
] as const;

for (const { where, shows } of places) {
  for (const name of messagePrograms) {
    describeUnder(where.mpi)(`${name} over ${Object.values(where).join(' ')}`, () => {
      const file = testFolder();
      let launched: Launched;
      let record: ResultRecord;
      before(async () => {
        const json = file('plain.json');
        launched = await launch(program(name), ['-m', '1:64', '-i', '20', '-x', '2', '--json', json], {
          ...where,
          np: ranksOf(name),
        });
        assertDone(launched);
        record = readRecord(json);
      });

      it("prints the peer's header and one row per size", () => {
        const peer = readCapture(name);
        assert.deepEqual(headerOf(launched.stdout), headerOf(peer));
        assert.deepEqual(column(launched.stdout, 0), ladder.map(String));
      });

      it("has the peer's columns", () => {
        const peer = readCapture(name).split('\n');
        for (const line of launched.stdout.split('\n').filter((each) => /^\d/.test(each))) {
          assert.include(
            peer.map(({ length }) => length),
            line.length,
            line,
          );
        }
      });

      it('prints figures above 0, and those of the record', () => {
        const shown = rowsOf(launched.stdout).map(([, value]) => Number(value));
        const [figure = ''] = Object.keys(record.rows[0]?.figures ?? {});
        const scale = figure === 'latency' ? 1e6 : 1e-6;
        const kept = record.rows.map(({ figures }) => Number(((figures[figure]?.value ?? NaN) * scale).toFixed(2)));
        assert.deepEqual(shown, kept);
        for (const value of record.rows.flatMap(({ figures }) => Object.values(figures))) {
          assert.isAbove(value.value ?? NaN, 0);
        }
      });

      it('writes a record that tells what was measured, and over what', () => {
        assert.deepEqual(record.status, { state: 'done' });
        assert.equal(record.run.name, name);
        assert.deepEqual(sizesOf(record), ladder);
        assert.deepEqual([...new Set(record.rows.map(({ n, warmup }) => `${n} ${warmup}`))], ['20 2']);
        const { family, pml } = record.environment.mpi ?? {};
        assert.deepEqual({ family, pml }, shows);
        assert.isNotEmpty(record.environment.mpi?.transports);
        assert.deepEqual(record.environment.hooks, [
          { name: 'UCX_MEM_MMAP_HOOK_MODE', value: 'reloc', by: 'fabricbench' },
          { name: 'UCX_MEM_MALLOC_RELOC', value: 'n', by: 'fabricbench' },
        ]);
        assert.equal(record.ranks.length, ranksOf(name));
      });

      it('checks all data, and finds nothing wrong', async () => {
        const json = file('checked.json');
        const args = ['-m', '1:64', '-i', '20', '-x', '2', '-c', '-z', '--json', json];
        const checked = await launch(program(name), args, where);
        assertDone(checked);
        assert.deepEqual([...new Set(rowsOf(checked.stdout).map((cells) => cells.includes('Pass')))], [true]);
        assert.lengthOf(rowsOf(checked.stdout), ladder.length);
        for (const { validation } of readRecord(json).rows) {
          assert.deepEqual(validation, { passed: true, wrongBytes: 0 });
        }
      });
    });
  }
}

describe('tables of the peer under mpirun', () => {
  const cases = [
    ['osu_latency.cz', 'osu_latency', '-m 1:64 -i 200 -x 10 -c -z'],
    ['osu_bw.cz', 'osu_bw', '-m 1:64 -i 200 -x 10 -c -z'],
    ['osu_latency.D', 'osu_latency', '-m 8:64 -i 100 -D vect:8:4'],
    ['osu_latency.Tall', 'osu_latency', '-m 4:16 -i 100 -T all'],
    ['osu_mbw_mr.V', 'osu_mbw_mr', '-m 1:64 -i 20 -x 2 -V'],
  ] as const;
  for (const [capture, name, options] of cases) {
    it(`${name} ${options}`, async () => {
      const launched = await launch(program(name), options.split(' '));
      assertDone(launched);
      const peer = readCapture(capture);
      assert.deepEqual(headerOf(launched.stdout), headerOf(peer));
      assert.deepEqual(column(launched.stdout, 0), column(peer, 0));
      assert.deepEqual(ownLines(launched), []);
      // Cells of a matrix are too narrow for many rates, and then push the others aside.
      if (!options.endsWith('-V')) assert.deepEqual(endsOf(launched.stdout), endsOf(peer));
    });
  }
});

/** Where the words of each row end, but for the size. */
function endsOf(text: string): number[][] {
  const rows = text.split('\n').filter((line) => /^\d/.test(line));
  return rows.map((line) => [...line.matchAll(/\S+/g)].slice(1).map(({ index, 0: word }) => index + word.length));
}

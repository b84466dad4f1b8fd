/** Every program under both MPIs, with small sizes and all data checked; many of them share a launch. */
import { assert } from 'chai';
import { osuRows, type MeasuringRow, type OsuRow } from '../../src/bench/suites/osu.js';
import { isReduction, type CollectiveName } from '../../src/transport/collective-shapes.js';
import type { Part, Ran } from './cases/parts.js';
import { assertWell, part, runMany } from './many.js';
import { describeUnder, type LaunchOptions } from './mpirun.js';

type Mpi = NonNullable<LaunchOptions['mpi']>;

const LADDER = [1, 2, 4, 8, 16];
const RUN = '-m 1:16 -i 5 -x 1';

const LATENCY = '# Size       Avg Latency(us)';
const BANDWIDTH = '# Size      Bandwidth (MB/s)';
const OVERALL = 'Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)';
const CHECKED = '        Validation';

const isBarrier = ({ name }: OsuRow): boolean => /barrier/.test(name);
const isOverlap = ({ figure }: OsuRow): boolean => figure === 'overall';

/** The line above the figures, as the peer prints it. */
function headerLine(row: OsuRow): string {
  const { name, family, figure } = row;
  if (isBarrier(row)) return isOverlap(row) ? `# ${OVERALL}` : '# Avg Latency(us)';
  if (isOverlap(row)) return `# Size           ${OVERALL}${CHECKED}`;
  if (name === 'osu_mbw_mr') return `# Size                  MB/s        Messages/s${CHECKED}`;
  if (figure === 'bandwidth') return `${BANDWIDTH}${CHECKED}`;
  return `${family === 'one-sided' ? '# Size          Latency (us)' : LATENCY}${CHECKED}`;
}

/** What is reduced, and what is compared, has a type of 4 bytes. */
function elementBytes({ name, family }: OsuRow): number {
  const collective = name.replace(/^osu_(i(?=reduce|allreduce))?/, '').replace(/_persistent$/, '');
  if (family === 'one-sided') return /acc|cas|fop/.test(name) ? 4 : 1;
  return isReduction(collective as CollectiveName) ? 4 : 1;
}

/** The sizes of the table's rows. */
function sizesFor(row: OsuRow, ranks: number): number[] {
  const bytes = elementBytes(row);
  if (row.sizes === 'element') return [bytes];
  const least = row.name.includes('reduce_scatter_block') ? ranks * bytes : bytes;
  return LADDER.filter((size) => size >= least);
}

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
const dataLines = ({ stdout }: Ran): string[] => linesOf(stdout).filter((line) => /^ *\d/.test(line));

/** Times are above 0; a bandwidth of few bytes may be shown as 0.00 where the machine is busy. */
function assertFigures(row: OsuRow, words: readonly string[]): void {
  const numbers = words.map(Number);
  for (const number of numbers) assert.isTrue(Number.isFinite(number) && number >= 0, words.join(' '));
  const times = row.tail === 'high' ? numbers : [];
  if (!isOverlap(row)) {
    for (const number of times) assert.isAbove(number, 0, words.join(' '));
    return;
  }
  const [overall = NaN, compute = NaN, pure = NaN, overlap = NaN] = numbers;
  for (const number of [overall, compute, pure]) assert.isAbove(number, 0, words.join(' '));
  assert.isAtMost(compute, overall);
  assert.isAtMost(overlap, 100);
}

/** How many figures a row has beside its size. */
function figuresIn(row: OsuRow): number {
  if (isOverlap(row)) return 4;
  return row.name === 'osu_mbw_mr' ? 2 : 1;
}

function assertTable(row: OsuRow, ran: Ran, ranks: number): void {
  const lines = linesOf(ran.stdout);
  assert.include(lines, `# ${row.title} v7.4`);
  assert.include(lines, headerLine(row));
  const rows = dataLines(ran).map((line) => line.trim().split(/\s+/));
  if (isBarrier(row)) {
    assert.lengthOf(rows, 1);
    for (const words of rows) {
      assert.lengthOf(words, figuresIn(row));
      assertFigures(row, words);
    }
    return;
  }
  assert.deepEqual(
    rows.map(([size]) => Number(size)),
    sizesFor(row, ranks),
  );
  for (const words of rows) {
    assert.lengthOf(words, figuresIn(row) + 2);
    assert.equal(words.at(-1), 'Pass');
    assertFigures(row, words.slice(1, -1));
  }
}

/** What ReFrame looks for in the output of a benchmark, with 8 for the size. */
function assertReadByReframe(ran: Ran): void {
  const found = /^8\s+(\S+)/m.exec(ran.stdout);
  assert.isAbove(Number(found?.[1]), 0, ran.stdout);
  assert.match(ran.stdout, /^8.*Pass/m);
}

/** Options beside the usual ones. */
function extraOptions({ accepts }: OsuRow, nodesBy: number | undefined): string {
  const checked = accepts.includes('validation') ? ' -c' : '';
  return nodesBy === undefined ? checked : `${checked} --nodes-by ${nodesBy}`;
}

/** Whether a program runs on so many ranks. */
function takes({ ranks, family }: OsuRow, size: number): boolean {
  if (family === 'neighbourhood') return size >= 3;
  if (ranks === 2) return size === 2;
  return ranks === 'pairs' || ranks === 'nodes' ? size % 2 === 0 : ranks === 'many';
}

const isThreaded = (row: OsuRow): boolean => 'threads' in row;
const measuring = osuRows.filter((row): row is MeasuringRow => 'kernel' in row && !isThreaded(row));

interface Wanted {
  readonly row: OsuRow;
  readonly part: Part;
}

function wantedOn(size: number): Wanted[] {
  return measuring
    .filter((row) => takes(row, size))
    .flatMap((row) => {
      const groups = row.ranks === 'nodes' ? [1, 2].filter((by) => by < size) : [undefined];
      const { idle } = row;
      const run = idle?.includes('message-size') ? '-i 5 -x 1' : RUN;
      return groups.map((by) => ({ row, part: part(`${row.name} ${run}${extraOptions(row, by)}`) }));
    });
}

function assertRefused(ran: Ran): void {
  assert.equal(ran.code, 77, ran.stderr);
  assert.equal(ran.stdout, '');
  assert.match(ran.stderr, new RegExp(`^${ran.name}: .*MPI-4.*\n$`));
}

function describeSuite(mpi: Mpi, size: number, which: 'persistent' | 'other'): void {
  describeUnder(mpi)(`all programs that run on ${size} ranks, under ${mpi}: ${which}`, () => {
    const wanted = wantedOn(size).filter(({ row }) => (row.family === 'persistent') === (which === 'persistent'));
    let all: Ran[] = [];
    before(async () => {
      all = await runMany(
        wanted.map((one) => one.part),
        { mpi, np: size },
      );
    });
    for (const [index, { row, part: asked }] of wanted.entries()) {
      const refused = row.family === 'persistent' && mpi === 'openmpi';
      it(`${asked.name} ${asked.argv.join(' ')}${refused ? ' needs MPI-4, and says so' : ''}`, () => {
        const ran = all[index];
        assert.isDefined(ran);
        if (!ran) return;
        if (refused) {
          assertRefused(ran);
          return;
        }
        assertWell(ran);
        assertTable(row, ran, size);
        if (sizesFor(row, size).includes(8) && !isBarrier(row)) assertReadByReframe(ran);
      });
    }
  });
}

for (const mpi of ['openmpi', 'mpich'] as const) {
  for (const size of [2, 3, 4]) {
    for (const which of ['persistent', 'other'] as const) describeSuite(mpi, size, which);
  }

  describeUnder(mpi)(`threads and starts under ${mpi}`, () => {
    it('osu_latency_mt, with several receivers and several senders', async () => {
      const counts = ['1:1', '1:2', '2:2', '3:2'];
      const parts = counts.map((threads) => part(`osu_latency_mt ${RUN} -c -t ${threads}`));
      const row = osuRows.find(({ name }) => name === 'osu_latency_mt');
      const all = await runMany(parts, { mpi, how: 'multiple' });
      for (const [index, ran] of all.entries()) {
        const [senders, receivers] = counts[index]?.split(':') ?? [];
        assertWell(ran);
        if (row) assertTable(row, ran, 2);
        assert.deepEqual(linesOf(ran.stdout).slice(0, 4), [
          `# Number of Sender threads: ${senders} `,
          `# Number of Receiver threads: ${receivers}`,
          '',
          '# OSU MPI Multi-threaded Latency Test v7.4',
        ]);
      }
    });

    for (const size of [1, 2, 3, 4]) {
      it(`osu_init and osu_hello on ${size}`, async () => {
        const [init, hello] = await runMany([part('osu_init'), part('osu_hello')], { mpi, np: size });
        assert.isDefined(init);
        assert.isDefined(hello);
        if (!init || !hello) return;
        assertWell(init);
        assertWell(hello);
        const times = new RegExp(
          `^# OSU MPI Init Test v7\\.4\nnprocs: ${size}, min: (\\S+) ms, max: (\\S+) ms, avg: (\\S+) ms$`,
          'm',
        );
        const [min = NaN, max = NaN, mean = NaN] = times.exec(init.stdout)?.slice(1).map(Number) ?? [];
        assert.isAbove(min, 0, init.stdout);
        assert.isTrue(min <= mean && mean <= max, init.stdout);
        assert.equal(hello.stdout, `# OSU MPI Hello World Test v7.4\nThis is a test with ${size} processes\n`);
      });
    }
  });
}

it('every program is run by one of these tests', () => {
  const run = new Set([2, 3, 4].flatMap((size) => wantedOn(size).map(({ row }) => row.name)));
  const others = osuRows.map(({ name }) => name).filter((name) => !run.has(name));
  assert.deepEqual(others.sort(), ['osu_hello', 'osu_init', 'osu_latency_mt']);
  assert.lengthOf(osuRows, 77);
});

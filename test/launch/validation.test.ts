/** Data that arrives wrong is always noticed: one byte or an old message, on each rank, in each benchmark. */
import { assert } from 'chai';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tampering } from './cases/tampering.js';
import { testFolder } from './folder.js';
import { caseFile, describeUnder, launch, type LaunchOptions } from './mpirun.js';
import { assertFailed, ownLines, readRecord, rowsOf } from './output.js';

const SIZES = [1, 8, 1000];
const ITERATIONS = 10;
const places = ['first', 'middle', 'last'] as const;
/** Ranks that receive data; the others have nothing that could be wrong. */
const receivers = { osu_latency: [0, 1], osu_bw: [1], osu_bibw: [0, 1], osu_mbw_mr: [1] } as const;
const programs = Object.keys(receivers) as (keyof typeof receivers)[];

interface Case extends Tampering {
  readonly name: string;
  readonly options?: readonly string[];
  readonly launch?: LaunchOptions;
}

/** Every place for a size; a message of one byte has only one. */
function waysFor(size: number): Pick<Tampering, 'what' | 'place'>[] {
  return [...places.slice(0, size).map((place) => ({ what: 'corrupt', place }) as const), { what: 'stale' }];
}

const systematic: Case[] = programs.flatMap((name) =>
  receivers[name].flatMap((rank) =>
    SIZES.flatMap((size) => waysFor(size).map((way) => ({ name, rank, size, ...way }))),
  ),
);

const pairs = { np: 4 };
const special: Case[] = [
  { name: 'osu_mbw_mr', rank: 2, size: 1000, what: 'corrupt', place: 'last', launch: pairs },
  { name: 'osu_mbw_mr', rank: 3, size: 8, what: 'stale', launch: pairs },
  { name: 'osu_mbw_mr', rank: 1, size: 8, what: 'corrupt', launch: pairs, options: ['-p', '1'] },
  { name: 'osu_bw', rank: 1, size: 1000, what: 'corrupt', place: 'last', slot: 63, options: ['-b', 'multiple'] },
  { name: 'osu_bibw', rank: 0, size: 8, what: 'corrupt', place: 'middle', slot: 31, options: ['-b', 'multiple'] },
  { name: 'osu_latency', rank: 1, size: 8, what: 'corrupt', iteration: ITERATIONS - 1, options: ['-x', '0'] },
  { name: 'osu_latency', rank: 0, size: 1000, what: 'corrupt', place: 'last', options: ['--engine', 'js'] },
  { name: 'osu_bw', rank: 1, size: 8, what: 'stale', options: ['-u', '0'], launch: { pml: 'ob1' } },
];

/** For MPICH one of each: what finds wrong data is the same code. Of four ranks the first two send. */
const underMpich: Case[] = programs.flatMap((name) => {
  const ways = [{ what: 'corrupt', place: 'last' } as const, { what: 'stale' } as const];
  const four = name === 'osu_mbw_mr';
  const how = { mpi: 'mpich', np: four ? 4 : 2 } as const;
  return receivers[name].flatMap((rank) =>
    ways.map((way) => ({ name, rank: four ? 3 : rank, size: 1000, ...way, launch: how })),
  );
});

function titleOf({ name, what, place, rank, size, options = [], launch: how }: Case): string {
  const done = what === 'stale' ? 'the message before' : `a wrong ${place ?? 'first'} byte`;
  return [name, ...options, `on ${how?.np ?? 2}: ${done} of ${size} on rank ${rank}`].join(' ');
}

function testCases(cases: readonly Case[]): void {
  const file = testFolder();
  for (const one of cases) {
    const { name, options = [], launch: how, ...tampering } = one;
    it(titleOf(one), async () => {
      const json = file();
      const logs = `${json}.logs`;
      const run = ['--sizes', SIZES.join(','), '-i', String(ITERATIONS), '-x', '1', `-clog:${logs}`, '--json', json];
      const launched = await launch(caseFile('tamper'), [name, JSON.stringify(tampering), ...run, ...options], how);
      assertFailed(launched);

      const measured = SIZES.slice(0, SIZES.indexOf(one.size) + 1);
      const verdicts = measured.map((size) => [String(size), size === one.size ? 'Fail' : 'Pass']);
      assert.deepEqual(
        rowsOf(launched.stdout).map((cells) => [cells[0], cells.at(-1)]),
        verdicts,
      );
      const last = launched.stdout.trimEnd().split('\n').at(-1);
      assert.equal(last, `DATA VALIDATION ERROR: ${name} exited with status 1 on message size ${one.size}.`);

      const { rows, status } = readRecord(json);
      assert.deepEqual(status, { state: 'failed', message: `data of size ${one.size} arrived wrong` });
      assert.deepEqual(
        rows.map(({ validation }) => validation?.passed),
        measured.map((size) => size !== one.size),
      );
      const wrong = Number(rows.at(-1)?.validation?.['wrongBytes']);
      if (one.what === 'corrupt') assert.equal(wrong, one.iteration === undefined ? ITERATIONS : 1);
      else assert.isAbove(wrong, 0);

      assert.deepEqual(readdirSync(logs), [`log-${one.rank}.log`]);
      assert.include(readFileSync(join(logs, `log-${one.rank}.log`), 'utf8'), `size ${one.size}, buffer `);
      rmSync(logs, { recursive: true });
    });
  }
}

describeUnder('mpich')('data validation under MPICH', () => {
  testCases(underMpich);
});

describe('data validation under mpirun', () => {
  const file = testFolder();
  testCases([...systematic, ...special]);

  for (const name of programs) {
    it(`${name}: messages that never move, though those of the untimed repeats did`, async () => {
      const tampering: Tampering = { what: 'nothing', rank: 0, size: 0 };
      const options = ['--sizes', '1000', '-i', '5', '-c'];
      const launched = await launch(caseFile('tamper'), [name, JSON.stringify(tampering), ...options]);
      assertFailed(launched);
      assert.deepEqual(
        rowsOf(launched.stdout).map((cells) => cells.at(-1)),
        ['Fail'],
      );
    });
  }

  it('logs into a folder of its own by default (-clog)', async () => {
    const tampering: Tampering = { what: 'corrupt', rank: 1, size: 8, place: 'last' };
    const options = ['--sizes', '8', '-i', '5', '-clog'];
    const launched = await launch(caseFile('tamper'), ['osu_bw', JSON.stringify(tampering), ...options], {
      cwd: file('.'),
    });
    assertFailed(launched);
    assert.deepEqual(ownLines(launched), []);
    assert.deepEqual(readdirSync(file('validation_output')), ['log-1.log']);
    const log = readFileSync(file('validation_output/log-1.log'), 'utf8');
    assert.match(
      log,
      /^size 8, buffer 0: 5 wrong bytes, the first in iteration \d+ at offset 7: expected \d+, got \d+$/m,
    );
  });
});

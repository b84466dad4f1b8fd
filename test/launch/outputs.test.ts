/** What a run leaves beside its table: CSV and Markdown, rows that end when they are sure, and what samples are worth. */
import { assert } from 'chai';
import { readFileSync } from 'node:fs';
import { programs } from '../../src/bench/suites/index.js';
import type { OsuRow } from '../../src/bench/suites/osu.js';
import { testFolder } from './folder.js';
import { assertWell, part, runMany } from './many.js';
import { launch, type LaunchOptions } from './mpirun.js';
import { assertDone, assertFailed, column, headerOf, ownLines, program, readRecord, rowsOf } from './output.js';

async function run(name: string, options: string, launchOptions?: LaunchOptions) {
  const launched = await launch(program(name), options.split(' '), launchOptions);
  assertDone(launched);
  return launched;
}

/** Cells of a CSV without quotes, by the names of its first line. */
function csv(text: string): Record<string, string>[] {
  const [names = [], ...rows] = text.trimEnd().split('\n').map((line) => line.split(',')); // prettier-ignore
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
}

describe('tables beside the table', () => {
  const file = testFolder();

  it('hold the figures of the record', async () => {
    const [json, csvFile, markdown] = [file(), file(), file()];
    const { stdout } = await run(
      'osu_latency',
      `-m 4 -i 50 -x 5 -c --json ${json} --csv ${csvFile} --markdown ${markdown}`,
    );
    const { rows, run: head } = readRecord(json);
    assert.deepEqual(column(stdout, 0), ['1', '2', '4']);
    const table = csv(readFileSync(csvFile, 'utf8'));
    assert.lengthOf(table, rows.length);
    for (const [index, row] of rows.entries()) {
      const cells = table[index] ?? {};
      assert.equal(cells['program'], 'osu_latency');
      assert.equal(cells['started'], head.started);
      assert.equal(cells['size (B)'], String(row.parameters.size));
      assert.equal(Number(cells['latency (s)']), row.figures['latency']?.value);
      assert.equal(Number(cells['median (s)']), row.statistics?.median);
      assert.equal(cells['validation'], 'passed');
    }
    const shown = readFileSync(markdown, 'utf8');
    assert.match(shown, /^# osu_latency\n\n- done, /);
    for (const { parameters, figures } of rows)
      assert.include(shown, `| ${parameters.size} | ${((figures['latency']?.value ?? NaN) * 1e6).toFixed(3)} |`);
  });

  it('go to stdout by -, and the table to stderr', async () => {
    const launched = await run('osu_bw', '-m 2 -i 5 -x 1 --csv -');
    assert.deepEqual(
      csv(launched.stdout).map((row) => row['size (B)']),
      ['1', '2'],
    );
    assert.match(launched.stderr, /^# OSU MPI Bandwidth Test/m);
  });

  it('are there for start-up too', async () => {
    const csvFile = file();
    await run('osu_init', `--csv ${csvFile}`);
    const [row] = csv(readFileSync(csvFile, 'utf8'));
    assert.isAbove(Number(row?.['init (s)']), 0);
  });

  it('that can not be written are refused before the run, in one sentence', async () => {
    for (const [option, what] of [
      ['--csv', 'CSV'],
      ['--markdown', 'table in Markdown'],
    ] as const) {
      const launched = await launch(program('osu_latency'), ['-m', '1', option, '/nowhere/at/all']);
      assertFailed(launched);
      assert.deepEqual(ownLines(launched), [
        `osu_latency: The ${what} can't be written to /nowhere/at/all: there is no folder /nowhere/at; create it.`,
      ]);
      assert.equal(launched.stdout, '');
    }
  });
});

describe('--target-ci under mpirun', () => {
  const file = testFolder();

  it('ends rows when they are sure enough: true n, exit 0', async () => {
    const json = file();
    const launched = await run('osu_latency', `-m 4 -i 1000000 --target-ci 40% --json ${json}`);
    const { rows, warnings } = readRecord(json);
    assert.lengthOf(rows, 3);
    for (const { n, stopped, statistics } of rows) {
      assert.equal(stopped, 'target-ci');
      assert.isBelow(n, 1000000);
      assert.isAtMost(statistics?.uncertainty ?? NaN, 0.4);
      assert.equal(statistics?.n, n);
    }
    assert.deepEqual(warnings, []);
    assert.include(headerOf(launched.stdout).at(-1), 'Iterations');
    assert.deepEqual(
      rowsOf(launched.stdout).map((cells) => cells.at(-1)),
      rows.map(({ n }) => String(n)),
    );
  });

  it('that is out of reach is told', async () => {
    const json = file();
    const launched = await run('osu_bw', `-m 1:2 -i 60 --target-ci 0.0000001% --json ${json}`);
    const { rows, warnings } = readRecord(json);
    assert.deepEqual(
      rows.map(({ n, stopped }) => [n, stopped]),
      [
        [60, undefined],
        [60, undefined],
      ],
    );
    const warning = '2 rows are less sure than --target-ci asks: give more iterations with -i, or more time';
    assert.deepEqual(warnings, [warning]);
    assert.deepEqual(ownLines(launched), [`warning: ${warning}`]);
  });

  const measuring = [...programs.values()].filter((row) => 'kernel' in row && !row.threads && !row.children);
  const able = measuring.filter(({ needs = [] }) => !needs.includes('MPI-4'));
  const hasNeighbours = ({ accepts }: OsuRow): boolean => accepts.includes('nhbr');
  const groups: [string, number, OsuRow[]][] = [
    ['every program that measures', 2, able.filter((row) => !hasNeighbours(row))],
    ['collectives of neighbours', 3, able.filter(hasNeighbours)],
  ];
  for (const [what, np, rows] of groups)
    it(`works in ${what}, with a time limit beside it`, async () => {
      assert.isAbove(rows.length, 9);
      const parts = rows.map(({ name, accepts, ranks }) => {
        const size = accepts.includes('sizes') ? '--sizes 64' : '';
        const nodes = ranks === 'nodes' ? '--nodes-by 1' : '';
        const json = file(name);
        return {
          json,
          ...part(`${name} ${size} ${nodes} -i 400 -x 2 --target-ci 60% --time-limit 20 --json ${json}`),
        };
      });
      const ran = await runMany(parts, { np });
      for (const [index, one] of ran.entries()) {
        assertWell(one);
        const [row, ...others] = readRecord(parts[index]?.json ?? '').rows;
        assert.deepEqual(others, [], one.name);
        assert.isAtMost(row?.n ?? NaN, 400, one.name);
        assert.isAtLeast(row?.n ?? NaN, 8, one.name);
      }
    });
});

describe('--stats=NAMES under mpirun', () => {
  it('adds these columns, among them the verdict', async () => {
    const { stdout } = await run('osu_latency', '-m 1 -i 200 --stats=n,uncertainty,verdict');
    assert.match(headerOf(stdout).at(-1) ?? '', / N +Uncertainty\(%\) +Verdict$/);
    assert.match(stdout, /^1 +[\d.]+ +200 +[\d.]+ +(steady|noisy|drifting)$/m);
  });
});

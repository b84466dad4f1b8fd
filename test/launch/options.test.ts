/** Options under mpirun: what the peer has, what it gets wrong, and what we add. */
import { assert } from 'chai';
import { existsSync, writeFileSync } from 'node:fs';
import { readCapture } from '../unit/project.js';
import { testFolder } from './folder.js';
import { launch, type LaunchOptions } from './mpirun.js';
import { assertDone, column, headerOf, ownLines, parseRecord, program, readRecord, rowsOf, sizesOf } from './output.js';
import { messagePrograms } from './programs.js';

/** Runs a benchmark that goes well. */
async function run(name: string, options: string, launchOptions?: LaunchOptions) {
  const launched = await launch(program(name), options.split(' '), launchOptions);
  assertDone(launched);
  return launched;
}

describe('message sizes under mpirun', () => {
  for (const name of messagePrograms) {
    it(`${name} measures size 0 when asked, with the js engine too`, async () => {
      const native = await run(name, '-m 0:8 -i 10 -x 1 -c');
      const js = await run(name, '-m 0:8 -i 10 -x 1 -c --engine js', { pml: 'ob1' });
      for (const { stdout } of [native, js]) {
        assert.deepEqual(column(stdout, 0), ['0', '1', '2', '4', '8']);
        assert.isTrue(rowsOf(stdout).every((cells) => cells.includes('Pass')));
      }
    });
  }

  it('takes any list in its order, binary suffixes, and -b multiple', async () => {
    for (const name of messagePrograms) {
      const { stdout } = await run(name, '--sizes 4096,1,3,1K -i 5 -x 1 -b multiple -c');
      assert.deepEqual(column(stdout, 0), ['4096', '1', '3', '1024']);
      assert.isTrue(rowsOf(stdout).every((cells) => cells.includes('Pass')));
    }
  });

  it('takes suffixes in a range', async () => {
    const { stdout } = await run('osu_latency', '-m 512K:1M -i 5 -x 1');
    assert.deepEqual(column(stdout, 0), ['524288', '1048576']);
  });

  it('sends messages above 2 GiB, all bytes of which arrive', async () => {
    // 2^31 + 1 MiB: more elements than a 32-bit integer counts.
    const { stdout } = await run('osu_bw', '--sizes 2098176K -i 1 -x 0 -W 1 -c -u 0', { limit: 110 });
    assert.deepEqual(
      rowsOf(stdout).map(([size, , validation]) => [size, validation]),
      [['2148532224', 'Pass']],
    );
  });
});

describe('options of the peer under mpirun', () => {
  const file = testFolder();

  it('takes any window (-W 2000)', async () => {
    for (const name of ['osu_bw', 'osu_bibw', 'osu_mbw_mr']) {
      const json = file();
      const { stdout } = await run(name, `-m 8 --json ${json} -i 3 -x 1 -W 2000 -c`);
      assert.deepEqual(column(stdout, 0), ['1', '2', '4', '8']);
      assert.isTrue(rowsOf(stdout).every((cells) => cells.includes('Pass')));
      assert.isTrue(readRecord(json).rows.every(({ parameters }) => parameters.window === 2000));
    }
  });

  it('takes any number of percentiles, and counts bandwidth from its good end', async () => {
    const percents = [0, 1, 25, 50, 75, 99, 99.9, 100];
    for (const [name, sign] of [
      ['osu_latency', 1],
      ['osu_bw', -1],
    ] as const) {
      // prettier-ignore
      const json = file();
      const { stdout } = await run(name, `-m 4 -i 50 -x 2 -z${percents.join(',')} --json ${json}`);
      assert.lengthOf(stdout.match(/P[\d.]+ Tail/g) ?? [], percents.length);
      for (const { statistics } of readRecord(json).rows) {
        assert.deepEqual(
          statistics?.percentiles.map(({ percent }) => percent),
          percents,
        );
        const values = statistics?.percentiles.map(({ value }) => sign * (value ?? NaN)) ?? [];
        assert.deepEqual(
          values,
          values.toSorted((a, b) => a - b),
        );
        const ends = [sign * (statistics?.min ?? NaN), sign * (statistics?.max ?? NaN)].toSorted((a, b) => a - b);
        assert.deepEqual([values[0], values.at(-1)], ends);
      }
    }
  });

  it('measures all types in sections (-T all), leaving out sizes below an element', async () => {
    for (const name of messagePrograms) {
      const json = file();
      const { stdout } = await run(name, `-m 1:8 -i 5 -x 1 -c -T all --json ${json}`);
      const types = ['MPI_CHAR', 'MPI_INT', 'MPI_FLOAT'];
      assert.deepEqual(
        headerOf(stdout).filter((line) => line.startsWith('# Datatype')),
        types.map((type) => `# Datatype: ${type}.`),
      );
      assert.deepEqual(column(stdout, 0), ['1', '2', '4', '8', '4', '8', '4', '8']);
      assert.isTrue(rowsOf(stdout).every((cells) => cells.includes('Pass')));
    }
  });

  it('sends derived layouts (-D), also of size 0 and below the stride', async () => {
    const index = file('blocks.txt');
    writeFileSync(index, '0,2\n4,1\n9,3\n');
    const sizes = '--sizes 0,1,7,8,64';
    const expected = [
      { layout: 'cont', transmitted: ['0', '1', '7', '8', '64'] },
      { layout: 'vect:8:4', transmitted: ['0', '0', '0', '4', '32'] },
      { layout: `indx:${index}`, transmitted: ['0', '1', '3', '3', '6'] },
    ];
    for (const { layout, transmitted } of expected) {
      for (const name of messagePrograms) {
        const json = file();
        const { stdout } = await run(name, `${sizes} -i 5 -x 1 -D ${layout} --json ${json}`);
        assert.deepEqual(
          rowsOf(stdout).map((cells) => cells.at(-1)),
          transmitted,
          `${name} ${layout}`,
        );
        assert.deepEqual(
          readRecord(json).rows.map(({ parameters }) => parameters.transmitSize),
          transmitted.map(Number),
        );
      }
    }
  });

  it('leaves the message rate out (-R 0)', async () => {
    const { stdout } = await run('osu_mbw_mr', '-m 8 -i 5 -x 1 -R 0');
    assert.notInclude(stdout, 'Messages/s');
    assert.deepEqual([...new Set(rowsOf(stdout).map(({ length }) => length))], [2]);
  });

  it('uses as many pairs as asked (-p), the other ranks being idle', async () => {
    const json = file();
    const options = `-m 8 -i 5 -x 1 -p 1 -c --samples --json ${json}`;
    const { stdout } = await run('osu_mbw_mr', options, { np: 4 });
    assert.include(headerOf(stdout), '# [ pairs: 1 ] [ window size: 64 ]');
    const { ranks, rows } = readRecord(json);
    assert.lengthOf(ranks, 4);
    assert.lengthOf(rows, 4);
    for (const row of rows) {
      assert.equal(row.parameters.pairs, 1);
      assert.isTrue(row.validation?.passed);
      assert.deepEqual(
        row.samples?.map(({ rank }) => rank),
        [0],
      );
    }
  });

  it('fills matrices (-V), the second from the same runs as the first', async () => {
    const json = file();
    const { stdout } = await run('osu_mbw_mr', `-m 2 -i 3 -x 1 -V --json ${json}`);
    const windows = [1, 2, 4, 8, 16, 32, 64, 128];
    const { rows } = readRecord(json);
    assert.deepEqual(
      rows.map(({ parameters }) => [parameters.size, parameters.window]),
      [1, 2].flatMap((size) => windows.map((window) => [size, window])),
    );
    const rates = rows.map(({ figures }) => (figures['rate']?.value ?? NaN).toFixed(2));
    assert.deepEqual(
      rowsOf(stdout)
        .slice(2)
        .flatMap((cells) => cells.slice(1)),
      rates,
    );
  });

  it('validates with any number of repeats (-u), and logs nothing where all is right (-c log)', async () => {
    const folder = file('logs');
    for (const name of messagePrograms) {
      for (const repeats of [0, 10]) {
        const { stdout } = await run(name, `-m 8 -i 5 -x 1 -clog:${folder} -u ${repeats}`);
        assert.isTrue(rowsOf(stdout).every((cells) => cells.includes('Pass')));
      }
    }
    assert.isFalse(existsSync(folder));
  });

  it('ignores the places of buffers (D D), and says so', async () => {
    const launched = await run('osu_latency', '-m 4 -i 5 D D');
    assert.deepEqual(column(launched.stdout, 0), ['1', '2', '4']);
    assert.deepEqual(ownLines(launched), ['Ignored: D D']);
  });
});

describe('own options under mpirun', () => {
  const file = testFolder();

  it('adds statistics (--stats)', async () => {
    for (const name of messagePrograms) {
      const { stdout } = await run(name, '-m 4 -i 30 -x 2 --stats');
      const header = headerOf(stdout).at(-1) ?? '';
      for (const word of ['Min', 'Median', 'P90', 'P99', 'Max', 'SD', 'CI Low', 'CI High', 'N']) {
        assert.include(header, word);
      }
      assert.deepEqual([...new Set(rowsOf(stdout).map((cells) => cells.at(-1)))], ['30']);
    }
  });

  it('writes the record alone to stdout (--json -), and the table to stderr', async () => {
    const launched = await run('osu_bw', '-m 1:64 -i 20 -x 2 --json -');
    const record = parseRecord(launched.stdout);
    assert.deepEqual(sizesOf(record), [1, 2, 4, 8, 16, 32, 64]);
    assert.deepEqual(record.status, { state: 'done' });
    assert.deepEqual(headerOf(launched.stderr), headerOf(readCapture('osu_bw')));
    assert.lengthOf(rowsOf(launched.stderr), 7);
  });

  it('keeps all samples of the ranks whose times make the figure (--samples)', async () => {
    const launches = [
      ['osu_latency', 2, [0]],
      ['osu_bw', 2, [0]],
      ['osu_bibw', 2, [0]],
      ['osu_mbw_mr', 4, [0, 1]],
    ] as const;
    for (const [name, np, ranks] of launches) {
      const json = file();
      await run(name, `--sizes 8,16384 -i 25 -x 2 --samples --json ${json}`, { np });
      for (const { n, samples } of readRecord(json).rows) {
        assert.equal(n, 25);
        assert.deepEqual(
          samples?.map(({ rank, seconds }) => [rank, seconds.length]),
          ranks.map((rank) => [rank, 25]),
        );
        assert.isTrue(samples?.every(({ seconds }) => seconds.every((value) => value > 0)));
      }
      assert.isFalse(existsSync(`${json}.samples.ndjson`), 'samples are merged into the record');
    }
  });

  it('stops when its time is over (--time-limit): true n, exit 0, and what is left out is told', async () => {
    for (const name of messagePrograms) {
      const json = file();
      const asked = 10 ** 9;
      const launched = await run(name, `-m 4 -i ${asked} -x 1 --time-limit 0.3 --json ${json}`);
      const record = readRecord(json);
      assert.deepEqual(record.status, { state: 'done' });
      assert.deepEqual(sizesOf(record), [1]);
      const [row] = record.rows;
      assert.isAbove(row?.n ?? 0, 0);
      assert.isBelow(row?.n ?? asked, asked);
      assert.equal(row?.stopped, 'time-limit');
      assert.include(headerOf(launched.stdout).at(-1), 'Iterations');
      assert.deepEqual(
        rowsOf(launched.stdout).map((cells) => cells.at(-1)),
        [String(row?.n)],
      );
      const warning = 'the time limit left out 2 rows: give more with --time-limit';
      assert.deepEqual(record.warnings, [warning]);
      assert.deepEqual(ownLines(launched), [`warning: ${warning}`]);
    }
  });

  it('says where UCX is not what carries the messages', async () => {
    const json = file();
    const launched = await run('osu_latency', `-m 4 -i 5 --json ${json}`, { pml: 'ob1' });
    const { warnings } = readRecord(json);
    assert.lengthOf(warnings, 1);
    assert.match(warnings[0] ?? '', /PML ob1.*mpirun --mca pml ucx/);
    assert.deepEqual(ownLines(launched), [`warning: ${warnings[0]}`]);
  });
});

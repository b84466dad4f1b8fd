/** What ucx_perftest shows and writes, by the options of a process; and pairs of ranks. */
import { assert } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { testFolder } from '../launch/folder.js';
import { describeUnder, launch, unbound } from '../launch/mpirun.js';
import type { ResultRecord, RowRecord } from '../../src/results/types.js';
import { strictSchemaErrors } from '../unit/schema.js';
import { alone, both, csvRows, EXIT, PERFTEST, Run, sentences, startClient, startServer } from './perftest.js';

const SELF = ['-x', 'self', '-d', 'memory0'];
const POSIX = ['-x', 'posix', '-d', 'memory'];

function recordIn(file: string): ResultRecord {
  const record = JSON.parse(readFileSync(file, 'utf8')) as ResultRecord;
  assert.deepEqual(strictSchemaErrors(record), []);
  return record;
}

function onlyRow({ rows: [row] }: ResultRecord): RowRecord {
  assert.isDefined(row);
  if (!row) throw new Error('no row');
  return row;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('what ucx_perftest shows', () => {
  const file = testFolder();

  it('-f: the last row alone, and without it the row with its name', async () => {
    const args = ['-t', 'am_lat', ...SELF, '-n', '1000'];
    const [final, all] = [await alone([...args, '-f']), await alone(args)];
    assert.match(final.stdout, /^\| {5}Test {5}\|/m);
    assert.match(final.stdout, /^ {10} +1000 /m);
    assert.match(all.stdout, /^\| {4}Stage {5}\|/m);
    assert.match(all.stdout, /^Final: +1000 /m);
  });

  it('-N: commas between thousands', async () => {
    const { stdout } = await alone(['-t', 'am_lat', ...SELF, '-n', '12345', '-N']);
    assert.match(stdout, /^Final: +12,345 /m);
  });

  it('-R: the percentile, in the heading and in the record', async () => {
    const json = file();
    const { stdout } = await alone(['-t', 'am_lat', ...SELF, '-n', '5000', '-R', '99.9', '--json', json]);
    assert.match(stdout, /99\.9%ile/);
    const { statistics } = onlyRow(recordIn(json));
    assert.deepEqual(
      statistics?.percentiles.map(({ percent }) => percent),
      [99.9],
    );
  });

  for (const option of ['-I', '-X']) {
    it(`${option}: how UCX sent, after the row and in the record`, async () => {
      const json = file();
      const args = ['-t', 'tag_lat', '-n', '100', option, '--json', json];
      const { client } = await both(args, { env: { UCX_TLS: 'posix,cma,self' } });
      assert.equal(client.code, EXIT.done, client.report);
      const { parameters } = onlyRow(recordIn(json));
      const said = /^Final: +100(?: +[\d.]+){7} {2}(\S.*)$/m.exec(client.stdout)?.[1];
      assert.isString(said, client.report);
      assert.equal(parameters['protocol'], said);
    });
  }

  it('-v: CSV and nothing else, also where tests are refused', async () => {
    const [tests, sizes] = [file('tests'), file('sizes')];
    writeFileSync(tests, 'lat -t am_lat\nget -t get -D short\nput -t put_bw\n');
    writeFileSync(sizes, 's8 -s 8\ns64 -s 64\n');
    const ended = await alone(['-b', tests, '-b', sizes, ...SELF, '-n', '100', '-v']);
    assert.equal(ended.code, EXIT.refused, ended.report);
    const lines = ended.stdout.trimEnd().split('\n');
    assert.isTrue(
      lines.every((line) => line.split(',').length === 10),
      ended.stdout,
    );
    const names = csvRows(ended.stdout).map((row) => `${row['tests']}/${row['sizes']}`);
    assert.deepEqual(names, ['lat/s8', 'lat/s64', 'put/s8', 'put/s64']);
    assert.lengthOf(sentences(ended.stderr), 2);
  });

  it('--stats: all samples in a line', async () => {
    const { stdout } = await alone(['-t', 'am_bw', ...POSIX, '-n', '3000', '-s', '64', '-D', 'bcopy', '--stats']);
    assert.match(
      stdout,
      /^Samples: {2}min [\d.]+, median [\d.]+, p90 [\d.]+, p99 [\d.]+, max [\d.]+, sd [\d.]+, n \d+ /m,
    );
  });

  it('rows while a test without end runs, until it is interrupted', async () => {
    const run = new Run(['-l', '-t', 'am_lat', ...SELF, '-n', '0']);
    await run.until(/(?:\[thread 0\][^]*){2}/);
    run.kill('SIGINT');
    const ended = await run.ended;
    assert.isFalse(ended.hung, ended.report);
    assert.equal(ended.signal, 'SIGINT');
    const counts = [...ended.stdout.matchAll(/^\[thread 0\] +(\d+) /gm)].map(([, count]) => Number(count));
    assert.isAbove(counts[1] ?? NaN, counts[0] ?? NaN);
  });
});

describe('the record of ucx_perftest', () => {
  const file = testFolder();

  it('has a row for each of --sizes', async () => {
    const json = file();
    const { client } = await both(['-t', 'tag_bw', '--sizes', '1:16K', '-n', '50', '-w', '5', '-V', '--json', json]);
    assert.equal(client.code, EXIT.done, client.report);
    const { rows, status, run } = recordIn(json);
    assert.equal(run.name, 'ucx_perftest');
    assert.deepEqual(
      rows.map(({ parameters }) => parameters.size),
      Array.from({ length: 15 }, (_, power) => 2 ** power),
    );
    for (const { n, warmup, validation } of rows) {
      assert.deepEqual({ n, validation }, { n: 50, validation: { passed: true, wrongBytes: 0 } });
      // Rounds of 1, 2 and 2; on a busy machine its time is up before the last one.
      assert.include([1, 3, 5], warmup);
    }
    assert.deepEqual(status, { state: 'done' });
  });

  it('goes to stdout by -, and the table to stderr', async () => {
    const ended = await alone(['-t', 'tag_lat', '-n', '100', '--json', '-']);
    assert.deepEqual(strictSchemaErrors(JSON.parse(ended.stdout)), []);
    assert.match(ended.stderr, /^Final: +100 /m);
  });

  it('has tables beside it: CSV by --csv, which is not -v, and Markdown', async () => {
    const [csv, markdown] = [file('r.csv'), file('r.md')];
    const ended = await alone(['-t', 'am_lat', ...SELF, '-n', '500', '-v', '--csv', csv, '--markdown', markdown]);
    assert.equal(ended.code, EXIT.done, ended.report);
    assert.match(ended.stdout, /^iterations,/);
    const [names = '', ...rows] = readFileSync(csv, 'utf8').trimEnd().split('\n');
    assert.match(
      names,
      /^program,layer,started,size \(B\),test,.*,latency \(s\),bandwidth \(B\/s\),rate \(1\/s\),n,.*,verdict$/,
    );
    assert.lengthOf(rows, 1);
    assert.match(rows[0] ?? '', /^ucx_perftest,uct,[^,]+,8,am_lat,/);
    assert.match(
      readFileSync(markdown, 'utf8'),
      /^# ucx_perftest\n\n- done, [^]*\| latency \(us\) \| bandwidth \(MiB\/s\) \|/,
    );
    const stdout = await alone(['-t', 'am_lat', ...SELF, '-n', '500', '--csv', '-']);
    assert.match(stdout.stdout, /^program,/);
    assert.match(stdout.stderr, /^Final: +500 /m);
  });

  it('says that a test was refused', async () => {
    const json = file();
    const ended = await alone(['-t', 'get', ...POSIX, '--json', json]);
    assert.equal(ended.code, EXIT.refused);
    const { rows, status } = recordIn(json);
    assert.deepEqual(rows, []);
    assert.equal(status.state, 'failed');
  });

  it('is of all samples: a ping-pong between two is halved, and a message to oneself is not', async () => {
    const args = (json: string): string[] => ['-t', 'am_lat', ...POSIX, '-n', '5000', '--json', json, '--samples'];
    const [two, one] = [file(), file()];
    const { client } = await both(args(two));
    assert.equal(client.code, EXIT.done, client.report);
    const self = await alone(['-D', 'bcopy', '-s', '4096', ...args(one)]);
    assert.equal(self.code, EXIT.done, self.report);
    for (const [json, divisor] of [
      [two, 2],
      [one, 1],
    ] as const) {
      const { samples = [], statistics, figures, perSample = 1 } = onlyRow(recordIn(json));
      const seconds = samples[0]?.seconds ?? [];
      assert.equal(statistics?.n, seconds.length);
      assert.isAtLeast(seconds.length * perSample, 5000);
      assert.approximately(statistics?.mean ?? NaN, meanOf(seconds) / divisor, 1e-12);
      // The whole run is longer than its iterations.
      assert.isAtLeast(figures['latency']?.value ?? NaN, (meanOf(seconds) / divisor) * 0.999);
    }
  });

  it('-c: tells where the process ran', async () => {
    const json = file();
    const ended = await alone(['-t', 'tag_lat', '-n', '100', '-c', '0', '--report-binding', '--json', json]);
    assert.equal(ended.code, EXIT.done, ended.report);
    const [rank] = recordIn(json).ranks;
    assert.deepEqual(rank?.hardwareThreads, [0]);
    assert.deepInclude(rank?.binding, { asked: '-c 0', by: 'fabricbench' });
    assert.match(ended.stderr, /^rank 0 on .*hardware thread 0,.* bound by -c 0, all /m);
  });

  it('--bind: a process alone is the first of its host', async () => {
    const json = file();
    const ended = await alone(['-t', 'tag_lat', '-n', '100', '--bind', 'compact', '--membind', '--json', json]);
    assert.equal(ended.code, EXIT.done, ended.report);
    const [rank] = recordIn(json).ranks;
    assert.lengthOf(rank?.hardwareThreads ?? [], 1);
    assert.deepInclude(rank?.binding, { asked: 'compact', by: 'fabricbench', memory: `bind:${rank?.numaNode}` });
  });

  it('--noise: tells and keeps what was found on the core of each process that looked', async () => {
    const json = file();
    const ended = await alone(['-t', 'tag_lat', '-n', '100', '--noise=0.02', '--json', json]);
    assert.equal(ended.code, EXIT.done, ended.report);
    assert.isAtLeast(recordIn(json).ranks[0]?.noise?.seconds ?? 0, 0.02);
    assert.match(ended.stderr, /^rank 0 on \S+: noise: lost /m);
    const { client } = await both(['-t', 'tag_lat', '-n', '100', '--noise', '--json', json]);
    assert.equal(client.code, EXIT.done, client.report);
    assert.deepEqual(
      recordIn(json).ranks.map(({ noise }) => noise !== undefined),
      [true, false],
    );
  });

  it('can not be written: said before anything is measured', async () => {
    const ended = await alone(['-t', 'tag_lat', '--json', '/no/such/folder/record.json']);
    assert.equal(ended.code, EXIT.refused, ended.report);
    assert.match(sentences(ended.stderr).join('\n'), /\/no\/such\/folder/);
  });
});

describe('a run of ucx_perftest that is held up', () => {
  it('is ended by its watchdog', async () => {
    const server = await startServer();
    const client = startClient(server, ['-t', 'am_lat', ...POSIX, '-n', '0', '--watchdog', '2']);
    try {
      await client.until(/\[thread 0\]/);
      server.run.kill('SIGSTOP');
      const ended = await client.ended;
      assert.isFalse(ended.hung, ended.report);
      assert.equal(ended.code, EXIT.failed, ended.report);
      assert.match(ended.stderr, /made no progress for 2 s in .*ucx_perftest, am_lat, size 8/);
    } finally {
      client.kill('SIGKILL');
      server.run.kill('SIGKILL');
      await Promise.all([client.ended, server.run.ended]);
    }
  });
});

describe('-o of ucx_perftest', () => {
  it('is refused where the responder must work, by both sides', async () => {
    const { client, server } = await both(['-t', 'ucp_put_bw', '-o', '-n', '100'], { env: { UCX_TLS: 'tcp' } });
    for (const side of [client, server]) {
      assert.equal(side.code, EXIT.refused, side.report);
      assert.deepEqual(sentences(side.stderr), ['tcp needs a responder that makes progress: leave out -o']);
    }
  });
});

for (const mpi of ['openmpi', 'mpich'] as const) {
  describeUnder(mpi)(`several ranks of ucx_perftest under the launcher of ${mpi}`, () => {
    const file = testFolder();
    const where = { mpi, pml: 'ob1', place: unbound({ mpi }), env: { OMPI_MCA_mpi_yield_when_idle: '1' } } as const;

    async function run(np: number, options: readonly string[]) {
      const json = file();
      const launched = await launch(PERFTEST, [...options, '--json', json], { ...where, np });
      assert.equal(launched.code, EXIT.done, launched.report);
      assert.equal(launched.strays, 0, launched.report);
      return { launched, record: recordIn(json) };
    }

    it('has two pairs at once, with the sum of their rates', async () => {
      const batch = file('batch');
      const lines = [
        `am ${POSIX.join(' ')} -t am_bw`,
        `put ${POSIX.join(' ')} -t put_lat`,
        'tag -t tag_lat',
        'get -t ucp_get',
      ];
      writeFileSync(batch, `${lines.join('\n')}\n`);
      const { record } = await run(4, ['-b', batch, '-n', '20', '-w', '0', '-V']);
      assert.lengthOf(record.rows, lines.length);
      assert.lengthOf(record.ranks, 4);
      for (const { parameters, figures, validation } of record.rows) {
        assert.equal(parameters.pairs, 2);
        const rates = [0, 1].map((pair) => figures[`rate of pair ${pair}`]?.value ?? NaN);
        for (const rate of rates) assert.isAbove(rate, 0);
        assert.approximately((figures['rate']?.value ?? NaN) / ((rates[0] ?? NaN) + (rates[1] ?? NaN)), 1, 1e-9);
        assert.deepEqual(validation, { passed: true, wrongBytes: 0 });
      }
    });

    it('has each talk to itself with -l', async () => {
      const { record } = await run(2, ['-l', ...SELF, '-t', 'am_lat', '-n', '1000', '-V']);
      assert.equal(onlyRow(record).parameters.pairs, 2);
    });

    it('shows the table once, and CSV without a box', async () => {
      const { launched } = await run(2, [...POSIX, '-t', 'put_lat', '-n', '100', '-w', '0']);
      assert.lengthOf(launched.stdout.match(/^Final: /gm) ?? [], 1, launched.report);
      assert.lengthOf(launched.stdout.match(/Test: +put latency/g) ?? [], 1, launched.report);
      const csv = await run(2, [...POSIX, '-t', 'put_lat', '-n', '100', '-w', '0', '-v']);
      assert.lengthOf(csv.launched.stdout.trimEnd().split('\n'), 2, csv.launched.report);
    });

    it('--bind: has each rank where it should be', async () => {
      const { record, launched } = await run(2, [
        '-t',
        'tag_lat',
        '-n',
        '20',
        '-w',
        '0',
        '--bind',
        '0,0',
        '--overlap',
        '--report-binding',
      ]);
      assert.deepEqual(
        record.ranks.map(({ hardwareThreads }) => hardwareThreads),
        [[0], [0]],
        launched.report,
      );
    });
  });
}

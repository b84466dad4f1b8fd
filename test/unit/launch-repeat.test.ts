/** Repeated launches: when they end, what counts, what is written and shown. */
import { expect } from 'chai';
import fc from 'fast-check';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeat, type Launched, type Repeated, type Rules } from '../../src/launch/launches.js';
import { readLaunchRecord, RecordList, writeRecord } from '../../src/launch/records.js';
import type { Ended } from '../../src/launch/running.js';
import { isTight, overLaunches, reach } from '../../src/launch/spread.js';
import { summaryText } from '../../src/launch/summary.js';
import { MemorySink } from '../../src/report/sink.js';
import type { ResultRecord, RowRecord, StatusRecord } from '../../src/results/types.js';
import { withFolder } from './project.js';
import { exampleHead, exampleRow, exampleStatistics } from './records.js';
import { strictSchemaErrors } from './schema.js';

interface RowParts {
  readonly latency: number;
  readonly n?: number;
  readonly sd?: number;
  readonly mean?: number;
}

function row(size: number, { latency, n = 100, sd = 2e-7, mean = 1e-6 }: RowParts): RowRecord {
  const statistics = { ...exampleStatistics, n, sd, mean, figure: 'latency', unit: 's' };
  return { ...exampleRow(size), figures: { latency: { value: latency, unit: 's' } }, statistics };
}

function record(rows: readonly RowRecord[], status: StatusRecord = { state: 'done' }): ResultRecord {
  return { schema: 'fabricbench-result-1', ...exampleHead(), rows, warnings: [], status };
}

const ofLatency = (...values: number[]): ResultRecord[] => values.map((latency) => record([row(8, { latency })]));

describe('rows over launches', () => {
  it('have median, interval and spread of what each launch found', () => {
    const [one, ...more] = overLaunches(ofLatency(4, 1, 6, 2, 5, 3));
    expect(more).to.deep.equal([]);
    expect(one).to.deep.include({ figure: 'latency', unit: 's', values: [4, 1, 6, 2, 5, 3], median: 3.5 });
    // Of six values the smallest and the largest enclose the median with 1 - 2 / 2^6 = 96.9 %.
    expect(one?.interval).to.deep.equal({ low: 1, high: 6, level: 0.95 });
    // sd of 1 to 6: sqrt(17.5 / 5).
    expect(one?.between).to.be.closeTo(Math.sqrt(3.5) / 3.5, 1e-12);
    // One launch's mean is known to 2e-7 / sqrt(100) of 1e-6.
    expect(one?.within).to.be.closeTo(0.02, 1e-12);
  });

  it('say nothing that so few launches cannot tell', () => {
    expect(overLaunches(ofLatency(1))[0]).to.deep.include({ median: 1, interval: null, between: null });
    expect(overLaunches(ofLatency(1, 2, 3, 4, 5))[0]?.interval).to.equal(null);
    expect(overLaunches([])).to.deep.equal([]);
  });

  it('take the median of what launches say of themselves', () => {
    const records = [1, 4, 100].map((sd) => record([row(8, { latency: 1, n: 4, sd, mean: 1 })]));
    expect(overLaunches(records)[0]?.within).to.equal(2);
    const bare = record([{ ...row(8, { latency: 1 }), statistics: null }]);
    expect(overLaunches([bare, bare])[0]).to.deep.include({ figure: 'latency', within: null, between: 0 });
  });

  it('are told apart by all their parameters, and may be missing in a launch', () => {
    const other = { ...row(8, { latency: 3 }), parameters: { size: 8, window: 1 } };
    const first = record([row(8, { latency: 1 }), other, row(16, { latency: 5 })]);
    const swapped = { ...row(8, { latency: 4 }), parameters: { window: 1, size: 8 } };
    const rows = overLaunches([first, record([row(8, { latency: 2 }), swapped])]);
    expect(rows.map(({ values }) => values)).to.deep.equal([[1, 2], [3, 4], [5]]);
  });

  it('leave out what has no value', () => {
    const empty = { ...row(8, { latency: 1 }), figures: { latency: { value: null, unit: 's' } } };
    expect(overLaunches([record([empty])])).to.deep.equal([]);
  });

  it('are tight where the farther end of each interval is near', () => {
    const rows = overLaunches(ofLatency(98, 99, 100, 100, 101, 103));
    expect(reach(rows[0] ?? { interval: null, median: 1 })).to.be.closeTo(0.03, 1e-12);
    expect(isTight(rows, 0.03)).to.equal(true);
    expect(isTight(rows, 0.029)).to.equal(false);
    expect(isTight([...rows, ...overLaunches(ofLatency(1))], 0.5)).to.equal(false);
    expect(isTight([], 0.5)).to.equal(false);
  });

  it('do not depend on the order of launches, and keep their shape under another scale', () => {
    const values = fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 6, maxLength: 30 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 100, noNaN: true }), (list, scale) => {
        const [plain] = overLaunches(ofLatency(...list));
        const [turned] = overLaunches(ofLatency(...[...list].reverse()));
        const [scaled] = overLaunches(ofLatency(...list.map((value) => value * scale)));
        expect(turned?.median).to.equal(plain?.median);
        expect(turned?.interval).to.deep.equal(plain?.interval);
        expect(scaled?.between ?? NaN).to.be.closeTo(plain?.between ?? NaN, 1e-6 * (1 + (plain?.between ?? 0)));
      }),
    );
  });
});

describe('the table over launches', () => {
  it('shows medians in the unit of the benchmark, with what they are worth', () => {
    // Their mean is 1.5, and the sum of the squared distances 0.0208: sd = sqrt(0.0208 / 5) = 0.0645.
    const latencies = [1.5e-6, 1.52e-6, 1.48e-6, 1.5e-6, 1.6e-6, 1.4e-6];
    const records = latencies.map((latency) =>
      record([row(8, { latency }), row(65536, { latency: latency * 10, n: 10000 })]),
    );
    const rows = overLaunches(records);
    const text = summaryText({ name: 'osu_latency', rows, megabyte: 1e6, launches: 6, remarks: ['a remark'] });
    expect(text.split('\n')).to.deep.equal([
      '# osu_latency: medians of 6 launches',
      '# a remark',
      '# Size      Launches   Latency(us)       95% low      95% high    Between(%)     Within(%)',
      '8                  6          1.50          1.40          1.60          4.30          2.00',
      '65536              6         15.00         14.00         16.00          4.30          0.20',
      '# Launches differ by 11.8 times what the samples of one explain: one launch says too little',
      '',
    ]);
  });

  it('says so where launches agree, and shows what it does not know as -', () => {
    const rows = overLaunches([record([row(8, { latency: 1e-6 })]), record([row(8, { latency: 1.01e-6 })])]);
    const text = summaryText({ name: 'x', rows, megabyte: 1e6, launches: 2, remarks: [] });
    expect(text)
      .to.match(/^8 +2 +1\.01 +- +- +0\.70 +2\.00$/m)
      .and.to.contain('explain: they agree\n');
    const [alone] = overLaunches(ofLatency(1e-6));
    const single = summaryText({ name: 'x', rows: alone ? [alone] : [], megabyte: 1e6, launches: 1, remarks: [] });
    expect(single.split('\n')).to.deep.equal([
      '# x: medians of 1 launch',
      '# Size      Launches   Latency(us)       95% low      95% high    Between(%)     Within(%)',
      '8                  1          1.00             -             -             -          2.00',
      '',
    ]);
  });

  it('shows bandwidth in the MB of the program, and the parameters that vary', () => {
    const bandwidth = (window: number): RowRecord => ({
      ...exampleRow(1024),
      ...{ parameters: { size: 1024, window }, statistics: null },
      figures: { bandwidth: { value: 1048576e3, unit: 'B/s' } },
    });
    const rows = overLaunches([record([bandwidth(1), bandwidth(64)])]);
    const shown = (megabyte: 1e6 | 1048576): string =>
      summaryText({ name: 'x', rows, megabyte, launches: 1, remarks: [] });
    expect(shown(1e6))
      .to.match(/# Size +window +Launches +Bandwidth\(MB\/s\)/)
      .and.to.match(/^1024 +64 +1 +1048\.58 /m);
    expect(shown(1048576))
      .to.match(/Bandwidth\(MiB\/s\)/)
      .and.to.match(/^1024 +1 +1 +1000\.00 /m);
  });
});

/** What a launch that ended by itself came to. */
const went = (latency: number, more: Partial<Ended> = {}): Launched => ({
  ended: { code: 0, seconds: 1, stuck: false, ...more },
  record: record([row(8, { latency })]),
});
const failed = (code: number): Launched => ({ ended: { code, seconds: 1, stuck: false }, record: undefined });

/** Repeats launches that go as told, the last of them again and again; each takes as many seconds as it says. */
async function repeated(rules: Partial<Rules>, results: readonly Launched[]) {
  const kept: ResultRecord[] = [];
  let now = 100;
  const outcome: Repeated = await repeat(
    { launches: undefined, targetCi: undefined, timeLimit: undefined, ...rules },
    {
      launch: (index) => {
        const result = results[Math.min(index, results.length) - 1] ?? failed(99);
        now += result.ended.seconds;
        return Promise.resolve(result);
      },
      keep: (one) => kept.push(one),
      now: () => now,
    },
  );
  return { ...outcome, kept };
}

describe('launches', () => {
  it('are as many as asked for, and each record says which it is', async () => {
    const { count, exitCode, remarks, kept, rows } = await repeated({ launches: 3 }, [went(1), went(2), went(3)]);
    expect([count, exitCode, remarks]).to.deep.equal([3, 0, []]);
    expect(rows[0]?.median).to.equal(2);
    expect(kept.map(({ run }) => run.launch)).to.deep.equal([1, 2, 3].map((index) => ({ index, of: 3 })));
    for (const one of kept) expect(strictSchemaErrors(one)).to.deep.equal([]);
  });

  it('end once each median is known well enough', async () => {
    const { count, remarks, kept } = await repeated({ targetCi: 0.02 }, [went(100), went(101), went(99), went(100)]);
    expect([count, remarks]).to.deep.equal([6, ['each median is known to within 2 %']]);
    expect(kept[0]?.run.launch).to.deep.equal({ index: 1, of: null });
  });

  it('end without that where they are used up, and say how far they came', async () => {
    const alternating = Array.from({ length: 20 }, (_, index) => went(index % 2 ? 90 : 110));
    const many = await repeated({ launches: 8, targetCi: 0.02 }, alternating);
    expect([many.count, many.exitCode]).to.deep.equal([8, 0]);
    expect(many.remarks).to.deep.equal(['medians are known to within 10 %, where 2 % was wished for']);
    const few = await repeated({ launches: 3, targetCi: 0.02 }, alternating);
    expect(few.remarks[0]).to.contain('that takes 6 launches');
    const endless = await repeated(
      { targetCi: 0.001 },
      Array.from({ length: 200 }, (_, index) => went(1 + (index % 7))),
    );
    expect(endless.count).to.equal(100);
  });

  it('begin only while there is time for another', async () => {
    const { count, remarks, exitCode } = await repeated({ launches: 9, timeLimit: 10 }, [went(1, { seconds: 3 })]);
    expect([count, exitCode]).to.deep.equal([3, 0]);
    expect(remarks).to.deep.equal(['the time limit of 10 s leaves no room for launch 4']);
    expect((await repeated({ launches: 9, timeLimit: 0.1 }, [went(1)])).count).to.equal(1);
  });

  it('that fail do not count, but make the exit code; their records are kept', async () => {
    const partly = record([row(8, { latency: 50 })], { state: 'running' });
    const broken: Launched = { ended: { code: 137, seconds: 1, stuck: false }, record: partly };
    const late = went(70, { code: 139 });
    const { count, exitCode, remarks, rows, kept } = await repeated({ launches: 5 }, [
      went(1),
      broken,
      failed(3),
      went(2),
      late,
    ]);
    expect([count, exitCode]).to.deep.equal([2, 137]);
    expect(rows[0]?.values).to.deep.equal([1, 2]);
    expect(remarks).to.deep.equal([
      "launch 2 failed with exit code 137, and doesn't count",
      "launch 3 failed with exit code 3, and doesn't count",
      "launch 5 failed with exit code 139, and doesn't count",
    ]);
    expect(kept.map(({ run, status }) => [run.launch?.index, status])).to.deep.equal([
      [1, { state: 'done' }],
      [2, { state: 'failed', message: 'the launch ended with exit code 137' }],
      [4, { state: 'done' }],
      [5, { state: 'failed', message: 'the launch ended with exit code 139' }],
    ]);
  });

  it('end with the first where that fails, and with the third failure in a row', async () => {
    const first = await repeated({ launches: 9 }, [failed(77)]);
    expect([first.count, first.exitCode, first.rows]).to.deep.equal([0, 77, []]);
    const later = await repeated({ launches: 9 }, [went(1), failed(5)]);
    expect([later.count, later.exitCode, later.remarks.length]).to.deep.equal([1, 5, 3]);
    const mute = await repeated({ launches: 2 }, [{ ...went(1), record: undefined }]);
    expect([mute.exitCode, mute.remarks]).to.deep.equal([1, ["launch 1 left no record, and doesn't count"]]);
  });

  it('go on after one that took too long, and end by a signal', async () => {
    const ended = (isFinal: boolean): Launched => ({
      ended: { code: isFinal ? 143 : 1, seconds: 1, stuck: false, ending: { reason: 'ended by us', code: 1, isFinal } },
      record: record([], { state: 'running' }),
    });
    const slow = await repeated({ launches: 3 }, [went(1), ended(false), went(2)]);
    expect([slow.count, slow.exitCode, slow.remarks]).to.deep.equal([
      2,
      1,
      ["launch 2 was ended by us, and doesn't count"],
    ]);
    const stopped = await repeated({ launches: 9 }, [went(1), ended(true), went(2)]);
    expect([stopped.count, stopped.exitCode]).to.deep.equal([1, 143]);
    expect(stopped.kept.at(-1)?.status).to.deep.equal({ state: 'failed', message: 'ended by us' });
  });
});

describe('records of launches', () => {
  const [first = record([]), second = record([])] = [record([exampleRow(1), exampleRow(2)]), record([])];

  it('stand in one file as a list, whole after each launch', () => {
    withFolder((folder) => {
      const file = join(folder, 'all.json');
      const list = new RecordList(file, new MemorySink());
      const read = (): unknown => JSON.parse(readFileSync(file, 'utf8'));
      list.add(first);
      expect(read()).to.deep.equal([first]);
      list.add(second);
      expect(read()).to.deep.equal([first, second]);
      list.end();
      expect(read()).to.deep.equal([first, second]);
    });
  });

  it('go to stdout once, at the end', () => {
    const stdout = new MemorySink();
    const list = new RecordList('-', stdout);
    list.add(first);
    expect(stdout.text).to.equal('');
    list.end();
    expect(JSON.parse(stdout.text)).to.deep.equal([first]);
  });

  it('alone are written as they were, and what is no record is none', () => {
    withFolder((folder) => {
      const file = join(folder, 'one.json');
      expect(readLaunchRecord(file)).to.equal(undefined);
      writeRecord(first, file, new MemorySink());
      expect(readLaunchRecord(file)).to.deep.equal(first);
      expect(existsSync(`${file}.${process.pid}.part`)).to.equal(false);
    });
  });
});

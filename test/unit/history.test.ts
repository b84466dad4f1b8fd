import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../../src/cli/fabricbench.js';
import type { ResultRecord } from '../../src/results/types.js';
import { madeRecord, madeRow, rate, seconds, type MadeRecord } from './made-records.js';
import { seeded } from './random.js';

interface Series {
  readonly name: string;
  readonly moments: readonly unknown[];
  readonly sizes: readonly { readonly size: number | null; readonly values: readonly (number | null)[] }[];
  readonly changes: readonly {
    readonly at: number;
    readonly worse: boolean | null;
    readonly differences: readonly string[];
    readonly sizes: readonly { readonly size: number; readonly ratio: number }[];
  }[];
}

interface HistoryJson {
  readonly records: readonly { readonly file: string; readonly state: string }[];
  readonly series: readonly Series[];
  readonly problems: readonly string[];
}

const MICRO = 1e-6;
const SIZES = [1, 64, 4096];

/** What was measured on a day: `micro` is the median, and some bad samples make the printed mean `mean` times that. */
interface Visit extends MadeRecord {
  readonly day: number;
  readonly micro: number;
  readonly mean?: number;
}

function visited({ day, micro, mean = 1, run, ...made }: Visit): ResultRecord {
  const random = seeded(day);
  const rows = SIZES.map((size) => {
    const median = micro * MICRO * (1 + 0.01 * random());
    return madeRow({ size, figures: { latency: seconds(median * mean) }, statistics: { median } });
  });
  const started = new Date(Date.UTC(2026, 0, day)).toISOString();
  return madeRecord({ rows, ...made, run: { started, ...run } });
}

describe('fabricbench history', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'fabricbench-history-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const keep = (name: string, ...records: ResultRecord[]): void => {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(records.length === 1 ? records[0] : records));
  };
  const days = (from: number, count: number, visit: (day: number) => Omit<Visit, 'day'>): void => {
    for (let day = from; day < from + count; ++day) keep(`day-${day}`, visited({ day, ...visit(day) }));
  };
  async function json(...options: string[]): Promise<HistoryJson> {
    const { exitCode, stdout, stderr } = await answer(['history', folder, '--json', ...options]);
    expect(exitCode, stderr).to.equal(0);
    return JSON.parse(stdout) as HistoryJson;
  }

  it('flags a change, with its sizes, whether it is for the worse, and what else changed', async () => {
    days(1, 24, (day) => ({ micro: day < 13 ? 1 : 1.1, ...(day >= 13 && { library: 'Open MPI v5.0.2' }) }));
    const { series } = await json();
    expect(series).to.have.length(1);
    expect(series[0]?.changes).to.have.length(1);
    const [change] = series[0]?.changes ?? [];
    expect(change).to.deep.include({ at: 12, worse: true });
    expect(change?.sizes.map(({ size }) => size)).to.deep.equal(SIZES);
    for (const { ratio } of change?.sizes ?? []) expect(ratio).to.be.closeTo(1.1, 0.02);
    expect(change?.differences.join()).to.match(/MPI .*4\.1\.4.*5\.0\.2/);
    const { stdout } = await answer(['history', folder]);
    expect(stdout).to.match(/worse from 2026-01-13 00:00, after 12 records/);
  });

  it('calls more bandwidth better', async () => {
    for (let day = 1; day <= 24; ++day) {
      const value = 1e9 * (day < 13 ? 1 : 1.2) * (1 + 0.01 * seeded(day)());
      const rows = [madeRow({ size: 8, figures: { bandwidth: rate(value) }, statistics: {} })];
      keep(`bw-${day}`, madeRecord({ name: 'osu_bw', rows, run: { started: new Date(Date.UTC(2026, 0, day)).toISOString() } })); // prettier-ignore
    }
    expect((await json()).series[0]?.changes[0]).to.include({ worse: false });
  });

  it('goes by medians: means that bad samples carry away are no change', async () => {
    days(1, 24, (day) => ({ micro: 1, mean: day < 13 ? 1.05 : 3 }));
    expect((await json()).series[0]?.changes).to.deep.equal([]);
  });

  it('keeps a threshold', async () => {
    days(1, 24, (day) => ({ micro: day < 13 ? 1 : 1.1 }));
    expect((await json('--threshold', '20%')).series[0]?.changes).to.deep.equal([]);
    expect((await json('--threshold', '5%')).series[0]?.changes).to.have.length(1);
  });

  it('does not mix PMLs, MPIs, numbers of ranks, labels, options, hosts', async () => {
    const ways: readonly ((record: ResultRecord) => ResultRecord)[] = [
      (record) => record,
      (record) => ({ ...record, environment: { ...record.environment, mpi: record.environment.mpi && { ...record.environment.mpi, pml: 'ob1' } } }), // prettier-ignore
      (record) => ({ ...record, environment: { ...record.environment, mpi: record.environment.mpi && { ...record.environment.mpi, family: 'mpich' } } }), // prettier-ignore
      (record) => ({ ...record, ranks: [...record.ranks, ...record.ranks] }),
      (record) => ({ ...record, run: { ...record.run, label: 'far' } }),
      (record) => ({ ...record, run: { ...record.run, options: { window: 128 } } }),
      (record) => ({ ...record, run: { ...record.run, engine: 'js' } }),
      (record) => ({ ...record, environment: { ...record.environment, hosts: record.environment.hosts.map((host) => ({ ...host, name: 'node2' })) } }), // prettier-ignore
      (record) => ({ ...record, environment: { ...record.environment, settings: { UCX_TLS: 'tcp' } } }),
    ];
    for (const [index, way] of ways.entries())
      for (let day = 1; day <= 12; ++day) keep(`${index}-${day}`, way(visited({ day, micro: 1 + index })));
    const { series } = await json();
    expect(series).to.have.length(ways.length);
    for (const { moments, changes } of series) expect([moments.length, changes.length]).to.deep.equal([12, 0]);
    const names = series.map(({ name }) => name).join('\n');
    for (const word of [
      'PML ob1',
      'MPI mpich',
      'ranks 4',
      'label far',
      'window 128',
      'engine js',
      'hosts node2',
      'tcp',
    ])
      expect(names).to.contain(word);
  });

  it('takes launches that were made together as one moment', async () => {
    const launches = (day: number, micro: number): ResultRecord[] =>
      Array.from({ length: 10 }, (_, index) => {
        const started = new Date(Date.UTC(2026, 0, day, 0, index)).toISOString();
        return visited({ day: day * 100 + index, micro, run: { started, launch: { index: index + 1, of: 10 } } });
      });
    keep('monday', ...launches(1, 1));
    keep('tuesday', ...launches(2, 1.3));
    const [track, ...others] = (await json()).series;
    expect(others).to.deep.equal([]);
    expect(track?.moments).to.have.length(2);
    expect(track?.changes).to.deep.equal([]);
    const [monday, tuesday] = track?.sizes[0]?.values ?? [];
    expect((tuesday ?? 0) / (monday ?? 1)).to.be.closeTo(1.3, 0.02);
  });

  it('shows false alarms in as few folders, however many tests they have', async () => {
    const tests = 12;
    let alarms = 0;
    for (let trial = 0; trial < 15; ++trial) {
      for (let day = 1; day <= 14; ++day) {
        const records = Array.from(
          { length: tests },
          (_, test) =>
          visited({ day: trial * 1e6 + test * 1000 + day, micro: 1, run: { label: `test ${test}`, started: new Date(Date.UTC(2026, 0, day)).toISOString() } }), // prettier-ignore
        );
        keep(`day-${day}`, ...records);
      }
      const { series } = await json('--threshold', '0%');
      expect(series).to.have.length(tests);
      if (series.some(({ changes }) => changes.length > 0)) ++alarms;
    }
    // At the level of 5 % for each test it would be 46 of 100 folders.
    expect(alarms).to.be.at.most(3);
  }).timeout(60_000);

  it('does not follow what failed', async () => {
    days(1, 12, () => ({ micro: 1 }));
    keep('failed', visited({ day: 20, micro: 9, status: { state: 'failed', message: 'rank 1 has died' } }));
    const { records, series } = await json();
    expect(records.map(({ state }) => state).filter((state) => state === 'failed')).to.have.length(1);
    expect(series.map(({ moments }) => moments.length)).to.deep.equal([12]);
  });

  it('lists by time and filters by host, benchmark and date', async () => {
    days(1, 3, () => ({ micro: 1 }));
    keep('other', visited({ day: 9, micro: 1, host: 'node7.example', name: 'osu_bw' }));
    const files = async (...options: string[]): Promise<string[]> =>
      (await json(...options)).records.map(({ file }) => file);
    expect(await files()).to.deep.equal(['day-1.json', 'day-2.json', 'day-3.json', 'other.json']);
    expect(await files('--host', 'node7')).to.deep.equal(['other.json']);
    expect(await files('--host', 'node*')).to.have.length(4);
    expect(await files('--benchmark', 'osu_lat*')).to.have.length(3);
    expect(await files('--since', '2026-01-02', '--until', '2026-01-03')).to.deep.equal(['day-2.json', 'day-3.json']);
    expect(await files('--since', '2026-01-03T00:01')).to.deep.equal(['other.json']);
    const none = await answer(['history', folder, '--host', 'nobody']);
    expect([none.exitCode, none.stdout]).to.deep.equal([2, '']);
  });

  it('refuses dates that are none, and folders that are none, in one sentence', async () => {
    days(1, 1, () => ({ micro: 1 }));
    for (const words of [
      [folder, '--since', 'nonsense'],
      [folder, '--until', '2026-13-01'],
      [folder, '--threshold', 'x'],
      [folder, '-o', 'x.png'],
      [join(folder, 'none')],
      [join(folder, 'day-1.json')],
    ]) {
      const { exitCode, stdout, stderr } = await answer(['history', ...words]);
      expect([exitCode, stdout], words.join(' ')).to.deep.equal([2, '']);
      expect(stderr).to.match(/^fabricbench: [^\n]+\n$/);
    }
  });

  it('tells files that hold no record, and passes over them', async () => {
    days(1, 2, () => ({ micro: 1 }));
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'bad.json'), '{"schema": "fabricbench-res');
    writeFileSync(join(folder, 'notes.md'), 'osu_latency was slow');
    const { exitCode, stderr, stdout } = await answer(['history', folder]);
    expect(exitCode).to.equal(0);
    expect(stderr).to.match(/^fabricbench: [^\n]*sub\/bad\.json[^\n]*\n$/);
    expect(stdout).to.contain('day-2.json');
    expect(stdout).to.not.contain('notes.md');
  });

  it('takes records with dates that there are not, and does not follow them', async () => {
    days(1, 12, () => ({ micro: 1 }));
    keep('strange', visited({ day: 3, micro: 9, run: { started: '2026-99-99T00:00:00Z' } }));
    expect((await json()).series.map(({ moments }) => moments.length)).to.deep.equal([12]);
    const { exitCode, stdout } = await answer(['history', folder, '-o', join(folder, 'x.svg')]);
    expect(exitCode).to.equal(0);
    expect(stdout).to.contain('1 record does not say when');
  });

  it('says how many records are too few to tell a change', async () => {
    days(1, 9, () => ({ micro: 1 }));
    expect((await answer(['history', folder])).stdout).to.contain('1 series has fewer than 10 records');
  });

  it('plots over time, as a page and as a drawing', async () => {
    days(1, 24, (day) => ({ micro: day < 13 ? 1 : 1.1 }));
    const [page, drawing] = ['history.html', 'history.svg'].map((name) => join(folder, name));
    for (const file of [page, drawing]) {
      const { exitCode, stderr } = await answer(['history', folder, '-o', file ?? '']);
      expect(exitCode, stderr).to.equal(0);
      const text = readFileSync(file ?? '', 'utf8');
      expect(text.match(/class="point"/g)).to.have.length(24 * SIZES.length);
      expect(text.match(/class="border"/g)).to.have.length(SIZES.length);
    }
    expect(readFileSync(page ?? '', 'utf8')).to.contain("default-src 'none'");
  });
});

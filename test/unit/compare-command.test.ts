import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { answer } from '../../src/cli/fabricbench.js';
import type { ResultRecord } from '../../src/results/types.js';
import { capturedFile, recordOf } from './analysis-records.js';
import { seeded } from './random.js';

const SIZES = [1, 8, 64, 512, 4096];

/** Latencies with fifty samples each, in us; those of up to 64 bytes times `factor`. */
function latencies(factor: number, change?: (record: ResultRecord) => ResultRecord): ResultRecord {
  const random = seeded(1);
  const rows = SIZES.map((size) => {
    const time = ((size > 64 ? 1 : factor) * 1e-6 + size / 1e10) * 1;
    return { size, value: time, samples: Array.from({ length: 50 }, () => time * (1 + 0.05 * random())) };
  });
  return recordOf({ rows, ...(change ? { change } : {}) });
}

/** Another MPI, another core of rank 1, another window. */
const elsewhere = (record: ResultRecord): ResultRecord => ({
  ...record,
  run: { ...record.run, options: { ...record.run.options, window: 32 } },
  environment: {
    ...record.environment,
    mpi: record.environment.mpi && { ...record.environment.mpi, library: 'Open MPI v5.0.2', pml: 'ob1' },
  },
  ranks: record.ranks.map((rank) => (rank.rank === 1 ? { ...rank, cores: [14], numaNode: 1 } : rank)),
});

const bandwidth = (name: string, value: number, more: Partial<Parameters<typeof recordOf>[0]> = {}): ResultRecord =>
  recordOf({ name, figure: 'bandwidth', unit: 'B/s', rows: [{ size: 4096, value }], ...more });

type Files = Readonly<Record<string, unknown>>;
type Answered = Awaited<ReturnType<typeof answer>>;

/** `fabricbench compare` in a folder with these files; `@` before a word is the folder. */
async function compare(files: Files, ...words: readonly string[]): Promise<Answered> {
  const folder = mkdtempSync(join(tmpdir(), 'fabricbench-test-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    }
    const answered = await answer(['compare', ...words.map((word) => word.replaceAll('@', `${folder}/`))]);
    return { ...answered, ...without(folder, answered) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Without the folder's name, which is another each time. */
function without(folder: string, { stdout, stderr }: Answered): Pick<Answered, 'stdout' | 'stderr'> {
  return { stdout: stdout.replaceAll(`${folder}/`, '@'), stderr: stderr.replaceAll(`${folder}/`, '@') };
}

const two: Files = { 'old.json': latencies(1), 'new.json': latencies(1.2, elsewhere) };

describe('fabricbench compare', () => {
  it('tells differences, a table, shapes and conclusions in 80 columns', async () => {
    const { exitCode, stdout, stderr } = await compare(two, '@old.json', '@new.json');
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    expect(stdout.split('\n')).to.deep.equal([
      'A old: @old.json',
      'B new: @new.json',
      '',
      'Differences',
      '  MPI Open MPI v4.1.4 / v5.0.2',
      '  PML ucx / ob1',
      '  rank 1 on core 1 / 14',
      '  rank 1 on NUMA node 0 / 1',
      '  option window 64 / 32',
      '',
      'osu_latency: medians of latency in us, lower is better',
      '  bytes    old    new   n  ratio       95 % CI       p  verdict',
      '      1  1.022  1.227  50  1.200  1.193..1.207  <0.001  regressed',
      '      8  1.026  1.231  50  1.200  1.193..1.207  <0.001  regressed',
      '     64  1.026  1.230  50  1.199  1.193..1.205  <0.001  regressed',
      '    512  1.076  1.076  50  1.000  0.994..1.006   1.000  no change',
      '   4096  1.447  1.447  50  1.000  0.995..1.005   1.000  no change',
      '  geometric mean of 5 ratios: 1.115',
      '  old: latency 1.02 us at 0 bytes (by the fit), 1.02 us at 1 byte, 1.03 us at',
      '       8 bytes',
      '       peak 2830 MB/s at 4 KiB, 95 % of it from 4 KiB (its largest size), half',
      '       of it at 1825 bytes',
      '       fit: 1 byte to 4 KiB: 1.02 us + size / 9643 MB/s (off by 0.2 %)',
      '  new: latency 1.18 us at 0 bytes (by the fit), 1.23 us at 1 byte, 1.23 us at',
      '       8 bytes',
      '       peak 2830 MB/s at 4 KiB, 95 % of it from 4 KiB (its largest size), half',
      '       of it at 1825 bytes',
      '       fit: 1 byte to 4 KiB: 1.18 us + size / 16984 MB/s (off by 6.4 %)',
      '',
      'new is 0.897 times as fast as old (geometric mean); rows: 3 regressed, 2 no',
      'change; ratio = new / old; noise up to 3 %',
      '',
      'What differs',
      '- Send latency +0.20 us (+20 %) at 1 to 512 bytes (MPI osu_latency)',
      '',
      'Mind',
      '- samples are of single launches: their p-values say nothing about other',
      '  launches, which may differ more; fabricbench run BENCHMARK --launches 10 makes',
      '  each launch one sample',
      '',
    ]);
  });

  it('has Markdown, with tables', async () => {
    const { stdout } = await compare(two, '@old.json', '@new.json', '--markdown');
    expect(stdout).to.match(/^# Comparison of old and new\n\n- old: @old\.json\n/);
    expect(stdout).to.contain(
      [
        '### osu_latency',
        '',
        'osu_latency: medians of latency in us, lower is better',
        '',
        '| bytes | old | new | n | ratio | 95 % CI | p | verdict |',
        '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
        '| 1 | 1.022 | 1.227 | 50 | 1.200 | 1.193..1.207 | \\<0.001 | regressed |',
      ].join('\n'),
    );
  });

  it('has JSON, in base units and unrounded', async () => {
    const { stdout } = await compare(two, '@old.json', '@new.json', '--json');
    const document = JSON.parse(stdout) as Record<string, never>;
    expect(document).to.include({ schema: 'fabricbench-comparison-1', threshold: 0.03 });
    const [comparison] = document['comparisons'] as unknown as [
      { tests: [{ rows: Record<string, unknown>[]; geometricMean: number }]; verdicts: object; differences: object[] },
    ];
    expect(comparison.verdicts).to.deep.include({ regressed: 3, 'no change': 2 });
    expect(comparison.differences).to.have.length(5);
    const [row] = comparison.tests[0].rows;
    expect(row).to.include({ size: 1, verdict: 'regressed', basis: 'samples', test: 'normal', ratioOnly: false });
    expect(row?.['ratio']).to.be.closeTo(1.2, 0.01);
    expect(row?.['p']).to.be.below(1e-9);
    expect((row?.['a'] as { value: number }).value).to.be.closeTo(1.022e-6, 0.001e-6);
    const [statement] = document['statements'] as unknown as [{ kind: string; items: Record<string, unknown>[] }];
    expect(statement.kind).to.equal('sides');
    expect(statement.items[0]).to.deep.include({ operation: 'send', quantity: 'latency', sizes: [1, 8, 64, 512] });
    expect(statement.items[0]?.['difference']).to.be.closeTo(0.2e-6, 0.02e-6);
  });

  it('leaves out tables when it is to be brief', async () => {
    const { stdout } = await compare(two, '@old.json', '@new.json', '--brief');
    expect(stdout).to.contain('What differs').and.not.contain('verdict');
  });

  it('compares a third side and more with the first', async () => {
    const files = { ...two, 'other.json': latencies(0.8) };
    const { stdout } = await compare(files, '@old.json', '@new.json', '@other.json');
    expect(stdout)
      .to.match(/^new against old$/m)
      .and.to.match(/^other against old$/m);
    expect(stdout.replace(/\s+/g, ' '))
      .to.contain('Differences: none are known')
      .and.to.contain('3 improved, 2 no change');
  });

  it('takes labels, lists, folders, and what -- divides', async () => {
    const side = (value: number): Files => ({
      'x.json': bandwidth('osu_bw', value),
      'y.json': bandwidth('osu_bibw', value),
    });
    const folders = Object.fromEntries(
      Object.entries({ one: side(1e9), two: side(2e9) }).flatMap(([folder, files]) =>
        Object.entries(files).map(([name, record]) => [`${folder}/${name}`, record]),
      ),
    );
    const told = async (...words: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await compare(folders, ...words, '--brief');
      expect(stderr).to.equal('');
      return /^.*times as fast as.*$/m.exec(stdout)?.[0] ?? stdout;
    };
    expect(await told('cold=@one', 'warm=@two')).to.match(
      /^warm is 2\.000 times as fast as cold \(geometric mean of 2 tests\)/,
    );
    expect(await told('cold=@one/x.json,@one/y.json', 'warm=@two/x.json,@two/y.json')).to.match(
      /^warm is 2\.000 .*of 2 tests/,
    );
    expect((await compare(folders, '@one/x.json', '@one/y.json', '--', '@two/x.json', '@two/y.json')).stdout).to.match(
      /^B is 2\.000 times as fast as A \(geometric mean of 2 tests\)/m,
    );
    // A name that has all of that in it is still a name.
    const odd = { 'a=b,c.json': bandwidth('osu_bw', 1e9), 'd.json': bandwidth('osu_bw', 1e9) };
    expect((await compare(odd, '@a=b,c.json', '@d.json')).exitCode).to.equal(0);
  });

  it('names sides by the words in which their files differ', async () => {
    const files = (place: string): string[] => ['perftest.lat', 'uct.lat'].map((name) => capturedFile(name, place));
    const { stdout } = await answer(['compare', '--brief', ...files('near'), '--', ...files('far')]);
    expect(stdout).to.match(/^A near: .*\nB far: /);
    expect(stdout).to.match(/ {2}command line: --physcpubind=14 \/ 0 \(ib_write_lat\)\n {2}command line: -c 14 \/ 0/);
  });

  it('shows the curves of one side alone', async () => {
    const { exitCode, stdout } = await answer(['compare', capturedFile('uct.bw', 'near')]);
    expect(exitCode).to.equal(0);
    expect(stdout.replace(/\s+/g, ' ')).to.contain(
      'put_bw, layout bcopy: peak 10618 MiB/s at 8 KiB, 95 % of it from 4 KiB',
    );
    expect(stdout).to.contain('put_bw has 95 % of its peak with layout bcopy: from 4 KiB');
  });

  it('counts launches of one file as samples', async () => {
    const side = (factor: number): ResultRecord[] =>
      [1, 1.01, 1.02, 1.03].map((value) => recordOf({ rows: [{ size: 8, value: factor * value * 1e-6 }] }));
    const few = { 'a.json': side(1), 'b.json': side(1.5) };
    expect((await compare(few, '@a.json', '@b.json')).stdout).to.match(
      / 8 +1\.015 +1\.522 +4 +1\.500 +\S+ +0\.029 +regressed/,
    );
    const fewer = { 'a.json': side(1).slice(1), 'b.json': side(1.5).slice(1) };
    const { stdout } = await compare(fewer, '@a.json', '@b.json');
    expect(stdout).to.contain('; ratio only\n').and.to.contain("3 launches against 3 can't give a p-value below 0.100");
  });

  it('finds a partner with other options, and says which; what has none is named', async () => {
    const files = {
      'a.json': [bandwidth('osu_bw', 1e9, { parameters: { window: 64 } }), bandwidth('osu_bibw', 1e9)],
      'b.json': [bandwidth('osu_bw', 1e9, { parameters: { window: 32 }, layer: 'ucp' }), bandwidth('osu_get_bw', 1e9)],
    };
    const { stdout } = await compare(files, '@a.json', '@b.json');
    expect(stdout).to.match(/^ {2}layer mpi \/ ucp\n {2}window 64 \/ 32$/m);
    expect(stdout).to.contain('- only a has osu_bibw\n- only b has osu_get_bw\n');
  });

  it('holds the layers of one side against each other', async () => {
    const through = (layer: string, factor: number): ResultRecord =>
      recordOf({ layer, rows: [1, 8].map((size) => ({ size, value: factor * 1e-6 })) });
    const { stdout } = await compare({ 'a.json': ['mpi', 'verbs', 'ucp'].map((layer, index) => through(layer, 3 - index)) }, '@a.json', '--brief'); // prettier-ignore
    expect(stdout.replace(/\n {2}/g, ' ')).to.contain(
      [
        '- UCP against verbs, send: latency -1.00 us, -50 % at 1 byte (osu_latency, layer ucp against osu_latency, layer verbs)',
        '- MPI against UCP, send: latency +2.00 us, +200 % at 1 byte (osu_latency, layer mpi against osu_latency, layer ucp)',
      ].join('\n'),
    );
  });

  it('says where a side is better and where worse', async () => {
    const side = (factors: readonly number[]): ResultRecord =>
      recordOf({ rows: factors.map((factor, index) => ({ size: 2 ** index, value: factor * 1e-6 })) });
    const files = { 'a.json': side([1, 1, 1, 1, 1, 1]), 'b.json': side([0.8, 0.8, 1, 1.2, 1.2, 0.8]) };
    expect((await compare(files, '@a.json', '@b.json')).stdout).to.contain(
      '- osu_latency improved at 1 to 2 bytes, 32 bytes; regressed at 8 to 16 bytes\n',
    );
  });

  it('warns of runs that failed, of wrong data and of few samples', async () => {
    const failed = latencies(1, (record) => ({
      ...record,
      status: { state: 'failed', message: 'the cable is out' },
      rows: record.rows.map((row) => ({ ...row, validation: { passed: false, wrongBytes: 1 } })),
    }));
    const running = latencies(1, (record) => ({ ...record, status: { state: 'running' } }));
    const { stdout } = await compare({ 'a.json': failed, 'b.json': running }, '@a.json', '@b.json');
    const flat = stdout.replace(/\s+/g, ' ');
    expect(flat).to.contain('- a: osu_latency failed: the cable is out - a: osu_latency delivered wrong data');
    expect(flat).to.contain('- b: osu_latency did not end, and its record may lack sizes');
    const row = (factor: number): ResultRecord =>
      recordOf({
        rows: [{ size: 8, value: 1, samples: [1, 2, 3, 4, 5].map((value) => (factor + value / 100) * 1e-6) }],
      });
    const few = await compare({ 'a.json': row(1), 'b.json': row(2) }, '@a.json', '@b.json');
    expect(few.stdout.replace(/\s+/g, ' ')).to.contain('1 verdicts rest on fewer than 30 samples');
  });

  it('compares another figure when asked to', async () => {
    const files = [capturedFile('perftest.lat', 'near'), capturedFile('perftest.lat', 'far')];
    const { stdout } = await answer(['compare', ...files, '--figure', 'p99.9']);
    expect(stdout).to.match(/^ib_write_lat: p99\.9 in us, lower is better; ratio only$/m);
    expect(stdout).to.match(/^ +2 +8\.120 +6\.130 +0\.755 +improved$/m);
  });

  it('ends with 1 on a regression, when that is asked for', async () => {
    const failing = await compare(two, '@old.json', '@new.json', '--fail-on-regression');
    expect([failing.exitCode, failing.stderr]).to.deep.equal([1, 'fabricbench: 3 rows have regressed\n']);
    expect(failing.stdout).to.contain('What differs');
    expect((await compare(two, '@new.json', '@old.json', '--fail-on-regression')).exitCode).to.equal(0);
    expect(
      (await compare(two, '@old.json', '@new.json', '--fail-on-regression', '--threshold', '25%')).exitCode,
    ).to.equal(0);
  });

  it('checks expectations of one side too, and ends with 1 when one is missed', async () => {
    const files = { 'a.json': latencies(1), 'e.yaml': 'osu_latency: {8: {latency: [1, -0.1, 0.1, us]}}' };
    const met = await compare(files, '@a.json', '--expect', '@e.yaml');
    expect([met.exitCode, met.stderr]).to.deep.equal([0, '']);
    expect(met.stdout).to.contain('Expectations\n- met: latency of osu_latency at 8 bytes is 1.0008 us');
    const missed = await compare(
      { ...files, 'e.yaml': 'osu_latency: {8: {latency: [2, -0.1, 0.1, us]}}' },
      '@a.json',
      '--expect',
      '@e.yaml',
    );
    expect(missed.exitCode).to.equal(1);
    expect(missed.stderr).to.equal(
      'fabricbench: A: latency of osu_latency at 8 bytes is 1.0008 us, and not as expected: at least 1.8 and at most 2.2\n',
    );
  });

  it('has no colours where nobody looks, and no escape sequences', async () => {
    const { stdout } = await compare(two, '@old.json', '@new.json');
    expect(stdout).to.match(/^[\n -~]*$/);
  });

  it('refuses in one sentence, with exit code 2', async () => {
    const good = { 'a.json': latencies(1) };
    const cases: [Files, string[], string][] = [
      [good, [], 'not enough non-option arguments: got 0, need at least 1'],
      [good, ['@a.json', '@b.json'], '@b.json'],
      [{ ...good, 'b.json': '' }, ['@a.json', '@b.json'], '@b.json'],
      [
        { ...good, 'b.json': '{"schema":"fabricbench-result-1","run":{' },
        ['@a.json', '@b.json'],
        '@b.json: it is no JSON',
      ],
      [
        { ...good, 'b.json': { schema: 'fabricbench-result-9' } },
        ['@a.json', '@b.json'],
        '@b.json: its schema is "fabricbench-result-9"',
      ],
      [{ ...good, 'b.json': '\u0000\u0001\u0002\u0003' }, ['@a.json', '@b.json'], '@b.json'],
      [{ ...good, 'b.txt': 'nothing\nof interest\n' }, ['@a.json', '@b.txt'], '@b.txt'],
      [
        { ...good, 'b.json': bandwidth('osu_bw', 1) },
        ['@a.json', '@b.json'],
        'have no test and size in common: osu_latency / osu_bw',
      ],
      [
        good,
        ['@a.json', '@a.json', '--threshold', 'much'],
        '--threshold is a percentage below 100, as 3%, and not "much"',
      ],
      [good, ['@a.json', '@a.json', '--threshold', '100%'], '--threshold is a percentage'],
      [good, ['@a.json', '@a.json', '--figure', 'beauty'], 'has no row with a figure named beauty'],
      [good, ['@a.json', '@a.json', '--json', '--markdown'], '--json and --markdown exclude each other'],
      [good, ['@a.json', '--', '@a.json', '--brief'], '--brief must stand before --'],
      [good, ['@a.json', '--expect', '@none.yaml'], "none.yaml can't be read"],
      [good, ['x=', '@a.json'], 'x='],
    ];
    for (const [files, words, sentence] of cases) {
      const { exitCode, stdout, stderr } = await compare(files, ...words);
      expect([exitCode, stdout], words.join(' ')).to.deep.equal([2, '']);
      expect(stderr, words.join(' '))
        .to.contain(sentence)
        .and.to.match(/^fabricbench: [^\n]+\n$/);
    }
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../../src/cli/fabricbench.js';
import { importText } from '../../src/results/import/index.js';
import { loadRecords } from '../../src/results/load.js';
import type { ResultRecord, RowRecord } from '../../src/results/types.js';
import { validateRecord } from '../../src/results/validate.js';
import { projectRoot } from './project.js';

const folder = (name: string): string => join(projectRoot, 'test/fixtures', name);
const textsOf = (name: string): string[] => readdirSync(folder(name)).filter((file) => file.endsWith('.txt'));
const read = (name: string, file: string): string => readFileSync(join(folder(name), file), 'utf8');
const imported = (text: string) => importText(text, { file: 'some.txt', label: 'some' });
const rowsOf = (records: readonly ResultRecord[]): RowRecord[] => records.flatMap(({ rows }) => [...rows]);
const figure = (row: RowRecord | undefined, name: string): number | null | undefined => row?.figures[name]?.value;

/** Lines of nothing but numbers, as any table has them; ucx_perftest's `-f` puts a label before, which may be a number. */
const looksTabular = (line: string): boolean => /^\s*(?:\d+\s+)?\d+(?:\s+-?[\d.]+)+\s*$/.test(line);

describe('import of what people kept', () => {
  const files = textsOf('captured');

  it('has all of the captured files', () => expect(files).to.have.length(12));

  for (const file of files)
    it(`takes every row of ${file}`, () => {
      const text = read('captured', file);
      const { records, problems } = imported(text);
      expect(problems).to.deep.equal([]);
      const lines = text.split('\n');
      const plain = lines.filter(looksTabular).length;
      const final = lines.filter((line) => /^\s*Final:/.test(line)).length;
      expect(rowsOf(records)).to.have.length(plain + final);
      for (const record of records) {
        expect(validateRecord(JSON.parse(JSON.stringify(record)))).to.be.an('object');
        expect(record.run.imported?.file).to.equal('some.txt');
        expect(record.run.label).to.equal('some');
        expect(record.run.commandLine).to.not.deep.equal([]);
      }
    });

  it('takes the last number of each row in the unit that it has', () => {
    for (const file of files.filter((name) => name.includes('.bw.'))) {
      const text = read('captured', file);
      const last = text.split('\n').filter(looksTabular).map((line) => Number(line.trim().split(/\s+/).at(-1))); // prettier-ignore
      const factor = file.includes('perftest') ? 1e6 : 1;
      const rates = rowsOf(imported(text).records).map((row) => figure(row, 'rate'));
      for (const [index, rate] of rates.entries()) expect(rate).to.be.closeTo((last[index] ?? NaN) * factor, 1e-6);
    }
  });
});

describe('import of each tool', () => {
  it('takes all tables of OSU without a complaint', () => {
    // osu_hello has nothing to show.
    for (const file of textsOf('omb-7.4').filter((name) => !name.startsWith('osu_hello'))) {
      const { records, problems } = imported(read('omb-7.4', file));
      expect(problems, file).to.deep.equal([]);
      expect(records, file).to.have.length(1);
      expect(records[0]?.run.name, file).to.match(/^osu_/);
      expect(records[0]?.rows, file).to.not.have.length(0);
    }
  });

  it('complains of perftest and ucx_perftest only where they show no figures', () => {
    for (const name of ['perftest-4.5', 'ucx-perftest-1.13.1'])
      for (const file of textsOf(name))
        for (const { text } of imported(read(name, file)).problems)
          expect(text, file).to.match(/^(?:-nan|inf).* is no figure|^no row follows these samples$/);
  });

  it('reads OSU in seconds and bytes', () => {
    const text = '# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0                       0.20\n8 0.21\n';
    const [record] = imported(text).records;
    expect(record?.run).to.deep.include({ name: 'osu_latency', layer: 'mpi' });
    expect(record?.run.imported).to.deep.include({ line: 1, version: '5.9' });
    expect(record?.rows.map(({ parameters }) => parameters.size)).to.deep.equal([0, 8]);
    expect(record?.rows[1]?.figures['latency']).to.deep.equal({ value: 0.21e-6, unit: 's' });
  });

  it('reads Intel MPI Benchmarks', () => {
    const text = `#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#------------------------------------------------------------
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.50         0.00
         1024         1000         1.00      1024.00

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            4         1000         1.10         1.30         1.20
`;
    const { records, problems } = imported(text);
    expect(problems).to.deep.equal([]);
    expect(records).to.have.length(2);
    const [pingPong, allreduce] = records;
    expect(pingPong?.rows.map(({ parameters, n }) => [parameters.size, n])).to.deep.equal([[0, 1000], [1024, 1000]]); // prettier-ignore
    expect(Object.values(pingPong?.rows[1]?.figures ?? {})).to.deep.include({ value: 1e-6, unit: 's' });
    expect(Object.values(pingPong?.rows[1]?.figures ?? {})).to.deep.include({ value: 1024e6, unit: 'B/s' });
    expect(Object.values(allreduce?.rows[0]?.figures ?? {}).map(({ value }) => value)).to.have.members([1.1e-6, 1.3e-6, 1.2e-6]); // prettier-ignore
  });
});

describe('text with several runs', () => {
  const one = read('captured', 'edr-ib.perftest.bw.near.txt');
  const two = read('captured', 'edr-ib.ucp.lat.far.txt');
  const rows = (text: string) =>
    rowsOf(imported(text).records).map(({ figures, parameters }) => ({ figures, parameters }));
  const apart = [...rows(one), ...rows(two)];

  it('may have prose between them', () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    const prose = fc.array(
      fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => `So ${words.join(' ')}.`),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(prose, prose, (before, between) => {
        expect(rows([...before, one, ...between, two].join('\n'))).to.deep.equal(apart);
      }),
      { numRuns: 40 },
    );
  });

  it('may have lost all but single blanks, or have the ends of lines of another system', () => {
    const both = `${one}\n${two}`;
    expect(rows(both.replace(/[ \t]+/g, ' '))).to.deep.equal(apart);
    expect(rows(both.replace(/\n/g, '\r\n'))).to.deep.equal(apart);
  });

  it('drops no row silently, whatever has become of the text', () => {
    const files = textsOf('captured').map((file) => read('captured', file).split('\n').slice(0, 40));
    const edits = fc.array(
      fc.record({ kind: fc.constantFrom('cut', 'twice', 'lost', 'word', 'prose'), at: fc.nat(39), word: fc.nat(9) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...files), edits, (whole, all) => {
        const lines = all.reduce(edited, whole);
        const { records, problems } = imported(lines.join('\n'));
        const told = new Set(problems.map(({ line }) => line));
        const rows = lines.filter((line, index) => isRow(line) && !told.has(index + 1));
        expect(rowsOf(records)).to.have.length(rows.length);
      }),
      { numRuns: 300 },
    );
  });

  it('says which rows belong to no table', () => {
    const { problems } = imported(`8 100 1.25 2.5\n${one}`);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.deep.include({ line: 1 });
    expect(problems[0]?.text).to.contain('8 100 1.25 2.5');
  });
});

/** At least two numbers, and nothing else. */
const isRow = (line: string): boolean => /^\s*\d\S*(?:\s+[\d.]+)+\s*$/.test(line);

const OTHER_LINES = [
  ...[
    '# OSU MPI Bandwidth Test v7.4',
    '# Size Bandwidth (MB/s)',
    '8 12.5',
    '# Benchmarking PingPong',
    '#bytes #repetitions t[usec]',
  ],
  ...[
    '8 1000 1.5',
    'Local results:',
    '#, usec',
    '1, 2.5',
    '# Message Rate Profile',
    '#  1 2 4',
    '1 2 3 4',
    'nprocs: 2, min: 1 ms',
  ],
  ...[
    'iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr',
    '5,1,2,3,4,5,6,7',
    'Final: 1 2 3 4',
  ],
];

interface Edit {
  readonly kind: string;
  readonly at: number;
  readonly word: number;
}

function edited(lines: readonly string[], { kind, at, word }: Edit): string[] {
  const line = lines[at] ?? '';
  const words = line.split(' ');
  const others: Readonly<Record<string, readonly string[]>> = {
    cut: [words.slice(0, word + 1).join(' ')],
    twice: [line, line],
    lost: [],
    word: [words.toSpliced(word, 1).join(' ')],
    prose: [line, 'and then the link was slow again'],
  };
  return [...lines.slice(0, at), ...(others[kind] ?? []), ...lines.slice(at + 1)];
}

describe('fabricbench import', () => {
  const place = mkdtempSync(join(tmpdir(), 'fabricbench-import-'));
  after(() => rmSync(place, { recursive: true }));
  const fileOf = (text: string | Buffer): string => {
    const file = join(place, 'given.txt');
    writeFileSync(file, text);
    return file;
  };

  it('writes records that it reads again', async () => {
    const output = join(place, 'records.json');
    const given = join(folder('captured'), 'edr-ib.uct.bw.far.txt');
    const done = await answer(['import', given, '-o', output, '--label', 'far']);
    expect([done.exitCode, done.stdout]).to.deep.equal([0, '']);
    expect(done.stderr).to.contain(': 2 runs with 30 rows\n');
    const { records } = loadRecords(output);
    expect(records.map(({ run }) => run.label)).to.deep.equal(['far', 'far']);
    expect(JSON.parse((await answer(['import', given, '--label', 'far'])).stdout)).to.deep.equal(records);
  });

  it('ends with 1 for what it does not understand with --strict alone', async () => {
    const file = fileOf(`8 100 1.25 2.5\n${read('captured', 'edr-ib.ucp.lat.far.txt')}`);
    expect((await answer(['import', file])).exitCode).to.equal(0);
    const strict = await answer(['import', file, '--strict']);
    expect(strict.exitCode).to.equal(1);
    expect(strict.stderr).to.contain(`${file}:1: this looks like a row`);
  });

  const recordWith = (figures: readonly RowRecord['figures'][]): string => {
    const [record] = imported('# OSU MPI Latency Test v7.4\n# Size Latency (us)\n8 1.5\n').records;
    const rows = figures.map((one) => ({ parameters: { size: 8 }, n: 1, figures: one, statistics: null }));
    return JSON.stringify({ ...record, rows });
  };
  const wrong: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['an empty file', '', /it is empty/],
    ['a binary file', Buffer.from([1, 2, 0, 3]), /binary/],
    ['prose', 'nothing was measured\n', /neither a record of fabricbench nor a table/],
    ['JSON that was cut off', '{"schema": "fabricbench-result-1", "rows": [', /no JSON/],
    ['a record of another version', '{"schema": "fabricbench-result-9"}', /fabricbench-result-9/],
    ['a record with NaN', '{"schema": "fabricbench-result-1", "rows": NaN}', /no JSON/],
    ['no records', '[]', /holds no record/],
    [
      'mixed units',
      recordWith([{ latency: { value: 1, unit: 's' } }, { latency: { value: 1, unit: 'us' } }]),
      /units are mixed: "latency" is in us here and in s above \(at \/rows\/1\/figures\/latency\)/,
    ],
    ['100 MB of rows', '1 2.50 3.75\n'.repeat(9e6), /characters, and is no text of tables/],
    ['100 MB of brackets', '['.repeat(1e8), /no record/],
    ['a table of NaN', '# OSU MPI Latency Test v7.4\n# Size Latency (us)\n8 nan\n', /NaN/],
  ];
  for (const [what, text, pattern] of wrong)
    it(`refuses ${what} in one sentence`, async () => {
      const { exitCode, stdout, stderr } = await answer(['import', fileOf(text)]);
      expect([exitCode, stdout]).to.deep.equal([2, ''], stderr);
      expect(stderr)
        .to.match(/^fabricbench: [^\n]+\n$/)
        .and.to.match(pattern);
    });

  it('takes any text without a failure of its own', () => {
    const pieces = textsOf('captured').flatMap((file) => read('captured', file).split('\n'));
    const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...pieces), fc.constantFrom(...OTHER_LINES));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const { records } = imported(lines.join('\n'));
        for (const record of records) validateRecord(JSON.parse(JSON.stringify(record)));
      }),
      { numRuns: 300 },
    );
  });

  it('reads what begins with a bracket and is no JSON', () => {
    const { records } = loadRecords(
      fileOf('[bob@n1 ~]$ ib_write_lat\n#bytes #iterations t_typical[usec]\n8 100 1.50\n'),
    );
    expect(records.map(({ run }) => [run.name, run.label])).to.deep.equal([['ib_write_lat', 'given']]);
  });

  it('reads records in lines, and calls them by the label', async () => {
    const record = JSON.parse(recordWith([{ latency: { value: 1, unit: 's' } }])) as ResultRecord;
    const file = fileOf(`${JSON.stringify(record)}\n${JSON.stringify(record)}\n`);
    expect(loadRecords(file).records).to.deep.equal([record, record]);
    const { stdout } = await answer(['import', file, '--label', 'old']);
    expect((JSON.parse(stdout) as ResultRecord[]).map(({ run }) => run.label)).to.deep.equal(['old', 'old']);
  });

  it('says where it passed lines over', async () => {
    const prose = ['one', 'two', '', 'three'].map((word) => (word === '' ? '' : `word ${word}`)).join('\n');
    const file = fileOf(`${prose}\n${read('captured', 'edr-ib.uct.lat.near.txt')}ib_write_lat -a host\n`);
    const { stderr } = await answer(['import', file]);
    expect(stderr.split('\n').map((line) => line.replace(file, 'F'))).to.deep.equal([
      'F:1-2: passed over: word one ...',
      'F:4: passed over: word three',
      'F:16: passed over: no table follows this command: ib_write_lat -a host',
      'F: 3 runs with 3 rows',
      '',
    ]);
  });

  it('refuses files that are not there', async () => {
    const { exitCode, stderr } = await answer(['import', join(place, 'none')]);
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('there is no such file');
  });

  it('reads text of older encodings', () => {
    const file = join(place, 'latin1.txt');
    writeFileSync(
      file,
      Buffer.from('größer\n# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n8   0.5\n', 'latin1'),
    );
    expect(loadRecords(file).records[0]?.rows[0]?.figures['latency']?.value).to.be.closeTo(0.5e-6, 1e-12);
  });
});

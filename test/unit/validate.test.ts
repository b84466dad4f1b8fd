import { expect } from 'chai';
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../../src/cli/fabricbench.js';
import { JsonReporter, MemorySink, recordTarget } from '../../src/report/index.js';
import { jsonProblem } from '../../src/results/json-problem.js';
import { parseValues } from '../../src/results/read.js';
import { RESULT_SCHEMA, type ResultRecord } from '../../src/results/types.js';
import { RecordProblem, validateRecord } from '../../src/results/validate.js';
import { exampleHead, exampleRow } from './records.js';
import { schemaErrors } from './schema.js';

const record: ResultRecord = {
  schema: RESULT_SCHEMA,
  ...exampleHead(),
  rows: [exampleRow(1), exampleRow(2)],
  warnings: [],
  status: { state: 'done' },
};

/** As it is once it has been written and read. */
const copy = (): Record<string, unknown> => JSON.parse(JSON.stringify(record)) as Record<string, unknown>;

/** A copy with another value at a place: `rows/1/n`. */
function changed(place: string, value: unknown): unknown {
  const whole = copy();
  const names = place.split('/');
  const last = names.pop() ?? '';
  const parent = names.reduce((part, name) => part[name] as Record<string, unknown>, whole);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return whole;
}

function problemOf(value: unknown): string {
  try {
    validateRecord(value);
  } catch (error) {
    if (error instanceof RecordProblem) return error.message;
    throw error;
  }
  return '';
}

describe('validateRecord', () => {
  it('gives back what is a record, and takes fields that are new', () => {
    const whole = copy();
    expect(validateRecord(whole)).to.equal(whole);
    expect(problemOf({ ...whole, later: { version: 2 } })).to.equal('');
    const run = { ...record.run, started: '', label: 'near' };
    const imported = { tool: 'osu', file: 'near.txt', line: 3, version: null };
    expect(problemOf({ ...whole, run: { ...run, imported } })).to.equal('');
  });

  it('says what is wrong and where, in a sentence', () => {
    const cases: [unknown, string][] = [
      [changed('rows/1/n', '5'), '"5" stands where an integer belongs (at /rows/1/n)'],
      [
        changed('rows/1/figures/latency/value', -5e-6),
        "-0.000005 s can't be: nothing takes less time than none, or goes slower than not at all (at /rows/1/figures/latency/value)",
      ],
      [changed('rows/0/n', 1.5), '1.5 stands where an integer belongs (at /rows/0/n)'],
      [changed('rows/0/n', -1), 'must be >= 0 (at /rows/0/n)'],
      [changed('run/name', undefined), '"name" is missing (at /run)'],
      [changed('run/started', 'yesterday'), 'must match pattern'],
      [changed('rows', {}), 'an object stands where an array belongs (at /rows)'],
      [changed('status/state', 'over'), '"over" is none of "running", "done", "failed" (at /status/state)'],
      [changed('status/state', 'failed'), '"message" is missing (at /status)'],
      [
        changed('rows/0/statistics/median', 'x'),
        '"x" stands where a number or null belongs (at /rows/0/statistics/median)',
      ],
      [changed('rows/1/statistics/verdict', 'fine'), '(at /rows/1/statistics/verdict)'],
      [changed('environment/mpi/pml', 7), '7 stands where a string or null belongs (at /environment/mpi/pml)'],
      [changed('environment/settings/UCX_TLS', null), '(at /environment/settings/UCX_TLS)'],
    ];
    for (const [value, words] of cases) expect(problemOf(value)).to.contain(words);
  });

  it('tells another version, and what is no record at all', () => {
    expect(problemOf(changed('schema', 'fabricbench-result-2'))).to.equal(
      'its schema is "fabricbench-result-2", and this version reads "fabricbench-result-1" (at /schema)',
    );
    expect(problemOf(changed('schema', 3))).to.contain('its schema is no text');
    expect(problemOf({ rows: [] })).to.equal('it is no record of fabricbench: it names no "schema"');
    for (const value of [null, 1, 'x', [], true]) expect(problemOf(value)).to.contain('one JSON object');
  });

  it('refuses what the schema refuses, and nothing else', () => {
    const places = ['run', 'rows/0', 'rows/1/statistics', 'environment/hosts/0', 'ranks/0', 'status', 'warnings'];
    const value = fc.oneof(fc.jsonValue(), fc.constant(undefined));
    const fields = ['n', 'name', 'state', 'median', 'figures', 'rank', 'cores', 'percentiles', 'message', '0'];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.constantFrom(...fields), value, (place, field, one) => {
        const whole: unknown = JSON.parse(JSON.stringify(changed(`${place}/${field}`, one)));
        expect(problemOf(whole) === '').to.equal(schemaErrors(whole).length === 0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the place where a text is no JSON', () => {
  it('is found exactly where JSON.parse finds one', () => {
    const broken = fc.tuple(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom('', ',', '}', '"', 'NaN', 'x', '\u0001', ']', ':'),
    );
    fc.assert(
      fc.property(broken, ([value, place, inserted]) => {
        const text = JSON.stringify(value, null, 1);
        const at = place % (text.length + 1);
        const whole = text.slice(0, at) + inserted + text.slice(inserted === '' ? at + 1 : at);
        let valid = true;
        try {
          JSON.parse(whole);
        } catch {
          valid = false;
        }
        expect(jsonProblem(whole) === undefined, whole).to.equal(valid);
      }),
      { numRuns: 2000 },
    );
  });

  it('is told with line, column and what belongs there', () => {
    const cases: [string, [number, number, string]][] = [
      ['{"a":1,\n "b":NaN}', [2, 6, 'NaN is no JSON: a value that is missing is null']],
      ['{"a":-Infinity}', [1, 6, '-Infinity is no JSON: a value that is missing is null']],
      ['{"a":[1,2', [1, 10, 'it ends in the middle']],
      ['{"a":"b', [1, 6, 'it ends in the middle of a text in quotes']],
      ['{"a" 1}', [1, 6, '"1" stands where ":" belongs']],
      ['{a:1}', [1, 2, '"a" stands where a name in quotes or } belongs']],
      ['[1 2]', [1, 4, '"2" stands where "," or the end of what is open belongs']],
      ['{"a":1}}', [1, 8, '"}" stands where the end of the file belongs']],
      ['[1,]', [1, 4, '"]" stands where a value belongs']],
      ['# OSU MPI Latency Test v7.4', [1, 1, '"#" stands where a value belongs']],
      [' \n', [2, 1, 'it is blank']],
      ['x'.repeat(100), [1, 1, `"${'x'.repeat(20)}..." stands where a value belongs`]],
    ];
    for (const [text, [line, column, words]] of cases)
      expect(jsonProblem(text), text).to.deep.equal({ line, column, text: words });
  });
});

describe('fabricbench validate', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'fabricbench-validate-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const write = (content: string | Uint8Array, name = 'r.json'): string => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const whole = JSON.stringify(record);

  it('says what a record holds, exit code 0', async () => {
    const file = write(`\ufeff${whole}`);
    expect(await answer(['validate', file])).to.deep.equal({
      ...{ exitCode: 0, stdout: `${file}: valid: osu_latency, 2 rows, done\n`, stderr: '' },
    });
    const running = write(JSON.stringify({ ...record, rows: [record.rows[0]], status: { state: 'running' } }));
    expect((await answer(['validate', running])).stdout).to.contain('1 row, running, or ended from outside');
  });

  it('takes an array and one record in each line, and names the one that is wrong', async () => {
    const bad = JSON.stringify(changed('rows/0/n', 'x'));
    const array = write(`[${whole},\n${whole}]`, 'array.json');
    const lines = write(`${whole}\n\n${whole}\n`, 'lines.ndjson');
    const good = await answer(['validate', array, lines]);
    expect([good.exitCode, good.stdout.match(/2 rows, done; osu_latency, 2 rows, done/g)]).to.have.deep.members([
      0,
      Array(2).fill('2 rows, done; osu_latency, 2 rows, done'),
    ]);
    write(`[${whole},${bad}]`, 'array.json');
    write(`${whole}\n\n${bad}`, 'lines.ndjson');
    const { exitCode, stdout, stderr } = await answer(['validate', array, lines]);
    expect([exitCode, stdout]).to.deep.equal([2, '']);
    const words = '"x" stands where an integer belongs (at /rows/0/n)';
    expect(stderr).to.equal(`fabricbench: ${array}: record 2: ${words}\nfabricbench: ${lines}: line 3: ${words}\n`);
  });

  it('judges every file: those that are valid on stdout, the others on stderr, exit code 2', async () => {
    const [good, bad] = [write(whole, 'good.json'), write('{}', 'bad.json')];
    const { exitCode, stdout, stderr } = await answer(['validate', bad, good]);
    expect(exitCode).to.equal(2);
    expect(stdout).to.equal(`${good}: valid: osu_latency, 2 rows, done\n`);
    expect(stderr).to.equal(`fabricbench: ${bad}: it is no record of fabricbench: it names no "schema"\n`);
  });

  it('takes a record with a million samples', async () => {
    const file = join(folder, 'million.json');
    const reporter = new JsonReporter(recordTarget(file, new MemorySink()), { samples: true });
    reporter.begin(exampleHead());
    reporter.samples(
      0,
      Float64Array.from({ length: 1_000_000 }, (_, index) => 1e-7 * Math.sqrt(index)),
    );
    reporter.row(exampleRow(8));
    reporter.end({ state: 'done' });
    expect((await answer(['validate', file])).stdout).to.equal(`${file}: valid: osu_latency, 1 row, done\n`);
    const { rows } = JSON.parse(readFileSync(file, 'utf8')) as ResultRecord;
    expect(rows[0]?.samples?.[0]?.seconds).to.have.length(1_000_000);
    expect(rows[0]?.samples?.[0]?.seconds[999_999]).to.equal(1e-7 * Math.sqrt(999_999));
  });

  it('needs a file', async () => {
    const { exitCode, stderr } = await answer(['validate']);
    expect(exitCode).to.equal(2);
    expect(stderr.split('\n')).to.have.length(2);
  });

  /** Malformed input of every kind: what is said of it. */
  const malformed: Record<string, [() => string | Uint8Array, RegExp]> = {
    'that is empty': [() => '', /it is empty$/],
    'that is blank': [() => ' \n\n', /line 3, column 1: it is blank$/],
    'cut short': [() => whole.slice(0, 900), /it is no JSON: line 1, column \d+: it ends in the middle/],
    'of another version': [() => JSON.stringify(changed('schema', 'fabricbench-result-9')), /this version reads/],
    'with NaN': [() => whole.replace('"n":1000', '"n":NaN'), /line 1, column \d+: NaN is no JSON/],
    'with a number that is too large': [
      () => whole.replace('"n":1000', '"n":1e999'),
      /must be integer|integer belongs/,
    ],
    'of text': [() => '# OSU MPI Latency Test v7.4\n1 0.22\n', /line 1, column 1: "#" stands where a value belongs$/],
    'of binary data': [() => Uint8Array.from({ length: 4096 }, (_, index) => (index * 7) % 256), /no text but binary$/],
    'in UTF-16': [() => Buffer.from(whole, 'utf16le'), /no text but binary$/],
    'of a number': [() => '42', /it is no record: that is one JSON object$/],
    'of an empty array': [() => '[]', /it holds no record$/],
    'of units mixed': [
      () => JSON.stringify(changed('rows/0/figures/latency', { value: 1, unit: ['us', 's'] })),
      /an array stands where a string belongs \(at \/rows\/0\/figures\/latency\/unit\)$/,
    ],
    'of units that change from row to row': [
      () => JSON.stringify(changed('rows/0/figures/latency', { value: 1, unit: 'furlong' })),
      /its units are mixed: "latency" is in /,
    ],
    'of statistics in another unit': [
      () => JSON.stringify(changed('rows/0/statistics/unit', 'B/s')),
      /its units are mixed: "latency" is in s, and its statistics in B\/s \(at \/rows\/0\/statistics\)$/,
    ],
    'of 100 MB without a record': [() => Buffer.alloc(1e8, '{},'), /nothing in it is of "fabricbench-result-1"$/],
    'of 100 MB of brackets': [
      () => Buffer.concat([Buffer.from(`["${RESULT_SCHEMA}",`), Buffer.alloc(1e8, '[')]),
      /more than 200 levels deep$/,
    ],
    'of 100 MB that are one text': [
      () => Buffer.concat([Buffer.from(`["${RESULT_SCHEMA}`), Buffer.alloc(1e8, 'x')]),
      /it is no JSON/,
    ],
    'of 100 MB that are cut short': [
      () =>
        Buffer.concat([
          Buffer.from(`{"schema":"${RESULT_SCHEMA}","rows":[`),
          Buffer.alloc(1e8, '2.1234567890123456e-7,'),
        ]),
      /column \d+: it ends in the middle/,
    ],
  };
  for (const [name, [content, words]] of Object.entries(malformed))
    it(`tells a file ${name} in one sentence, exit code 2`, async () => {
      const file = write(content());
      const { exitCode, stdout, stderr } = await answer(['validate', file]);
      expect([exitCode, stdout]).to.deep.equal([2, '']);
      const [sentence = '', ...rest] = stderr.split('\n');
      expect(rest).to.deep.equal(['']);
      expect(sentence.startsWith(`fabricbench: ${file}: `), sentence.slice(0, 300)).to.be.true;
      expect(sentence.slice(`fabricbench: ${file}: `.length)).to.match(words);
      expect(sentence.length).to.be.below(file.length + 250);
    });

  it('does not read for ever what does not end', async () => {
    const { exitCode, stderr } = await answer(['validate', '/dev/zero']);
    expect(stderr).to.match(/^[^\n]*\/dev\/zero: it does not end, and at most 537 MB can be read\n$/);
    expect(exitCode).to.equal(2);
  });

  it('tells what is no file', async () => {
    mkdirSync(join(folder, 'folder'));
    expect((await answer(['validate', join(folder, 'folder')])).stderr).to.match(/it is a folder; name a file\n$/);
    expect((await answer(['validate', join(folder, 'none')])).stderr).to.match(/there is no such file\n$/);
    expect((await answer(['validate', '/proc/self/mem'])).stderr).to.match(/it (is empty|can't be read: .*)\n$/);
  });

  it('tells of links that lead in a circle, as the other readers do, exit code 2', async () => {
    const [circle, half] = [join(folder, 'circle'), join(folder, 'half')];
    symlinkSync(half, circle);
    symlinkSync(circle, half);
    const report = ['report', circle, '-o', join(folder, 'none.html')];
    for (const words of [
      ['validate', circle],
      ['compare', circle, circle],
      ['plot', circle],
      ['import', circle],
      report,
    ]) {
      const { exitCode, stdout, stderr } = await answer(words);
      expect([exitCode, stdout]).to.deep.equal([2, ''], words[0]);
      expect(stderr).to.match(/^fabricbench: \S*circle: it can't be read: ELOOP\b.*\n$/);
    }
  });
});

describe('values of a text of JSON', () => {
  it('are one, those of an array, or those of lines', () => {
    expect(parseValues('{"a":1}')).to.deep.equal([{ where: '', value: { a: 1 } }]);
    expect(parseValues('[1,{}]').map(({ where }) => where)).to.deep.equal(['record 1', 'record 2']);
    expect(parseValues('{"a":1}\n{"a":2}\n')).to.deep.equal([
      { where: 'line 1', value: { a: 1 } },
      { where: 'line 2', value: { a: 2 } },
    ]);
    expect(() => parseValues('{"a":1}\n{"a":}\n')).to.throw(RecordProblem, 'line 2, column 6');
  });

  it('may hold brackets and quotes in texts, however many', () => {
    const text = JSON.stringify({ a: `${'['.repeat(1000)}"\\"{` });
    expect(parseValues(text)).to.deep.equal([{ where: '', value: JSON.parse(text) as unknown }]);
    expect(() => parseValues('['.repeat(300))).to.throw(RecordProblem, 'levels deep');
  });
});

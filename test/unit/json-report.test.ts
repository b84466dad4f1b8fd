import { expect } from 'chai';
import fc from 'fast-check';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { JsonReporter } from '../../src/report/json.js';
import { checkWritable, RecordError, recordTarget } from '../../src/report/record-target.js';
import { SampleLog } from '../../src/report/sample-log.js';
import { MemorySink } from '../../src/report/sink.js';
import { toJsonText } from '../../src/results/json.js';
import type { ResultRecord } from '../../src/results/types.js';
import { withFolder } from './project.js';
import { exampleHead, exampleRow } from './records.js';
import { strictSchemaErrors } from './schema.js';

const now = () => new Date('2026-01-02T04:00:00.000Z');

function reporterFor(json: string, { samples = false, sink = new MemorySink() } = {}): JsonReporter {
  return new JsonReporter(recordTarget(json, sink), { samples, now });
}

function parse(text: string): ResultRecord {
  const record = JSON.parse(text) as ResultRecord;
  expect(strictSchemaErrors(record)).to.deep.equal([]);
  return record;
}

const read = (file: string): ResultRecord => parse(readFileSync(file, 'utf8'));

/** A run of two rows. */
function report(reporter: JsonReporter): void {
  reporter.begin(exampleHead());
  reporter.section();
  reporter.row(exampleRow(1));
  reporter.row(exampleRow(2));
  reporter.warning('rank 1 is not bound');
  reporter.end({ state: 'done' });
}

describe('JSON text', () => {
  it('keeps every bit of a number and makes null of what is none', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(JSON.parse(toJsonText({ value }))).to.deep.equal({ value: value === 0 ? 0 : value });
      }),
    );
    expect(toJsonText({ a: NaN, b: Infinity, c: [-Infinity], d: Float64Array.of(1, NaN) })).to.equal(
      '{"a":null,"b":null,"c":[null],"d":[1,null]}',
    );
    expect(toJsonText({ a: undefined, b: null })).to.equal('{"b":null}');
  });

  it('refuses what JSON can not hold', () => {
    for (const value of [() => 1, new Map(), new Set(), 1n, Symbol('s'), Int32Array.of(1)]) {
      expect(() => toJsonText({ value })).to.throw(TypeError);
    }
    expect(() => toJsonText(undefined)).to.throw(TypeError);
  });
});

describe('JSON record', () => {
  it('in a file is complete after every row and says how far the run is', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const reporter = reporterFor(file);
      const seen = () => {
        const { rows, status, run } = read(file);
        return [rows.length, status.state, run.ended];
      };
      reporter.begin(exampleHead());
      expect(seen()).to.deep.equal([0, 'running', null]);
      reporter.row(exampleRow(1));
      expect(seen()).to.deep.equal([1, 'running', null]);
      reporter.row(exampleRow(2));
      expect(seen()).to.deep.equal([2, 'running', null]);
      reporter.end({ state: 'failed', message: 'rank 1 was killed' });
      expect(seen()).to.deep.equal([2, 'failed', '2026-01-02T04:00:00.000Z']);
      expect(readdirSync(folder)).to.deep.equal(['run.json']);
    });
  });

  it('holds what was reported, unrounded', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const reporter = reporterFor(file);
      reporter.begin(exampleHead());
      reporter.amend({ ranks: [] });
      reporter.row(exampleRow(4));
      reporter.warning('rank 1 is not bound');
      reporter.end({ state: 'done' });
      expect(read(file)).to.deep.equal({
        schema: 'fabricbench-result-1',
        run: { ...exampleHead().run, ended: '2026-01-02T04:00:00.000Z' },
        environment: exampleHead().environment,
        ranks: [],
        rows: [exampleRow(4)],
        warnings: ['rank 1 is not bound'],
        status: { state: 'done' },
      });
    });
  });

  it('of - goes to the sink, once and at the end', () => {
    const sink = new MemorySink();
    const reporter = reporterFor('-', { sink, samples: true });
    reporter.begin(exampleHead());
    reporter.samples(0, Float64Array.of(1e-7, 2e-7));
    reporter.row(exampleRow(1));
    expect(sink.text).to.equal('');
    reporter.end({ state: 'done' });
    expect(parse(sink.text).rows[0]?.samples).to.deep.equal([{ rank: 0, seconds: [1e-7, 2e-7] }]);
  });

  it('replaces a file through a link and keeps link and mode', () => {
    withFolder((folder) => {
      const [file, link] = [join(folder, 'real.json'), join(folder, 'link.json')];
      writeFileSync(file, 'old');
      chmodSync(file, 0o640);
      symlinkSync(file, link);
      report(reporterFor(link));
      expect(read(file).rows).to.have.length(2);
      expect(readdirSync(folder).sort()).to.deep.equal(['link.json', 'real.json']);
      expect(statSync(file).mode & 0o777).to.equal(0o640);
    });
  });

  it('leaves the last whole version when a later one can not be written', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const reporter = reporterFor(file);
      reporter.begin(exampleHead());
      reporter.row(exampleRow(1));
      mkdirSync(`${file}.${process.pid}.part`); // in the way of the next version
      expect(() => reporter.row(exampleRow(2))).to.throw(RecordError);
      expect(read(file).rows).to.have.length(1);
    });
  });

  it('notices a full disk and says so', () => {
    const reporter = reporterFor('/dev/full');
    expect(() => report(reporter)).to.throw(
      RecordError,
      "The record can't be written to /dev/full: no space is left on the device; free some.",
    );
  });

  it('notices a file size limit in a file of its own and leaves nothing half-written', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const modules = ['json', 'record-target', 'sink'].map((name) =>
        import.meta.resolve(`../../src/report/${name}.js`),
      );
      const script = `
        process.on('SIGXFSZ', () => undefined);
        const [{ JsonReporter }, { recordTarget }, { MemorySink }] = await Promise.all(${JSON.stringify(modules)}.map((url) => import(url)));
        const { exampleHead, exampleRow } = await import(${JSON.stringify(import.meta.resolve('./records.js'))});
        const reporter = new JsonReporter(recordTarget(process.argv[1], new MemorySink()), { samples: false });
        reporter.begin(exampleHead());
        try {
          for (let size = 0; size < 100; ++size) reporter.row(exampleRow(size));
        } catch (error) {
          process.stdout.write(error.name + ': ' + error.message);
        }`;
      const command = `ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"`;
      const text = execFileSync('bash', ['-c', command, process.execPath, script, file], { encoding: 'utf8' });
      expect(text).to.match(
        /^RecordError: The record can't be written to .*run\.json: the file would exceed the size limit/,
      );
      expect(readdirSync(folder)).to.deep.equal(['run.json']);
      expect(read(file).rows.length).to.be.within(2, 99);
    });
  });

  it('goes into a pipe at the end', async () => {
    const results = withFolder((folder) => {
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      expect(checkWritable(pipe)).to.be.undefined;
      const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      reader.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
      report(reporterFor(pipe));
      return { closed: once(reader, 'close'), text: () => text };
    });
    await results.closed;
    expect(parse(results.text()).rows).to.have.length(2);
  });
});

describe('the end of a record', () => {
  it('is tried again where it failed, and final where it did not', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const reporter = reporterFor(file, { samples: true });
      reporter.begin(exampleHead());
      reporter.samples(0, Float64Array.of(1e-7));
      reporter.row(exampleRow(1));
      const obstacle = `${file}.${process.pid}.part`;
      mkdirSync(obstacle);
      expect(() => reporter.end({ state: 'done' })).to.throw(RecordError);
      rmdirSync(obstacle);
      reporter.end({ state: 'failed', message: 'the record was late' });
      reporter.end({ state: 'done' });
      const { status, rows } = read(file);
      expect(status).to.deep.equal({ state: 'failed', message: 'the record was late' });
      expect(rows[0]?.samples).to.deep.equal([{ rank: 0, seconds: [1e-7] }]);
      expect(readdirSync(folder)).to.deep.equal(['run.json']);
    });
  });

  it('before the begin is none', () => {
    const sink = new MemorySink();
    reporterFor('-', { sink }).end({ state: 'failed', message: 'MPI did not start' });
    expect(sink.text).to.equal('');
  });
});

describe('samples in the record', () => {
  it('are appended during the run and merged at the end', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const reporter = reporterFor(file, { samples: true });
      reporter.begin(exampleHead());
      reporter.samples(1, Float64Array.of(3e-7));
      reporter.samples(0, Float64Array.of(1e-7, 2e-7));
      reporter.samples(1, Float64Array.of(4e-7));
      const lines = readFileSync(`${file}.samples.ndjson`, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as unknown); // prettier-ignore
      expect(lines).to.deep.equal([
        { row: 0, rank: 1, seconds: [3e-7] },
        { row: 0, rank: 0, seconds: [1e-7, 2e-7] },
        { row: 0, rank: 1, seconds: [4e-7] },
      ]);
      reporter.row(exampleRow(1));
      expect(read(file).rows[0]).not.to.have.property('samples');
      reporter.samples(0, Float64Array.of(5e-7));
      reporter.row(exampleRow(2));
      reporter.end({ state: 'done' });
      expect(read(file).rows.map(({ samples }) => samples)).to.deep.equal([
        [
          { rank: 0, seconds: [1e-7, 2e-7] },
          { rank: 1, seconds: [3e-7, 4e-7] },
        ],
        [{ rank: 0, seconds: [5e-7] }],
      ]);
      expect(readdirSync(folder)).to.deep.equal(['run.json']);
    });
  });

  it('stay where they are when the record can not be written', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const reporter = reporterFor(file, { samples: true });
      reporter.begin(exampleHead());
      reporter.samples(0, Float64Array.of(1e-7));
      reporter.row(exampleRow(1));
      mkdirSync(`${file}.${process.pid}.part`);
      expect(() => reporter.end({ state: 'done' })).to.throw(RecordError);
      expect(existsSync(`${file}.samples.ndjson`)).to.be.true;
    });
  });

  it('of two jobs that write the same record are each in their own', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      const jobs = [1, 2].map(() => reporterFor(file, { samples: true }));
      for (const reporter of jobs) reporter.begin(exampleHead());
      const numbers = (job: number) =>
        Float64Array.from({ length: 100 }, (_, index) => (job + 1) * 1e-6 + index * 1e-9);
      for (const round of [1, 2]) {
        for (const [job, reporter] of jobs.entries()) {
          reporter.samples(0, numbers(job));
          reporter.row(exampleRow(round));
        }
      }
      for (const [job, reporter] of jobs.entries()) {
        reporter.end({ state: 'done' });
        const { rows, status } = read(file);
        expect(status).to.deep.equal({ state: 'done' });
        const own = [{ rank: 0, seconds: [...numbers(job)] }];
        expect(rows.map(({ samples }) => samples)).to.deep.equal([own, own]);
      }
      expect(readdirSync(folder)).to.deep.equal(['run.json']);
    });
  });

  it('are limited per row and rank, and the rest is counted', () => {
    const log = new SampleLog(undefined, 3);
    log.add(0, 0, Float64Array.of(1, 2));
    log.add(0, 0, Float64Array.of(3, 4, 5));
    log.add(0, 1, Float64Array.of(6));
    expect(JSON.parse([...log.pieces(0)].join(''))).to.deep.equal([
      { rank: 0, seconds: [1, 2, 3], omitted: 2 },
      { rank: 1, seconds: [6] },
    ]);
    expect([...log.pieces(1)]).to.deep.equal([]);
  });

  it('come back bit for bit from a file, however many', () => {
    withFolder((folder) => {
      const log = new SampleLog(join(folder, 'samples'));
      const seconds = Float64Array.from({ length: 50_000 }, (_, index) => 1e-9 * Math.sqrt(index));
      log.add(0, 0, seconds);
      expect(JSON.parse([...log.pieces(0)].join(''))).to.deep.equal([{ rank: 0, seconds: Array.from(seconds) }]);
    });
  });

  it('that can not be appended end the run with a sentence', () => {
    const log = new SampleLog('/dev/full');
    expect(() => log.add(0, 0, Float64Array.of(1))).to.throw(RecordError, 'no space is left on the device');
    expect(() => new SampleLog('/nowhere/at/all')).to.throw(RecordError, 'there is no folder /nowhere/at; create it');
  });
});

describe('a record file', () => {
  it('that can be written is left as it was', () => {
    withFolder((folder) => {
      const file = join(folder, 'run.json');
      expect(checkWritable(file)).to.be.undefined;
      expect(readdirSync(folder)).to.deep.equal([]);
      writeFileSync(file, 'old');
      expect(checkWritable(file)).to.be.undefined;
      expect(readFileSync(file, 'utf8')).to.equal('old');
    });
    for (const target of ['-', '/dev/null', '/dev/full', '/dev/stdout'])
      expect(checkWritable(target), target).to.be.undefined;
  });

  it('that can not be written is found out before the run, with a sentence', () => {
    withFolder((folder) => {
      const sentence = (file: string) => checkWritable(join(folder, file));
      expect(sentence('none/run.json')).to.match(
        /^The record can't be written to .*: there is no folder .*none; create it\.$/,
      );
      expect(sentence('.')).to.match(/it is a folder; name a file\.$/);
      writeFileSync(join(folder, 'plain'), '');
      expect(sentence('plain/run.json')).to.match(/plain is no folder; name another file\.$/);
      expect(sentence('x'.repeat(300))).to.match(/name too long/);
    });
    expect(checkWritable('/proc/version')).to.be.a('string');
    expect(checkWritable('/sys/run.json')).to.be.a('string');
  });
});

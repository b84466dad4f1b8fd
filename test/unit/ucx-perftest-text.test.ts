import { expect } from 'chai';
import fc from 'fast-check';
import type { UcxPerftestOptions, UcxPerftestRun } from '../../src/cli/ucx-perftest-options.js';
import { ucxPerftestText } from '../../src/report/ucx-perftest-text.js';
import type { UcxFigures, UcxPerftestText, UcxTestFacts } from '../../src/report/ucx-perftest-types.js';
import { captures, only, readUcxCapture, run, TESTS } from './ucx-perftest-cases.js';

const MB = 2 ** 20;

function factsOf(name: string): UcxTestFacts {
  const facts = TESTS.find((test) => test.name === name);
  if (!facts) throw new Error(`no test ${name}`);
  return facts;
}

function textOf(options: UcxPerftestOptions, percentile: number): UcxPerftestText {
  return ucxPerftestText({ ...options, percentile });
}

/** The numbers of a captured row, in the units of the record. */
function figuresOf(words: readonly string[]): UcxFigures {
  const numbers = words.map((word) => (word === 'inf' ? Infinity : Number(word.replaceAll(',', ''))));
  const [iterations = 0] = numbers;
  if (numbers.length === 4) {
    const [, latency = 0, bandwidth = 0, rate = 0] = numbers;
    return figures([iterations, 0, 0, latency, 0, bandwidth, 0, rate]);
  }
  return figures(numbers);
}

function figures(numbers: readonly number[]): UcxFigures {
  const [iterations = 0, percentile = 0, ...rest] = numbers;
  const [average = 0, overall = 0, averageBandwidth = 0, bandwidth = 0, averageRate = 0, rate = 0] = rest;
  return {
    iterations,
    percentile: percentile / 1e6,
    latency: { average: average / 1e6, overall: overall / 1e6 },
    bandwidth: { average: averageBandwidth * MB, overall: bandwidth * MB },
    rate: { average: averageRate, overall: rate },
  };
}

interface Row {
  readonly thread: number | undefined;
  readonly label: string;
  readonly figures: UcxFigures;
  readonly several: boolean;
  readonly info: string | null;
}

/** A captured line with figures, or undefined where it is none. */
function readRow(line: string): Row | undefined {
  const form =
    /^(?:\[thread (\d+)\]|Final:| *([^\s|+\d][^\s|+]*)?)\s+(\d[\d,.]*(?: +(?:[\d.,]+|inf))+)(?: {2}(.*))?$/.exec(line);
  const words = form?.[3]?.split(/ +/) ?? [];
  if (!form || words.length < 4) return undefined;
  return {
    thread: form[1] === undefined ? undefined : Number(form[1]),
    label: form[2] ?? '',
    figures: figuresOf(words),
    several: words.length === 4,
    info: form[4] === undefined || form[4] === '' ? null : form[4],
  };
}

function readCsvRow(line: string, labels: number): Row {
  const cells = line.split(',');
  const [, thread, iterations = ''] = /^(?:\[thread (\d+)\])?(.*)$/.exec(cells[labels] ?? '') ?? [];
  const words = [iterations, ...cells.slice(labels + 1)];
  return {
    thread: thread === undefined ? undefined : Number(thread),
    label: cells.slice(0, labels).join('/'),
    figures: figuresOf(words),
    several: words.length === 4,
    info: null,
  };
}

/** What we print for the figures that the peer printed. */
function replay(captured: readonly string[], options: UcxPerftestOptions): string {
  const runs = [...options.runs];
  const [first = expect.fail('no test')] = runs;
  const text = textOf(options, first.options.percentile);
  const facts = factsOf(first.options.test);
  const printed = [first.options.loopback ? text.parameters(facts, first.options) : '', text.header(facts)];
  let begun: UcxPerftestRun | undefined;
  for (const row of rowsOf(captured, options)) {
    const { labels } = runs[0] ?? expect.fail('more rows than tests');
    if (begun !== runs[0]) printed.push(text.label(labels));
    begun = runs[0];
    if (row.thread === undefined) {
      printed.push(text.final(row.figures, labels, { several: row.several, info: row.info }));
      runs.shift();
    } else {
      printed.push(text.progress(row.thread, row.figures, labels));
    }
  }
  expect(runs, 'tests without a row').to.be.empty;
  return printed.join('');
}

function rowsOf(captured: readonly string[], { csv, batchFiles }: UcxPerftestOptions): readonly Row[] {
  if (!csv) return captured.map(readRow).filter((row) => row !== undefined);
  const head = captured.findIndex(isCsvHead);
  return captured.slice(head + 1).map((line) => readCsvRow(line, batchFiles.length));
}

const isCsvHead = (line: string): boolean => line.includes('iterations,');
const isBox = (line: string): boolean => /^\| [A-Z]|^\+-{106}\+$/.test(line);

/** What the peer printed, but for the points where ours is another on purpose. */
function expected(captured: readonly string[], { csv, batchFiles, runs }: UcxPerftestOptions): string {
  const boxed = !csv && batchFiles.length === 0;
  const percentile = runs[0]?.options.percentile;
  const lines = captured
    .filter((line) => boxed || !isBox(line))
    .map((line) => (percentile === 99.99 ? line.replace('100.0_percentile', '99.99_percentile') : line))
    .map((line) => (csv ? eightCells(line.replace(/\[thread \d+\]/, '')) : line));
  return lines.map((line) => `${line}\n`).join('');
}

/** With several threads the peer leaves cells out. */
function eightCells(line: string): string {
  const cells = line.split(',');
  const [iterations, latency, bandwidth, rate] = cells;
  return cells.length === 4 ? [iterations, '', '', latency, '', bandwidth, '', rate].join(',') : line;
}

describe('text of ucx_perftest', () => {
  for (const { name, argv } of captures) {
    it(`is the peer's for ${argv.join(' ')} (${name})`, () => {
      const options = run(...argv);
      const captured = readUcxCapture(name);
      expect(replay(captured, options)).to.equal(expected(captured, options));
    });
  }

  for (const { name, argv, serverArgv } of captures.filter((capture) => capture.serverArgv)) {
    it(`of a server is the peer's for ${(serverArgv ?? []).join(' ')} (${name})`, () => {
      const captured = readUcxCapture(`${name}.server`);
      const [first] = run(...argv).runs;
      const server = run(...(serverArgv ?? []));
      const peer = captured[1]?.replace('Accepted connection from ', '') ?? '';
      if (!first) return expect.fail('no test');
      const text = textOf(server, 50);
      const ours = text.waiting() + text.accepted(peer) + text.parameters(factsOf(first.options.test), first.options);
      const rule = captured[2] ?? `+${'-'.repeat(106)}+`;
      // The peer leaves the box open with -v, and a batch with -t shows the command line's size.
      const whole = server.batchFiles.length > 0 ? [...captured.slice(0, 2), rule] : captured;
      const closed = whole.at(-1)?.startsWith('+') ? whole : [...whole, rule];
      expect(ours).to.equal(closed.map((line) => `${line}\n`).join(''));
    });
  }
});

const FACTS = factsOf('tag_lat');
const PLAIN = { csv: false, finalOnly: false, thousands: false, extraInfo: false, batchFiles: [], percentile: 50 };
const FIGURES = figures([1234567, 0.5, 1, 2, 3, 4, 5000, 6]);

describe('text of ucx_perftest, where the peer has none or is wrong', () => {
  it('names a percentile with all its decimals', () => {
    const heading = (percentile: number) => ucxPerftestText({ ...PLAIN, stats: false, percentile }).header(FACTS);
    expect(heading(99.99)).to.include('| 99.99%ile |');
    expect(heading(99)).to.include('| 99.0%ile |');
    expect(heading(5)).to.include('|  5.0%ile |');
  });

  it('shows statistics of all samples after the last row', () => {
    const statistics = { min: 1e-7, median: 2e-7, p90: 3e-7, p99: 4e-7, max: 5e-7, sd: null, n: 7 };
    const text = ucxPerftestText({ ...PLAIN, stats: true }).final({ ...FIGURES, statistics }, []);
    const [, line] = text.split('\n');
    expect(line).to.equal('Samples:  min 0.100, median 0.200, p90 0.300, p99 0.400, max 0.500, sd -, n 7 (usec)');
  });

  it('gives statistics columns of their own in CSV', () => {
    const statistics = { min: 1e-7, median: 2e-7, p90: 3e-7, p99: 4e-7, max: 5e-7, sd: null, n: 7 };
    const text = ucxPerftestText({ ...PLAIN, csv: true, stats: true });
    const cells = (line: string): string[] => line.trimEnd().split(',');
    expect(cells(text.header(FACTS)).slice(8)).to.deep.equal(['min', 'median', 'p90', 'p99', 'max', 'sd', 'n']);
    const last = cells(text.final({ ...FIGURES, statistics }, []));
    expect(last.slice(8)).to.deep.equal(['0.100', '0.200', '0.300', '0.400', '0.500', '', '7']);
    expect(cells(text.progress(0, FIGURES, []))).to.have.length(15);
  });

  it('quotes labels and file names that hold a comma in CSV', () => {
    const text = ucxPerftestText({ ...PLAIN, csv: true, stats: false, batchFiles: ['a,b', 'c'] });
    expect(text.header(FACTS)).to.match(/^"a,b",c,iterations,/);
    expect(text.final(FIGURES, ['x"y,z', 'w'])).to.match(/^"x""y,z",w,1234567,/);
  });

  it('leaves the cells empty that are not known', () => {
    const text = ucxPerftestText({ ...PLAIN, csv: true, stats: false });
    const unknown = { ...FIGURES, percentile: null };
    expect(text.final(unknown, [])).to.equal('1234567,,1.000,2.000,3.00,4.00,5000,6\n');
    expect(text.final(unknown, [], { several: true })).to.equal('1234567,,,2.000,,4.00,,6\n');
    const row = ucxPerftestText({ ...PLAIN, stats: false }).final(unknown, []);
    expect(row).to.equal(
      'Final:               1234567                1.000     2.000        3.00       4.00        5000           6\n',
    );
  });

  it('prints no rows but the last with -f, and no CSV rows of the kind either', () => {
    for (const csv of [false, true]) {
      const text = ucxPerftestText({ ...PLAIN, csv, stats: false, finalOnly: true });
      expect(text.progress(0, FIGURES, [])).to.equal('');
      expect(text.label(['a'])).to.equal('');
      expect(text.final(FIGURES, [])).to.include('1234567');
    }
  });

  it('keeps stdout of one process for both sides clean with -v', () => {
    const text = ucxPerftestText({ ...PLAIN, csv: true, stats: false });
    expect(text.parameters(FACTS, only('-l', '-t', 'tag_lat'))).to.equal('');
  });

  const figure = fc.double({ min: 0.001, max: 9999, noNaN: true });
  const rows = fc.tuple(fc.nat(1e9), figure, figure, figure, figure, figure, fc.nat(1e8), fc.nat(1e8));

  it('rows hold the figures, in columns that end at the same place', () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (numbers, thousands) => {
        const text = ucxPerftestText({ ...PLAIN, stats: false, thousands });
        const line = text.final(figures(numbers), []).trimEnd();
        expect(line).to.have.length(106);
        const { iterations, latency, bandwidth, rate } = readRow(line)?.figures ?? expect.fail(line);
        const [n, , , overall, , overallBandwidth, , overallRate] = numbers;
        expect({ iterations, rate: rate.overall }).to.deep.equal({ iterations: n, rate: overallRate });
        expect(latency.overall * 1e6).to.be.closeTo(overall, 0.00051);
        expect(bandwidth.overall / MB).to.be.closeTo(overallBandwidth, 0.0051);
      }),
    );
  });

  it('rows of CSV have as many cells as the header, whatever is known', () => {
    const word = fc.stringMatching(/^[a-z"]{1,5}$/);
    fc.assert(
      fc.property(
        rows,
        fc.array(word, { maxLength: 3 }),
        fc.boolean(),
        fc.boolean(),
        (numbers, labels, stats, several) => {
          const text = ucxPerftestText({ ...PLAIN, csv: true, stats, batchFiles: labels });
          const cells = (line: string): number => line.split(',').length;
          expect(cells(text.final(figures(numbers), labels, { several }))).to.equal(cells(text.header(FACTS)));
          expect(cells(text.progress(3, figures(numbers), labels))).to.equal(cells(text.header(FACTS)));
        },
      ),
    );
  });
});

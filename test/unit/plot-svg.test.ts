/** Drawings and pages: well-formed, complete, and with every point in its place. */
import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPlots } from '../../src/report/plot/files.js';
import { htmlFile } from '../../src/report/plot/html.js';
import { plotReporter } from '../../src/report/plot/load.js';
import { PlotReporter } from '../../src/report/plot/reporter.js';
import { svgFile } from '../../src/report/plot/svg.js';
import type { Graph, PlotRun } from '../../src/report/plot/types.js';
import { Envelope } from '../../src/report/plot/envelope.js';
import { element, escaped } from '../../src/report/plot/xml.js';
import { RecordError } from '../../src/report/record-target.js';
import { MemorySink } from '../../src/report/sink.js';
import { withFolder } from './project.js';
import { exampleHead, exampleRow } from './records.js';
import { plot, plotRow, plotTable, type PlottedSection } from './plot-run.js';
import { parseXml, type XmlElement } from './xml.js';

const NASTY = `a "<script>" & 'more' \u0000\u001b[31m \uD800 😀`;

function runOf(rows: PlotRun['sections'][number]['rows'], changes: Partial<PlotRun> = {}): PlotRun {
  return {
    head: exampleHead(),
    table: plotTable(),
    sections: [{ datatype: 'MPI_CHAR', rows }],
    warnings: [],
    status: { state: 'done' },
    ...changes,
  };
}

function draw(run: PlotRun): XmlElement[] {
  const [section] = run.sections;
  if (!section) throw new Error('no section');
  return parseXml(svgFile(run, section));
}

const untimed = (row: ReturnType<typeof plotRow>) => ({ record: row, times: undefined });
const textsOf = (elements: readonly XmlElement[]): string[] =>
  elements.filter(({ name }) => name === 'text').map(({ text }) => text);
const named = (elements: readonly XmlElement[], name: string) => elements.filter((one) => one.name === name);
/** Corners of a path of straight lines. */
const corners = (path = ''): number[][] =>
  [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

/** The path of the widest lines: a series. */
function seriesPaths(elements: readonly XmlElement[]): number[][][] {
  return named(elements, 'path')
    .filter(({ attributes }) => attributes['stroke-linejoin'] === 'round')
    .map(({ attributes }) => corners(attributes['d']));
}

/** Left, top, width and height of every area between axes. */
function frames(elements: readonly XmlElement[]): number[][] {
  return named(elements, 'path').flatMap(({ attributes }) => {
    const [, ...numbers] = /^M([\d.]+) ([\d.]+)v([\d.]+)h([\d.]+)$/.exec(attributes['d'] ?? '') ?? [];
    const [left = 0, top = 0, height = 0, width = 0] = numbers.map(Number);
    return numbers.length > 0 ? [[left, top, width, height]] : [];
  });
}

describe('a drawing', () => {
  it('has every point in its place', () => {
    const latencies = { 1: 1e-6, 4: 10e-6, 8: 1e-6, 16: 100e-6 };
    const rows = Object.entries(latencies).map(([size, latency]) => untimed(plotRow({ size: Number(size) }, { latency }))); // prettier-ignore
    const drawn = draw(runOf(rows));
    const [left = NaN, top = NaN, width = NaN, height = NaN] = frames(drawn)[0] ?? [];
    const expected = [
      [left, top + height],
      [left + width / 2, top + height / 2],
      [left + (width * 3) / 4, top + height],
      [left + width, top],
    ];
    expect(seriesPaths(drawn)).to.deep.equal([expected]);
    const markers = named(drawn, 'path').flatMap(({ attributes: { transform } }) => transform ?? []);
    expect(markers).to.deep.equal(expected.map(([x, y]) => `translate(${x} ${y})`));
    const tips = named(drawn, 'title').slice(1).map(({ text }) => text); // prettier-ignore
    expect(tips).to.deep.equal([
      'Avg Latency, 1 byte: 1 µs',
      'Avg Latency, 4 bytes: 10 µs',
      'Avg Latency, 8 bytes: 1 µs',
      'Avg Latency, 16 bytes: 100 µs',
    ]);
  });

  it('names its axes with their units, and itself', () => {
    const drawn = draw(runOf([1, 2, 4].map((size) => untimed(exampleRow(size)))));
    const texts = textsOf(drawn);
    for (const text of ['OSU MPI Latency Test, MPI_CHAR', 'Avg Latency (µs)', 'Message size (bytes)', '1', '2', '4'])
      expect(texts).to.include(text);
    expect(texts.join('\n')).to.match(/2 ranks on node1 \(A processor\) · Open MPI v4\.1\.4, PML ucx, transports sysv/);
    const [title, description] = [named(drawn, 'title')[0]?.text, named(drawn, 'desc')[0]?.text];
    expect(title).to.equal('OSU MPI Latency Test, MPI_CHAR');
    expect(description).to.equal('Avg Latency. Avg Latency: 0.123 µs at 1 byte to 0.123 µs at 4 bytes.');
    const [svg] = drawn;
    expect(svg?.attributes).to.include({ xmlns: 'http://www.w3.org/2000/svg', role: 'img' });
  });

  it('shows interval and spread of the figure that statistics are of', () => {
    const drawn = draw(runOf([1, 2].map((size) => untimed(exampleRow(size)))));
    const texts = textsOf(drawn);
    expect(texts).to.include.members(['Median and its 95 % confidence interval', 'Best sample to P99']);
    const bands = named(drawn, 'path').filter(({ attributes }) => attributes['fill-opacity'] !== undefined);
    expect(bands.map(({ attributes }) => attributes['fill-opacity'])).to.deep.equal(['0.13', '0.35']);
    // The axis is from 0.1 to 1: a decade, in which 0.1, 0.99 and 0.48, 0.52 are the bands' ends.
    const [, top = NaN, , height = NaN] = frames(drawn)[0] ?? [];
    const yOf = (value: number): number => Math.round((top - Math.log10(value) * height) * 100) / 100;
    const ys = bands.map(({ attributes }) => corners(attributes['d']).map(([, y]) => y));
    expect(ys).to.deep.equal([
      [yOf(0.99), yOf(0.99), yOf(0.1), yOf(0.1)],
      [yOf(0.52), yOf(0.52), yOf(0.48), yOf(0.48)],
    ]);
  });

  it('keeps within its page', () => {
    const times = new Envelope();
    times.add(
      0,
      Float64Array.from({ length: 3000 }, (_, index) => 1e-6 * (1 + (index % 11))),
    );
    const rows = Array.from({ length: 23 }, (_, exponent) => ({ record: exampleRow(2 ** exponent), times }));
    const drawn = draw(runOf(rows));
    const page = Number(drawn[0]?.attributes['height']);
    expect(frames(drawn)).to.have.length(24);
    const points = named(drawn, 'path').flatMap(({ attributes, origin: [right, down] }) =>
      corners(attributes['d']).map(([x = NaN, y = NaN]) => [x + right, y + down] as const),
    );
    expect(points.length).to.be.above(23 * 100);
    for (const [x, y] of points) {
      expect(x).to.be.within(0, 960);
      expect(y).to.be.within(0, page);
    }
    const lowest = Math.max(...points.map(([, y]) => y));
    expect(page - lowest).to.be.within(10, 60);
  });

  it('shows the one slow iteration among 10^6', () => {
    const times = new Envelope();
    const seconds = new Float64Array(1_000_000).fill(1e-6);
    seconds[500_000] = 1e-3;
    times.add(0, seconds);
    const drawn = draw(runOf([{ record: exampleRow(8), times }]));
    const ranges = named(drawn, 'path').find(({ attributes }) => attributes['stroke-linecap'] === 'square');
    const columns = [...(ranges?.attributes['d'] ?? '').matchAll(/M([\d.]+) ([\d.]+)V([\d.]+)/g)];
    expect(columns).to.have.length.within(60, 200);
    const [left = NaN, top = NaN, width = NaN] = frames(drawn).at(-1) ?? [];
    const slow = columns.filter(([, , bottom, high]) => Number(bottom) - Number(high) > 1);
    expect(slow).to.have.length(1);
    expect(Number(slow[0]?.[3])).to.equal(top);
    expect(Number(slow[0]?.[1])).to.be.closeTo(left + width / 2, 2);
    expect(textsOf(drawn)).to.include('1 to 1000 µs, mean 1 µs');
  });

  it('of rows without a size has bars', () => {
    const columns = [
      { figure: 'latency', header: 'Avg Latency(us)', scale: 1e6 },
      { figure: 'max', header: 'Max Latency(us)', scale: 1e6 },
    ];
    const row = plotRow({ size: null }, { latency: 0.4e-6, max: 0.8e-6 });
    const drawn = draw(runOf([untimed(row)], { table: plotTable(columns) }));
    const [short = NaN, long = NaN] = named(drawn, 'rect').slice(1).map(({ attributes }) => Number(attributes['width'])); // prettier-ignore
    expect(short / long).to.be.closeTo(0.5, 1e-4);
    expect(textsOf(drawn)).to.include.members(['Avg Latency', '0.4 µs', 'Max Latency', '0.8 µs']);
  });

  it('of a run that failed says so', () => {
    const failed = runOf([untimed(exampleRow(1))], { status: { state: 'failed', message: 'rank 1 was killed' } });
    expect(textsOf(draw(failed))).to.include('This run failed: rank 1 was killed');
    expect(htmlFile(failed)).to.include('This run failed: rank 1 was killed');
  });
});

describe('XML', () => {
  it('takes any text', () => {
    const [item] = parseXml(element('g', { id: NASTY, x: 1.23456, y: -0.0001, none: undefined }, escaped(NASTY)));
    const shown = NASTY.replaceAll('\u0000', '\uFFFD').replaceAll('\u001b', '\uFFFD');
    expect(item).to.deep.include({ name: 'g', attributes: { id: shown, x: '1.23', y: '0' }, text: shown });
  });

  it('that is not well-formed is found out by our check', () => {
    for (const text of [
      '<a>',
      '<a></b>',
      '<a b="1" b="2"/>',
      '<a>&</a>',
      '<a>&nbsp;</a>',
      '<a b=1/>',
      '<a/><b/>',
      'x',
      '<a>\u0001</a>',
    ])
      // prettier-ignore
      expect(() => parseXml(text), text).to.throw();
    expect(parseXml('<a b="1"><c/>x &amp; y</a>').map(({ name, text }) => [name, text])).to.deep.equal([['a', 'x & y'], ['c', '']]); // prettier-ignore
  });
});

describe('a page', () => {
  const head = exampleHead({ commandLine: ['node', NASTY], options: { window: 64, ddt: null, json: NASTY } });
  const rows = [1, 2].map((size) => untimed({ ...exampleRow(size), validation: { passed: size === 1 } }));
  const run = runOf(rows, { head, warnings: [NASTY], table: { ...plotTable(), title: NASTY } });
  const elements = parseXml(htmlFile(run));
  const cells = (name: string): string[] => named(elements, name).map(({ text }) => text);

  it('holds the drawing, the figures and what is known of the run', () => {
    expect(named(elements, 'svg')).to.have.length(1);
    const facts = cells('td');
    for (const fact of ['2026-01-02 03:04:05\u00a0UTC', '1.13.1', 'v20.20.2', 'UCX_TLS=sysv,self'])
      expect(facts).to.include(fact);
    expect(facts.join('\n')).to.include('node1 (A processor, 2 hardware threads, Linux 6.1.0)');
    expect(facts.join('\n')).to.match(/^window=64 json=a "<script>"/m);
    const headers = ['Size (bytes)', 'Avg Latency (µs)', 'Iterations', 'Median (µs)', 'CI low (µs)', 'Validation'];
    expect(cells('th')).to.include.members(headers);
    const [first] = facts.slice(facts.indexOf('0.123457') - 1);
    expect(first).to.equal('1');
    expect(facts).to.include.members(['0.123457', '1000', '0.5', '0.48', '0.52', 'Pass', 'Fail']);
  });

  it('runs no script and loads nothing', () => {
    expect(named(elements, 'script')).to.deep.equal([]);
    const policy = elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    expect(policy?.attributes['content']).to.equal("default-src 'none'; style-src 'unsafe-inline'");
    for (const { name, attributes } of elements) {
      expect(['link', 'img', 'iframe', 'object', 'use', 'image', 'a']).not.to.include(name);
      for (const key of ['src', 'href', 'xlink:href', 'onload', 'style']) expect(attributes).not.to.have.property(key);
    }
    const style = elements.find(({ name }) => name === 'style');
    expect(style?.text).not.to.match(/url\(|@import/);
  });

  it('shows the warnings', () => {
    expect(cells('p').join('\n')).to.include('a "<script>" & \'more\'');
  });
});

describe('files of plots', () => {
  const sections = (...datatypes: string[]): PlottedSection[] =>
    datatypes.map((datatype) => ({ datatype, rows: [{ row: exampleRow(1) }, { row: exampleRow(2) }] }));
  const graphs: readonly Graph[] = ['svg', 'html'];

  it('are named after the program, and with several sections after the datatype', () => {
    withFolder((folder) => {
      expect(plot(sections('MPI_CHAR'), { graphs, folder })).to.equal('');
      expect(readdirSync(folder).sort()).to.deep.equal(['osu_latency.html', 'osu_latency.svg']);
    });
    withFolder((folder) => {
      plot(sections('MPI_CHAR', 'MPI_INT'), { graphs, folder });
      expect(readdirSync(folder).sort()).to.deep.equal([
        ...['osu_latency-MPI_CHAR.svg', 'osu_latency-MPI_INT.svg', 'osu_latency.html'],
      ]);
      const page = parseXml(readFileSync(join(folder, 'osu_latency.html'), 'utf8'));
      expect(named(page, 'svg')).to.have.length(2);
      const drawing = parseXml(readFileSync(join(folder, 'osu_latency-MPI_INT.svg'), 'utf8'));
      expect(textsOf(drawing)).to.include('OSU MPI Latency Test, MPI_INT');
    });
  });

  it('replace what was there, through links too', () => {
    withFolder((folder) => {
      const [file, link] = [join(folder, 'real.svg'), join(folder, 'osu_latency.svg')];
      writeFileSync(file, 'old');
      symlinkSync(file, link);
      const request = { graphs, name: 'osu_latency', datatypes: ['MPI_CHAR'], folder };
      expect(checkPlots(request)).to.be.undefined;
      expect(readFileSync(file, 'utf8')).to.equal('old');
      plot(sections('MPI_CHAR'), { graphs, folder });
      expect(parseXml(readFileSync(file, 'utf8')).length).to.be.above(10);
    });
  });

  it('that can not be written are found out before the run, in one sentence', () => {
    withFolder((folder) => {
      const request = { graphs, name: 'osu_latency', datatypes: ['MPI_CHAR', 'MPI_INT'], folder };
      expect(checkPlots(request)).to.be.undefined;
      expect(readdirSync(folder)).to.deep.equal([]);
      const [page, drawing] = [join(folder, 'osu_latency.html'), join(folder, 'osu_latency-MPI_INT.svg')];
      mkdirSync(page);
      expect(checkPlots(request)).to.equal(`The plot can't be written to ${page}: it is a folder; name a file.`);
      mkdirSync(drawing);
      expect(checkPlots(request)).to.equal(`The plot can't be written to ${drawing}: it is a folder; name a file.`);
      expect(checkPlots({ ...request, graphs: ['tty'] })).to.be.undefined;
      expect(checkPlots({ ...request, graphs: ['svg'], datatypes: [] })).to.be.undefined;
      const nowhere = join(folder, 'nowhere');
      expect(checkPlots({ ...request, folder: nowhere })).to.equal(
        `The plot can't be written to ${join(nowhere, 'osu_latency-MPI_CHAR.svg')}: there is no folder ${nowhere}; create it.`,
      );
    });
  });

  it('are all tried, and the first that failed is told', () => {
    withFolder((folder) => {
      const drawing = join(folder, 'osu_latency.svg');
      mkdirSync(drawing);
      expect(() => plot(sections('MPI_CHAR'), { graphs, folder })).to.throw(
        RecordError,
        `The plot can't be written to ${drawing}: it is a folder; name a file.`,
      );
      expect(existsSync(join(folder, 'osu_latency.html'))).to.be.true;
      expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).to.deep.equal([]);
    });
  });

  it('are written once, whatever is told after it', () => {
    withFolder((folder) => {
      const options = {
        graphs,
        name: 'osu_latency',
        datatypes: [],
        table: plotTable(),
        sink: new MemorySink(),
        folder,
      };
      const reporter = plotReporter(options);
      expect(reporter).to.have.property('constructor').that.has.property('name', PlotReporter.name);
      reporter.end({ state: 'failed', message: 'MPI did not start' });
      reporter.begin(exampleHead());
      reporter.section({});
      reporter.row(exampleRow(1));
      reporter.amend?.({ ranks: [] });
      reporter.end({ state: 'done' });
      const drawing = join(folder, 'osu_latency.svg');
      expect(textsOf(parseXml(readFileSync(drawing, 'utf8'))).join('\n')).to.include('0 ranks on node1');
      writeFileSync(drawing, 'mine');
      reporter.end({ state: 'failed', message: 'later' });
      expect(readFileSync(drawing, 'utf8')).to.equal('mine');
    });
  });
});

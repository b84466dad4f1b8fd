import { expect } from 'chai';
import fc from 'fast-check';
import { csvPieces } from '../../src/study/map/csv.js';
import { KINDS } from '../../src/study/map/figures.js';
import { PairGrid } from '../../src/study/map/grid.js';
import { heatElement } from '../../src/study/map/heat-svg.js';
import { heatText } from '../../src/study/map/heat-text.js';
import { mapPage } from '../../src/study/map/html.js';
import { marksOf, rangeOf, shadeOf, tilesOf } from '../../src/study/map/tiles.js';
import type { Finding } from '../../src/study/map/verdict.js';
import { parseXml } from './xml.js';

function latencies(nodes: number, of: (a: number, b: number) => number = () => 2e-6): PairGrid {
  const grid = new PairGrid(nodes, true);
  for (let a = 0; a < nodes; a++) for (let b = a + 1; b < nodes; b++) grid.set(a, b, of(a, b));
  return grid;
}

function bandwidths(nodes: number, of: (from: number, to: number) => number): PairGrid {
  const grid = new PairGrid(nodes, false);
  for (let from = 0; from < nodes; from++) for (let to = 0; to < nodes; to++) grid.set(from, to, of(from, to));
  return grid;
}

function finding(kind: Finding['kind'], nodes: number[], way: 'both' | 'out' | 'into'): Finding {
  const numbers = { factor: 2, measured: 4e-6, expected: 2e-6, tries: 5, hits: 5, falseAlarm: 1e-9 };
  return { kind, nodes, evidence: [{ figure: 'latency', way, ...numbers }] };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, node) => `n${node}`);

describe('the tiles of a map', () => {
  it('are its pairs, both ways, while there is room', () => {
    const tiles = tilesOf(
      latencies(4, (a, b) => a * 10 + b + 1),
      8,
    );
    expect(tiles).to.include({ count: 4, nodes: 1 });
    expect(tiles.values[1 * 4 + 3]).to.be.closeTo(14, 1e-4);
    expect(tiles.values[3 * 4 + 1]).to.be.closeTo(14, 1e-4);
    expect(tiles.values[0]).to.be.NaN;
  });

  it('are means over several nodes where there is none, and keep marks', () => {
    const grid = bandwidths(10, (from, to) => (from < 5 ? 1e9 : 4e9) * (to < 5 ? 1 : 2));
    const tiles = tilesOf(grid, 2, [[9, 1]]);
    expect(tiles).to.include({ count: 2, nodes: 5 });
    [1e9, 2e9, 4e9, 8e9].forEach((value, at) => {
      expect(tiles.values[at]).to.be.closeTo(value, value * 1e-5);
    });
    expect([...tiles.marked]).to.deep.equal([0, 0, 1, 0]);
  });

  it('have all nodes, whatever their number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 20 }), (nodes, most) => {
        const { count, nodes: each } = tilesOf(latencies(nodes), most);
        expect(count).to.be.at.most(most);
        expect(count * each).to.be.within(nodes, nodes + each - 1);
      }),
    );
  });

  it('are shaded from the best to the worst, and hardly where all are alike', () => {
    const range = rangeOf(
      tilesOf(
        bandwidths(8, (from) => (from + 1) * 1e9),
        8,
      ),
      KINDS.bandwidth,
    );
    expect(range.best).to.be.above(range.worst);
    expect(shadeOf(range.best, range)).to.equal(0);
    expect(shadeOf(range.worst / 2, range)).to.equal(1);
    const same = rangeOf(tilesOf(latencies(8), 8), KINDS.latency);
    expect(shadeOf(2.02e-6, same)).to.be.below(0.05);
  });

  it('are marked where findings of the figure lie', () => {
    const findings = [
      finding('host', [3], 'both'),
      finding('link', [1, 2], 'both'),
      finding('direction', [6, 5], 'out'),
    ];
    expect(marksOf(findings, 'latency')).to.deep.equal([
      [3, 3],
      [1, 2],
      [2, 1],
      [6, 5],
    ]);
    expect(marksOf(findings, 'jitter')).to.deep.equal([]);
  });
});

describe('the pictures of a map', () => {
  const findings = [finding('link', [0, 2], 'both')];

  it('show in a terminal a row of squares for each node, and what squares mean', () => {
    const text = heatText(
      'latency',
      latencies(4, (a, b) => (a === 0 && b === 2 ? 8e-6 : 2e-6)),
      {
        ...{ names: ['a', 'bb', 'c', 'd'], findings, colour: false },
      },
    );
    expect(text.split('\n')).to.deep.equal([
      'latency: 2 us ░░▒▒▓▓██ 8 us, !! findings',
      'a   ·░░!!░░',
      'bb ░░ ·░░░░',
      'c  !!░░ ·░░',
      'd  ░░░░░░ ·',
      '',
    ]);
  });

  it('have colours only where they are asked for', () => {
    const options = { names: names(3), findings: [], colour: true };
    expect(heatText('latency', latencies(3), options)).to.contain('\u001b[');
    expect(heatText('latency', latencies(3), { ...options, colour: false })).to.not.contain('\u001b');
  });

  it('say which way is which', () => {
    const text = heatText(
      'bandwidth',
      bandwidths(3, () => 1e9),
      { names: names(3), findings: [], colour: false },
    );
    expect(text).to.contain('senders down, receivers across');
  });

  it('are well-formed SVG with names, borders and marks', () => {
    const grids = [['latency', latencies(12)] as const, ['bandwidth', bandwidths(12, () => 1e9)] as const];
    const svg = heatElement(grids, {
      title: 'a & b',
      facts: ['one\n  two'],
      names: ['<n>', ...names(11)],
      findings,
      borders: [6],
    });
    const elements = parseXml(svg);
    expect(elements[0]?.name).to.equal('svg');
    const texts = elements.map(({ text }) => text);
    expect(texts).to.include.members([
      'a & b',
      'one',
      '<n>',
      'n10',
      'latency',
      'bandwidth: senders down, receivers across',
    ]);
    const paths = elements.filter(({ name }) => name === 'path').map(({ attributes }) => attributes['d']);
    expect(paths).to.include('M2 0h1v1h-1zM0 2h1v1h-1z');
    expect(paths).to.include('M6 0v12M0 6h12');
  });

  it('stand in a page that may load nothing, with the medians of each host', () => {
    const grids = { latency: latencies(3), bandwidth: bandwidths(3, (from) => (from + 1) * 1e9) };
    const page = mapPage(grids, { title: 't', facts: ['f'], verdict: ['v < w'], picture: '<svg/>', names: names(3) });
    const elements = parseXml(page.replace('<svg/>', ''));
    const cells = elements.filter(({ name }) => name === 'td').map(({ text }) => text);
    expect(cells).to.include.members(['2 us', '3000 MB/s', '2500 MB/s']);
    expect(page).to.contain("default-src 'none'").and.to.contain('v &lt; w');
  });
});

describe('the CSV of a map', () => {
  it('has a line for each pair that was measured, and empty fields for what was not', () => {
    const latency = new PairGrid(3, true);
    latency.set(0, 2, 2e-6);
    const bandwidth = new PairGrid(3, false);
    bandwidth.set(0, 1, 1e9);
    const text = [...csvPieces({ latency, bandwidth }, ['a', 'b,c', 'd'])].join('');
    expect(text.split('\r\n')).to.deep.equal([
      'first,second,latency (s),jitter,first to second (B/s),second to first (B/s)',
      'a,"b,c",,,1000000000,',
      'a,d,0.000002,,,',
      '',
    ]);
  });
});

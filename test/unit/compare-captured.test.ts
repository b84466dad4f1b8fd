/** What compare concludes from files that someone kept, and from altered copies of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { reportOf } from '../../src/analysis/report.js';
import type { Side } from '../../src/analysis/sides.js';
import type { RowRecord } from '../../src/results/types.js';
import { CAPTURED, captured, capturedFile, scaledRow, withRows } from './analysis-records.js';
import { projectRoot } from './project.js';

const RULES = { threshold: 0.03 };

const sentences = (...sides: readonly Side[]): string[] => reportOf(sides, RULES).statements.map(({ text }) => text);

/** The one sentence that begins so. */
function sentence(all: readonly string[], begin: string): string {
  const found = all.filter((text) => text.startsWith(begin));
  expect(found, begin).to.have.length(1);
  return found[0] ?? '';
}

const near = captured('near');
const far = captured('far');
const both = sentences(near, far);

describe('near and far, as captured', () => {
  it('differ by 0.16 us of write latency, through every layer', () => {
    expect(sentence(both, 'Write latency')).to.equal(
      'Write latency +0.16 us (+10 %) at 2 bytes (verbs ib_write_lat); ' +
        '+0.16 us (+10 %) at 8 bytes (UCT put_lat); +0.15 us (+9.6 %) at 8 bytes (UCP ucp_put_lat)',
    );
  });

  it('differ by a quarter of the small-message rate', () => {
    expect(sentence(both, 'Write small-message rate')).to.match(
      /^Write small-message rate -26 % at 2 to 512 bytes \(verbs ib_write_bw\); -27 % at 8 to 256 bytes \(UCT put_bw, layout bcopy\); /,
    );
  });

  it('have the same bandwidth of large messages', () => {
    expect(sentence(both, 'Write large-message bandwidth')).to.match(
      /^Write large-message bandwidth unchanged \(-0\.3 %\) at 4 KiB to 8 MiB \(verbs ib_write_bw\); /,
    );
  });

  it('show that UCT costs nothing above verbs in latency, and a fifth of the message rate', () => {
    expect(sentence(both, 'UCT against verbs, write: latency')).to.equal(
      'UCT against verbs, write: latency near equal (+0.020 us, +1.3 %) at 8 bytes against 2 bytes; ' +
        'far equal (+0.019 us, +1.1 %) at 8 bytes against 2 bytes (put_lat against ib_write_lat)',
    );
    expect(sentence(both, 'UCT against verbs, write: small-message rate')).to.contain(
      'near -20 % at 8 to 256 bytes; far -22 % at 8 to 256 bytes (put_bw, layout bcopy against ib_write_bw)',
    );
  });

  it('show from where on bcopy and zcopy fill the link', () => {
    expect(sentence(both, 'put_bw has 95 % of its peak')).to.equal(
      'put_bw has 95 % of its peak with layout bcopy: near from 4 KiB (57 % at 2048 bytes, peak 10618 MiB/s); ' +
        'far from 8 KiB, its largest size (93 % at 4 KiB, peak 9499 MiB/s). ' +
        'With layout zcopy: near from 1 MiB (93 % at 512 KiB, peak 10376 MiB/s); ' +
        'far from 1 MiB (93 % at 512 KiB, peak 10082 MiB/s)',
    );
  });

  it('show the drop of stream_bw', () => {
    expect(sentence(both, 'Dip of stream_bw')).to.match(
      /^Dip of stream_bw: near -86 % between 2048 and 3000 bytes \(5191 to 719\.4 MiB\/s\), back from 64 KiB; far -81 % between 2048 and 3000 bytes /,
    );
  });

  it('say all of it of the files alone that it is about', () => {
    const pair = (name: string): string[] => sentences(captured('near', [name]), captured('far', [name]));
    expect(pair('perftest.lat')).to.deep.equal(['Write latency +0.16 us (+10 %) at 2 bytes (verbs ib_write_lat)']);
    expect(pair('perftest.bw')).to.deep.equal([
      'Write small-message rate -26 % at 2 to 512 bytes (verbs ib_write_bw)',
      'Write large-message bandwidth unchanged (-0.3 %) at 4 KiB to 8 MiB (verbs ib_write_bw)',
    ]);
    const alone = sentences(captured('near', ['ucp.bw']));
    expect(sentence(alone, 'Dip of stream_bw')).to.equal(
      'Dip of stream_bw: -86 % between 2048 and 3000 bytes (5191 to 719.4 MiB/s), back from 64 KiB',
    );
  });

  it('are told apart by their command lines first', () => {
    const [comparison] = reportOf([near, far], RULES).comparisons;
    expect(comparison?.differences.map(({ what, text }) => `${what}: ${text}`)).to.deep.equal([
      'command line: --physcpubind=14 / 0',
      'command line: -c 14 / 0',
    ]);
    expect(comparison?.onlyA).to.deep.equal([]);
    expect(comparison?.onlyB).to.deep.equal([]);
    const rows = comparison?.series.reduce((sum, series) => sum + series.rows.length, 0);
    // All rows of the tables; ucp_get stands in two files with 8 bytes.
    expect(rows).to.equal(1 + 23 + 3 + 11 + 19 + 9 + 6 * 35 - 1);
  });
});

describe('altered copies', () => {
  const change = (side: Side, tests: RegExp, alter: (row: RowRecord) => RowRecord): Side =>
    withRows(side, (test) => tests.test(test), alter);

  it('exchanged say the opposite', () => {
    const turned = sentences(far, near);
    expect(sentence(turned, 'Write latency')).to.match(/^Write latency -0\.16 us \(-9\.4 %\) at 2 bytes/);
    expect(sentence(turned, 'Write small-message rate')).to.match(/^Write small-message rate \+36 % at 2 to 512 bytes/);
    expect(sentence(turned, 'Write large-message bandwidth')).to.match(/bandwidth unchanged \(\+0\.3 %\)/);
    expect(sentence(turned, 'UCT against verbs, write: latency')).to.match(/latency far equal .*; near equal /);
    expect(sentence(turned, 'Dip of stream_bw')).to.match(/^Dip of stream_bw: far -81 % .*; near -86 % /);
  });

  it('with 10 % more latency on the far side say so', () => {
    const slower = change(far, /_lat$/, (row) => scaledRow(row, { s: 1.1 }));
    const all = sentences(near, slower);
    // 1.1 x 1.71 - 1.55 us.
    expect(sentence(all, 'Write latency')).to.match(/^Write latency \+0\.33 us \(\+21 %\) at 2 bytes/);
    expect(sentence(all, 'UCT against verbs, write: latency')).to.match(
      /near equal \(\+0\.020 us.*far equal \(\+0\.021 us/,
    );
    expect(sentence(all, 'Write small-message rate')).to.equal(sentence(both, 'Write small-message rate'));
  });

  it('with 10 % more latency of UCT alone say what that layer costs', () => {
    const slower = (side: Side): Side => change(side, /^put_lat$/, (row) => scaledRow(row, { s: 1.1 }));
    const all = sentences(slower(near), slower(far));
    expect(sentence(all, 'UCT against verbs, write: latency')).to.match(
      /near \+0\.18 us, \+11 % at 8 bytes against 2 bytes; far \+0\.19 us, \+11 % /,
    );
  });

  it('with equal figures on both sides say that nothing differs', () => {
    const all = sentences(near, { ...near, label: 'far' });
    const differing = all.slice(
      0,
      all.findIndex((text) => text.includes(' against ')),
    );
    for (const text of differing)
      expect(text)
        .to.match(/unchanged/)
        .and.not.match(/[+-]\d/);
  });

  it('with less bandwidth of large messages say so', () => {
    const slower = change(far, /^ib_write_bw$/, (row) =>
      (row.parameters.size ?? 0) >= 65_536 ? scaledRow(row, { 'B/s': 0.8, '1/s': 0.8 }) : row,
    );
    expect(sentence(sentences(near, slower), 'Write large-message bandwidth')).to.match(
      /bandwidth -20 % at 4 KiB to 8 MiB \(verbs ib_write_bw\)/,
    );
    const all = change(far, /^ib_write_bw$/, (row) => scaledRow(row, { 'B/s': 0.8, '1/s': 0.8 }));
    expect(sentence(sentences(near, all), 'Write large-message bandwidth')).to.match(
      /bandwidth -20 % at 4 KiB to 8 MiB \(verbs ib_write_bw\)/,
    );
    expect(sentence(sentences(near, all), 'Write small-message rate')).to.match(/rate -41 % at 2 to 512 bytes/);
  });

  it('with the drop elsewhere say where', () => {
    // Each size has the time of the one before: what happened from 3000 bytes on now happens from the next size on.
    const moved = (side: Side): Side => {
      const rows = side.records.flatMap((record) =>
        record.rows.filter((row) => row.parameters['test'] === 'stream_bw'),
      );
      return change(side, /^stream_bw$/, (row) => {
        const before = rows[rows.indexOf(row) - 1] ?? row;
        const size = row.parameters.size ?? 0;
        const rate = before.figures['rate']?.value ?? 0;
        return {
          ...row,
          figures: { bandwidth: { value: rate * size, unit: 'B/s' }, rate: { value: rate, unit: '1/s' } },
        };
      });
    };
    expect(sentence(sentences(moved(near)), 'Dip of stream_bw')).to.match(
      /^Dip of stream_bw: -8\d % between 3000 bytes and 4 KiB /,
    );
  });

  it('without the drop say nothing of it', () => {
    const even = change(near, /^stream_bw$/, (row) => {
      const size = row.parameters.size ?? 0;
      const seconds = 0.2e-6 + size / 10e9;
      return {
        ...row,
        figures: { bandwidth: { value: size / seconds, unit: 'B/s' }, rate: { value: 1 / seconds, unit: '1/s' } },
      };
    });
    expect(sentences(even).filter((text) => text.startsWith('Dip of stream_bw'))).to.deep.equal([]);
  });

  it('with bcopy and zcopy exchanged say which fills the link when', () => {
    const exchanged = change(near, /^put_bw$/, (row) => ({
      ...row,
      parameters: { ...row.parameters, layout: row.parameters['layout'] === 'bcopy' ? 'zcopy' : 'bcopy' },
    }));
    expect(sentence(sentences(exchanged), 'put_bw has 95 %')).to.match(
      /with layout zcopy: from 4 KiB .* With layout bcopy: from 1 MiB /,
    );
  });

  it('with another offset at all sizes say that it is one', () => {
    const flat = (side: Side, offset: number): Side =>
      change(side, /^ucp_get$/, (row) => {
        const seconds = (row.figures['latency']?.value ?? 0) + offset;
        return { ...row, statistics: null, figures: { latency: { value: seconds, unit: 's' } } };
      });
    const one = captured('near', ['ucp.bw']);
    const other = { ...one, label: 'far' };
    expect(sentence(sentences(one, flat(other, 1e-6)), 'Read latency')).to.match(
      /^Read latency \+1\.00 us \(\+31 %\) at 1 to \d+ bytes, a constant offset at all sizes/,
    );
    const factor = change(other, /^ucp_get$/, (row) => scaledRow(row, { s: 1.3 }));
    expect(sentence(sentences(one, factor), 'Read latency')).to.match(
      /^Read latency \+0\.96 us \(\+30 %\) at 1 to \d+ bytes, a constant factor at all sizes/,
    );
  });
});

describe('the code of comparisons', () => {
  /** Numbers of three digits and more: those of the tables must not stand in the code. */
  const digits = (text: string): string => text.replace(/^0+|\.|0+$/g, '');

  it('knows no size and no figure of these files', () => {
    const names = CAPTURED.flatMap((name) => [capturedFile(name, 'near'), capturedFile(name, 'far')]);
    const rows = names
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .filter((line) => /^\d+( [\d.]+){5,}$/.test(line));
    expect(rows.length).to.be.above(500);
    const known = new Set(rows.flatMap((row) => row.split(' ').map(digits)).filter((number) => number.length >= 3));
    const folder = join(projectRoot, 'src/analysis');
    const sources = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(sources.length).to.be.above(20);
    for (const { name, parentPath } of sources) {
      const code = readFileSync(join(parentPath, name), 'utf8').replace(/\/\*[^]*?\*\//g, '');
      const numbers = [...code.matchAll(/\b\d[\d_]*(?:\.\d+)?\b/g)].map(([number]) =>
        digits(number.replaceAll('_', '')),
      );
      expect(
        numbers.filter((number) => known.has(number)),
        name,
      ).to.deep.equal([]);
    }
  });
});

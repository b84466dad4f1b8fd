import { expect } from 'chai';
import fc from 'fast-check';
import { parseGraphFile } from '../../src/cli/graph-file.js';

describe('graph file of -N graph', () => {
  it('holds a source and a destination a line, the last one too', () => {
    expect(parseGraphFile('# src, dst\n0,1\n 1 , 0 # back\n\n2 2\r\n0,1')).to.deep.equal({
      ok: true,
      value: [
        { source: 0, destination: 1 },
        { source: 1, destination: 0 },
        { source: 2, destination: 2 },
        { source: 0, destination: 1 },
      ],
    });
  });

  it('is refused with the line at fault', () => {
    for (const line of ['1', '1,2,3', 'a,b', '-1,2', '1.5,2', '2147483648,0', '1;2']) {
      expect(parseGraphFile(`0,1\n${line}\n`), line).to.deep.equal({
        ok: false,
        reason: 'line 2 is not "src,dst" in ranks',
      });
    }
    for (const text of ['', '# nothing\n\n']) {
      expect(parseGraphFile(text)).to.deep.equal({ ok: false, reason: 'it holds no "src,dst" line' });
    }
  });

  it('gives back any graph', () => {
    const rank = fc.integer({ min: 0, max: 2 ** 31 - 1 });
    const edges = fc.array(fc.record({ source: rank, destination: rank }), { minLength: 1 });
    fc.assert(
      fc.property(edges, fc.constantFrom(',', ' ', ', ', '\t'), (value, between) => {
        const text = value.map(({ source, destination }) => `${source}${between}${destination}`).join('\n');
        expect(parseGraphFile(text)).to.deep.equal({ ok: true, value });
      }),
    );
  });
});

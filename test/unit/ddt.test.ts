import { expect } from 'chai';
import { parseIndexFile } from '../../src/cli/ddt.js';

describe('index file of -D indx', () => {
  it('holds a displacement and a length a line, the last one too', () => {
    expect(parseIndexFile('# displacement, length\n0,2\n 4 , 1 # gap\n\n8 3\r\n16,1')).to.deep.equal({
      ok: true,
      value: [
        { displacement: 0, length: 2 },
        { displacement: 4, length: 1 },
        { displacement: 8, length: 3 },
        { displacement: 16, length: 1 },
      ],
    });
  });

  it('is refused with the line at fault', () => {
    for (const line of ['1', '1,2,3', 'a,b', '-1,2', '1,0', '1.5,2']) {
      expect(parseIndexFile(`0,1\n${line}\n`), line).to.deep.equal({
        ok: false,
        reason: 'line 2 is not "displacement,length" in elements',
      });
    }
    expect(parseIndexFile('# nothing\n')).to.deep.include({ ok: false });
    expect(parseIndexFile('8,2\n0,9\n')).to.deep.equal({
      ok: false,
      reason: 'the block at displacement 8 overlaps the one before it',
    });
  });
});

/** The command lines of which OMB's output was captured, over the mock transport: the same text, figures apart. */
import { expect } from 'chai';
import { commands, expectedText, formOf, runsOnMock } from '../unit/captures.js';
import { mockRun } from './mock-run.js';

describe('tables over the mock transport, beside those of OMB 7.4', () => {
  for (const { capture, ranks, name, argv } of commands.filter(runsOnMock)) {
    it(`${name} ${argv.join(' ')}`, () => {
      expect(formOf(capture, mockRun(name, argv, { ranks }).text)).to.deep.equal(expectedText(capture));
    });
  }
});

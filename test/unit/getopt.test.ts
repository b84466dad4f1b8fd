import { expect } from 'chai';
import fc from 'fast-check';
import { getopt, type OptionShape } from '../../src/cli/getopt.js';

const SHAPES: readonly OptionShape[] = [
  { name: 'iterations', short: 'i', argument: 'required' },
  { name: 'validation', short: 'c', argument: 'optional' },
  { name: 'validation-warmup', short: 'u', argument: 'required' },
  { name: 'vary-window', short: 'V', argument: 'none' },
  { name: 'full', short: 'f', argument: 'none' },
  { name: 'json', argument: 'required' },
  { name: 'workers', long: ['num-threads', 'num_threads'], short: 't', argument: 'required' },
];

const read = (...argv: string[]) => getopt(argv, SHAPES);

describe('getopt', () => {
  it('takes required arguments glued, apart, and after an equals sign', () => {
    const expected = (given: string) => [{ name: 'iterations', given, value: '100' }];
    expect(read('-i100').options).to.deep.equal(expected('-i'));
    expect(read('-i', '100').options).to.deep.equal(expected('-i'));
    expect(read('--iterations=100').options).to.deep.equal(expected('--iterations'));
    expect(read('--iterations', '100').options).to.deep.equal(expected('--iterations'));
  });

  it('takes the next word as a required argument even when it looks like an option', () => {
    expect(read('-i', '-5').options).to.deep.equal([{ name: 'iterations', given: '-i', value: '-5' }]);
    expect(read('--json', '--').options).to.deep.equal([{ name: 'json', given: '--json', value: '--' }]);
  });

  it('takes optional arguments glued only', () => {
    expect(read('-clog:dir').options).to.deep.equal([{ name: 'validation', given: '-c', value: 'log:dir' }]);
    expect(read('--validation=log').options).to.deep.equal([
      { name: 'validation', given: '--validation', value: 'log' },
    ]);
    const apart = read('-c', 'log');
    expect(apart.options).to.deep.equal([{ name: 'validation', given: '-c' }]);
    expect(apart.positionals).to.deep.equal(['log']);
  });

  it('splits clusters, and gives the rest to the first option that takes an argument', () => {
    expect(read('-fVi5').options.map(({ name, value }) => [name, value])).to.deep.equal([
      ['full', undefined],
      ['vary-window', undefined],
      ['iterations', '5'],
    ]);
    expect(read('-cV').options).to.deep.equal([{ name: 'validation', given: '-c', value: 'V' }]);
  });

  it('knows long names by any prefix that only one of them has', () => {
    expect(read('--iter=3').options).to.deep.equal([{ name: 'iterations', given: '--iter', value: '3' }]);
    expect(read('--validation').options.map(({ name }) => name)).to.deep.equal(['validation']);
    expect(read('--va').problem).to.deep.equal({
      kind: 'ambiguous',
      given: '--va',
      candidates: ['--validation', '--validation-warmup', '--vary-window'],
    });
  });

  it('knows an option by several long names, and not by what identifies it', () => {
    for (const given of ['--num-threads', '--num_threads', '--num', '--num-t']) {
      expect(read(`${given}=3`)).to.deep.equal({ options: [{ name: 'workers', given, value: '3' }], positionals: [] });
    }
    expect(read('--workers=3').problem).to.deep.equal({ kind: 'unknown', given: '--workers' });
    const shapes: OptionShape[] = [...SHAPES, { name: 'num_pairs', argument: 'required' }];
    expect(getopt(['--num'], shapes).problem).to.deep.include({ candidates: ['--num-threads', '--num_pairs'] });
    expect(getopt(['--num_'], shapes).problem).to.deep.include({ candidates: ['--num_threads', '--num_pairs'] });
  });

  it('ends options at -- and takes positionals from anywhere', () => {
    const found = read('D', '-f', 'D', '-', '--', '-V');
    expect(found.options.map(({ name }) => name)).to.deep.equal(['full']);
    expect(found.positionals).to.deep.equal(['D', 'D', '-', '-V']);
  });

  it('names what it can not read and keeps what came before', () => {
    expect(read('-f', '-q', '-V')).to.deep.include({
      options: [{ name: 'full', given: '-f' }],
      problem: { kind: 'unknown', given: '-q' },
    });
    expect(read('--nothing=1').problem).to.deep.equal({ kind: 'unknown', given: '--nothing' });
    expect(read('-f', '-i').problem).to.deep.equal({ kind: 'missing', given: '-i' });
    expect(read('--json').problem).to.deep.equal({ kind: 'missing', given: '--json' });
    expect(read('--full=yes').problem).to.deep.equal({ kind: 'unexpected', given: '--full' });
  });

  it('gives back any value unchanged, in every form', () => {
    const value = fc.string({ minLength: 1, unit: 'binary' });
    fc.assert(
      fc.property(value, (text) => {
        for (const argv of [[`-i${text}`], ['-i', text], [`--iterations=${text}`], ['--iterations', text]]) {
          expect(getopt(argv, SHAPES).options.map((option) => option.value)).to.deep.equal([text]);
        }
      }),
    );
  });
});

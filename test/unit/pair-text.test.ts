import { expect } from 'chai';
import fc from 'fast-check';
import { pairText, wordDifferences } from '../../src/analysis/pair-text.js';
import { bytes, change, column, microseconds, number, sizeRange } from '../../src/analysis/units.js';

describe('two values of one thing', () => {
  it('are told in as few words as tell them apart', () => {
    expect(pairText('Open MPI v4.1.4', 'Open MPI v5.0.2')).to.equal('Open MPI v4.1.4 / v5.0.2');
    expect(pairText('--cpu=14', '--cpu=0')).to.equal('--cpu=14 / 0');
    expect(pairText('0', '14')).to.equal('0 / 14');
    expect(pairText('a b', 'a ')).to.equal('a b / a ');
  });

  it('of command lines are the words that differ, with their options', () => {
    const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
    const told = (a: string, b: string): string[] => wordDifferences(words(a), words(b));
    expect(told('ucx_perftest -c 14 -t put_lat host', 'ucx_perftest -c 0 -t put_lat host')).to.deep.equal([
      '-c 14 / 0',
    ]);
    expect(told('ib_bw -F -d a host1', 'ib_bw -d a host2')).to.deep.equal(['-F / none', 'host1 / host2']);
    expect(told('numactl -N 0 ib_bw', 'ib_bw')).to.deep.equal(['numactl -N 0 / none']);
    expect(told('', 'ib_bw')).to.deep.equal(['none / ib_bw']);
    expect(told('same line', 'same line')).to.deep.equal([]);
  });

  it('of command lines never name what both have', () => {
    const line = fc.array(fc.constantFrom('a', 'b', '-c', '--d=1', '--d=2'), { maxLength: 8 });
    fc.assert(
      fc.property(line, line, (a, b) => {
        const found = wordDifferences(a, b);
        expect(found.length === 0).to.equal(a.join(' ') === b.join(' '));
        expect(wordDifferences(a, a)).to.deep.equal([]);
      }),
    );
  });
});

describe('figures as people read them', () => {
  it('are sizes', () => {
    expect([0, 1, 3, 2048, 3000, 4096, 6000, 2 ** 20, 2 ** 20 + 2 ** 19].map(bytes)).to.deep.equal([
      ...['0 bytes', '1 byte', '3 bytes', '2048 bytes', '3000 bytes', '4 KiB', '6000 bytes', '1 MiB', '1.5 MiB'],
    ]);
    expect(sizeRange([1, 8])).to.equal('1 to 8 bytes');
    expect(sizeRange([1, 4096])).to.equal('1 byte to 4 KiB');
    expect(sizeRange([8, 4096])).to.equal('8 bytes to 4 KiB');
    expect(sizeRange([4096, 8192])).to.equal('4 to 8 KiB');
    expect(sizeRange([4096, 2 ** 20])).to.equal('4 KiB to 1 MiB');
    expect(sizeRange([2048, 3000], 'and')).to.equal('2048 and 3000 bytes');
    expect(sizeRange([7])).to.equal('7 bytes');
  });

  it('are changes, differences and numbers', () => {
    expect([1, 1.0004, 0.9996, 1.1, 0.744, 12].map(change)).to.deep.equal([
      ...['0.0 %', '0.0 %', '0.0 %', '+10 %', '-26 %', 'x 12.00'],
    ]);
    expect([1.6e-7, -1.6e-7, 1.2e-8, 2.5e-5, 3e-4].map(microseconds)).to.deep.equal([
      ...['+0.16 us', '-0.16 us', '+0.012 us', '+25.0 us', '+300 us'],
    ]);
    expect([12_345, 999.94, 12.344, 1.234, 0.1234, 0.0001234, 0].map(number)).to.deep.equal([
      ...['12345', '999.9', '12.34', '1.23', '0.123', '0.000123', '0.00'],
    ]);
    expect(column([1.5e-6, 1.25e-4], { unit: 'us', factor: 1e6 })).to.deep.equal(['1.500', '125.000']);
    expect(column([1e6, 2e9], { unit: 'MB/s', factor: 1e-6 })).to.deep.equal(['1.00', '2000.00']);
  });
});

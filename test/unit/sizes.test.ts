import { expect } from 'chai';
import { COUNTS, countsFor } from '../../src/bench/measure/counts.js';
import { messageSizes, sizeLadder } from '../../src/bench/measure/sizes.js';
import { readCapture } from './project.js';

describe('message sizes', () => {
  it('double from the smallest', () => {
    expect(sizeLadder(3, 20)).to.deep.equal([3, 6, 12]);
    expect(sizeLadder(1, 8)).to.deep.equal([1, 2, 4, 8]);
    expect(sizeLadder(5, 5)).to.deep.equal([5]);
    expect(sizeLadder(1, 4194304)).to.have.length(23);
  });

  it('are those that the peer measured', () => {
    const printed = readCapture('osu_bw')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map((line) => parseInt(line, 10));
    expect(sizeLadder(1, 16384)).to.deep.equal(printed);
  });

  it('begin with 0 when it was asked for', () => {
    expect(sizeLadder(0, 8)).to.deep.equal([0, 1, 2, 4, 8]);
    expect(sizeLadder(0, 0)).to.deep.equal([0]);
  });

  it('go beyond 32 bits', () => {
    expect(sizeLadder(2 ** 31, 2 ** 33)).to.deep.equal([2 ** 31, 2 ** 32, 2 ** 33]);
  });

  it('are the list as it was given', () => {
    expect(messageSizes({ kind: 'list', sizes: [4096, 1, 3, 1] })).to.deep.equal([4096, 1, 3, 1]);
    expect(messageSizes({ kind: 'range', min: 2, max: 9 })).to.deep.equal([2, 4, 8]);
  });
});

describe('iteration counts', () => {
  const counts = (name: keyof typeof COUNTS, size: number): number[] => {
    const { iterations, warmup } = countsFor(COUNTS[name], size);
    return [iterations, warmup];
  };

  it('are those of OMB 7.4, which switch above 8192 bytes', () => {
    expect(counts('latency', 8192)).to.deep.equal([10000, 100]);
    expect(counts('latency', 8193)).to.deep.equal([1000, 10]);
    expect(counts('bandwidth', 1)).to.deep.equal([100, 10]);
    expect(counts('bandwidth', 16384)).to.deep.equal([20, 2]);
    expect(counts('collective', 8192)).to.deep.equal([1000, 100]);
    expect(counts('collective', 16384)).to.deep.equal([100, 10]);
    expect(counts('multiBandwidth', 1)).to.deep.equal([100, 10]);
    expect(counts('multiBandwidth', 4194304)).to.deep.equal([100, 10]);
  });

  it('are overwritten for small and large messages', () => {
    for (const size of [1, 1048576]) {
      expect(countsFor(COUNTS.latency, size, { iterations: 7, warmup: 0 })).to.deep.equal({ iterations: 7, warmup: 0 });
    }
    expect(countsFor(COUNTS.latency, 1, { warmup: 3, iterations: undefined })).to.deep.equal({
      iterations: 10000,
      warmup: 3,
    });
  });
});

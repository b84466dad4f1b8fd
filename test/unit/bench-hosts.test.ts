/** scripts/bench/hosts: what a figure over a shaped cable has to be, and when that is told. */
import { expect } from 'chai';
import { bench } from './bench.js';

interface Estimate {
  readonly interval: { readonly low: number; readonly high: number } | null;
}
const { agrees } = await bench<{ agrees: (figure: Estimate, control: Estimate, tolerance: number) => string }>(
  'hosts/verdict',
);
const { cells } = await bench<{
  cells: readonly {
    readonly id: string;
    readonly base: boolean;
    readonly of: (value: number, base?: number) => number;
  }[];
}>('hosts/cells');
const { verdicts } = await bench<{ verdicts: Readonly<Record<string, string>> }>('statistics');

const within = (low: number, high: number): Estimate => ({ interval: { low, high } });
const steady = within(0.999, 1.001);
const cell = (id: string) => cells.find((one) => one.id === id);

describe('a figure over a shaped cable', () => {
  it('agrees where its whole interval lies within the tolerance, on either side', () => {
    expect(agrees(within(0.96, 1.04), steady, 0.05)).to.equal(verdicts['met']);
    expect(agrees(within(0.94, 1.04), steady, 0.05)).to.equal(verdicts['undecided']);
    expect(agrees(within(0.96, 1.06), steady, 0.05)).to.equal(verdicts['undecided']);
  });

  it('does not where its whole interval lies beyond, however much launches differ', () => {
    for (const control of [steady, within(0.5, 2)]) {
      expect(agrees(within(0.9, 0.94), control, 0.05)).to.equal(verdicts['missed']);
      expect(agrees(within(1.06, 1.2), control, 0.05)).to.equal(verdicts['missed']);
    }
  });

  it('says nothing where launches differ by more, or are too few', () => {
    expect(agrees(within(0.99, 1.01), within(0.9, 1.01), 0.05)).to.equal(verdicts['noisy']);
    expect(agrees(within(0.99, 1.01), within(0.99, 1.1), 0.05)).to.equal(verdicts['noisy']);
    expect(agrees({ interval: null }, steady, 0.05)).to.equal(verdicts['noisy']);
  });

  it('is measured against what a delay of 5 ms and a rate of 1 Gbit/s give', () => {
    expect(cell('ob1 osu_latency 8 at 5ms')?.of(5.006e-3, 6e-6)).to.be.closeTo(1, 1e-12);
    expect(cell('ucx osu_bw 8192 at 1gbit')?.of(119.5508e6)).to.be.closeTo(1, 1e-6);
    expect(cell('ucx osu_bibw 65536 at 1gbit')?.of(239.1017e6)).to.be.closeTo(1, 1e-6);
    expect(cells.filter(({ base }) => base)).to.have.length(2);
  });
});

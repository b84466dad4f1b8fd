/** Which ranks are called slow, and which are not. */
import { expect } from 'chai';
import fc from 'fast-check';
import { RankTimes } from '../../src/bench/measure/rank-times.js';
import { areCrowded, SlowRanks, togetherIn, type Together } from '../../src/bench/slow-ranks.js';
import type { RunHead } from '../../src/report/types.js';

const MICROSECOND = 1e-6;
const hostsOf = (...counts: number[]): string[] =>
  counts.flatMap((count, index) => Array<string>(count).fill(`node${index + 1}`));

/** What is said after rows in which ranks took these times, in us. */
function said(together: Together, hosts: readonly string[], ...rows: (readonly number[])[]): string[] {
  const slow = new SlowRanks(together, hosts);
  for (const row of rows)
    slow.add({ seconds: new Map(row.map((time, rank) => [rank, time * MICROSECOND])), fewest: 100 });
  return slow.sentences();
}

const ALL: Together = { kind: 'all' };

describe('a rank that is slow', () => {
  it('is waited for by the others, so that its own time is short', () => {
    expect(said(ALL, hostsOf(1, 1, 1, 1), [100, 101, 5, 99])).to.deep.equal([
      'rank 2 on node3 is slow: all wait for it, as its own time in the call is 0.05 times the median of the ranks',
    ]);
  });

  it('takes long where it gets its data late, in most rows', () => {
    const rows = [
      [10, 10, 10, 42],
      [20, 20, 20, 84],
      [40, 41, 40, 42],
    ];
    expect(said(ALL, hostsOf(4), ...rows)).to.deep.equal([
      'rank 3 on node1 is slow: it takes 4.2 times the median of the ranks, in 2 of 3 rows',
    ]);
    expect(said(ALL, hostsOf(4), ...rows.slice(1), [1, 1, 1, 1])).to.deep.equal([]);
  });

  it('is one of a pair, of which times tell no more', () => {
    const hosts = hostsOf(4, 4);
    expect(said({ kind: 'pairs', pairs: 4 }, hosts, [10, 30, 10, 11])).to.deep.equal([
      'the pair of rank 1 on node1 and rank 5 on node2 is slow: it takes 2.9 times the median of the pairs',
    ]);
    expect(said({ kind: 'pairs', pairs: 4 }, hosts, [10, 3, 10, 11])).to.deep.equal([]);
  });

  it('is no root, which waits for all or for nobody', () => {
    const rooted: Together = { kind: 'rooted', root: 0 };
    expect(said(rooted, hostsOf(6), [99, 10, 11, 10, 11, 10])).to.deep.equal([]);
    expect(said({ kind: 'rooted', root: 1 }, hostsOf(6), [99, 10, 11, 10, 11, 10])).to.have.length(1);
    expect(said(rooted, hostsOf(6), [10, 10, 1, 11, 10, 11])).to.deep.equal([]);
  });

  it('is none that is only farther away than the others', () => {
    expect(said(ALL, hostsOf(5, 1), [10, 10, 11, 10, 11, 90])).to.deep.equal([]);
    const hosts = ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'b'];
    expect(said({ kind: 'pairs', pairs: 5 }, hosts, [10, 10, 11, 10, 90])).to.deep.equal([]);
  });

  it('is not told of few ranks, of many odd ones, or of few samples', () => {
    expect(said(ALL, hostsOf(3), [10, 10, 90])).to.deep.equal([]);
    expect(said(ALL, hostsOf(8), [10, 10, 10, 10, 10, 90, 90, 90])).to.deep.equal([]);
    const slow = new SlowRanks(ALL, hostsOf(4));
    slow.add({ seconds: new Map([1, 1, 1, 9].map((time, rank) => [rank, time])), fewest: 9 });
    expect(slow.sentences()).to.deep.equal([]);
  });

  it('is none that chance makes of ranks that are alike', () => {
    const noise = fc.double({ min: 0.7, max: 1.39, noNaN: true });
    fc.assert(
      fc.property(fc.array(noise, { minLength: 4, maxLength: 64 }), (times) => {
        expect(said(ALL, hostsOf(times.length), times)).to.deep.equal([]);
      }),
    );
  });

  it('is found wherever it sits, whatever the unit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 6, max: 64 }),
        fc.nat(),
        fc.double({ min: 0.1, max: 1e6, noNaN: true }),
        (n, at, unit) => {
          const times = Array.from({ length: n }, (_, rank) => unit * (rank === at % n ? 0.1 : 1 + (rank % 3) / 100));
          const [line = '', ...more] = said(ALL, hostsOf(n), times);
          expect(more).to.deep.equal([]);
          expect(line).to.match(new RegExp(`^rank ${at % n} on node1 is slow: `));
        },
      ),
    );
  });
});

describe('what ranks do together', () => {
  const root = { kind: 'fixed', rank: 2 } as const;
  const of = (name: string, ranks = 'many') => togetherIn({ ranks, kernel: { name } }, 3, root);

  it('follows from the benchmark', () => {
    expect(of('allreduce')).to.deep.equal({ kind: 'all' });
    expect(of('barrier persistent')).to.deep.equal({ kind: 'all' });
    expect(of('bcast')).to.deep.equal({ kind: 'rooted', root: 2 });
    expect(togetherIn({ ranks: 'many', kernel: { name: 'scatterv' } }, 0, { kind: 'rotate' })).to.deep.equal({
      kind: 'rooted',
      root: null,
    });
    expect(of('window stream', 'pairs')).to.deep.equal({ kind: 'pairs', pairs: 3 });
    for (const name of ['iallreduce', 'neighbor_allgather', 'ping-pong']) expect(of(name), name).to.equal(null);
  });

  it("is the scheduler's choice where they share hardware threads", () => {
    const head = (cpus: number | null) =>
      ({
        environment: { hosts: [{ name: 'a', cpus }] },
        ranks: [{ host: 'a' }, { host: 'a' }, { host: 'b' }],
      }) as unknown as RunHead;
    expect([1, 2, null].map((cpus) => areCrowded(head(cpus)))).to.deep.equal([true, false, false]);
  });
});

describe('times of ranks', () => {
  it('are medians of a few samples of each chunk, from all of it', () => {
    const times = new RankTimes();
    times.add(
      0,
      Float64Array.from({ length: 1_000_000 }, (_, i) => i),
    );
    times.add(1, Float64Array.of(3, 1, 2));
    times.add(1, Float64Array.of(7, 8));
    const { seconds, fewest } = times.medians();
    expect(seconds.get(0)).to.be.closeTo(500_000, 10_000);
    expect(seconds.get(1)).to.equal(3);
    expect(fewest).to.equal(5);
  });
});

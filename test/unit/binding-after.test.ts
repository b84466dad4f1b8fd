/** What is said of ranks before and after their run. */
import { expect } from 'chai';
import { recheckRanks } from '../../src/bench/binding-after.js';
import { bindingReport } from '../../src/bench/binding.js';
import type { BindingRecord, RankRecord } from '../../src/results/types.js';

const kept: BindingRecord = { asked: 'keep', by: 'launcher', memory: 'first touch' };

function rank(number: number, lists: readonly (readonly number[])[], binding: BindingRecord = kept): RankRecord {
  const threads = lists.map((hardwareThreads, index) => ({ id: 100 + index, name: `t${index}`, hardwareThreads }));
  const own = lists[0] ?? [];
  return {
    ...{ rank: number, host: 'a', localRank: number, cores: own, hardwareThreads: own, numaNode: 0, threads, binding },
  };
}

describe('ranks after their run', () => {
  it('are as before where nothing has changed, new threads included', () => {
    const before = [rank(0, [[0], [0]]), rank(1, [[1], [1], [0, 1]])];
    const now = [rank(0, [[0], [0], [0]]), rank(1, [[1], [1], [0, 1]])];
    expect(recheckRanks(before, now)).to.deep.equal({ ranks: before, warnings: [] });
  });

  it('are told of where one was moved', () => {
    const before = [rank(0, [[0], [0]]), rank(1, [[1], [1]])];
    const { ranks, warnings } = recheckRanks(before, [rank(0, [[0], [0]]), rank(1, [[0, 2], [1]])]);
    expect(warnings).to.deep.equal([
      'rank 1 was moved during the run: it began on hardware thread 1 and may now run on 0,2, so its figures are of both',
    ]);
    expect(ranks[0]).to.deep.equal(before[0]);
    expect(ranks[1]).to.deep.equal({
      ...before[1],
      binding: {
        ...kept,
        after: { hardwareThreads: [0, 2], threads: [{ id: 100, name: 't0', hardwareThreads: [0, 2] }] },
      },
    });
  });

  it('are told of where threads have left their process', () => {
    const before = [rank(0, [[0], [0]])];
    const one = recheckRanks(before, [rank(0, [[0], [0], [0, 1]])]);
    expect(one.warnings).to.deep.equal([
      'rank 0 has threads that left its binding to 0 during the run: thread 102 (t2) may run on 0-1',
    ]);
    expect(one.ranks[0]?.binding?.after).to.deep.equal({
      hardwareThreads: [0],
      threads: [{ id: 102, name: 't2', hardwareThreads: [0, 1] }],
    });
    const several = recheckRanks(before, [rank(0, [[0], [1], [0, 1]])]);
    expect(several.warnings[0]).to.match(/: 2 threads may run elsewhere$/);
  });

  it('name the NICs that are known by then', () => {
    const nics = [{ name: 'mlx5_0', numaNode: 1, distance: 21 }];
    const { ranks, warnings } = recheckRanks([rank(0, [[0]])], [rank(0, [[0]], { ...kept, nics })]);
    expect(warnings).to.be.empty;
    expect(ranks[0]?.binding).to.deep.equal({ ...kept, nics });
  });
});

describe('--report-binding', () => {
  it('tells of cores, NUMA node, distances, memory and who chose', () => {
    const nics = [
      { name: 'mlx5_0', numaNode: 1, distance: 21 },
      { name: 'mlx5_1', numaNode: 0, distance: 0 },
      { name: 'rxe0', numaNode: null, distance: null },
    ];
    const asked = { by: 'fabricbench', memory: 'bind:0', nics } as const;
    expect(
      bindingReport([
        rank(0, [[0], [0]]),
        rank(1, [[1], [0, 1]], { ...asked, asked: 'near:mlx5_0' }),
        { ...rank(2, [[2, 3]], { ...asked, nics: [], memory: null, asked: '-c 2,3' }), numaNode: null },
      ]),
    ).to.deep.equal([
      'rank 0 on a: core 0, hardware thread 0, NUMA node 0, all 2 threads of the process alike',
      'rank 1 on a: core 1, hardware thread 1, NUMA node 0, distance 21 to mlx5_0, near mlx5_1, unknown distance to rxe0, memory bind:0, bound by --bind near:mlx5_0, thread 101 may run on 0-1',
      'rank 2 on a: core 2-3, hardware thread 2-3, bound by -c 2,3, all 1 threads of the process alike',
    ]);
  });
});

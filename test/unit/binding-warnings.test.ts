import { expect } from 'chai';
import { bindingWarnings } from '../../src/bench/binding.js';
import type { RankRecord } from '../../src/results/types.js';

function on(rank: number, hardwareThreads: readonly number[], more: Partial<RankRecord> = {}): RankRecord {
  return {
    ...{ rank, host: 'node1', localRank: rank, cores: hardwareThreads, hardwareThreads, numaNode: 0 },
    threads: [{ id: 10 + rank, name: 'node', hardwareThreads }],
    ...more,
  };
}

describe('warnings of where ranks run', () => {
  it('are none where each has a core', () => {
    expect(bindingWarnings([on(0, [0]), on(1, [1])])).to.deep.equal([]);
    expect(bindingWarnings([on(0, [0]), on(1, [0], { host: 'node2' })])).to.deep.equal([]);
    // Both threads of one core are one place.
    expect(bindingWarnings([on(0, [0, 4], { cores: [0] })])).to.deep.equal([]);
    expect(bindingWarnings([on(0, [], { cores: null, hardwareThreads: null })])).to.deep.equal([]);
  });

  it('tell of ranks that may wander, that share a core, and whose threads are elsewhere', () => {
    const strayed = on(2, [3], { threads: [{ id: 9, name: 'x', hardwareThreads: [0, 1] }] });
    const warnings = bindingWarnings([on(0, [1]), on(1, [1]), strayed, on(3, [4, 5])]);
    expect(warnings).to.deep.equal([
      'rank 3 may run on several cores, so figures will vary: bind with mpirun --bind-to core or with --bind',
      'ranks 0, 1 share core 1 of node1, so figures show the scheduler: give each rank its own core with --bind',
      'rank 2 is bound to 3, but thread 9 may run on 0-1',
    ]);
  });

  it('tell of ranks with more threads that work at once than places', () => {
    const workersOf = (rank: number): number => (rank === 0 ? 1 : 3);
    expect(bindingWarnings([on(0, [0]), on(1, [1])], workersOf)).to.deep.equal([
      'rank 1 has 3 threads that work at once on hardware thread 1, so figures show the scheduler: leave it more (mpirun --bind-to none or --map-by slot:pe=3, -c of ucx_perftest), and leave --bind out',
    ]);
    const [crowd] = bindingWarnings([on(1, [2, 6], { cores: [2] })], workersOf);
    expect(crowd).to.match(/^rank 1 has 3 threads that work at once on hardware threads 2,6, so/);
    expect(bindingWarnings([on(1, [1, 2, 3], { cores: [1] })], workersOf)).to.deep.equal([]);
    expect(bindingWarnings([on(1, [], { cores: null, hardwareThreads: null })], workersOf)).to.deep.equal([]);
  });
});

/** Which core each rank gets, on small machines made up for it. */
import { expect } from 'chai';
import fc from 'fast-check';
import { placesText } from '../../src/binding/dry-run.js';
import { placesIn } from '../../src/binding/resolve.js';
import { parseBind } from '../../src/binding/spec.js';
import type { BindSpec } from '../../src/binding/types.js';
import { allowedCores, restrictTo } from '../../src/topology/near.js';
import type { Topology } from '../../src/topology/types.js';
import { machine, nic } from './machines.js';

type Placed = Exclude<BindSpec, { kind: 'keep' }>;

function specOf(text: string): Placed {
  const spec = parseBind(text);
  if (!spec.ok || spec.value.kind === 'keep') throw new Error(text);
  return spec.value;
}

function found(topology: Topology, text: string, ranks: number, overlap = false): readonly number[] | string {
  const places = placesIn(topology, { spec: specOf(text), ranks, overlap });
  return places.ok ? places.value : places.reason;
}

/** Two packages, a NIC at the second; hardware threads 0 to 7 are first ones. */
const two = machine({ packages: 2, coresPerNode: 4, threadsPerCore: 2, distances: [[10, 21], [21, 10]] }, [nic('mlx5_0', [4, 5, 6, 7, 12, 13, 14, 15], 1)]); // prettier-ignore
const eight = machine({ packages: 8, coresPerNode: 2 }, [nic('mlx5_0', [6, 7], 3)]);
const bare = machine({ packages: 1, coresPerNode: 1 });
const quarters = machine({ packages: 2, nodesPerPackage: 2, coresPerNode: 2, threadsPerCore: 2 });
/** Three cores with two hardware threads and four with one, in packages of unequal size. */
const mixed: Topology = {
  ...machine({ packages: 1, coresPerNode: 1 }, [nic('eth0', [6, 7, 8, 9], 1)]),
  cores: [[0, 1], [2, 3], [4, 5], [6], [7], [8], [9]].map((threads, logical) => ({ logical, os: logical, threads, kind: threads.length - 1 })), // prettier-ignore
  threads: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((os) => {
    const side = os < 6 ? 0 : 1;
    const core = os < 6 ? Math.floor(os / 2) : os - 3;
    return { os, logical: os, core, numaNode: side, package: side, allowed: true };
  }),
  packages: [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]].map((cpus, logical) => ({ logical, os: logical, cpus, model: null })), // prettier-ignore
  numaNodes: [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]].map((cpus, os) => ({ os, logical: os, cpus, memory: null })), // prettier-ignore
};

describe('cores of local ranks', () => {
  const cases: readonly [string, Topology, string, number, readonly number[]][] = [
    ['near a NIC, first hardware threads in logical order', two, 'near:mlx5_0', 5, [4, 5, 6, 7, 0]],
    ['far from a NIC', two, 'far:mlx5_0', 5, [0, 1, 2, 3, 4]],
    ['near on eight packages', eight, 'near:mlx5_0', 3, [6, 7, 0]],
    ['far on eight packages: the lowest of equally far nodes', eight, 'far:mlx5_0', 3, [0, 1, 2]],
    ['of a NUMA node', two, 'numa:1', 4, [4, 5, 6, 7]],
    ['of the only core', bare, 'compact', 1, [0]],
    ['of the only core, spread', bare, 'spread', 1, [0]],
    ['side by side', two, 'compact', 5, [0, 1, 2, 3, 4]],
    ['spread over two packages', two, 'spread', 2, [0, 4]],
    ['spread, the first package having one more', two, 'spread', 3, [0, 2, 4]],
    ['spread over all', two, 'spread', 8, [0, 1, 2, 3, 4, 5, 6, 7]],
    ['spread over NUMA nodes within packages', quarters, 'spread', 4, [0, 2, 4, 6]],
    ['spread over some packages of eight', eight, 'spread', 3, [0, 2, 4]],
    ['spread over unequal packages', mixed, 'spread', 4, [0, 2, 6, 8]],
    ['spread over unequal packages until one is full', mixed, 'spread', 7, [0, 2, 4, 6, 7, 8, 9]],
    ['near on cores of two kinds', mixed, 'near:eth0', 5, [6, 7, 8, 9, 0]],
    ['side by side on cores of two kinds', mixed, 'compact', 4, [0, 2, 4, 6]],
    ['as listed', two, '7,0', 2, [7, 0]],
    ['as listed, which may be longer', two, '7,0,3', 2, [7, 0]],
    ['a second hardware thread', two, 'core:15', 1, [15]],
  ];
  for (const [what, topology, text, ranks, expected] of cases) {
    it(`${what}: --bind ${text} for ${ranks}`, () => {
      expect(found(topology, text, ranks)).to.deep.equal(expected);
    });
  }

  it('are of those that may be used, by their first hardware thread that may be', () => {
    const some = restrictTo(two, [1, 9, 10, 6, 15]);
    expect(found(some, 'compact', 4)).to.deep.equal([1, 10, 6, 15]);
    expect(found(some, 'near:mlx5_0', 3)).to.deep.equal([6, 15, 1]);
    expect(found(some, 'numa:0', 2)).to.deep.equal([1, 10]);
    expect(found(restrictTo(two, [0, 4, 5, 6, 7]), 'spread', 3)).to.deep.equal([0, 4, 6]);
  });

  it('are dealt out again with --overlap', () => {
    expect(found(two, 'numa:1', 6, true)).to.deep.equal([4, 5, 6, 7, 4, 5]);
    expect(found(bare, 'spread', 3, true)).to.deep.equal([0, 0, 0]);
    expect(found(two, 'core:3', 2, true)).to.deep.equal([3, 3]);
    expect(found(two, '0,8', 2, true)).to.deep.equal([0, 8]);
  });
});

describe('refusals of places', () => {
  const share = 'add --overlap to let ranks share cores';
  const cases: readonly [Topology, string, number, string][] = [
    [two, 'near:mlx5_1', 1, 'this machine has no device "mlx5_1": use one of mlx5_0'],
    [bare, 'near:mlx5_0', 1, 'this machine has no device "mlx5_0": it has none'],
    [bare, 'far:mlx5_0', 1, 'this machine has no device "mlx5_0": it has none'],
    [two, 'numa:2', 1, 'this machine has no NUMA node 2: it has 0-1'],
    [two, 'numa:1', 5, `5 ranks of a host want a core each, and 4 cores (4-7) in numa:1 may be used: start fewer, or ${share}`], // prettier-ignore
    [bare, 'compact', 2, `2 ranks of a host want a core each, and 1 core (0) of this machine may be used: start fewer, or ${share}`], // prettier-ignore
    [bare, 'spread', 2, `2 ranks of a host want a core each, and 1 core (0) of this machine may be used: start fewer, or ${share}`], // prettier-ignore
    [two, 'core:0', 2, `it names 1 core, and this host has 2 ranks: name one for each, or ${share}`],
    [two, '0,16', 2, 'core 16 does not exist: there are 0-15'],
    [two, '99,16', 2, 'cores 16,99 do not exist: there are 0-15'],
    [two, '0,0', 2, `local ranks 0 and 1 would share core 0: name other cores, or ${share}`],
    [two, '3,0,11', 3, `local ranks 0 and 2 would share core 3: name other cores, or ${share}`],
    [restrictTo(two, [0, 1]), '0,4', 2, 'core 4 may not be used: this process may use 0-1'],
    [restrictTo(two, [0, 1]), '5,4', 2, 'cores 4-5 may not be used: this process may use 0-1'],
    [restrictTo(two, [0, 1]), 'numa:1', 1, 'none of its cores may be used: this process may use 0-1'],
    [restrictTo(two, []), 'compact', 1, 'none of its cores may be used: this process may use none'],
  ];
  for (const [topology, text, ranks, sentence] of cases) {
    it(`--bind ${text} for ${ranks}: ${sentence.slice(0, 60)}`, () => {
      expect(found(topology, text, ranks)).to.equal(sentence);
    });
  }

  it('name a device of which nobody knows where it is', () => {
    const lost = machine({ packages: 2, coresPerNode: 2 }, [nic('mlx5_0', null)]);
    for (const text of ['near:mlx5_0', 'far:mlx5_0'])
      expect(found(lost, text, 1)).to.match(/does not say which NUMA node mlx5_0 belongs to/);
  });

  it('let a memory node without cores have no ranks', () => {
    const memory = { os: 2, logical: 2, cpus: [], memory: 2 ** 30 };
    expect(found({ ...two, numaNodes: [...two.numaNodes, memory] }, 'numa:2', 1)).to.match(/^none of its cores/);
  });
});

describe('places on any machine', () => {
  const shape = fc.record({
    packages: fc.integer({ min: 1, max: 8 }),
    nodesPerPackage: fc.integer({ min: 1, max: 3 }),
    coresPerNode: fc.integer({ min: 1, max: 4 }),
    threadsPerCore: fc.integer({ min: 1, max: 2 }),
  });
  const specs = ['compact', 'spread', 'near:mlx5_0', 'far:mlx5_0'];

  it('are allowed, and of as many cores as there are ranks', () => {
    fc.assert(
      fc.property(shape, fc.array(fc.nat(191)), fc.constantFrom(...specs), fc.nat(), (given, cpus, text, seed) => {
        const topology = restrictTo(machine(given, [nic('mlx5_0', [0], 0)]), cpus);
        const most = allowedCores(topology).length;
        fc.pre(most > 0);
        const ranks = 1 + (seed % most);
        const places = found(topology, text, ranks);
        if (typeof places === 'string') throw new Error(places);
        const threads = places.map((cpu) => topology.threads.find(({ os }) => os === cpu));
        expect(threads.every((thread) => thread?.allowed)).to.equal(true);
        expect(new Set(threads.map((thread) => thread?.core)).size).to.equal(ranks);
        expect(found(topology, text, most + 1)).to.match(/want a core each/);
      }),
    );
  });

  it('are spread evenly over packages, and over the nodes of each', () => {
    fc.assert(
      fc.property(shape, fc.nat(), (given, seed) => {
        const topology = machine(given);
        const ranks = 1 + (seed % topology.cores.length);
        const places = found(topology, 'spread', ranks);
        if (typeof places === 'string') throw new Error(places);
        const countIn = (cpus: readonly number[]): number => places.filter((cpu) => cpus.includes(cpu)).length;
        for (const groups of [topology.packages, topology.numaNodes]) {
          const counts = groups.map(({ cpus }) => countIn(cpus));
          expect(Math.max(...counts) - Math.min(...counts)).to.be.at.most(1);
        }
      }),
    );
  });
});

describe('a dry run', () => {
  const wish = { overlap: false, membind: undefined } as const;

  it('shows places, and the distance from the device in question', () => {
    expect(placesText(two, { ...wish, bind: specOf('far:mlx5_0'), membind: { kind: 'local' } }, 5)).to.deep.equal({
      ok: true,
      value: [
        '--bind far:mlx5_0 for 5 ranks on this machine (2 packages, 2 NUMA nodes, 8 cores):',
        'local rank 0: core 0, hardware thread 0, NUMA node 0, memory of NUMA node 0 (mlx5_0: distance 21)',
        'local rank 1: core 1, hardware thread 1, NUMA node 0, memory of NUMA node 0 (mlx5_0: distance 21)',
        'local rank 2: core 2, hardware thread 2, NUMA node 0, memory of NUMA node 0 (mlx5_0: distance 21)',
        'local rank 3: core 3, hardware thread 3, NUMA node 0, memory of NUMA node 0 (mlx5_0: distance 21)',
        'local rank 4: core 4, hardware thread 4, NUMA node 1, memory of NUMA node 1 (mlx5_0: near)',
        '',
      ].join('\n'),
    });
  });

  it('names the core of a second hardware thread by its first', () => {
    const text = placesText(two, { ...wish, bind: specOf('15'), membind: { kind: 'node', node: 0 } }, 1);
    expect(text).to.deep.include({ ok: true });
    expect(text.ok && text.value.split('\n')[1]).to.equal(
      'local rank 0: core 7, hardware thread 15, NUMA node 1, memory of NUMA node 0',
    );
  });

  it('has nothing to say of ranks that stay where they are', () => {
    expect(placesText(bare, { ...wish, bind: { kind: 'keep' } }, 1)).to.deep.equal({
      ok: true,
      value:
        '--bind keep for 1 rank on this machine (1 package, 1 NUMA node, 1 core):\nall local ranks: where their launcher has them run\n',
    });
  });

  it('refuses memory of a node that there is not', () => {
    expect(placesText(bare, { ...wish, bind: { kind: 'keep' }, membind: { kind: 'node', node: 1 } }, 1)).to.deep.equal({
      ok: false,
      reason: "--membind=1 can't be had: this machine has no NUMA node 1: it has 0",
    });
    // It is the memory that there is not, whatever was asked for beside it.
    expect(placesText(two, { ...wish, bind: specOf('compact'), membind: { kind: 'node', node: 2 } }, 1)).to.deep.equal({
      ok: false,
      reason: "--membind=2 can't be had: this machine has no NUMA node 2: it has 0-1",
    });
  });

  it('says whose cores are forbidden: this process, or one on the machine that is meant', () => {
    const some = restrictTo(two, [2, 3]);
    const reasonOf = (topology: Topology): unknown => {
      const text = placesText(topology, { ...wish, bind: specOf('1') }, 1);
      return text.ok ? text.value : text.reason;
    };
    expect(reasonOf(some)).to.equal("--bind 1 can't be had: core 1 may not be used: this process may use 2-3");
    expect(reasonOf({ ...some, thisSystem: false })).to.equal(
      "--bind 1 can't be had: core 1 may not be used: processes there may use 2-3",
    );
  });
});

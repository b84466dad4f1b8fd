import { expect } from 'chai';
import fc from 'fast-check';
import { TopologyError } from '../../src/topology/errors.js';
import {
  allowedCores,
  coresByDistance,
  coresFromFarthest,
  deviceNamed,
  distanceText,
  distanceToDevice,
  firstThread,
  restrictTo,
} from '../../src/topology/near.js';
import type { Core, OsDevice, Topology } from '../../src/topology/types.js';
import { machine, nic } from './machines.js';

const numbers = (cores: readonly Core[]): number[] => cores.map(({ logical }) => logical);
const distances = (topology: Topology, device: OsDevice): (number | null)[] =>
  topology.cores.map((core) => distanceToDevice(topology, core, device));

const slit = [
  [10, 12, 20, 22],
  [12, 10, 22, 20],
  [20, 22, 10, 12],
  [22, 20, 12, 10],
];
const four = { packages: 2, nodesPerPackage: 2, coresPerNode: 2, threadsPerCore: 2 };

describe('cores by their distance from a device', () => {
  it('takes the matrix of the machine where there is one', () => {
    const topology = machine({ ...four, distances: slit });
    const device = nic('mlx5_0', [2, 3, 10, 11], 1);
    expect(distances(topology, device)).to.deep.equal([12, 12, 0, 0, 22, 22, 20, 20]);
    expect(numbers(coresByDistance(topology, device))).to.deep.equal([2, 3, 0, 1, 6, 7, 4, 5]);
    expect(numbers(coresFromFarthest(topology, device))).to.deep.equal([4, 5, 6, 7, 0, 1, 2, 3]);
  });

  it('goes by packages where the machine has no matrix', () => {
    const topology = machine(four);
    const device = nic('mlx5_0', [4, 5, 12, 13], 2);
    expect(distances(topology, device)).to.deep.equal([3, 3, 3, 3, 0, 0, 2, 2]);
    expect(numbers(coresByDistance(topology, device))).to.deep.equal([4, 5, 6, 7, 0, 1, 2, 3]);
  });

  it('starts from the lowest number of equally far nodes, and leaves no node before its cores are used up', () => {
    const topology = machine({ packages: 8, coresPerNode: 2 });
    expect(numbers(coresFromFarthest(topology, nic('a', [0, 1], 0)))).to.deep.equal([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1,
    ]);
    expect(numbers(coresFromFarthest(topology, nic('b', [6, 7], 3))).slice(0, 2)).to.deep.equal([0, 1]);
  });

  it('has a device near several nodes at the distance of the nearest', () => {
    const topology = machine({ ...four, distances: slit });
    expect(distances(topology, nic('mlx5_0', [0, 1, 2, 3]))).to.deep.equal([0, 0, 0, 0, 20, 20, 20, 20]);
  });

  it('prefers the cores of a part of a node', () => {
    const topology = machine({ packages: 2, coresPerNode: 4, distances: [[10, 21], [21, 10]] }); // prettier-ignore
    const device = nic('mlx5_0', [2, 3], 0);
    expect(numbers(coresByDistance(topology, device))).to.deep.equal([2, 3, 0, 1, 4, 5, 6, 7]);
    expect(numbers(coresFromFarthest(topology, device))).to.deep.equal([4, 5, 6, 7, 0, 1, 2, 3]);
    expect(distances({ ...topology, distances: null }, device)).to.deep.equal([1, 1, 0, 0, 3, 3, 3, 3]);
  });

  it('refuses a device of which nobody knows where it is', () => {
    const topology = machine(four);
    const device = nic('mlx5_0', null);
    expect(distances(topology, device)).to.deep.equal(Array(8).fill(null));
    const sentence = 'this machine does not say which NUMA node mlx5_0 belongs to: name cores or a NUMA node instead';
    expect(() => coresByDistance(topology, device)).to.throw(TopologyError, sentence);
    expect(() => coresFromFarthest(topology, device)).to.throw(TopologyError, sentence);
  });

  it('refuses a core that the matrix lacks', () => {
    const whole = machine({ ...four, distances: slit });
    const topology = { ...whole, distances: { nodes: [0, 1], values: [[10, 12], [12, 10]] } }; // prettier-ignore
    const device = nic('mlx5_0', [0, 1, 8, 9], 0);
    expect(() => coresByDistance(topology, device)).to.throw(
      TopologyError,
      'the distance from core 4 to mlx5_0 is unknown: name cores or a NUMA node instead',
    );
    const allowed = restrictTo(topology, [0, 1, 2, 3]);
    expect(numbers(coresByDistance(allowed, device))).to.deep.equal([0, 1, 2, 3]);
  });

  it('orders all allowed cores and no others, whatever is allowed', () => {
    const shape = fc.record({
      packages: fc.integer({ min: 1, max: 4 }),
      nodesPerPackage: fc.integer({ min: 1, max: 3 }),
      coresPerNode: fc.integer({ min: 1, max: 3 }),
      threadsPerCore: fc.integer({ min: 1, max: 2 }),
    });
    fc.assert(
      fc.property(shape, fc.nat(), fc.array(fc.nat(71)), (given, node, cpus) => {
        const topology = restrictTo(machine(given), cpus);
        const at = topology.numaNodes[node % topology.numaNodes.length];
        const device = nic('mlx5_0', at?.cpus ?? [], at?.os);
        const expected = numbers(allowedCores(topology));
        for (const order of [coresByDistance, coresFromFarthest]) {
          const cores = numbers(order(topology, device));
          expect([...cores].sort((a, b) => a - b)).to.deep.equal(expected);
        }
        const near = coresByDistance(topology, device).map((core) => distanceToDevice(topology, core, device) ?? NaN);
        expect(near).to.deep.equal([...near].sort((a, b) => a - b));
      }),
    );
  });
});

describe('allowed hardware threads', () => {
  it('are those of the topology that are named as well', () => {
    const topology = restrictTo(restrictTo(machine(four), [1, 9, 10]), [0, 9, 10]);
    const cores = allowedCores(topology);
    expect(numbers(cores)).to.deep.equal([1, 2]);
    expect(cores.map((core) => firstThread(topology, core)?.os)).to.deep.equal([9, 10]);
    expect(topology.cores.filter((core) => firstThread(topology, core) === undefined)).to.have.length(6);
  });
});

describe('devices by name', () => {
  const topology = machine(four, [nic('mlx5_0', [0]), nic('ib0', [0])]);

  it('names those that there are when it refuses one', () => {
    expect(deviceNamed(topology, 'ib0').name).to.equal('ib0');
    expect(() => deviceNamed(topology, 'mlx5_1')).to.throw(
      TopologyError,
      'this machine has no device "mlx5_1": use one of mlx5_0, ib0',
    );
    expect(() => deviceNamed(machine(four), 'x')).to.throw('this machine has no device "x": it has none');
    const source = { kind: 'xml', name: 'a.xml' } as const;
    expect(() => deviceNamed({ ...topology, source }, 'x')).to.throw('the topology of a.xml has no device "x"');
  });

  it('puts distances into words', () => {
    const words = (given: Topology, device: OsDevice): string[] =>
      given.cores.filter(({ logical }) => logical % 2 === 0).map((core) => distanceText(given, core, device));
    const device = nic('mlx5_0', [0, 1, 8, 9], 0);
    expect(words(machine(four), device)).to.deep.equal(['near', 'same package', 'other package', 'other package']);
    const measured = machine({ ...four, distances: slit });
    expect(words(measured, device)).to.deep.equal(['near', 'distance 12', 'distance 20', 'distance 22']);
    expect(words(machine({ packages: 1, coresPerNode: 1 }), nic('x', null))).to.deep.equal(['unknown']);
  });
});

/** What is read of machines and processes without hwloc. */
import { expect } from 'chai';
import { join } from 'node:path';
import { readMachine } from '../../src/binding/machine.js';
import { outerCpus } from '../../src/binding/outer.js';
import { placesIn } from '../../src/binding/resolve.js';
import { nicPlace } from '../../src/binding/sysfs.js';
import { devicesOf, nicDistances } from '../../src/bench/nic-distance.js';
import { allowedCores, coresByDistance, deviceNamed } from '../../src/topology/near.js';
import { readHost } from '../../src/results/environment.js';
import { fakeRoot, writeDevice, writeFiles, writeMachine } from './fake-machine.js';

const shape = { packages: 2, nodesPerPackage: 2, coresPerNode: 4, threadsPerCore: 2, coresPerCache: 2, inTurn: true };
const all = Array.from({ length: 32 }, (_, cpu) => cpu);

describe("a machine by sysfs's files", () => {
  const root = fakeRoot();
  const sys = (): string => join(root(), 'sys');

  it('has its cores part by part, whatever their numbers', () => {
    writeMachine(root(), shape);
    const topology = readMachine({ allowed: all, root: sys() });
    expect(topology?.cores.map(({ threads }) => threads[0])).to.deep.equal([
      ...[0, 2, 4, 6, 8, 10, 12, 14],
      ...[1, 3, 5, 7, 9, 11, 13, 15],
    ]);
    expect(topology?.cores[1]?.threads).to.deep.equal([2, 18]);
    expect(topology?.distances?.values[0]).to.deep.equal([10, 12, 32, 32]);
    expect(topology?.threads.find(({ os }) => os === 29)).to.deep.include({ core: 14, package: 1, numaNode: 3 });
    if (!topology) return;
    const spread = placesIn(topology, { spec: { kind: 'spread' }, ranks: 8, overlap: false });
    expect(spread).to.deep.equal({ ok: true, value: [0, 4, 8, 12, 1, 5, 9, 13] });
  });

  it('has what is allowed and switched on alone', () => {
    writeMachine(root(), shape);
    writeFiles(root(), { 'sys/devices/system/cpu/online': '0-3,5-31' });
    const topology = readMachine({ allowed: [1, 5, 20], root: sys() });
    expect(topology?.threads).to.have.length(31);
    // Of a core with one of its hardware threads switched off the other is there.
    expect(topology && allowedCores(topology).map(({ threads }) => threads)).to.deep.equal([[20], [1, 17], [5, 21]]);
  });

  it('is nothing where the files are missing', () => {
    expect(readMachine({ allowed: all, root: sys() })).to.equal(null);
    writeFiles(root(), { 'sys/devices/system/cpu/online': '0-3' });
    expect(readMachine({ allowed: all, root: sys() })).to.equal(null);
  });

  it('has one NUMA node where the kernel knows none', () => {
    writeFiles(root(), {
      'sys/devices/system/cpu/online': '0-1',
      'sys/devices/system/cpu/cpu0/topology/thread_siblings_list': '0',
      'sys/devices/system/cpu/cpu1/topology/thread_siblings_list': '1',
    });
    const topology = readMachine({ allowed: [0, 1], root: sys() });
    expect(topology?.numaNodes).to.deep.equal([{ os: 0, logical: 0, cpus: [0, 1], memory: null }]);
    expect(topology?.packages).to.be.empty;
    expect(topology?.distances).to.equal(null);
  });

  it('knows where the device in question is', () => {
    writeMachine(root(), shape);
    writeDevice(root(), { kind: 'infiniband', name: 'mlx5_0', pci: { cpus: '1,3,5,7,17,19,21,23', node: 2 } });
    const topology = readMachine({ allowed: all, device: 'mlx5_0', root: sys() });
    if (!topology) throw new Error('no topology');
    const cores = coresByDistance(topology, deviceNamed(topology, 'mlx5_0'));
    expect(cores.map(({ threads }) => threads[0]).slice(0, 9)).to.deep.equal([1, 3, 5, 7, 9, 11, 13, 15, 0]);
    expect(readMachine({ allowed: all, device: 'mlx5_1', root: sys() })).to.equal(null);
  });

  it('does not know where a device is whose node the kernel does not know', () => {
    writeMachine(root(), shape);
    writeDevice(root(), { kind: 'net', name: 'eth0', pci: { cpus: '0-31', node: -1 } });
    const topology = readMachine({ allowed: all, device: 'eth0', root: sys() });
    expect(topology?.devices[0]?.near).to.equal(null);
  });
});

describe('where network devices are', () => {
  const root = fakeRoot();
  const sys = (): string => join(root(), 'sys');

  it('is known of their PCI device, which may be farther up', () => {
    writeDevice(root(), { kind: 'net', name: 'eth0', pci: { cpus: '0-3', node: 0 }, virtio: true });
    writeDevice(root(), { kind: 'infiniband', name: 'mlx5_0', pci: { cpus: '4-7', node: 1 } });
    writeDevice(root(), { kind: 'net', name: 'lo' });
    expect(nicPlace('eth0', sys())).to.deep.equal({ cpus: [0, 1, 2, 3], numaNode: 0 });
    expect(nicPlace('mlx5_0', sys())).to.deep.equal({ cpus: [4, 5, 6, 7], numaNode: 1 });
    expect(nicPlace('lo', sys())).to.equal(null);
    expect(nicPlace('mlx5_1', sys())).to.equal(null);
  });

  it('gives distances from a rank', () => {
    writeMachine(root(), { ...shape, inTurn: false });
    writeDevice(root(), { kind: 'infiniband', name: 'mlx5_0', pci: { cpus: '8-11,24-27', node: 2 } });
    writeDevice(root(), { kind: 'infiniband', name: 'mlx5_1', pci: { cpus: '0-31', node: -1 } });
    writeDevice(root(), { kind: 'infiniband', name: 'rxe0' });
    const host = readHost({ root: root() });
    const from = (hardwareThreads: number[], numaNode: number | null): (number | null)[] =>
      nicDistances(host, { hardwareThreads, numaNode }, ['rxe0', 'mlx5_0', 'mlx5_1', 'other'], sys()).map(
        ({ distance }) => distance,
      );
    // In the order of the host's devices.
    expect(host.nics.map(({ name }) => name)).to.deep.equal(['mlx5_0', 'mlx5_1', 'rxe0']);
    expect(from([8], 2)).to.deep.equal([0, null, null]);
    expect(from([12], 3)).to.deep.equal([12, null, null]);
    expect(from([0], 0)).to.deep.equal([32, null, null]);
    expect(from(all, null)).to.deep.equal([null, null, null]);
    expect(nicDistances(host, { hardwareThreads: [0], numaNode: 0 }, ['mlx5_0'], sys())).to.deep.equal([
      { name: 'mlx5_0', numaNode: 2, distance: 32 },
    ]);
  });

  it('are found in the names of transports', () => {
    expect(devicesOf(['rc_mlx5/mlx5_0:1', 'ud_mlx5/mlx5_0:1', 'posix/memory', 'tcp/eth0', 'vader'])).to.deep.equal([
      'mlx5_0',
      'memory',
      'eth0',
    ]);
  });
});

describe('what a process was started for', () => {
  const root = fakeRoot();

  /** Processes in a row, the last being our own. */
  function writeProcesses(list: readonly { cpus: string; variable?: string }[]): void {
    for (const [index, { cpus, variable }] of list.entries()) {
      const pid = index === list.length - 1 ? 'self' : String(100 + index);
      writeFiles(root(), {
        [`${pid}/status`]: `Name:\tx\nPPid:\t${index === 0 ? 0 : 99 + index}\nCpus_allowed_list:\t${cpus}`,
        [`${pid}/environ`]: ['PATH=/bin', variable ?? 'A=', 'B='].join('\0'),
      });
    }
  }

  it('is all that it may use, without a launcher', () => {
    writeProcesses([{ cpus: '0-7' }, { cpus: '3' }]);
    expect(outerCpus({ launcher: null }, { proc: root() })).to.deep.equal([3]);
  });

  it("is its launcher's, past the wrappers of the rank", () => {
    const rank = { cpus: '3', variable: 'OMPI_COMM_WORLD_RANK=1' };
    writeProcesses([{ cpus: '0-7' }, { cpus: '2-5' }, rank, rank, rank]);
    expect(outerCpus({ launcher: 'openmpi' }, { proc: root() })).to.deep.equal([2, 3, 4, 5]);
    // Of another launcher they say nothing.
    expect(outerCpus({ launcher: 'mpich' }, { proc: root() })).to.deep.equal([3]);
  });

  it('is the same under each launcher', () => {
    const variables = { mpich: 'PMI_RANK', 'slurm-pmi2': 'PMI_RANK', pmix: 'PMIX_RANK', 'slurm-pmix': 'PMIX_RANK', slurm: 'SLURM_PROCID' } as const; // prettier-ignore
    for (const [launcher, name] of Object.entries(variables)) {
      writeProcesses([{ cpus: '0-5' }, { cpus: '1', variable: `${name}=0` }, { cpus: '1', variable: `${name}=0` }]);
      expect(outerCpus({ launcher: launcher as keyof typeof variables }, { proc: root() }), launcher).to.deep.equal([
        0, 1, 2, 3, 4, 5,
      ]);
    }
  });

  it("is the task's own where Slurm keeps a job to a part of the node by affinity alone", () => {
    const task = { cpus: '4-5', variable: 'SLURM_PROCID=0' };
    writeProcesses([{ cpus: '0-15' }, task]);
    const under = (launcher: 'slurm' | 'openmpi', given: string | undefined, cores: number): number[] | null =>
      outerCpus({ launcher }, { proc: root(), env: { SLURM_CPUS_ON_NODE: given }, cores: () => cores });
    expect(under('slurm', '4', 16)).to.deep.equal([4, 5]);
    const node = Array.from({ length: 16 }, (_, cpu) => cpu);
    // The whole node, counted by cores or by hardware threads; a cgroup that confines; a job that nothing confines.
    expect(under('slurm', '16', 16)).to.deep.equal(node);
    expect(under('slurm', '16', 8)).to.deep.equal(node);
    expect(under('slurm', '4', 4)).to.deep.equal(node);
    expect(under('slurm', '1', 16)).to.deep.equal(node);
    expect(under('slurm', undefined, 16)).to.deep.equal(node);
    writeProcesses([{ cpus: '0-15' }, { cpus: '4-5', variable: 'OMPI_COMM_WORLD_RANK=0' }]);
    expect(under('openmpi', '4', 16)).to.deep.equal(node);
  });

  it('is unknown where the parent has gone, or /proc is not there', () => {
    writeProcesses([{ cpus: '3', variable: 'PMI_RANK=0' }]);
    expect(outerCpus({ launcher: 'mpich' }, { proc: root() })).to.equal(null);
    expect(outerCpus({ launcher: null }, { proc: join(root(), 'none') })).to.equal(null);
  });
});

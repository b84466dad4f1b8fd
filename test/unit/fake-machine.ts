/** Folders that look like /sys and /proc of other machines. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Writes files below a folder, by their paths. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
}

/** Call it inside `describe`: an empty folder for each test. */
export function fakeRoot(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fabricbench-fake-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return () => folder;
}

const indices = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** The kernel's notation of a mask. */
function maskOf(cpus: readonly number[], count: number): string {
  const words = indices(Math.ceil(count / 32)).map((word) => {
    const bits = cpus.filter((cpu) => Math.floor(cpu / 32) === word).map((cpu) => 2 ** (cpu % 32));
    return bits
      .reduce((sum, bit) => sum + bit, 0)
      .toString(16)
      .padStart(8, '0');
  });
  return words.reverse().join(',');
}

export interface FakeShape {
  readonly packages: number;
  readonly nodesPerPackage: number;
  readonly coresPerNode: number;
  readonly threadsPerCore: number;
  /** Cores of a NUMA node that share a third-level cache. */
  readonly coresPerCache: number;
  /** Whether processors are numbered over packages in turn, as some firmware does. */
  readonly inTurn: boolean;
}

/** sysfs of a machine, below `sys`. */
export function writeMachine(root: string, shape: FakeShape): void {
  const { packages, nodesPerPackage, coresPerNode, threadsPerCore, coresPerCache, inTurn } = shape;
  const nodes = packages * nodesPerPackage;
  const count = nodes * coresPerNode;
  // Of each core, in the order of the machine's parts.
  const numberOf = (core: number): number => {
    const perPackage = count / packages;
    return inTurn ? (core % perPackage) * packages + Math.floor(core / perPackage) : core;
  };
  const threadsOf = (core: number): number[] =>
    indices(threadsPerCore).map((thread) => numberOf(core) + thread * count);
  const cpusWhere = (part: (core: number) => number, value: number): number[] =>
    indices(count)
      .filter((core) => part(core) === value)
      .flatMap(threadsOf)
      .sort((a, b) => a - b);
  const nodeOf = (core: number): number => Math.floor(core / coresPerNode);
  const packageOf = (core: number): number => Math.floor(nodeOf(core) / nodesPerPackage);
  const cacheOf = (core: number): number =>
    nodeOf(core) * coresPerNode + Math.floor((core % coresPerNode) / coresPerCache);
  const cpus = count * threadsPerCore;
  const both = (path: string, list: readonly number[], name: string): Record<string, string> => ({
    [`${path}/${name}`]: maskOf(list, cpus),
    [`${path}/${name}_list`]: list.join(','),
  });
  const cache = (path: string, level: number, type: string, shared: readonly number[]): Record<string, string> => ({
    ...{ [`${path}/level`]: String(level), [`${path}/type`]: type, [`${path}/size`]: '1024K' },
    [`${path}/shared_cpu_map`]: maskOf(shared, cpus),
    [`${path}/shared_cpu_list`]: shared.join(','),
  });
  const range = `0-${cpus - 1}`;
  const top = 'sys/devices/system';
  writeFiles(root, { [`${top}/cpu/online`]: range, [`${top}/cpu/possible`]: range, [`${top}/cpu/present`]: range });
  for (const core of indices(count)) {
    for (const cpu of threadsOf(core)) {
      const folder = `${top}/cpu/cpu${cpu}`;
      const own = threadsOf(core);
      const inPackage = cpusWhere(packageOf, packageOf(core));
      writeFiles(root, {
        ...both(`${folder}/topology`, own, 'thread_siblings'),
        ...both(`${folder}/topology`, inPackage, 'core_siblings'),
        [`${folder}/topology/core_id`]: String(core),
        [`${folder}/topology/physical_package_id`]: String(packageOf(core)),
        ...cache(`${folder}/cache/index0`, 1, 'Data', own),
        ...cache(`${folder}/cache/index1`, 1, 'Instruction', own),
        ...cache(`${folder}/cache/index2`, 2, 'Unified', own),
        ...cache(`${folder}/cache/index3`, 3, 'Unified', cpusWhere(cacheOf, cacheOf(core))),
      });
    }
  }
  writeFiles(root, { [`${top}/node/online`]: `0-${nodes - 1}` });
  for (const node of indices(nodes)) {
    const own = cpusWhere(nodeOf, node);
    const distances = indices(nodes).map((other) =>
      other === node ? 10 : Math.floor(other / nodesPerPackage) === Math.floor(node / nodesPerPackage) ? 12 : 32,
    );
    writeFiles(root, {
      [`${top}/node/node${node}/cpumap`]: maskOf(own, cpus),
      [`${top}/node/node${node}/cpulist`]: own.join(','),
      [`${top}/node/node${node}/meminfo`]: `Node ${node} MemTotal: 32000000 kB`,
      [`${top}/node/node${node}/distance`]: distances.join(' '),
    });
  }
}

export interface FakeDevice {
  readonly kind: 'infiniband' | 'net';
  readonly name: string;
  /** Absent of a device that no hardware stands behind. */
  readonly pci?: { readonly cpus: string; readonly node: number };
  /** Whether it is behind a device of virtio, which belongs to the PCI device. */
  readonly virtio?: boolean;
}

/** A device below `sys`. */
export function writeDevice(root: string, { kind, name, pci, virtio = false }: FakeDevice): void {
  const folder = join(root, 'sys/class', kind, name);
  mkdirSync(folder, { recursive: true });
  if (!pci) return;
  const path = `sys/devices/pci0000:80/0000:81:00.0-${name}`;
  writeFiles(root, { [`${path}/local_cpulist`]: pci.cpus, [`${path}/numa_node`]: String(pci.node) });
  const device = join(root, path, virtio ? 'virtio0' : '.');
  mkdirSync(device, { recursive: true });
  symlinkSync(relative(folder, device), join(folder, 'device'));
}

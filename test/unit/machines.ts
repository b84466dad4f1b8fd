/** Small machines for tests of what is arithmetic on a topology. */
import type { HardwareThread, NumaDistances, OsDevice, Topology } from '../../src/topology/types.js';

export interface Shape {
  readonly packages: number;
  readonly nodesPerPackage?: number;
  readonly coresPerNode: number;
  readonly threadsPerCore?: number;
  readonly distances?: readonly (readonly number[])[];
}

/** OS numbers as Linux gives them: first threads of all cores first, then second ones. Everything is allowed. */
export function machine(shape: Shape, devices: readonly OsDevice[] = []): Topology {
  const { packages, nodesPerPackage = 1, coresPerNode, threadsPerCore = 1 } = shape;
  const nodes = packages * nodesPerPackage;
  const count = nodes * coresPerNode;
  const cores = indices(count).map((logical) => ({
    logical,
    os: logical,
    threads: indices(threadsPerCore).map((thread) => logical + thread * count),
    kind: null,
  }));
  const threads: HardwareThread[] = cores.flatMap((core) =>
    core.threads.map((os, index) => {
      const numaNode = Math.floor(core.logical / coresPerNode);
      const logical = core.logical * threadsPerCore + index;
      return {
        os,
        logical,
        core: core.logical,
        numaNode,
        package: Math.floor(numaNode / nodesPerPackage),
        allowed: true,
      };
    }),
  );
  const cpusOf = (match: (thread: HardwareThread) => boolean): number[] => threads.filter(match).map(({ os }) => os);
  return {
    source: { kind: 'machine', name: 'test' },
    thisSystem: true,
    hwloc: '2.9.0',
    hostname: 'test',
    threads,
    cores,
    packages: indices(packages).map((logical) => ({
      logical,
      os: logical,
      cpus: cpusOf((thread) => thread.package === logical),
      model: null,
    })),
    numaNodes: indices(nodes).map((os) => ({
      os,
      logical: os,
      cpus: cpusOf(({ numaNode }) => numaNode === os),
      memory: null,
    })),
    caches: [],
    devices,
    kinds: [],
    offline: [],
    distances: shape.distances ? matrix(shape.distances) : null,
  };
}

const matrix = (values: readonly (readonly number[])[]): NumaDistances => ({ nodes: indices(values.length), values });

const indices = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** A NIC near these hardware threads; null: nobody knows. */
export function nic(name: string, near: readonly number[] | null, numaNode: number | null = null): OsDevice {
  const path = [{ kind: 'device', address: '0000:03:00.0' }] as const;
  return {
    name,
    kind: 'openfabrics',
    subtype: null,
    near,
    numaNode,
    package: null,
    path,
    pci: null,
    linkSpeed: null,
    info: {},
  };
}

/** Makes a topology of hwloc's objects. */
import { parseCpuList } from '../engine/affinity.js';
import { devicesOf } from './devices.js';
import type { RawObject, RawTopology } from './native.js';
import type {
  CacheObject,
  Core,
  CpuKind,
  HardwareThread,
  NumaDistances,
  NumaNodeObject,
  PackageObject,
  Topology,
} from './types.js';

/** OS numbers in ascending order. */
const cpusOf = ({ cpus }: { readonly cpus: string }): number[] => parseCpuList(cpus);

const orNull = (value: number): number | null => (value < 0 ? null : value);

/** The plain data of what hwloc read. */
export function assemble(raw: RawTopology, source: Topology['source'], hwloc: string): Topology {
  const numaNodes = ofType(raw, 'numa').map(numaNodeOf);
  const packages = ofType(raw, 'package').map(packageOf);
  const threads = threadsOf(raw, numaNodes);
  const kinds = kindsOf(raw);
  return {
    source,
    thisSystem: raw.thisSystem,
    hwloc,
    hostname: raw.objects[0]?.infos['HostName'] ?? null,
    threads,
    cores: coresOf(raw, threads, kinds),
    packages,
    numaNodes,
    caches: ofType(raw, 'cache').map(cacheOf),
    devices: devicesOf(raw.objects, threads, numaNodes),
    distances: distancesOf(raw),
    kinds,
    offline: parseCpuList(raw.offline),
  };
}

/** Objects of a type in logical order, whatever their order in the tree. */
function ofType({ objects }: RawTopology, type: RawObject['type']): RawObject[] {
  return objects.filter((object) => object.type === type).sort((a, b) => a.logical - b.logical);
}

function packageOf(object: RawObject): PackageObject {
  const model = object.infos['CPUModel'] ?? null;
  return { logical: object.logical, os: object.os, cpus: cpusOf(object), model };
}

function numaNodeOf(object: RawObject): NumaNodeObject {
  // A node whose size nobody knows has 0 in hwloc.
  return { os: object.os, logical: object.logical, cpus: cpusOf(object), memory: object.size > 0 ? object.size : null };
}

function cacheOf(object: RawObject): CacheObject {
  return {
    level: object.level,
    kind: object.kind as CacheObject['kind'],
    size: object.size,
    cpus: cpusOf(object),
  };
}

function threadsOf(raw: RawTopology, numaNodes: readonly NumaNodeObject[]): HardwareThread[] {
  const allowed = new Set(parseCpuList(raw.allowed));
  const nodeOf = nodesByThread(numaNodes);
  return ofType(raw, 'pu').map((object) => ({
    os: object.os,
    logical: object.logical,
    // Where the topology has no cores, each hardware thread is one.
    core: above(raw, object, 'core')?.logical ?? object.logical,
    numaNode: nodeOf.get(object.os) ?? null,
    package: above(raw, object, 'package')?.logical ?? null,
    allowed: allowed.has(object.os),
  }));
}

/** The nearest object of a type that an object is part of. */
function above({ objects }: RawTopology, object: RawObject, type: RawObject['type']): RawObject | undefined {
  for (let at = objects[object.parent]; at !== undefined; at = objects[at.parent]) if (at.type === type) return at;
  return undefined;
}

/**
 * The node of each hardware thread. Where several are local to it, such as main memory and memory on the processor's
 * package, it is the one of the fewest threads, then that with the lowest number, which is main memory's.
 */
function nodesByThread(numaNodes: readonly NumaNodeObject[]): Map<number, number> {
  const found = new Map<number, NumaNodeObject>();
  for (const node of numaNodes) {
    for (const cpu of node.cpus) {
      const known = found.get(cpu);
      if (known === undefined || closer(node, known)) found.set(cpu, node);
    }
  }
  return new Map([...found].map(([cpu, { os }]) => [cpu, os]));
}

const closer = (a: NumaNodeObject, b: NumaNodeObject): boolean =>
  a.cpus.length < b.cpus.length || (a.cpus.length === b.cpus.length && a.os < b.os);

function coresOf(raw: RawTopology, threads: readonly HardwareThread[], kinds: readonly CpuKind[]): Core[] {
  const objects = new Map(ofType(raw, 'core').map((object) => [object.logical, object]));
  const members = new Map<number, number[]>();
  for (const { core, os } of threads) {
    const list = members.get(core);
    if (list) list.push(os);
    else members.set(core, [os]);
  }
  return [...members].map(([logical, numbers]) => ({
    logical,
    os: orNull(objects.get(logical)?.os ?? -1),
    threads: numbers,
    kind: kindOf(kinds, numbers),
  }));
}

function kindOf(kinds: readonly CpuKind[], threads: readonly number[]): number | null {
  const [first = -1] = threads;
  return orNull(kinds.findIndex(({ cpus }) => cpus.includes(first)));
}

/** hwloc has one kind of all cores where they are alike. */
function kindsOf({ kinds }: RawTopology): CpuKind[] {
  if (kinds.length < 2) return [];
  return kinds.map((kind) => ({ cpus: cpusOf(kind), efficiency: orNull(kind.efficiency), info: kind.infos }));
}

function distancesOf({ latencies }: RawTopology): NumaDistances | null {
  if (latencies === null) return null;
  const { nodes, values } = latencies;
  const rows = nodes.map((_, row) => values.slice(row * nodes.length, (row + 1) * nodes.length));
  return { nodes, values: rows };
}

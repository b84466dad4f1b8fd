/**
 * This machine's topology as far as `--bind` needs it, read from sysfs: the same cores in the same order as hwloc has, without
 * hwloc's time to find out all the rest.
 */
import { join } from 'node:path';
import type { CacheObject, Core, HardwareThread, NumaDistances, OsDevice, Topology } from '../topology/types.js';
import { nicPlace, offlineCpus, readList, readText } from './sysfs.js';

/** Hardware threads that have something in common. */
type Group = readonly number[];

interface Groups {
  readonly packages: readonly Group[];
  readonly dies: readonly Group[];
  readonly nodes: readonly { readonly os: number; readonly cpus: Group }[];
  readonly caches: readonly CacheObject[];
}

/** Groups that files of processors name, each read once: from one processor of a group all others are known. */
function groupsOf(cpus: readonly number[], fileOf: (cpu: number) => string): Group[] {
  const seen = new Set<number>();
  const groups: Group[] = [];
  const online = new Set(cpus);
  for (const cpu of cpus) {
    if (seen.has(cpu)) continue;
    const group = readList(fileOf(cpu))?.filter((one) => online.has(one));
    if (!group) return []; // older kernels have no such files
    for (const one of [cpu, ...group]) seen.add(one);
    groups.push(group);
  }
  return groups;
}

/** The kernel counts caches from 0: data and instructions of the first level, the second, the third. */
const CACHE_INDEX = 3;

function cachesOf(cpus: readonly number[], folder: string): CacheObject[] {
  const index = (cpu: number): string => join(folder, `cpu${cpu}`, 'cache', `index${CACHE_INDEX}`);
  const groups = groupsOf(cpus, (cpu) => join(index(cpu), 'shared_cpu_list'));
  return groups.map((group) => ({
    level: Number(readText(join(index(group[0] ?? 0), 'level')) ?? 0),
    kind: 'unified',
    size: 0,
    cpus: group,
  }));
}

function readGroups(cpus: readonly number[], root: string): Groups {
  const folder = join(root, 'devices/system/cpu');
  const byTopology = (name: string): Group[] => groupsOf(cpus, (cpu) => join(folder, `cpu${cpu}`, 'topology', name));
  const nodes = readList(join(root, 'devices/system/node/online')) ?? [0];
  const online = new Set(cpus);
  return {
    packages: byTopology('core_siblings_list'),
    dies: byTopology('die_cpus_list'),
    nodes: nodes.map((os) => ({
      os,
      cpus: (
        readList(join(root, 'devices/system/node', `node${os}`, 'cpulist')) ?? (nodes.length === 1 ? cpus : [])
      ).filter((cpu) => online.has(cpu)),
    })),
    caches: cachesOf(cpus, folder),
  };
}

/** hwloc's order: part by part, the larger first, and of each level that part first which has the lowest number. */
function inOrder(cores: readonly Group[], parts: readonly Group[]): Group[] {
  const outermost = [...parts].sort((a, b) => b.length - a.length);
  const paths = new Map<Group, number[]>(
    cores.map((core) => {
      const around = outermost.filter((part) => part.length > core.length && part.includes(core[0] ?? -1));
      return [core, [...around, core].map((part) => Math.min(...part))];
    }),
  );
  return [...cores].sort((a, b) => comparePaths(paths.get(a) ?? [], paths.get(b) ?? []));
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, level) => value !== b[level]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

function distancesOf(nodes: readonly number[], root: string): NumaDistances | null {
  if (nodes.length < 2) return null;
  const values = nodes.map((os) =>
    (readText(join(root, 'devices/system/node', `node${os}`, 'distance')) ?? '').split(/\s+/).map(Number),
  );
  return values.every((row) => row.length === nodes.length && row.every((value) => value > 0))
    ? { nodes, values }
    : null;
}

/** As hwloc has it: where the kernel doesn't know its node it is near all of a machine of one node, and near none of others. */
function deviceOf(name: string, nodes: readonly unknown[], root: string): OsDevice | null {
  const place = nicPlace(name, root);
  if (!place) return null;
  const { cpus, numaNode } = place;
  const near = numaNode === null && nodes.length > 1 ? null : cpus;
  return {
    ...{ name, kind: 'network', subtype: null, near, numaNode, package: null },
    ...{ path: [], pci: null, linkSpeed: null, info: {} },
  };
}

function threadsOf(cores: readonly Group[], { packages, nodes }: Groups, allowed: readonly number[]): HardwareThread[] {
  const may = new Set(allowed);
  const indexIn = (parts: readonly Group[], cpu: number): number | null => {
    const index = parts.findIndex((part) => part.includes(cpu));
    return index < 0 ? null : index;
  };
  const placed = cores.flatMap((threads, core) => threads.map((os) => ({ os, core, first: threads[0] ?? os })));
  return placed.map(({ os, core, first }, logical) => ({
    ...{ os, logical, core, package: indexIn(packages, first), allowed: may.has(os) },
    numaNode: nodes.find(({ cpus }) => cpus.includes(first))?.os ?? null,
  }));
}

export interface MachineRequest {
  /** Hardware threads that this process may use. */
  readonly allowed: readonly number[];
  /** The one device that is asked for. */
  readonly device?: string | undefined;
  /** Where sysfs is. */
  readonly root?: string;
}

/** Null where sysfs doesn't tell enough, or doesn't know the device. */
export function readMachine({ allowed, device, root = '/sys' }: MachineRequest): Topology | null {
  const cpus = readList(join(root, 'devices/system/cpu/online'));
  if (!cpus) return null;
  const folder = join(root, 'devices/system/cpu');
  const siblings = groupsOf(cpus, (cpu) => join(folder, `cpu${cpu}`, 'topology', 'thread_siblings_list'));
  if (siblings.flat().length !== cpus.length) return null;
  const groups = readGroups(cpus, root);
  const { packages, dies, nodes, caches } = groups;
  const parts = [...packages, ...dies, ...nodes.map((node) => node.cpus), ...caches.map((cache) => cache.cpus)];
  const cores = inOrder(siblings, parts);
  const found = device === undefined ? undefined : deviceOf(device, nodes, root);
  if (found === null) return null;
  return {
    source: { kind: 'machine', name: '' },
    ...{ thisSystem: true, hwloc: '', hostname: null, kinds: [], offline: offlineCpus(cpus, root), caches },
    threads: threadsOf(cores, groups, allowed),
    cores: cores.map((threads, logical): Core => ({ logical, os: null, threads, kind: null })),
    packages: packages.map((group, logical) => ({ logical, os: logical, cpus: group, model: null })),
    numaNodes: nodes.map(({ os, cpus: own }, logical) => ({ os, logical, cpus: own, memory: null })),
    devices: found ? [found] : [],
    distances: distancesOf(
      nodes.map(({ os }) => os),
      root,
    ),
  };
}

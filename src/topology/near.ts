/** Which cores are near a device and which are far: arithmetic on a topology, without hwloc. */
import { TopologyError } from './errors.js';
import type { Core, HardwareThread, OsDevice, Topology } from './types.js';

/**
 * Distances where the machine has no matrix of NUMA nodes: numbers to order by and no measures. A matrix (ACPI's SLIT)
 * counts from 10, so that the two can't be mistaken for each other.
 */
const STEPS = { near: 0, sameNode: 1, samePackage: 2, elsewhere: 3 } as const;

/** Where something is: all NUMA nodes and packages that its hardware threads belong to. */
interface Place {
  readonly threads: ReadonlySet<number>;
  readonly nodes: ReadonlySet<number>;
  readonly packages: ReadonlySet<number>;
}

/** The device of a name. Throws a `TopologyError` that names those there are. */
export function deviceNamed(topology: Topology, name: string): OsDevice {
  const found = topology.devices.find((device) => device.name === name);
  if (found) return found;
  const names = topology.devices.map((device) => device.name);
  const there = names.length === 0 ? 'it has none' : `use one of ${names.join(', ')}`;
  throw new TopologyError(`${topologyTitle(topology)} has no device "${name}": ${there}`);
}

/** What sentences call a topology: `this machine`, or the file or description that it comes from. */
export function topologyTitle({ source }: Topology): string {
  if (source.kind === 'machine') return 'this machine';
  return source.kind === 'xml' ? `the topology of ${source.name}` : `the topology "${source.name}"`;
}

/**
 * The same topology with fewer hardware threads allowed: those that are both allowed in it and named here by their OS
 * numbers. For what a launcher or `taskset` has set, of which a topology knows nothing.
 */
export function restrictTo(topology: Topology, cpus: Iterable<number>): Topology {
  const kept = new Set(cpus);
  const threads = topology.threads.map((thread) => ({ ...thread, allowed: thread.allowed && kept.has(thread.os) }));
  return { ...topology, threads };
}

/** Cores of which at least one hardware thread is allowed, in logical order. */
export function allowedCores(topology: Topology): Core[] {
  const allowed = new Set(topology.threads.filter((thread) => thread.allowed).map(({ os }) => os));
  return topology.cores.filter((core) => core.threads.some((thread) => allowed.has(thread)));
}

/** The first allowed hardware thread of a core; undefined where it has none. */
export function firstThread(topology: Topology, core: Core): HardwareThread | undefined {
  return topology.threads.find((thread) => thread.core === core.logical && thread.allowed);
}

/**
 * How far a core is from a device: 0 where it is among the cores that are near it; else what the machine's matrix says
 * from the core's NUMA node to the device's (10 for its own); without a matrix 1 on the same NUMA node, 2 in the same
 * package, 3 elsewhere. Null where it is unknown where one of them is.
 */
export function distanceToDevice(topology: Topology, core: Core, device: OsDevice): number | null {
  const place = placeOfDevice(topology, device);
  return place === null ? null : distanceToPlace(topology, core, place);
}

/** The same in words, for people: `near`, `distance 21`, `same NUMA node`, `same package`, `other package`, `unknown`. */
export function distanceText(topology: Topology, core: Core, device: OsDevice): string {
  const distance = distanceToDevice(topology, core, device);
  if (distance === null) return 'unknown';
  const words = [
    'near',
    'same NUMA node',
    'same package',
    topology.packages.length > 1 ? 'other package' : 'elsewhere',
  ];
  return words[distance] ?? `distance ${distance}`;
}

/**
 * Allowed cores, nearest to the device first, in logical order where they are equally near.
 *
 * @throws TopologyError where it is not known where the device or one of the cores is
 */
export function coresByDistance(topology: Topology, device: OsDevice): Core[] {
  return withDistances(topology, device)
    .sort((a, b) => a.distance - b.distance || a.core.logical - b.core.logical)
    .map(({ core }) => core);
}

/**
 * Allowed cores, NUMA node by NUMA node: the farthest from the device first, and of equally far ones that with the
 * lowest number. Within a node the farthest come first too, then logical order.
 *
 * @throws TopologyError as `coresByDistance`
 */
export function coresFromFarthest(topology: Topology, device: OsDevice): Core[] {
  const all = withDistances(topology, device);
  const nearest = new Map<number, number>();
  for (const { node, distance } of all) nearest.set(node, Math.min(nearest.get(node) ?? Infinity, distance));
  const nodeDistance = (node: number): number => nearest.get(node) ?? 0;
  return all
    .sort(
      (a, b) =>
        nodeDistance(b.node) - nodeDistance(a.node) ||
        a.node - b.node ||
        b.distance - a.distance ||
        a.core.logical - b.core.logical,
    )
    .map(({ core }) => core);
}

interface PlacedCore {
  readonly core: Core;
  /** OS index of its NUMA node. */
  readonly node: number;
  readonly distance: number;
}

function withDistances(topology: Topology, device: OsDevice): PlacedCore[] {
  const place = placeOfDevice(topology, device);
  if (place === null) {
    const cause = `${topologyTitle(topology)} does not say which NUMA node ${device.name} belongs to`;
    throw new TopologyError(`${cause}: name cores or a NUMA node instead`);
  }
  return allowedCores(topology).map((core) => {
    const distance = distanceToPlace(topology, core, place);
    const node = threadsOf(topology, core)[0]?.numaNode;
    if (distance !== null && node !== null && node !== undefined) return { core, node, distance };
    const cause = `the distance from core ${core.logical} to ${device.name} is unknown`;
    throw new TopologyError(`${cause}: name cores or a NUMA node instead`);
  });
}

function threadsOf(topology: Topology, core: Core): HardwareThread[] {
  return topology.threads.filter((thread) => thread.core === core.logical);
}

function placeOfDevice(topology: Topology, device: OsDevice): Place | null {
  if (device.near === null) return null;
  const threads = new Set(device.near);
  const place = placeOfThreads(topology.threads.filter(({ os }) => threads.has(os)));
  // A node without processors of its own, such as one of memory alone, is a place too.
  const nodes = device.numaNode === null ? place.nodes : place.nodes.add(device.numaNode);
  return { ...place, threads, nodes };
}

function placeOfThreads(threads: readonly HardwareThread[]): { nodes: Set<number>; packages: Set<number> } {
  const known = (indices: readonly (number | null)[]): Set<number> =>
    new Set(indices.filter((index) => index !== null));
  return {
    nodes: known(threads.map(({ numaNode }) => numaNode)),
    packages: known(threads.map((thread) => thread.package)),
  };
}

function distanceToPlace(topology: Topology, core: Core, to: Place): number | null {
  if (core.threads.some((thread) => to.threads.has(thread))) return STEPS.near;
  const { nodes, packages } = placeOfThreads(threadsOf(topology, core));
  const [node] = nodes;
  if (node === undefined || to.nodes.size === 0) return null;
  if (topology.distances !== null) return nodeDistance(topology, node, to.nodes);
  if (to.nodes.has(node)) return STEPS.sameNode;
  const samePackage = [...packages].some((each) => to.packages.has(each));
  return samePackage ? STEPS.samePackage : STEPS.elsewhere;
}

/** From one NUMA node to the nearest of others, by the matrix; null where the matrix lacks them. */
function nodeDistance({ distances }: Topology, from: number, to: ReadonlySet<number>): number | null {
  if (distances === null) return null;
  const row = distances.values[distances.nodes.indexOf(from)] ?? [];
  const known = row.filter((_, column) => to.has(distances.nodes[column] ?? -1));
  return known.length === 0 ? null : Math.min(...known);
}

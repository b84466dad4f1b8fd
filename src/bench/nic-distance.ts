/** How far a rank is from the network devices that it uses, as sysfs knows it: no rank has to load hwloc for that. */
import { nicPlace, readText } from '../binding/sysfs.js';
import type { HostRecord, NicDistance } from '../results/types.js';

/** Of hardware threads that the kernel says are near a device; as `distanceToDevice` of src/topology. */
const NEAR = 0;

/** Where a rank is. */
export interface RankPlace {
  readonly hardwareThreads: readonly number[];
  readonly numaNode: number | null;
}

/** The kernel's distance between two NUMA nodes; its rows have one number for each node that is online. */
function nodeDistance(host: HostRecord, [from, to]: readonly [number, number], root: string): number | null {
  const row = readText(`${root}/devices/system/node/node${from}/distance`)?.split(/\s+/).map(Number);
  const column = host.numaNodes.findIndex(({ id }) => id === to);
  return row?.[column] ?? null;
}

/**
 * From a rank to devices of its host: 0 where all its hardware threads are near the device, else the kernel's distance from
 * its NUMA node to the device's (10 for its own); null where the kernel knows neither. Names that the host doesn't have are
 * left out.
 */
export function nicDistances(
  host: HostRecord,
  { hardwareThreads, numaNode }: RankPlace,
  names: readonly string[],
  root = '/sys',
): NicDistance[] {
  const here = host.nics.filter(({ name }) => names.includes(name));
  return here.map(({ name }) => {
    const place = nicPlace(name, root);
    const node = place?.numaNode ?? null;
    // Of a device whose node it doesn't know the kernel says that all hardware threads are near.
    const near = node !== null || host.numaNodes.length === 1 ? (place?.cpus ?? []) : [];
    const isNear = hardwareThreads.length > 0 && hardwareThreads.every((cpu) => near.includes(cpu));
    const between = numaNode === null || node === null ? null : nodeDistance(host, [numaNode, node], root);
    return { name, numaNode: node, distance: isNear ? NEAR : between };
  });
}

/** Devices in what UCX calls transports: `rc_mlx5/mlx5_0:1` goes over mlx5_0. */
export function devicesOf(transports: readonly string[]): string[] {
  const devices = transports.map((name) => name.split('/')[1]?.replace(/:\d+$/, ''));
  return [...new Set(devices.filter((name) => name !== undefined))];
}

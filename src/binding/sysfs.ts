/** The few files of sysfs that binding needs. Reading them takes a tenth of the time in which hwloc reads a machine. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseCpuList } from '../engine/affinity.js';

export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return null;
  }
}

/** Numbers in the kernel's notation; null where there is no such file, or nothing in it. */
export function readList(path: string): number[] | null {
  const text = readText(path);
  return text === null || text === '' ? null : parseCpuList(text);
}

/** Hardware threads that the machine has and that are none of those that are on. */
export function offlineCpus(online: readonly number[], root = '/sys'): number[] {
  const present = readList(join(root, 'devices/system/cpu/present')) ?? [];
  return present.filter((cpu) => !online.includes(cpu));
}

/** Where a device is. */
export interface DevicePlace {
  readonly cpus: readonly number[];
  /** Null where the kernel doesn't know it: then `cpus` are all. */
  readonly numaNode: number | null;
}

/** The folder of the device itself, below its class. */
function folderOf(name: string, root: string): string | null {
  for (const kind of ['infiniband', 'net']) {
    try {
      return realpathSync(join(root, 'class', kind, name, 'device'));
    } catch {
      continue;
    }
  }
  return null;
}

/** Whether the kernel has a network device of this name, with hardware behind it or without, as `lo` and `rxe0` are. */
export function isNetworkDevice(name: string, root = '/sys'): boolean {
  const isName = name !== '' && !name.includes('/') && !name.startsWith('.');
  return isName && ['infiniband', 'net'].some((kind) => existsSync(join(root, 'class', kind, name)));
}

/** Where a network device of the kernel's is; null of those that no hardware stands behind, or that there are not. */
export function nicPlace(name: string, root = '/sys'): DevicePlace | null {
  const top = folderOf(name, root);
  // A virtio device knows nothing of that, but the PCI device that it belongs to does.
  for (let folder = top; folder !== null && folder !== dirname(folder); folder = dirname(folder)) {
    const cpus = readList(join(folder, 'local_cpulist'));
    if (!cpus) continue;
    const node = Number(readText(join(folder, 'numa_node')) ?? -1);
    return { cpus, numaNode: Number.isInteger(node) && node >= 0 ? node : null };
  }
  return null;
}

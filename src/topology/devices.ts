/** OS devices of hwloc's objects: where they hang, and what is near them. */
import { parseCpuList } from '../engine/affinity.js';
import { isGpuDevice } from './pci.js';
import type { RawObject } from './native.js';
import type { HardwareThread, NumaNodeObject, OsDevice, PciStep } from './types.js';

const STEPS: Readonly<Record<string, PciStep['kind']>> = { host: 'host-bridge', pci: 'bridge' };

/** In the order of the tree, which is that of PCI addresses below each host bridge. */
export function devicesOf(
  objects: readonly RawObject[],
  threads: readonly HardwareThread[],
  numaNodes: readonly NumaNodeObject[],
): OsDevice[] {
  const places = new Set(numaNodes.filter(({ cpus }) => cpus.length > 0).map(({ cpus }) => cpus.join()));
  const severalPlaces = places.size > 1;
  const named = new Set(objects.filter(({ type }) => type === 'os').map(({ parent }) => parent));
  return objects
    .filter((object, index) => object.type === 'os' || (isGpu(object) && !named.has(index)))
    .map((object) => {
      const ancestors = ancestorsOf(objects, object);
      const near = nearOf(ancestors, threads, severalPlaces);
      return { ...deviceOf(object, ancestors), near: near && near.map(({ os }) => os), ...placeOf(near) };
    });
}

/** hwloc names a GPU only where it was built with its vendor's library. */
const isGpu = (object: RawObject): boolean =>
  object.type === 'pci' && isGpuDevice({ pci: pciOf(object), linkSpeed: speedOf(object) });

const pciOf = ({ pciClass, vendor }: RawObject): NonNullable<OsDevice['pci']> => ({ class: pciClass, vendor });

const speedOf = ({ speed }: RawObject): number | null => (speed < 0 ? null : speed);

/** From the device's parent to the root. */
function ancestorsOf(objects: readonly RawObject[], object: RawObject): RawObject[] {
  const ancestors: RawObject[] = [];
  for (let at = objects[object.parent]; at !== undefined; at = objects[at.parent]) ancestors.push(at);
  return ancestors;
}

const isIo = ({ type }: RawObject): boolean => type === 'os' || type === 'pci' || type === 'bridge';

/** A device that hangs below the whole machine is near every thread only where the machine has one place of memory. */
function nearOf(
  ancestors: readonly RawObject[],
  threads: readonly HardwareThread[],
  severalPlaces: boolean,
): HardwareThread[] | null {
  const cpus = new Set(parseCpuList(ancestors.find((object) => !isIo(object))?.cpus ?? ''));
  const near = threads.filter(({ os }) => cpus.has(os));
  return near.length === 0 || (severalPlaces && near.length === threads.length) ? null : near;
}

/** The one NUMA node and the one package of threads, where there is one. */
function placeOf(near: readonly HardwareThread[] | null): Pick<OsDevice, 'numaNode' | 'package'> {
  const only = (values: readonly (number | null)[]): number | null => {
    const [value = null, ...others] = new Set(values);
    return others.length === 0 ? value : null;
  };
  return {
    numaNode: only((near ?? []).map(({ numaNode }) => numaNode)),
    package: only((near ?? []).map((thread) => thread.package)),
  };
}

function deviceOf(object: RawObject, ancestors: readonly RawObject[]): Omit<OsDevice, 'near' | 'numaNode' | 'package'> {
  const pci = [object, ...ancestors].filter(({ type }) => type === 'pci' || type === 'bridge');
  const own = pci.find(({ type }) => type === 'pci');
  return {
    name: object.type === 'pci' ? object.address : object.name,
    kind: object.type === 'pci' ? 'gpu' : (object.kind as OsDevice['kind']),
    subtype: object.subtype === '' ? null : object.subtype,
    path: pci.map(({ kind, address }) => ({ kind: STEPS[kind] ?? ('device' as const), address })).reverse(),
    pci: own === undefined ? null : pciOf(own),
    linkSpeed: own === undefined ? null : speedOf(own),
    info: { ...own?.infos, ...object.infos },
  };
}

/** How the network adapters and GPUs of a machine are connected with each other. */
import { isGpuDevice } from './pci.js';
import type { OsDevice, Topology } from './types.js';

/** Between two devices, the closest first; those that nvidia-smi has too are called as there. */
export const RELATIONS = {
  '-': 'the same device',
  PIX: 'at most one PCIe switch between them',
  PXB: 'several PCIe switches between them, but no host bridge',
  PHB: 'a host bridge between them, where the PCIe of a processor begins',
  NODE: 'two host bridges of one NUMA node between them',
  PKG: 'the link between two NUMA nodes of one package between them',
  SYS: 'the link between two packages (sockets) between them',
  '?': 'unknown, since the topology does not say where one of them is',
} as const;

export type Relation = keyof typeof RELATIONS;

/** A device of the matrix: all that the system has names for on one PCI device. */
export interface MatrixDevice {
  /** `NIC0`, `GPU1`. */
  readonly id: string;
  readonly kind: 'nic' | 'gpu';
  /** The name that benchmarks take: of a network adapter that for RDMA, where it has one. */
  readonly name: string;
  /** All of its names, that one first. */
  readonly names: readonly string[];
  /** Of its PCI device; null where it has none. */
  readonly address: string | null;
  /** As an `OsDevice` has them. */
  readonly numaNode: number | null;
  readonly near: readonly number[] | null;
}

export interface DeviceMatrix {
  readonly devices: readonly MatrixDevice[];
  /** relations[row][column]. */
  readonly relations: readonly (readonly Relation[])[];
}

/** Which of several names of one device goes first. */
const PREFERRED = [
  ({ kind }: OsDevice) => kind === 'openfabrics',
  ({ kind }: OsDevice) => kind === 'network',
  ({ name }: OsDevice) => name.startsWith('cuda'),
  ({ name }: OsDevice) => /^(nvml|rsmi|ze)/.test(name),
];

const rank = (device: OsDevice): number => {
  const index = PREFERRED.findIndex((matches) => matches(device));
  return index < 0 ? PREFERRED.length : index;
};

/** Network adapters, then GPUs, in the topology's order. Network devices of software alone are left out. */
export function deviceMatrix(topology: Topology): DeviceMatrix {
  const nics = groups(topology.devices.filter(isNic));
  const gpus = groups(topology.devices.filter(isGraphics)).filter((group) => group.some(computes));
  const firsts = [...nics, ...gpus].flatMap(([first]) => (first ? [first] : []));
  return {
    devices: [
      ...nics.flatMap((group, index) => matrixDevice('nic', `NIC${index}`, group)),
      ...gpus.flatMap((group, index) => matrixDevice('gpu', `GPU${index}`, group)),
    ],
    relations: firsts.map((row) => firsts.map((column) => relationOf(row, column))),
  };
}

const isNic = ({ kind, path }: OsDevice): boolean => kind === 'openfabrics' || (kind === 'network' && path.length > 0);

const isGraphics = ({ kind }: OsDevice): boolean => kind === 'gpu' || kind === 'coprocessor';

/** Not what only shows a console: for that Linux has a `card0` and nothing else. */
const computes = (device: OsDevice): boolean =>
  device.kind === 'coprocessor' || !/^(card|controlD)\d+$/.test(device.name) || isGpuDevice(device);

function addressOf({ path }: OsDevice): string | undefined {
  return path.at(-1)?.address;
}

/** Devices by PCI device, in order; one without PCI is by itself. */
function groups(devices: readonly OsDevice[]): OsDevice[][] {
  const found = new Map<string, OsDevice[]>();
  for (const device of devices) {
    const key = addressOf(device) ?? device.name;
    found.set(key, [...(found.get(key) ?? []), device]);
  }
  return [...found.values()].map((group) => [...group].sort((a, b) => rank(a) - rank(b)));
}

/** Of a group, whose first device is the preferred one. */
function matrixDevice(kind: MatrixDevice['kind'], id: string, group: readonly OsDevice[]): MatrixDevice[] {
  const names = group.map(({ name }) => name);
  return group.slice(0, 1).map((device) => {
    const { name, numaNode, near } = device;
    return { id, kind, name, names, address: addressOf(device) ?? null, numaNode, near };
  });
}

/** What lies between two devices. */
export function relationOf(a: OsDevice, b: OsDevice): Relation {
  if (a.name === b.name) return '-';
  const [first, second] = [addressOf(a), addressOf(b)];
  if (first !== undefined && second !== undefined) {
    if (first === second) return '-';
    if (slotOf(first) === slotOf(second)) return 'PIX';
    const shared = sharedSteps(a, b);
    if (shared > 0) return relationBelow(a, b, shared);
  }
  return relationOfPlaces(a, b);
}

/** An address without its function: several functions are one card. */
const slotOf = (address: string): string => address.replace(/\.[0-9a-f]+$/, '');

function sharedSteps(a: OsDevice, b: OsDevice): number {
  const first = a.path.findIndex(({ kind, address }, index) => {
    const other = b.path[index];
    return other?.kind !== kind || other.address !== address;
  });
  return first < 0 ? a.path.length : first;
}

/** A switch is two bridges in a row: the one above is shared, and each device has one of its own below it. */
function relationBelow(a: OsDevice, b: OsDevice, shared: number): Relation {
  if (a.path[shared - 1]?.kind === 'host-bridge') return 'PHB';
  const ownBridges = Math.max(a.path.length, b.path.length) - 1 - shared;
  return ownBridges > 1 ? 'PXB' : 'PIX';
}

function relationOfPlaces(a: OsDevice, b: OsDevice): Relation {
  if (a.near === null || b.near === null) return '?';
  if (a.numaNode !== null && a.numaNode === b.numaNode) return 'NODE';
  if (a.package !== null && a.package === b.package) return 'PKG';
  return 'SYS';
}

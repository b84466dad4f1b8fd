/** The topology of this machine, as far as a wish needs it. */
import { allowedCpus } from '../engine/affinity.js';
import { TopologyError } from '../topology/errors.js';
import { readTopology } from '../topology/index.js';
import { restrictTo } from '../topology/near.js';
import type { Topology } from '../topology/types.js';
import { readMachine } from './machine.js';
import { isNetworkDevice, nicPlace } from './sysfs.js';
import { BindingRefusal, type BindSpec } from './types.js';

/** By these hwloc is told where its topology comes from. */
const HWLOC_SOURCES = ['HWLOC_XMLFILE', 'HWLOC_SYNTHETIC', 'HWLOC_COMPONENTS', 'HWLOC_FSROOT'];

const sourcesTold = (): string[] => HWLOC_SOURCES.filter((name) => process.env[name] !== undefined);

/** Looking for devices takes time, and for GPUs most of it: no more than what the wish names. */
function readByHwloc(device: string | undefined): Topology {
  if (device === undefined) return readTopology({ devices: 'none' });
  const topology = readTopology({ devices: 'no-gpus' });
  const isThere = topology.devices.some(({ name }) => name === device);
  return isThere ? topology : readTopology({ devices: 'all' });
}

const deviceOf = (spec: BindSpec): string | undefined =>
  spec.kind === 'near' || spec.kind === 'far' ? spec.device : undefined;

/** By hwloc where somebody wants that, or a device that sysfs has no place for. */
function read(spec: BindSpec): Topology {
  const device = deviceOf(spec);
  const topology = sourcesTold().length > 0 ? null : readMachine({ allowed: allowedCpus(), device });
  return topology ?? readByHwloc(device);
}

/** A device that is there and isn't in the topology has no place in it. */
function refuseUnplaced({ thisSystem, devices }: Topology, device: string | undefined): void {
  if (device === undefined || !thisSystem || devices.some(({ name }) => name === device)) return;
  if (!isNetworkDevice(device)) return;
  const told = sourcesTold();
  if (told.length > 0 && nicPlace(device) !== null) {
    const [verb, these] = told.length === 1 ? ['makes', 'it'] : ['make', 'them'];
    throw new TopologyError(
      `hwloc does not find ${device}, which the kernel has, where ${told.join(' and ')} ${verb} it look: unset ${these}, or name cores`,
    );
  }
  throw new TopologyError(
    `${device} is made by the kernel alone, so no core is nearer to it than another: name cores, or the device below it`,
  );
}

/**
 * The topology that hwloc would take: this machine's, as far as this process may use it, unless its variables name another.
 *
 * @param outer the hardware threads that the process was started for; null = unknown, and no limit
 * @throws LoadError where hwloc is needed and missing, TopologyError where it can't read the machine, or the device is in no
 * place of it
 */
export function topologyAtHand(spec: BindSpec, outer: readonly number[] | null): Topology {
  const whole = read(spec);
  refuseUnplaced(whole, deviceOf(spec));
  return outer === null || !whole.thisSystem ? whole : restrictTo(whole, outer);
}

/**
 * This machine's, for whoever is to run on it.
 *
 * @throws as `topologyAtHand`; BindingRefusal where hwloc has been told of another machine
 */
export function topologyHere(spec: BindSpec, outer: readonly number[] | null): Topology {
  const topology = topologyAtHand(spec, outer);
  if (topology.thisSystem) return topology;
  throw new BindingRefusal(
    `hwloc has been given the topology ${topology.source.name}, which may be of another machine: set HWLOC_THISSYSTEM=1 if it is of this one`,
  );
}

/** The topology of this machine, as far as a wish needs it. */
import { readTopology } from '../topology/index.js';
import { restrictTo } from '../topology/near.js';
import type { Topology } from '../topology/types.js';
import { BindingRefusal, type BindSpec } from './types.js';

/** Looking for devices takes time, and for GPUs most of it: no more than what the wish names. */
function read(spec: BindSpec): Topology {
  if (spec.kind !== 'near' && spec.kind !== 'far') return readTopology({ devices: 'none' });
  const topology = readTopology({ devices: 'no-gpus' });
  const isThere = topology.devices.some(({ name }) => name === spec.device);
  return isThere ? topology : readTopology({ devices: 'all' });
}

/**
 * @param outer the hardware threads that the process was started for; null = unknown, and no limit
 * @throws LoadError where hwloc is missing, TopologyError where it can't read the machine, BindingRefusal where hwloc has
 * been told of another one
 */
export function topologyHere(spec: BindSpec, outer: readonly number[] | null): Topology {
  const whole = read(spec);
  if (!whole.thisSystem)
    throw new BindingRefusal(
      `hwloc has been given the topology ${whole.source.name}, which may be of another machine: set HWLOC_THISSYSTEM=1 if it is of this one`,
    );
  return outer === null ? whole : restrictTo(whole, outer);
}

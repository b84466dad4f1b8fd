/** The topology of this machine, as far as a wish needs it. */
import { restrictTo } from '../topology/near.js';
import { readTopology } from '../topology/index.js';
import type { Topology } from '../topology/types.js';
import type { BindSpec } from './types.js';

/**
 * @param outer the hardware threads that the process was started for; null = unknown, and no limit
 * @throws LoadError where hwloc is missing, TopologyError where it can't read the machine
 */
export function topologyHere(spec: BindSpec, outer: readonly number[] | null): Topology {
  const whole = readTopology();
  return outer === null ? whole : restrictTo(whole, outer);
}

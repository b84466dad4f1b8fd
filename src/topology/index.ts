/** hwloc as a library: what a machine is made of, and which cores are near which devices. */
export { TopologyError } from './errors.js';
export { deviceMatrix, relationOf, RELATIONS, type DeviceMatrix, type MatrixDevice, type Relation } from './matrix.js';
export {
  allowedCores,
  coresByDistance,
  coresFromFarthest,
  deviceNamed,
  distanceText,
  distanceToDevice,
  firstThread,
  restrictTo,
  topologyTitle,
} from './near.js';
export { readTopology } from './read.js';
export type {
  CacheObject,
  Core,
  CpuKind,
  HardwareThread,
  NumaDistances,
  NumaNodeObject,
  OsDevice,
  PackageObject,
  PciStep,
  Topology,
  TopologyRequest,
} from './types.js';

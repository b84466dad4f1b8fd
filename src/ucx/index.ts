/** UCX as a library: UCP and UCT. */
export type * from './types.js';
export type * from './ucp-types.js';
export type * from './uct-types.js';
export { ucp, ucpBind, ucpChannel } from './ucp.js';
export {
  uct,
  uctAtomicRefusal,
  uctBind,
  uctChannel,
  uctMost,
  uctRefusal,
  type UctCallName,
  type UctMessageShape,
} from './uct.js';
export { ucxVersion } from './native.js';
/** Objects can be closed once the operations that use them have been released. */
export { releaseOperation, releaseOperations } from '../engine/operations.js';

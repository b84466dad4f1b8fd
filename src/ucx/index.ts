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

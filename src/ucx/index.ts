/** UCX as a library. */
export type * from './types.js';
export type * from './uct-types.js';
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

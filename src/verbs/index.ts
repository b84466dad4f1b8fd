/** Verbs as a library: devices, memory, queues, queue pairs. */
export type * from './types.js';
export type * from './bind-types.js';
export type * from './cm-types.js';
export { rdmaCm } from './cm.js';
export { VerbsUnsupported } from './arguments.js';
export { chooseGid, gidLabel, type GidChoice, type GidRequest } from './gid.js';
export { NoRdmaDevice, verbs } from './verbs.js';
export { verbsBind as bind } from './bind.js';
export { GRH_BYTES } from './bind-wr.js';
/** Objects can be closed once the operations that use them have been released. */
export { releaseOperation } from '../engine/operations.js';

/** UCX as a library: UCP and UCT. */
export { ucp, ucpBind, ucpChannel } from './ucp.js';
export type * from './ucp-types.js';
export type * from './types.js';

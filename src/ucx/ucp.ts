/** UCP for JavaScript; its types are in ucp-types.ts. */
export { ucp } from './ucp-objects.js';
export { ucpBind } from './ucp-bind.js';
export { ucpChannel } from './ucp-channel.js';

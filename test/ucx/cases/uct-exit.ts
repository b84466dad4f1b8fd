/** Ends with everything open, and calls in flight. */
import { uctBind, uctChannel } from '../../../src/ucx/index.js';
import { openPair, resourceOf } from '../uct-pair.js';

const resource = resourceOf(process.argv[2] ?? '');
if (resource === undefined) throw new Error('there is no such transport');
const { here, there } = openPair(resource);
const memory = here.iface.memAlloc(1 << 16);
const key = there.iface.rkeyUnpack(memory.packKey());
const messages = there.iface.amMessages({ id: 1, into: new Uint8Array(64) });
const channel = uctChannel({ ...here, id: 2 });
channel.startReceives([new Uint8Array(64)], 64, 3)();
const inFlight = here.iface.inFlight();
const { buffer } = memory;
if (buffer === null) throw new Error('no buffer');
const layout = here.iface.attributes.am.zcopy === null ? 'bcopy' : 'zcopy';
const send = uctBind().am({ ...here, layout, buffer, length: 4096, memory, inFlight, id: 1 });
for (let i = 0; i < 10; i++) send();
globalThis.process.once('exit', () => {
  // They are in use until here.
  if (key === undefined || messages.arrived < 0) process.exitCode = 3;
});

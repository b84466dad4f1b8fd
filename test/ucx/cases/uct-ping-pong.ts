/** One of two processes: they tell each other their addresses over IPC, and play 1000 rounds by the native executor. */
import { once } from 'node:events';
import { nativeExecutor } from '../../../src/engine/index.js';
import { uct, uctBind } from '../../../src/ucx/index.js';
import { fillBytes, resourceOf } from '../uct-pair.js';

interface Hello {
  readonly device: Uint8Array;
  readonly other: Uint8Array;
  readonly pid: number;
}

const resource = resourceOf(process.argv[2] ?? '');
if (resource === undefined) throw new Error('there is no such transport');

async function tell(message: unknown): Promise<unknown> {
  const heard = once(process, 'message');
  await new Promise<void>((done) => process.send?.(message, () => done()));
  const [answer] = (await heard) as unknown[];
  return answer;
}

const iface = uct().open(resource);
const toEndpoint = iface.attributes.flags.includes('CONNECT_TO_EP');
const created = toEndpoint ? iface.epCreate() : undefined;
const into = new Uint8Array(64);
const messages = iface.amMessages({ id: 1, into });
const device = iface.deviceAddress();
const peer = (await tell({ device, other: created?.address() ?? iface.ifaceAddress(), pid: process.pid })) as Hello;
created?.connectToEp(peer.device, peer.other);
const endpoint = created ?? iface.connect(peer.device, peer.other);
await tell('ready');

const buffer = fillBytes(new Uint8Array(64), 3);
const send = uctBind().am({ endpoint, layout: 'short', buffer, length: 64, inFlight: iface.inFlight(), id: 1 });
const receive = uctBind().amReceive(iface, messages);
const first = process.pid < peer.pid;
const run = nativeExecutor.start({
  timed: first ? [send, receive] : [receive, send],
  drain: [uctBind().flush(iface)],
});
const { seconds } = run.advance({ iterations: Number(process.argv[3] ?? 1000) });
run.finish();
if (process.argv[3] !== undefined && first)
  process.stdout.write(`${(seconds / Number(process.argv[3]) / 2) * 1e6} us\n`);
if (Buffer.compare(into, buffer) !== 0) throw new Error('the bytes are not those that were sent');
await tell('done');
process.disconnect();

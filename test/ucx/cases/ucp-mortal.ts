/** Makes a worker for the peer to connect to, receives one message, and dies by a signal when told to. */
import { once } from 'node:events';
import { ucp, ucpBind } from '../../../src/ucx/index.js';

const bind = ucpBind();
const context = ucp().init({ features: ['TAG'], config: { TLS: process.argv[2] ?? '' } });
const worker = context.workerCreate();
process.send?.({ address: Buffer.from(worker.address()).toString('hex') });
const [{ address }] = (await once(process, 'message')) as [{ readonly address: string }];
const endpoint = worker.epCreate({ address: Buffer.from(address, 'hex'), errorHandling: 'peer' });
const message = { buffer: new Uint8Array(8), length: 8, tag: 1n, inFlight: worker.inFlight() };
bind.tagReceive({ ...message, worker, mask: 1n, blocking: true })();
bind.tagSend({ ...message, endpoint, blocking: true })();
setInterval(() => worker.progress(), 1);
process.on('message', () => process.kill(process.pid, 'SIGKILL'));
process.send?.({ served: true });

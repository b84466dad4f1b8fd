/**
 * One of two processes that play ping-pong. Sends its worker's address to its parent, gets the peer's from there, runs the
 * native executor, and tells its parent what arrived. Arguments: who begins (first, second), transports, way, iterations.
 */
import { once } from 'node:events';
import { EngineBuffer, nativeExecutor } from '../../../src/engine/index.js';
import { ucp, ucpBind } from '../../../src/ucx/index.js';
import type { Operation, UcpEp, UcpWorker } from '../../../src/ucx/index.js';

const [role = '', tls = '', way = '', count = ''] = process.argv.slice(2);
const iterations = Number(count);
const bind = ucpBind();
const length = 8;
const sending = EngineBuffer.allocate(length);
const receiving = EngineBuffer.allocate(length);

function tell(message: unknown): void {
  process.send?.(message);
}

async function heard(): Promise<unknown> {
  const [message] = (await once(process, 'message')) as [unknown];
  return message;
}

function byTag(worker: UcpWorker, endpoint: UcpEp): [Operation, Operation] {
  const inFlight = worker.inFlight();
  const common = { length, tag: 1n, inFlight, blocking: true };
  return [
    bind.tagSend({ ...common, endpoint, buffer: sending }),
    bind.tagReceive({ ...common, worker, buffer: receiving, mask: 1n, sleep: way === 'sleep' }),
  ];
}

async function byPut(worker: UcpWorker, endpoint: UcpEp): Promise<[Operation, Operation]> {
  const memory = context.memMap({ length });
  tell({ key: Buffer.from(memory.packKey()).toString('hex'), address: String(memory.address) });
  const peer = (await heard()) as { readonly key: string; readonly address: string };
  const key = endpoint.rkeyUnpack(Buffer.from(peer.key, 'hex'));
  const remote = { address: BigInt(peer.address), key };
  return [
    bind.put({ endpoint, buffer: sending, length, remote, stamp: true, inFlight: worker.inFlight() }),
    bind.waitByte(worker, { buffer: memory.buffer ?? new Uint8Array(0), offset: length - 1 }),
  ];
}

const features = ['TAG', 'RMA', 'WAKEUP'] as const;
const context = ucp().init({ features, config: { TLS: tls } });
const worker = context.workerCreate();
tell({ address: Buffer.from(worker.address()).toString('hex') });
const peer = (await heard()) as { readonly address: string };
const endpoint = worker.epCreate({ address: Buffer.from(peer.address, 'hex') });
const [send, receive] = way === 'put' ? await byPut(worker, endpoint) : byTag(worker, endpoint);
sending.view().fill(role === 'first' ? 1 : 2);

const timed = role === 'first' ? [send, receive] : [receive, send];
const run = nativeExecutor.start({ timed });
run.warmUp(200);
const { seconds } = run.advance({ iterations });
run.finish();
// The peer may still wait for what this side has to push.
const serving = setInterval(() => worker.progress(), 1);
tell({ arrived: [...receiving.view()], iterations: run.iterations, seconds, lanes: endpoint.lanes() });
await heard();
clearInterval(serving);
process.disconnect();

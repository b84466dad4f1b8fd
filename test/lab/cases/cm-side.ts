/** What both processes of test/lab/cm.test.ts do with a connection by rdma_cm. */
import { EngineBuffer } from '../../../src/engine/index.js';
import { bind, rdmaCm, releaseOperation } from '../../../src/verbs/index.js';
import type { CmId, MemoryRegion, ProtectionDomain, QueuePair, Receives } from '../../../src/verbs/index.js';

export const HOST = '10.9.0.1';
/** Of a datagram, before its bytes. */
const HEADER = 40;
const HALF = 1024;
const limits = { responderResources: 4, initiatorDepth: 4, timeout: 20 };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (data: Uint8Array): string => new TextDecoder().decode(data).replace(/\0+$/, '');

/** What a connection is made with. */
export interface Ready {
  readonly qp: QueuePair;
  readonly pd: ProtectionDomain;
  readonly mr: MemoryRegion;
  readonly receives: Receives;
  close(): void;
}

export interface Met {
  readonly id: CmId;
  readonly made: Ready;
  /** What the other side has said when they met. */
  readonly heard: string;
}

/** Everything for one message each way; the receive is posted. */
function ready(id: CmId, type: 'RC' | 'UD'): Ready {
  const { context } = id;
  const pd = context.allocPd();
  const [sendCq, recvCq] = [context.createCq({ entries: 8 }), context.createCq({ entries: 8 })];
  const mr = pd.regMr(EngineBuffer.allocate(2 * HALF), ['LOCAL_WRITE']);
  const qp = id.createQp(pd, { type, sendCq, recvCq, maxSendWr: 4, maxRecvWr: 4 });
  const receives = bind.receives({
    cq: recvCq,
    wrs: [{ to: qp, local: { mr, offset: HALF, length: HALF } }],
    cqePoll: 1,
  });
  receives.fill(1);
  return {
    ...{ qp, pd, mr, receives },
    close() {
      releaseOperation(receives.take);
      releaseOperation(receives.test);
      qp.destroy();
      mr.dereg();
      sendCq.destroy();
      recvCq.destroy();
      pd.dealloc();
      id.destroy();
    },
  };
}

export function asClient(port: number, type: 'RC' | 'UD'): Met {
  const id = rdmaCm().resolve({ host: HOST, port, source: HOST, tos: 32 }, { ud: type === 'UD', timeout: 10 });
  const made = ready(id, type);
  id.connect({ ...limits, privateData: bytesOf('from the client') });
  return { id, made, heard: textOf(id.privateData) };
}

export function asServer(id: CmId, type: 'RC' | 'UD'): Met {
  const heard = textOf(id.privateData);
  const made = ready(id, type);
  id.accept({ ...limits, privateData: bytesOf('from the server') });
  return { id, made, heard };
}

/** Sends a text to the other side. */
export function say({ id, made: { qp, pd, mr } }: Met, text: string): void {
  const data = bytesOf(text);
  mr.buffer.view().set(data);
  const ud = qp.type === 'UD' ? id.udPeer(pd) : undefined;
  const local = { mr, length: data.length };
  const post = bind.post({ qp, opcode: 'SEND', local, inline: false, ...(ud && { ud }) });
  const complete = bind.complete(qp.sendCq);
  post();
  complete();
  for (const operation of [post, complete]) releaseOperation(operation);
  ud?.ah.destroy();
}

/** Waits for the other side's text. */
export function hear({ made: { qp, mr, receives } }: Met): string {
  receives.take();
  return textOf(mr.buffer.view(HALF + (qp.type === 'UD' ? HEADER : 0)));
}

/** What a process of test/lab/cm.test.ts does; both of a pair call the same steps. */
import { EngineBuffer } from '../../../src/engine/index.js';
import { rdmaCm } from '../../../src/verbs/index.js';
import type { CmId, Cq, MemoryRegion, ProtectionDomain, QueuePair } from '../../../src/verbs/index.js';

/** What a connection is made with, closed by `close`. */
export interface Ready {
  readonly qp: QueuePair;
  readonly pd: ProtectionDomain;
  readonly cq: Cq;
  readonly mr: MemoryRegion;
  close(): void;
}

export function ready(id: CmId, ud: boolean): Ready {
  const { context } = id;
  const pd = context.allocPd();
  const cq = context.createCq({ entries: 16 });
  const mr = pd.regMr(EngineBuffer.allocate(4096), ['LOCAL_WRITE', 'REMOTE_WRITE', 'REMOTE_READ']);
  const qp = id.createQp(pd, { type: ud ? 'UD' : 'RC', sendCq: cq, recvCq: cq, maxSendWr: 8, maxRecvWr: 8 });
  return {
    ...{ qp, pd, cq, mr },
    close() {
      qp.destroy();
      mr.dereg();
      cq.destroy();
      pd.dealloc();
      id.destroy();
    },
  };
}

const limits = { responderResources: 4, initiatorDepth: 4 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (data: Uint8Array): string => new TextDecoder().decode(data).replace(/\0+$/, '');

export interface Met {
  readonly id: CmId;
  readonly made: Ready;
  /** What the other side has said when they met. */
  readonly heard: string;
}

export function asClient(port: number, ud: boolean): Met {
  const id = rdmaCm().resolve({ host: '10.9.0.1', port, source: '10.9.0.1', tos: 32 }, { ud, timeout: 10 });
  const made = ready(id, ud);
  id.connect({ ...limits, privateData: bytes('from the client'), timeout: 20 });
  return { id, made, heard: textOf(id.privateData) };
}

export function asServer(listener: { accept(options: { timeout: number }): CmId | null }, ud: boolean): Met {
  const id = listener.accept({ timeout: 20 });
  if (id === null) throw new Error('nobody has asked');
  const heard = textOf(id.privateData);
  const made = ready(id, ud);
  id.accept({ ...limits, privateData: bytes('from the server'), timeout: 20 });
  return { id, made, heard };
}

/** Two workers of one process with endpoints to each other, for the tests of UCP. */
import { expect } from 'chai';
import { EngineBuffer, releaseOperation } from '../../src/engine/index.js';
import { ucp, ucpBind } from '../../src/ucx/index.js';
import type {
  InFlight,
  Memory,
  Operation,
  Pieces,
  UcpContext,
  UcpEp,
  UcpFeature,
  UcpRkey,
  UcpWorker,
} from '../../src/ucx/index.js';

// Tests leave messages without partners on purpose: UCX's warnings of that say nothing new.
process.env['UCX_LOG_LEVEL'] ??= 'error';

export const bind = ucpBind();
export const allTags = 0xffff_ffff_ffff_ffffn;

/** What the transport self can do; others can sleep too. */
const features: readonly UcpFeature[] = ['TAG', 'RMA', 'AMO32', 'AMO64', 'STREAM', 'AM'];

export interface Side {
  readonly worker: UcpWorker;
  readonly endpoint: UcpEp;
  readonly inFlight: InFlight;
}

export interface Target {
  readonly memory: Memory;
  readonly buffer: EngineBuffer;
  readonly remote: { readonly address: bigint; readonly key: UcpRkey };
}

function sideOf(worker: UcpWorker, peer: UcpWorker): Side {
  return { worker, endpoint: worker.epCreate({ address: peer.address() }), inFlight: worker.inFlight(64) };
}

/** Both sides are the same one over the transport self. */
export class Pair {
  readonly context: UcpContext;
  readonly a: Side;
  readonly b: Side;
  readonly #operations: Operation[] = [];
  readonly #targets: Target[] = [];

  constructor(tls: string, config: Readonly<Record<string, string>> = {}) {
    const able = tls === 'self' ? features : ([...features, 'WAKEUP'] as const);
    this.context = ucp().init({ features: able, mtWorkersShared: true, config: { TLS: tls, ...config } });
    const one = this.context.workerCreate();
    const two = tls === 'self' ? one : this.context.workerCreate();
    this.a = sideOf(one, two);
    this.b = two === one ? this.a : sideOf(two, one);
  }

  /** Has an operation released when the pair is closed. */
  bound(operation: Operation): Operation {
    this.#operations.push(operation);
    return operation;
  }

  run(...operations: readonly Operation[]): void {
    for (const operation of operations) this.bound(operation)();
  }

  /** Makes progress on both sides until `done` holds; fails after ten seconds. */
  until(done: () => boolean): void {
    const end = Date.now() + 10_000;
    while (!done()) {
      this.a.worker.progress();
      this.b.worker.progress();
      expect(Date.now() < end, 'it takes too long').to.be.true;
    }
  }

  /** Makes progress until nothing is in flight on either side. */
  settle(): void {
    this.until(() => this.a.inFlight.count === 0 && this.b.inFlight.count === 0);
  }

  /** Memory of b that a may write to. */
  target(length: number): Target {
    const memory = this.context.memMap({ length });
    const key = this.a.endpoint.rkeyUnpack(memory.packKey());
    const target = { memory, buffer: bufferOf(memory), remote: { address: memory.address, key } };
    this.#targets.push(target);
    return target;
  }

  release(): void {
    this.#operations.splice(0).forEach(releaseOperation);
  }

  close(): void {
    this.settle();
    this.release();
    for (const { remote } of this.#targets) remote.key.destroy();
    this.a.endpoint.close();
    if (this.b !== this.a) this.b.endpoint.close();
    for (const { memory } of this.#targets) memory.free();
    this.a.worker.destroy();
    if (this.b !== this.a) this.b.worker.destroy();
    this.context.cleanup();
  }
}

export function bufferOf({ buffer }: Memory): EngineBuffer {
  if (buffer === null) throw new Error('the memory has no buffer');
  return buffer;
}

/** Bytes that differ from place to place and between seeds. */
export function filled(length: number, seed = 1): EngineBuffer {
  const buffer = EngineBuffer.allocate(length);
  const view = buffer.view();
  for (let i = 0; i < length; i++) view[i] = (i * 7 + (i >> 8) * 13 + seed) & 0xff;
  return buffer;
}

/** Fails unless both have the same bytes, up to `length`. */
export function expectSame(got: EngineBuffer, sent: EngineBuffer, length = sent.byteLength): void {
  expect(Buffer.compare(got.view(0, length), sent.view(0, length)), `of ${length} bytes some differ`).to.equal(0);
}

/** Pieces of a message: as many as needed, of different lengths, `gap` bytes apart where the stride leaves that. */
export function piecesOf(length: number, stride: number): Pieces {
  const lengths: number[] = [];
  for (let left = length; left > 0; left -= lengths.at(-1) ?? 0) {
    lengths.push(Math.min(left, stride === 0 ? 1 + Math.ceil(length / 3) : stride - (lengths.length % 2)));
  }
  return { lengths, stride };
}

/** Bytes that pieces cover, one after the other. */
export function gathered(buffer: EngineBuffer, { lengths, stride }: Pieces): Buffer {
  let from = 0;
  const parts = lengths.map((length) => {
    const part = buffer.view(from, length);
    from += stride === 0 ? length : stride;
    return part;
  });
  return Buffer.concat(parts);
}

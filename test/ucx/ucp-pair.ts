/** Two workers of one process with endpoints to each other, for the tests of UCP. */
import { expect } from 'chai';
import { EngineBuffer, releaseOperation } from '../../src/engine/index.js';
import { ucp, ucpBind } from '../../src/ucx/index.js';
import type { Operation, UcpContext, UcpEp, UcpFeature, UcpWorker } from '../../src/ucx/index.js';

export const bind = ucpBind();

const features: readonly UcpFeature[] = ['TAG', 'RMA', 'AMO32', 'AMO64', 'WAKEUP', 'STREAM', 'AM'];

export interface Side {
  readonly worker: UcpWorker;
  readonly endpoint: UcpEp;
}

export interface Pair {
  readonly context: UcpContext;
  readonly a: Side;
  readonly b: Side;
  /** Runs an operation, which is released when the pair is closed. */
  run(operation: Operation): Operation;
  /** Makes progress on both sides until `done` holds; fails after ten seconds. */
  until(done: () => boolean): void;
  close(): void;
}

export function makePair(tls: string, config: Readonly<Record<string, string>> = {}): Pair {
  const context = ucp().init({ features, mtWorkersShared: true, config: { TLS: tls, ...config } });
  const workers = [context.workerCreate(), tls === 'self' ? undefined : context.workerCreate()] as const;
  const one = workers[0];
  const two = workers[1] ?? one;
  const a = { worker: one, endpoint: one.epCreate({ address: two.address() }) };
  const b = workers[1] === undefined ? a : { worker: two, endpoint: two.epCreate({ address: one.address() }) };
  const operations: Operation[] = [];
  return {
    context,
    a,
    b,
    run(operation) {
      operations.push(operation);
      operation();
      return operation;
    },
    until(done) {
      const end = Date.now() + 10_000;
      while (!done()) {
        one.progress();
        two.progress();
        expect(Date.now() < end, 'it takes too long').to.be.true;
      }
    },
    close() {
      operations.forEach(releaseOperation);
      a.endpoint.close();
      if (b !== a) b.endpoint.close();
      one.destroy();
      if (two !== one) two.destroy();
      context.cleanup();
    },
  };
}

/** Bytes that differ from place to place and between seeds. */
export function filled(length: number, seed = 1): EngineBuffer {
  const buffer = EngineBuffer.allocate(length);
  const view = buffer.view();
  for (let i = 0; i < length; i++) view[i] = (i * 7 + (i >> 8) * 13 + seed) & 0xff;
  return buffer;
}

/** Throws unless both have the same bytes, up to `length`. */
export function expectSame(got: EngineBuffer, sent: EngineBuffer, length = sent.byteLength): void {
  expect(Buffer.compare(got.view(0, length), sent.view(0, length)), `${length} bytes differ`).to.equal(0);
}

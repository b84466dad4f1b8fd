import type { EngineBuffer } from '../../engine/buffer.js';
import { releaseOperation } from '../../engine/operations.js';
import type { Executor, Operation, Program } from '../../engine/types.js';
import type { Transport } from '../../transport/types.js';

/** Buffers of one row, remembered so that they can be freed together. */
export class RowBuffers {
  readonly #made: EngineBuffer[] = [];
  constructor(private readonly transport: Transport) {}

  /** A page-aligned buffer; one of 0 bytes has an address too. */
  allocate(bytes: number): EngineBuffer {
    const buffer = this.transport.allocate(Math.max(bytes, 1));
    this.#made.push(buffer);
    return buffer;
  }

  /** `count` of them, at least one. */
  several(count: number, bytes: number): [EngineBuffer, ...EngineBuffer[]] {
    return [this.allocate(bytes), ...Array.from({ length: count - 1 }, () => this.allocate(bytes))];
  }

  free(): void {
    for (const buffer of this.#made.splice(0)) buffer.free();
  }
}

/** Every operation of a program, once each, those that may hold others first. */
export function operationsOf({ timed, untimed, drain = [], closing = [] }: Program): Operation[] {
  const { before = [], after = [] } = untimed ?? {};
  return [...new Set([...before, ...after, ...closing, ...timed, ...drain])];
}

/** Lets go of everything that operations hold. A mock's operations hold nothing. */
export function releaseAll(operations: readonly Operation[], executor: Executor): void {
  if (executor.name === 'mock') return;
  for (const operation of operations) releaseOperation(operation);
}

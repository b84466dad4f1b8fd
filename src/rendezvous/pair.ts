/** Two processes that meet over a control connection, whatever carries it: a server and its client. */
import type { Connection } from '../engine/control.js';
import { repeat, until } from '../engine/operations.js';
import type { Operation } from '../engine/types.js';
import type { Rendezvous } from './types.js';

/** How often progress is made between two looks for the peer's signal. */
const PROGRESS_PER_TEST = 64;

interface Frame {
  /** What both sides are at: they must agree. */
  readonly at: string;
  readonly value: unknown;
}

/** Numbers as text, bit by bit. */
function encodeNumbers(values: Float64Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
}

function decodeNumbers(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  const values = new Float64Array(bytes.byteLength / Float64Array.BYTES_PER_ELEMENT);
  new Uint8Array(values.buffer).set(bytes);
  return values;
}

/** A value as the peer sees it. */
function asSeen<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? 'null') as T;
}

class PairRendezvous implements Rendezvous {
  readonly size = 2;

  constructor(
    readonly kind: string,
    private readonly connection: Connection,
    readonly rank: 0 | 1,
  ) {}

  allgather<T>(value: T): T[] {
    this.#send('allgather', value);
    const other = this.#receive('allgather') as T;
    const own = asSeen(value);
    return this.rank === 0 ? [own, other] : [other, own];
  }

  gather<T>(value: T): T[] {
    if (this.rank === 0) return [asSeen(value), this.#receive('gather') as T];
    this.#send('gather', value);
    return [];
  }

  broadcast<T>(value: T, root = 0): T {
    if (this.rank !== root) return this.#receive('broadcast') as T;
    this.#send('broadcast', value);
    return asSeen(value);
  }

  gatherNumbers(values: Float64Array): Float64Array[] {
    if (this.rank === 0) return [values.slice(), decodeNumbers(this.#receive('numbers') as string)];
    this.#send('numbers', encodeNumbers(values));
    return [];
  }

  barrier(): void {
    this.#send('barrier', null);
    this.#receive('barrier');
  }

  progressBarrier(progress: Operation): Operation {
    const arrived = until(this.connection.signalled(), [progress], { every: PROGRESS_PER_TEST });
    return repeat([this.connection.signal(), arrived], 1);
  }

  abort(code: number): never {
    this.connection.abort(`it ended with exit code ${code}`);
    process.exit(code);
  }

  close(): void {
    this.connection.close();
  }

  #send(at: string, value: unknown): void {
    const frame: Frame = { at, value: value ?? null };
    this.connection.send(JSON.stringify(frame));
  }

  #receive(at: string): unknown {
    const frame = JSON.parse(this.connection.receive()) as Frame;
    if (frame.at === at) return frame.value;
    throw new Error(`the peer is at ${frame.at} where this side is at ${at}: use the same version on both sides`);
  }
}

/**
 * Meets with the other end of the connection, which must take the other rank. Every wait ends with a `ControlError` where
 * the connection does. Closing it closes the connection. `kind` says what carries it.
 */
export function pairRendezvous(kind: string, connection: Connection, rank: 0 | 1): Rendezvous {
  return new PairRendezvous(kind, connection, rank);
}

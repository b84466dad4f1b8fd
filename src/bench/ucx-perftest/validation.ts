/** `-V`: every iteration carries other data, and each byte of it is compared where it arrived, outside the timed part. */
import { messageSize } from '../../cli/ucx-perftest-checks.js';
import type { EngineBuffer } from '../../engine/buffer.js';
import { check, checkResult, fill, type CheckOperation } from '../../engine/operations.js';
import type { Operation, Program } from '../../engine/types.js';
import { atomicResult, isAtomic, type AtomicCommand, type TestRequest } from './side.js';

export interface ValidatedBuffers {
  readonly send: EngineBuffer;
  readonly receive: EngineBuffer;
  /** Set where the last byte is a sequence number and no data. */
  readonly stamped: boolean;
  /** Buffers in which the pieces of a message lie as `-i` says, and not one after the other. */
  readonly scattered: { readonly send: boolean; readonly receive: boolean };
}

/** The data of the client, and of the server. */
const SENDERS = { client: 0, server: 1, both: 0 } as const;

interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Where the pieces of a message lie. A last byte that is a sequence number is no data. */
function placesOf(sizes: readonly number[], stride: number, stamped: boolean): Place[] {
  let adjacent = 0;
  const places = sizes.map((length, index) => {
    const offset = stride > 0 ? index * stride : adjacent;
    adjacent += length;
    return { offset, length };
  });
  const last = places.at(-1);
  if (stamped && last && last.length > 0) places[places.length - 1] = { ...last, length: last.length - 1 };
  return places.filter(({ length }) => length > 0);
}

/** The part of a side's buffers that holds data of this iteration after it: whose data it is, or none. */
function arrivals({ test, role }: TestRequest): 'client' | 'server' | 'both' | undefined {
  if (role === 'both') return 'both';
  if (test.pattern === 'ping-pong') return role === 'client' ? 'server' : 'client';
  if (test.command === 'get') return role === 'client' ? 'server' : undefined;
  return role === 'server' ? 'client' : undefined;
}

export class Validation {
  readonly #checks: CheckOperation[];
  readonly #before: Operation[];
  readonly #tampering: readonly Operation[];

  constructor(request: TestRequest, { send, receive, stamped, scattered }: ValidatedBuffers) {
    const { role, test, tamper, options } = request;
    const { sizes, stride } = options;
    const places = (apart: boolean): Place[] => (isAtomic(test) ? [] : placesOf(sizes, apart ? stride : 0, stamped));
    // What a client's atomics fetch lies where it sends from otherwise.
    const arrived = isAtomic(test) && test.command !== 'add' && role === 'client' ? send : receive;
    this.#tampering = tamper?.({ role, test, receive: arrived, size: messageSize(options) }) ?? [];
    const own = SENDERS[request.role];
    this.#before = places(scattered.send).map((place, slot) => fill(send, { sender: own, slot, ...place }));
    const from = arrivals(request);
    this.#checks =
      from === undefined
        ? []
        : places(scattered.receive).map((place, slot) => check(receive, { sender: SENDERS[from], slot, ...place }));
  }

  /** Puts the checks around a program; `barrier` makes a barrier of the pair, `complete` sees a side's own calls through. */
  around(program: Program, barrier: () => Operation, complete: readonly Operation[]): Program {
    return {
      ...program,
      untimed: {
        before: [...this.#before, barrier()],
        after: [...complete, barrier(), ...this.#tampering, ...this.#checks],
      },
    };
  }

  wrongBytes(): number {
    return this.#checks.reduce((sum, operation) => sum + checkResult(operation).errors, 0);
  }
}

/**
 * Wrong bytes of atomics, after this side has run so many of them: of the word that they work on, on the side that has it, and
 * of the last value that was fetched, which is that of one atomic before.
 */
export function wrongAtomicBytes(
  {
    test,
    role,
    options,
  }: Pick<TestRequest, 'role' | 'options'> & {
    readonly test: { readonly command: AtomicCommand } & Pick<TestRequest['test'], 'pattern'>;
  },
  { send, receive }: Pick<ValidatedBuffers, 'send' | 'receive'>,
  executed: number,
): number {
  const size = messageSize(options);
  const { command, pattern } = test;
  // A word is written by the client, in a ping-pong by both.
  const hasWord = role !== 'client' || pattern === 'ping-pong';
  const word = hasWord ? wrongWordBytes(receive, atomicResult(command, executed, size), size) : 0;
  if (command === 'add' || role === 'server' || executed === 0) return word;
  return word + wrongWordBytes(send, atomicResult(command, executed - 1, size), size);
}

/** Wrong bytes of a word, compared with what it should hold. */
function wrongWordBytes(buffer: EngineBuffer, expected: bigint, size: number): number {
  const bytes = buffer.view(0, size);
  return bytes.reduce(
    (sum, byte, index) => sum + (BigInt(byte) === ((expected >> BigInt(8 * index)) & 0xffn) ? 0 : 1),
    0,
  );
}

/** What the cases of MPI tests are made of: they run on every rank of one launch, one after the other. */
import { strict as assert } from 'node:assert';
import type { MpiFamily } from '../../../src/engine/load.js';

/** The binding as users import it. */
export type Binding = typeof import('../../../src/mpi/index.js');

type Maker<T> = { new (buffer: ArrayBuffer, offset: number, length: number): T; readonly BYTES_PER_ELEMENT: number };

export interface CaseContext {
  readonly MPI: Binding;
  readonly rank: number;
  readonly size: number;
  /** Memory of `length` elements with guards before and after it, which are checked when the case ends. */
  guarded<T extends ArrayBufferView>(type: Maker<T>, length: number): T;
}

export interface Case {
  /** Ranks it needs at least (default 1) and at most. */
  readonly least?: number;
  readonly most?: number;
  /** Needs an MPI, where it is about one: what MPI-4 added is there under MPICH, and missing under Open MPI 4. */
  readonly mpi?: MpiFamily;
  run(context: CaseContext): void;
}

export type Cases = Readonly<Record<string, Case>>;

export const GUARD_BYTES = 64;
const GUARD = 0xa5;

/** Guarded memory of one case. */
export class Guards {
  readonly #made: { all: Uint8Array; length: number }[] = [];

  make<T extends ArrayBufferView>(type: Maker<T>, length: number): T {
    const bytes = length * type.BYTES_PER_ELEMENT;
    const all = new Uint8Array(bytes + 2 * GUARD_BYTES).fill(GUARD);
    all.fill(0, GUARD_BYTES, GUARD_BYTES + bytes);
    this.#made.push({ all, length: bytes });
    return new type(all.buffer, GUARD_BYTES, length);
  }

  check(): void {
    for (const { all, length } of this.#made) {
      const before = all.subarray(0, GUARD_BYTES);
      const after = all.subarray(GUARD_BYTES + length);
      assert.ok(
        before.every((byte) => byte === GUARD),
        'bytes before a buffer were overwritten',
      );
      assert.ok(
        after.every((byte) => byte === GUARD),
        'bytes after a buffer were overwritten',
      );
    }
  }
}

/** Whether a case runs in a launch of `np` ranks of an MPI. */
export function applies({ least = 1, most = Infinity, mpi }: Case, np: number, launched: string): boolean {
  return np >= least && np <= most && (mpi === undefined || mpi === launched);
}

/** Calls MPI with what TypeScript would not let through. */
export function untyped(call: unknown, ...args: unknown[]): unknown {
  return (call as (...all: unknown[]) => unknown)(...args);
}

/** The error that `action` throws. */
export function thrown(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  return assert.fail('nothing was thrown');
}

/** Asserts that `action` is refused with a message that matches, and a class of error. */
export function refused(action: () => unknown, message: RegExp, type: new (...args: never[]) => Error = Error): void {
  const error = thrown(action);
  assert.match(error.message, message);
  assert.ok(error instanceof type, `${error.name} is no ${type.name}: ${error.message}`);
}

/** Asserts that MPI itself refuses `action`, with an error of this class. */
export function refusedByMpi(MPI: Binding, action: () => unknown, className: string): void {
  const error = thrown(action);
  assert.ok(error instanceof MPI.MpiError, `${error.name} is no MpiError: ${error.message}`);
  assert.equal(error.className, className, error.message);
}

import { wholeNumber } from './arguments.js';
import { engine, type NumberArguments } from './native.js';
import type { CheckOperation } from './operations.js';
import type { Bytes, Operation } from './types.js';

/** A part of the vector of numbers that every sender has for one iteration, and where it lies. */
export interface NumbersOptions {
  /** Element type by its name in MPI, e.g. `MPI_INT`: one of `numberTypes()`. */
  readonly type: string;
  /** How many numbers are added up for an element: those of senders 0 to `senders` - 1. All of them must know it. */
  readonly senders: number;
  /** Where in the buffer the part begins, in bytes (default 0). */
  readonly offset?: number;
  /** Bytes from `offset` on: whole elements. */
  readonly length: number;
  /** Which element of the vector stands first there (default 0). */
  readonly first?: number;
  /** Tells several vectors of one iteration apart (default 0). */
  readonly slot?: number;
}

export interface SenderNumbersOptions extends NumbersOptions {
  /** Whose numbers: 0 to `senders` - 1. What a target holds before others add to it counts as a sender too. */
  readonly sender: number;
}

export interface ReductionOptions extends NumbersOptions {
  readonly operation: 'sum';
}

/** Few enough that every sender's share can be kept at hand. */
const MOST_SENDERS = 2 ** 24;

let types: ReadonlyMap<string, number> | undefined;

/** Element types that reductions can be filled and checked with, by their names in MPI: bytes per element. */
export function numberTypes(): ReadonlyMap<string, number> {
  types ??= new Map(Object.entries(engine().numberTypes()));
  return types;
}

function readNumbers(options: NumbersOptions, sender: number): NumberArguments {
  const { type } = options;
  const width = numberTypes().get(type);
  if (width === undefined) {
    throw new RangeError(
      `no numbers of type ${type} can be checked: use one of ${[...numberTypes().keys()].join(', ')}`,
    );
  }
  const length = wholeNumber(options.length, 'length');
  if (length % width !== 0) throw new RangeError(`length ${length} is no multiple of the ${width} bytes of ${type}`);
  const senders = wholeNumber(options.senders, 'senders', 1);
  if (senders > MOST_SENDERS) throw new RangeError(`senders must be at most ${MOST_SENDERS}, not ${senders}`);
  if (wholeNumber(sender, 'sender') >= senders) throw new RangeError(`sender ${sender} is none of ${senders} senders`);
  const offset = wholeNumber(options.offset ?? 0, 'offset');
  const first = wholeNumber(options.first ?? 0, 'first');
  return [type, offset, length, first, wholeNumber(options.slot ?? 0, 'slot'), senders, sender];
}

/**
 * An operation that writes a sender's numbers: they depend on sender, iteration, slot and element, and every sum over the
 * senders is exact in the type. Complex elements are two numbers. Throws where they don't fit into the buffer.
 */
export function fillNumbers(buffer: Bytes, options: SenderNumbersOptions): Operation {
  return engine().fillNumbers(buffer, ...readNumbers(options, options.sender));
}

/**
 * An operation that compares every byte of a buffer with one sender's numbers. As `check`, it never fails: `checkResult`
 * tells what it found, its offset counted in bytes from the vector's first element.
 */
export function checkNumbers(buffer: Bytes, options: SenderNumbersOptions): CheckOperation {
  return engine().checkNumbers(buffer, ...readNumbers(options, options.sender)) as CheckOperation;
}

/** An operation that compares every byte of a buffer with the sums of all senders' numbers, as `checkNumbers` does. */
export function checkReduction(buffer: Bytes, options: ReductionOptions): CheckOperation {
  return engine().checkReduction(buffer, ...readNumbers(options, 0)) as CheckOperation;
}

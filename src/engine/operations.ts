import { wholeNumber } from './arguments.js';
import { engine } from './native.js';
import type { Bytes, Operation } from './types.js';

/** Which data the pattern stands for. It depends on the iteration too, which the run supplies. */
export interface PatternOptions {
  /** Rank that sends the data. */
  readonly sender: number;
  /** Where in the buffer the data begin, in bytes (default 0). The pattern begins there. */
  readonly offset?: number;
  /** Bytes from `offset` on. */
  readonly length: number;
  /** Tells several messages of one iteration apart, e.g. those of a window (default 0). */
  readonly slot?: number;
}

/** A block of a derived layout: bytes from `offset` on, counted from the beginning of the pattern. */
export interface PatternBlock {
  readonly offset: number;
  readonly length: number;
}

export interface CheckOptions extends PatternOptions {
  /** Looks only at these blocks of the data, for layouts with gaps; by default at all `length` bytes. */
  readonly blocks?: readonly PatternBlock[];
}

/** An operation that `checkResult` can be asked about. */
export interface CheckOperation extends Operation {
  readonly operationName: 'check' | 'checkNumbers' | 'checkReduction';
}

/** What a check operation found since it was built or reset. */
export interface CheckResult {
  /** Bytes compared. */
  readonly checked: number;
  /** Bytes that were wrong. */
  readonly errors: number;
  /** The first wrong byte: its iteration, its place from the beginning of the pattern, what it should be and is. */
  readonly first?: {
    readonly iteration: number;
    readonly offset: number;
    readonly expected: number;
    readonly got: number;
  };
}

/** An operation that does nothing. */
export function noop(): Operation {
  return engine().noop();
}

/** An operation that writes the pattern of sender, iteration and slot into a buffer. Throws where it doesn't fit. */
export function fill(buffer: Bytes, options: PatternOptions): Operation {
  const { offset, length, sender, slot } = checkPattern(options);
  return engine().fill(buffer, offset, length, sender, slot);
}

/**
 * An operation that compares a buffer with the pattern of sender, iteration and slot. It never fails (the peer would wait
 * for ever): `checkResult` tells what it found.
 */
export function check(buffer: Bytes, options: CheckOptions): CheckOperation {
  const { offset, length, sender, slot } = checkPattern(options);
  const blocks = options.blocks ?? [{ offset: 0, length }];
  const numbers = Float64Array.from(blocks.flatMap((block) => checkBlock(block, length)));
  return engine().check(buffer, offset, numbers, sender, slot) as CheckOperation;
}

function checkPattern(options: PatternOptions): Required<PatternOptions> {
  return {
    sender: wholeNumber(options.sender, 'sender'),
    offset: wholeNumber(options.offset ?? 0, 'offset'),
    length: wholeNumber(options.length, 'length'),
    slot: wholeNumber(options.slot ?? 0, 'slot'),
  };
}

function checkBlock(block: PatternBlock, length: number): [number, number] {
  wholeNumber(block.offset, 'the offset of a block');
  wholeNumber(block.length, 'the length of a block');
  if (block.offset + block.length <= length) return [block.offset, block.length];
  throw new RangeError(`a block of ${block.length} bytes at ${block.offset} goes beyond the ${length} bytes to check`);
}

/** What a check operation found. Throws for any other operation. */
export function checkResult(operation: Operation): CheckResult {
  return engine().checkResult(operation) as CheckResult;
}

/** An operation that copies the first `length` bytes of one buffer to another. */
export function copy(from: Bytes, to: Bytes, length: number): Operation {
  return engine().copy(from, to, wholeNumber(length, 'length'));
}

/**
 * One operation that runs a list of operations `times` times, each time with the same iteration. It ends at the first one
 * that fails, and the error is that one's. With `times` 1 it makes several operations count as one.
 */
export function repeat(operations: readonly Operation[], times: number): Operation {
  return engine().repeat(operations, wholeNumber(times, 'times'));
}

export interface UntilOptions {
  /** How often `meanwhile` runs before each test (default 1), for tests that cost more than what they wait for. */
  readonly every?: number;
}

/**
 * One operation that runs `meanwhile` and then `test`, until the test's outcome is another than "not complete yet". It
 * ends at the first failure, and when runs are cancelled. `test` is a stack's own operation that looks once, such as
 * `Connection.signalled()`.
 */
export function until(test: Operation, meanwhile: readonly Operation[], options: UntilOptions = {}): Operation {
  return engine().until([test, ...meanwhile], wholeNumber(options.every ?? 1, 'every', 1));
}

/**
 * Ends every run of this process that executes now or starts later, and operations that JavaScript calls, until
 * `clearCancel`: whatever waits in a native operation returns, and its error says `reason`.
 */
export function cancelRuns(reason: string): void {
  engine().cancelRuns(reason);
}

/** Lets runs go on again after `cancelRuns`. Those that were cancelled stay failed. */
export function clearCancel(): void {
  engine().clearCancel();
}

/**
 * One operation that runs another one of the list in each iteration: `operations[iteration % operations.length]`, counted
 * over warm-up and lead-ins too, so that processes with as many iterations behind them take the same turn. Throws
 * RangeError for an empty list.
 */
export function rotate(operations: readonly Operation[]): Operation {
  if (operations.length === 0) throw new RangeError('rotate needs at least one operation');
  return engine().rotate(operations);
}

/**
 * Lets go of everything that an operation holds, so that its buffers can be freed before the garbage collector sees that
 * nobody uses it. It can't run any more. Throws while a run or another operation uses it.
 */
export function releaseOperation(operation: Operation): void {
  engine().releaseOperation(operation);
}

/** Runs an operation for this once, and lets go of it. */
export function runOnce(operation: Operation): void {
  operation();
  releaseOperation(operation);
}

const HOLDS = Symbol.for('fabricbench.holds');

/** The operations that an operation runs, such as those of `repeat`. */
export function innerOf(operation: Operation): Operation[] {
  const held = (operation as { readonly [HOLDS]?: readonly unknown[] })[HOLDS] ?? [];
  return held.filter((value): value is Operation => typeof value === 'function' && 'operationName' in value);
}

/** Lets go of operations and of all that they run in turn, each before those that it runs. Throws as `releaseOperation`. */
export function releaseOperations(operations: Iterable<Operation>): void {
  const order: Operation[] = [];
  const seen = new Set<Operation>();
  const visit = (operation: Operation): void => {
    if (seen.has(operation)) return;
    seen.add(operation);
    innerOf(operation).forEach(visit);
    order.push(operation);
  };
  for (const operation of operations) visit(operation);
  for (const operation of order.reverse()) releaseOperation(operation);
}

import { wholeNumber } from './arguments.js';
import { engine, type NativeStopwatch } from './native.js';
import type { Operation } from './types.js';

/**
 * Splits one part of a program into several and adds up how long each takes, by one read of the clock per operation. Its
 * operations belong into one program, since they all write to the same sums.
 */
export interface Stopwatch {
  /** The parts' names; their numbers where it was made of a number. */
  readonly parts: readonly string[];
  /** The operation that begins a round: reads the clock. The same one every time. */
  start(): Operation;
  /** The operation that ends a part, by its name or index: adds the time since the last start or mark to it. */
  mark(part: string | number): Operation;
  /** Leaves the rounds that the next `rounds` starts begin out of all sums: those of a lead-in. A reset forgets it. */
  skip(rounds: number): void;
  /** Sums in seconds, by part, of all rounds since the reset after warm-up that were not skipped. */
  seconds(): Float64Array;
  /** How many rounds these are. */
  readonly rounds: number;
}

class NativeWatch implements Stopwatch {
  readonly parts: readonly string[];
  readonly #native: NativeStopwatch;
  readonly #start: Operation;
  readonly #marks: Operation[];

  constructor(parts: readonly string[]) {
    this.parts = parts;
    this.#native = new (engine().Stopwatch)(parts.length);
    this.#start = this.#native.start();
    this.#marks = parts.map((_, index) => this.#native.mark(index, this.#start));
  }

  start(): Operation {
    return this.#start;
  }

  mark(part: string | number): Operation {
    const mark = this.#marks[typeof part === 'string' ? this.parts.indexOf(part) : part];
    if (mark !== undefined) return mark;
    throw new RangeError(`the stopwatch has no part ${part}: its parts are ${this.parts.join(', ')}`);
  }

  skip(rounds: number): void {
    this.#native.skip(wholeNumber(rounds, 'rounds'));
  }

  seconds(): Float64Array {
    const sums = new Float64Array(this.parts.length);
    this.#native.seconds(sums);
    return sums;
  }

  get rounds(): number {
    return this.#native.rounds;
  }
}

/** A stopwatch with these parts, or with so many. Throws RangeError for none, and for a name that comes twice. */
export function stopwatch(parts: number | readonly string[]): Stopwatch {
  const names =
    typeof parts === 'number' ? Array.from({ length: wholeNumber(parts, 'parts') }, numberName) : [...parts];
  if (names.length === 0) throw new RangeError('a stopwatch needs at least one part');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RangeError(`the stopwatch has two parts named ${twice}`);
  return new NativeWatch(names);
}

const numberName = (_: unknown, index: number): string => String(index);

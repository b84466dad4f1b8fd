/** The times of all iterations, as `-H` and `-U` print them before the row: `#, usec` and lines of `i, t`. */
import type { SampleSet } from '../types.js';
import type { Line } from './lines.js';
import { UNITS, cellOf, valueOf } from './cells.js';

export class Dump {
  readonly cycles: boolean;
  /** Of its head. */
  readonly line: number;
  readonly #seconds: number[] = [];

  private constructor(cycles: boolean, line: number) {
    this.cycles = cycles;
    this.line = line;
  }

  /** What this line begins; undefined where it is no such head. */
  static heading({ text, number }: Line): Dump | undefined {
    const [, unit] = /^#,\s*(usec|cycles)$/.exec(text) ?? [];
    return unit === undefined ? undefined : new Dump(unit === 'cycles', number);
  }

  take(text: string): boolean {
    const [, time = ''] = /^\d+,\s*(\S+)$/.exec(text) ?? [];
    const cell = cellOf(time);
    if (cell?.kind !== 'number') return false;
    this.#seconds.push(valueOf(cell.text, UNITS.microseconds));
    return true;
  }

  /** Cycles are no seconds, and are not kept. */
  samples(): readonly SampleSet[] | undefined {
    return this.cycles || this.#seconds.length === 0 ? undefined : [{ rank: 0, seconds: this.#seconds }];
  }
}

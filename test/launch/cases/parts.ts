/** What ./suite.ts is given, and what it prints. */
import type { Tampering } from './tampering.js';

export interface Part {
  readonly name: string;
  readonly argv: readonly string[];
  readonly tampering?: Tampering;
}

/** What a part printed and how it ended. */
export interface Ran {
  readonly name: string;
  readonly argv: readonly string[];
  readonly code: number;
  readonly stdout: string;
  /** Of all ranks, in their order. */
  readonly stderr: string;
}

/** Begins the line of a part that has run; a `Ran` as JSON follows. */
export const MARK = '@ran ';

/** Lines on stderr, and failures in words. */
import type { Sink } from './types.js';

/** Where a program writes: its results, and everything else. */
export interface Streams {
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** Writes a line. That nobody is left to read it must not keep a run from its end. */
export function say(stderr: Sink, text: string): void {
  try {
    stderr.write(text.endsWith('\n') ? text : `${text}\n`);
  } catch {
    return;
  }
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lines on stderr, and failures in words. */
import { SinkError } from './sink.js';
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

/**
 * Writes a text that is all a program has to give, such as its help. Whoever has read enough of it may go.
 *
 * @returns whether it was written; if not, stderr says why
 */
export function tell({ stdout, stderr }: Streams, text: string): boolean {
  try {
    stdout.write(text);
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    if (error.code !== 'EPIPE') {
      say(stderr, error.message);
      return false;
    }
  }
  return true;
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

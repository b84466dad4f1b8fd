/** Where text goes: file descriptors with every write checked, or memory. */
import { fstatSync, writeSync } from 'node:fs';
import type { Sink } from './types.js';

/** A write that failed for good; `code` is the system's, or `EPIPE` for a terminal too when its reader is gone. */
export class SinkError extends Error {
  readonly code: string;

  constructor(target: string, cause: unknown, code = errorCode(cause)) {
    super(`Writing to ${target} failed: ${causeText(code, cause)}.`, { cause });
    this.name = 'SinkError';
    this.code = code;
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  EPIPE: 'its reader is gone',
  ENOSPC: 'no space is left on the device; free some',
  EDQUOT: 'the disk quota is used up; free some space',
  EFBIG: 'the file would exceed the size limit (see ulimit -f)',
  EBADF: 'it is closed',
  EIO: 'the device reports an error',
};

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}

/** The cause in words, without a full stop. */
export function causeText(code: string, error: unknown): string {
  return CAUSES[code] ?? (error instanceof Error ? error.message : String(error));
}

/** Writes all of it, waiting for a full pipe to be read. Throws the system's error. */
export function writeFully(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      sleep(1);
    }
  }
}

/** Blocks this thread; there is nothing to wait on for a descriptor in synchronous code. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Launchers give ranks terminals of their own, and where nobody reads one any more the system says EIO. isatty(3) fails then too. */
const isTerminal = (fd: number): boolean => fstatSync(fd).isCharacterDevice();

/** Writes to a descriptor, normally 1 or 2. */
export class FdSink implements Sink {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  write(text: string): void {
    try {
      writeFully(this.fd, text);
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** What a write that failed is thrown as. */
  failure(error: unknown): SinkError {
    const code = errorCode(error);
    const target = ['stdin', 'stdout', 'stderr'][this.fd] ?? `descriptor ${this.fd}`;
    return new SinkError(target, error, code === 'EIO' && isTerminal(this.fd) ? 'EPIPE' : code);
  }
}

/** Keeps the text. */
export class MemorySink implements Sink {
  text = '';

  write(text: string): void {
    this.text += text;
  }
}

/** The log of `-c log[:DIR]`: one file per rank that saw wrong data, made when the first is seen. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidationRequest } from '../cli/options.js';
import type { WrongBytes } from './row.js';

/** @returns what takes this rank's wrong bytes; it does nothing without `-c log` */
export function wrongBytesLog(
  request: ValidationRequest | undefined,
  rank: number,
): (size: number, wrong: readonly WrongBytes[]) => void {
  const log = request?.log;
  if (!log) return () => undefined;
  const folder = log.directory;
  return (size, wrong) => {
    mkdirSync(folder, { recursive: true });
    const lines = wrong.map(
      ({ slot, bytes, iteration, offset, expected, got }) =>
        `size ${size}, buffer ${slot}: ${bytes} wrong bytes, the first in iteration ${iteration} at offset ${offset}: expected ${expected}, got ${got}\n`,
    );
    appendFileSync(join(folder, `log-${rank}.log`), lines.join(''));
  };
}

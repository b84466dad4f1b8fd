/** Tables for those who asked for them: the bundle that writes them is loaded on use, on rank 0 alone. */
import { createRequire } from 'node:module';
import type { RecordTarget } from '../record-target.js';
import type { Reporter } from '../types.js';
import type { TableKind } from './types.js';

/** The reporter behind `--csv` and `--markdown`. */
export function tableReporter(kind: TableKind, target: RecordTarget): Reporter {
  // Beside this file in the sources, and beside the program in dist.
  const { tableReporterFor } = createRequire(import.meta.filename)('./tables.js') as typeof import('./tables.js');
  return tableReporterFor(kind, target);
}

/** What goes in and out of cases/suite.ts. */
import type { Tampering } from './cases/tampering.js';

export interface SuiteProgram {
  /** One of `programNames`. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly tampering?: Tampering;
}

export interface SuiteResult {
  readonly name: string;
  /** The highest of all ranks, as a launcher would have it. */
  readonly code: number;
  /** All ranks', by rank; only rank 0 should have written any. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Begins a line of the output that holds a result. */
const MARKER = '@@ result ';

export function resultLine(result: SuiteResult): string {
  return `${MARKER}${JSON.stringify(result)}\n`;
}

/** The results in what a suite has printed. */
export function resultsIn(stdout: string): SuiteResult[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith(MARKER));
  return lines.map((line) => JSON.parse(line.slice(MARKER.length)) as SuiteResult);
}

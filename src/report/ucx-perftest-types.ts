/** What ucx_perftest's text needs to know. Seconds and bytes throughout; the text converts (MB is 2^20 bytes). */
import type { UcxTestOptions } from '../cli/ucx-perftest-options.js';

/** Facts of a test's row in the table of tests. */
export interface UcxTestFacts {
  readonly name: string;
  readonly api: 'uct' | 'ucp';
  /** As the box shows it, e.g. `active message latency`. */
  readonly description: string;
  /** Heading of the first columns. */
  readonly metric: 'latency' | 'overhead';
}

export interface UcxTextOptions {
  readonly csv: boolean;
  readonly finalOnly: boolean;
  readonly thousands: boolean;
  readonly extraInfo: boolean;
  readonly batchFiles: readonly string[];
  /** Whether `-t` is on the command line, so that all lines of batch files that name no other are of that test. */
  readonly testGiven?: boolean;
  readonly percentile: number;
  readonly stats: boolean;
}

/** Figures since the previous row (`average`) and over the whole run (`overall`). */
export interface UcxFigures {
  /** Iterations so far. */
  readonly iterations: number;
  /** Seconds; null where it isn't known (several threads or pairs). */
  readonly percentile: number | null;
  readonly latency: { readonly average: number; readonly overall: number };
  /** Bytes per second. */
  readonly bandwidth: { readonly average: number; readonly overall: number };
  /** Messages per second. */
  readonly rate: { readonly average: number; readonly overall: number };
  /** Of all samples, seconds, with `--stats`: shown in a line of their own after the last row. */
  readonly statistics?: { readonly [name: string]: number | null };
}

/** Writes what the side that prints shows. Every method returns text with its newlines, or ''. */
export interface UcxPerftestText {
  waiting(): string;
  accepted(peer: string): string;
  /** The box that a server (or `-l`) shows before a test; one rule line in batch mode. */
  parameters(test: UcxTestFacts, options: UcxTestOptions): string;
  /** Once before the rows; with batch files once for all of them, whatever the tests. */
  header(test: UcxTestFacts): string;
  /** Before the rows of one test of a batch. */
  label(labels: readonly string[]): string;
  /** A row while the test runs, at most one a second. */
  progress(thread: number, figures: UcxFigures, labels: readonly string[]): string;
  /** The last row. `several`: threads or pairs together; `info`: UCX's words on how it sent, with `extraInfo`. */
  final(
    figures: UcxFigures,
    labels: readonly string[],
    more?: { readonly several?: boolean; readonly info?: string | null },
  ): string;
}
